"""Numbers as people write them: decimal commas, thousands separators, signs, currencies, units and multipliers.

What a mark means is decided once for a column, never cell by cell: '1.459' beside '987' is 1459 or 1.459 throughout.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd

from foundcause.table.vocabulary import is_missing

_LOOKED_AT = 200  # columns, and cells of each, that the guess of the decimal mark looks at
_MOSTLY = 0.8
_LONGEST = 60
_MANY_GROUPS = 30  # so many different numbers that all have three decimals were hardly rounded
_SPACES = "'’\u00a0\u202f "
_CURRENCY = (
    r"US\$|R\$|[$€£¥₹₩₽₺]|USD|EUR|GBP|CHF|JPY|CNY|INR|AUD|CAD|NZD|SEK|NOK|DKK|PLN|CZK|HUF|BRL|MXN|ZAR|KRW|SGD|HKD|TRY"
)
_WRITTEN = re.compile(
    rf"(?P<sign>[-+]?)\s*(?P<before>{_CURRENCY})?\s*"
    rf"(?P<number>[-+]?[\d.,][\d.,{_SPACES}]*?(?:[eE][-+]?\d+)?)\s*"
    r"(?P<after>[^\W\d_]{1,10}|°[CFK]?|[%‰$€£¥₹₩₽₺])?"
)
_NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")
_DIGITS = re.compile(r"[-+]?[\d.,]*\d([eE][-+]?\d+)?")
_SPACED_GROUPS = re.compile(rf"[-+]?[1-9]\d{{0,2}}([{_SPACES}]\d{{3}})+([.,]\d+)?")
_COMMA_GROUPS = re.compile(r"[-+]?[1-9]\d{0,2}(,\d{3})+(\.\d+)?")
_DOT_GROUPS = re.compile(r"[-+]?[1-9]\d{0,2}(\.\d{3})+(,\d+)?")
_DECIMAL_COMMA = re.compile(r"[-+]?(\d{1,3}(\.\d{3})+|\d*),\d+([eE][-+]?\d+)?")
_ONLY_DECIMAL = r"[-+]?(\d*{mark}(\d{{1,2}}|\d{{4,}})|0{mark}\d+|\d{{4,}}{mark}\d+|\d{{1,3}}({group}\d{{3}})+{mark}\d+)"
_SHOWS = {
    ",": re.compile(_ONLY_DECIMAL.format(mark=",", group=r"\.")),
    ".": re.compile(_ONLY_DECIMAL.format(mark=r"\.", group=",")),
}
_MULTIPLIERS = {
    **dict.fromkeys(("k", "K", "thousand", "tsd", "Tsd"), 1e3),
    **dict.fromkeys(("M", "mn", "mln", "mio", "Mio", "million"), 1e6),
    **dict.fromkeys(("B", "G", "bn", "billion", "mrd", "Mrd"), 1e9),
}
_ALSO_UNITS = {"m": 1e6, "b": 1e9}  # metres and bits, unless '900k' stands in the same column


@dataclass(frozen=True, kw_only=True)
class Decimal:
    """The decimal mark of a table, and whether other columns show it or it is the likelier one only."""

    mark: Literal[".", ","] = "."
    certain: bool = False


@dataclass(frozen=True, kw_only=True)
class Written:
    """What a column's different words mean: values (one per word, NaN for no number), encoding and notes in words."""

    values: np.ndarray
    encoding: str
    notes: tuple[str, ...] = ()


def guess_decimal(columns: Iterable[pd.Series], separator: str | None) -> Decimal:
    """The decimal mark that columns of text agree on; else a comma for files with semicolons, a point for others."""
    shown: set[Literal[".", ","]] = set()
    for column in list(columns)[:_LOOKED_AT]:
        cells = [str(cell).strip() for cell in column.head(_LOOKED_AT) if isinstance(cell, str)]
        written = [_match(cell) for cell in cells if not is_missing(cell)]
        numbers = [match["number"] for match in written if match and _DIGITS.fullmatch(match["number"])]
        if not numbers or len(numbers) < _MOSTLY * len(written):
            continue
        if any(_SHOWS[","].fullmatch(number) for number in numbers):
            shown.add(",")
        if any(_SHOWS["."].fullmatch(number) for number in numbers):
            shown.add(".")
    if len(shown) == 1:
        return Decimal(mark=shown.pop(), certain=True)
    return Decimal(mark="," if separator == ";" and not shown else ".")


