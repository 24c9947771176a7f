"""Sizes of files and memory in several units: '850 KB' beside '1.2 MB'. Shapes: W different words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from foundcause.data.numbers import Decimal, NumberStyle, read_numbers
from foundcause.data.reading import Encoded, counted, quote

_SHARE = 0.95  # below this share of readable sizes a text column is text
_SIZE = re.compile(
    r"(?P<number>\d[\d.,]*)\s?(?:(?P<prefix>[kKMGTP]?)(?P<binary>(?<=[kKMGTP])i)?B|(?P<bytes>(?i:bytes?)))"
)
_PREFIXES = "kMGTP"
_NOTHING = re.compile(r"0+(?:[.,]0+)?")


@dataclass(frozen=True, kw_only=True)
class SizeStyle:
    """Bytes with a prefix: of thousands, or of 1024 where it is binary; ``numbers``: how the numbers are written."""

    numbers: NumberStyle

    def read(self, words: Sequence[str]) -> np.ndarray:
        numbers, factors = _taken_apart(words)
        return self.numbers.read(numbers) * factors


def read_sizes(name: str, words: list[str], counts: np.ndarray, decimal: Decimal) -> Encoded | None:
    """The bytes that each different word means; None when the column does not hold sizes of several units."""
    if not words[int(np.argmax(counts))][:1].isdigit():
        return None  # nearly always, and the pattern takes time
    numbers, factors = _taken_apart(words)
    known = ~np.isnan(factors)
    if len(np.unique(factors[known & (factors > 0)])) < 2 or counts[known].sum() < _SHARE * counts.sum():
        return None
    chosen = [numbers[k] for k in np.flatnonzero(known)]
    style = SizeStyle(numbers=read_numbers(name, chosen, counts[known], decimal).style)
    values = style.read(words)
    strange = np.isnan(values)
    if counts[~strange].sum() < _SHARE * counts.sum():
        return None
    example = int(np.nanargmax(factors))
    notes = [
        f"column {name!r}: {quote([words[example]])} is read as {values[example]:,.10g} bytes, and so are all sizes"
    ]
    if strange.any():
        shown = quote([words[k] for k in np.flatnonzero(strange)[:3]])
        many = int(counts[strange].sum())
        said = counted(many, f"cell ({shown}) is no size and is", f"cells ({shown}) are no sizes and are")
        notes.append(f"column {name!r}: {said} treated as missing")
    return Encoded(values=values, kind="continuous", encoding="bytes", notes=tuple(notes), style=style)


def _taken_apart(words: Sequence[str]) -> tuple[list[str], np.ndarray]:
    """The number of each word as written, and the bytes of its unit, NaN for none; nothing needs no unit."""
    matches = [_SIZE.fullmatch(word) for word in words]
    numbers = [match["number"] if match else "0" for match in matches]
    nothing = [0.0 if _NOTHING.fullmatch(word) else np.nan for word in words]
    return numbers, np.array([_bytes(match) if match else zero for match, zero in zip(matches, nothing, strict=True)])


def _bytes(match: re.Match[str]) -> float:
    prefix = (match["prefix"] or "").replace("K", "k")
    return (1024.0 if match["binary"] else 1000.0) ** (_PREFIXES.index(prefix) + 1 if prefix else 0)
