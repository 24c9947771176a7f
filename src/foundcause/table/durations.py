"""Durations as text: '26:15:00', '1h 30m', and days with hours as Python and pandas write them. W different words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from foundcause.table.reading import Encoded, quote

_DURATION_SHARE = 0.95  # below this share of readable durations a text column is text
_DAY = 86400.0
_WITH_COLONS = re.compile(
    r"(?:(?P<days>[-+]?\d+) days?,? )?"
    r"(?P<sign>[-+]?)(?P<hours>\d+):(?P<minutes>[0-5]\d):(?P<seconds>[0-5]\d(?:[.,]\d+)?)"
)
_WITH_LETTERS = re.compile(
    r"(?=\d)(?:(?P<days>\d+) ?d(?:ays?)?)? ?(?:(?P<hours>\d+) ?h(?:ours?|rs?)?)? ?"
    r"(?:(?P<minutes>\d+) ?m(?:in(?:ute)?s?)?)? ?(?:(?P<seconds>\d+(?:[.,]\d+)?) ?s(?:ec(?:ond)?s?)?)?"
)
_LETTER_BEFORE_DIGIT = re.compile(r"[a-z].*\d")


@dataclass(frozen=True, kw_only=True)
class DurationStyle:
    """Days, hours, minutes and seconds."""

    def read(self, words: Sequence[str]) -> np.ndarray:
        return np.array([_seconds(word) for word in words], dtype=float)


def read_durations(name: str, words: list[str], counts: np.ndarray) -> Encoded | None:
    """The seconds that each different word means; None when the column holds no durations, or only times of day."""
    values = DurationStyle().read(words)
    readable = ~np.isnan(values)
    if counts[readable].sum() < _DURATION_SHARE * counts.sum():
        return None
    # '07:30:00' alone is a time of day and '30m' is a length; one cell that can only be a duration decides for all.
    compound = np.array([_LETTER_BEFORE_DIGIT.search(word) is not None for word in words])
    if not (readable & ((values > _DAY) | (values < 0) | compound)).any():
        return None
    notes: tuple[str, ...] = ()
    if not readable.all():
        strange = quote([words[k] for k in np.flatnonzero(~readable)[:3]])
        notes = (
            f"column {name!r}: {int(counts[~readable].sum())} cells ({strange}) are no durations and are treated "
            "as missing",
        )
    return Encoded(values=values, kind="continuous", encoding="seconds", notes=notes, style=DurationStyle())


def _seconds(word: str) -> float:
    match = _WITH_COLONS.fullmatch(word) or _WITH_LETTERS.fullmatch(word)
    if match is None:
        return np.nan
    parts = {part: float((text or "0").replace(",", ".")) for part, text in match.groupdict().items() if part != "sign"}
    within_day = 3600.0 * parts["hours"] + 60.0 * parts["minutes"] + parts["seconds"]
    negative = match.re is _WITH_COLONS and match["sign"] == "-"
    return _DAY * parts["days"] + (-within_day if negative else within_day)