def read_numbers(name: str, words: Sequence[str], counts: np.ndarray, decimal: Decimal) -> Written:
    """The number that each different word of a column means; ``counts`` says how many cells hold it."""
    plain = pd.to_numeric(pd.Series(words, dtype=object), errors="coerce").to_numpy(dtype=float)
    # "infinity" and friends are numbers to the parser; they become missing cells further on.
    infinite = np.array([word.casefold().lstrip("+-") in ("inf", "infinity") for word in words], dtype=bool)
    readable = np.isfinite(plain) | infinite
    dotted = [word for word in words if "." in word]
    if readable.all() and not (dotted and all(_DOT_GROUPS.fullmatch(word) for word in dotted)):
        return Written(values=plain, encoding="as is")
    written = _written_numbers(name, words, counts, decimal)
    differs = np.isfinite(written.values) & ~(readable & (written.values == plain))
    if not differs.any():
        return Written(values=plain, encoding="as is", notes=written.notes)
    values = np.where(np.isfinite(written.values), written.values, plain)
    return Written(values=values, encoding=written.encoding, notes=written.notes)


def _written_numbers(name: str, words: Sequence[str], counts: np.ndarray, decimal: Decimal) -> Written:
    matches = [_match(text) for text in _with_leading_sign(words)]
    units = _units(matches)
    marks = _Marks.of([match["number"] for match in matches if match], decimal)
    values = np.full(len(words), np.nan)
    for k, match in enumerate(matches):
        if match is None or (units.mixed and (match["before"] or match["after"])):
            continue
        text = match["sign"] + marks.normal(match["number"])
        if _NUMBER.fullmatch(text):
            values[k] = float(text) * units.factors.get(match["after"], 1.0)
    notes = [*marks.notes(name), *units.notes(name, words, matches, values, counts)]
    encoding = "number as written (separators and signs removed)"
    if units.unit[-1:].isalpha() or units.unit.startswith("°"):
        encoding = f"number of {units.unit}"
    if units.factors:
        encoding = "number as written (" + ", ".join(f"{u} = {f:,.0f}" for u, f in sorted(units.factors.items())) + ")"
    return Written(values=values, encoding=encoding, notes=tuple(notes))


def _match(text: str) -> re.Match[str] | None:
    # No number is long, and the search takes time with the square of a run of blanks.
    return _WRITTEN.fullmatch(text) if len(text) <= _LONGEST else None


def _with_leading_sign(words: Sequence[str]) -> list[str]:
    """Words with '(12.50)' and '12.50-' as '-12.50'; parentheses around all words are no sign."""
    texts = [word.replace("\u2212", "-").strip() for word in words]
    enclosed = [re.fullmatch(r"\(([^()]*\d[^()]*)\)", text) for text in texts]
    if not all(enclosed):
        texts = [f"-{match[1]}" if match else text for text, match in zip(texts, enclosed, strict=True)]
    return [re.sub(r"^([^-+].*\d)-$", r"-\1", text) for text in texts]


@dataclass(frozen=True, kw_only=True)
class _Marks:
    """What commas and dots mean in a column; ``doubtful`` is a number for which that was not certain."""

    commas_group: bool
    dots_group: bool
    doubtful: str = ""

    @classmethod
    def of(cls, numbers: list[str], decimal: Decimal) -> _Marks:
        numbers = [number for number in numbers if _DIGITS.fullmatch(number)]
        commas = [number for number in numbers if "," in number]
        dots = [number for number in numbers if "." in number]
        commas_fit = bool(commas) and all(_COMMA_GROUPS.fullmatch(number) for number in commas)
        dots_fit = bool(dots) and all(_DOT_GROUPS.fullmatch(number) for number in dots)
        # Several groups, the other mark behind a group, or the other mark as a clear decimal mark leave no doubt.
        commas_sure = any(n.count(",") > 1 or "." in n for n in commas) or (bool(dots) and not dots_fit)
        dots_sure = any(n.count(".") > 1 or "," in n for n in dots) or (bool(commas) and not commas_fit)
        look_grouped = _MANY_GROUPS <= len(dots) < len(numbers)
        unsure_dots = dots_fit and not dots_sure
        doubtful = ""
        if commas_fit and not commas_sure and not decimal.certain:
            doubtful = commas[0]
        elif unsure_dots and not decimal.certain and look_grouped:
            doubtful = dots[0]
        return cls(
            commas_group=commas_fit and (commas_sure or decimal.mark == "."),
            dots_group=dots_fit and (dots_sure or (decimal.mark == "," and (decimal.certain or look_grouped))),
            doubtful=doubtful,
        )

    def normal(self, number: str) -> str:
        """The number with a decimal point and without groups."""
        if _SPACED_GROUPS.fullmatch(number):
            return re.sub(r"[^-+\d.,]", "", number).replace(",", ".")
        if self.commas_group and "," in number:
            return number.replace(",", "")
        if _DECIMAL_COMMA.fullmatch(number):
            return number.replace(".", "").replace(",", ".")
        return number.replace(".", "") if self.dots_group else number

    def notes(self, name: str) -> list[str]:
        if not self.doubtful:
            return []
        taken = self.normal(self.doubtful)
        whole, fraction = re.sub("[.,]", "", self.doubtful), re.sub(",", ".", self.doubtful)
        other = whole if taken == fraction else fraction
        return [
            f"column {name!r}: {self.doubtful!r} is read as {taken}, but may mean {other}; nothing in the table tells "
            "thousands separators from decimal marks, write numbers without thousands separators"
        ]


@dataclass(frozen=True, kw_only=True)
class _Units:
    """Units of a column: the one its cells share, or factors of multipliers such as k, or ``mixed`` units."""

    unit: str = ""
    factors: dict[str, float]
    mixed: bool = False

    def notes(
        self,
        name: str,
        words: Sequence[str],
        matches: Sequence[re.Match[str] | None],
        values: np.ndarray,
        counts: np.ndarray,
    ) -> list[str]:
        """A warning when some cells have a unit or a multiplier and others (zero needs none) have nothing."""
        found = np.isfinite(values) & (values != 0)
        marked = np.array([bool(match and (match["after"] or match["before"])) for match in matches]) & found
        bare = found & ~marked
        if not (marked.any() and bare.any()) or not (self.unit or self.factors):
            return []
        example, without = words[int(np.argmax(marked))], words[int(np.argmax(bare))]
        if self.factors:
            value = values[int(np.argmax(marked))]
            return [f"column {name!r}: {example!r} is read as {value:,.10g} and {without!r} as it stands; check both"]
        return [
            f"column {name!r}: {int(counts[bare].sum())} cells such as {without!r} have no unit and "
            f"{int(counts[marked].sum())} such as {example!r} have; all are taken to be in {self.unit}"
        ]


def _units(matches: Sequence[re.Match[str] | None]) -> _Units:
    found = [match for match in matches if match]
    befores = {match["before"] for match in found if match["before"]}
    afters = {match["after"] for match in found if match["after"]}
    known = _MULTIPLIERS | (_ALSO_UNITS if afters & _MULTIPLIERS.keys() else {})
    shared = len(afters) == 1 and all(match["after"] for match in found)  # '300 K' throughout is no thousand
    factors = {after: known[after] for after in afters} if afters <= known.keys() and not shared else {}
    units = befores | (set() if factors else afters)
    return _Units(unit=next(iter(units)) if len(units) == 1 else "", factors=factors, mixed=len(units) > 1)
