"""Numbers as people write them: decimal commas, thousands separators, signs, currencies, units and multipliers.

What a mark means is decided once for a column, never cell by cell: '1.459' beside '987' is 1459 or 1.459 throughout.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd

from foundcause.data.marked import without_known_marks, without_marks
from foundcause.data.signs import CURRENCY, with_leading_sign
from foundcause.data.typography import in_plain_digits, tell_powers
from foundcause.data.units import UNIT, Units, same_unit
from foundcause.data.vocabulary import is_missing

Mark = Literal[".", ","]
Use = Literal["group", "decimal"]

_MOSTLY = 0.8
_LONGEST = 60
_MOST_UNITS = 10
_MANY_GROUPS = 30  # so many different numbers that all have three decimals were hardly rounded
_SPACES = "'’\u00a0\u202f "
_WRITTEN = re.compile(
    rf"(?P<sign>[-+]?)\s*(?P<before>{CURRENCY})?\s*"
    rf"(?P<number>[-+]?[\d.,][\d.,{_SPACES}]*?(?:[eE][-+]?\d+)?)\s*"
    rf"(?:(?P<after>{UNIT})(?:(?<=[^\W\d_])\.)?)?"  # also 5 Min.
)
_NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")
_DIGITS = re.compile(r"[-+]?[\d.,]*\d([eE][-+]?\d+)?")
_SPACED_GROUPS = re.compile(rf"[-+]?[1-9]\d{{0,2}}([{_SPACES}]\d{{3}})+([.,]\d+)?")
_COMMA_GROUPS = re.compile(r"[-+]?([1-9]\d{0,2}(,\d{3})+|[1-9]\d?(,\d{2})+,\d{3})(\.\d+)?")  # also 7,00,000
_DOT_GROUPS = re.compile(r"[-+]?[1-9]\d{0,2}(\.\d{3})+(,\d+)?")
_DECIMAL_COMMA = re.compile(r"[-+]?(\d{1,3}(\.\d{3})+|\d*),\d+([eE][-+]?\d+)?")
_ONLY_DECIMAL = r"[-+]?(\d*{mark}(\d{{1,2}}|\d{{4,}})|0{mark}\d+|\d{{4,}}{mark}\d+|\d{{1,3}}({group}\d{{3}})+{mark}\d+)"
_SHOWS: dict[Mark, re.Pattern[str]] = {
    ",": re.compile(_ONLY_DECIMAL.format(mark=",", group=r"\.")),
    ".": re.compile(_ONLY_DECIMAL.format(mark=r"\.", group=",")),
}
_DECADE = re.compile(r"(?:1\d|20)\d0'?s")


@dataclass(frozen=True, kw_only=True)
class Decimal:
    """The decimal mark of a table, and whether other columns show it or it is the likelier one only.

    points: whether some column shows decimal points, so that a comma in another may part the answers of a list.
    """

    mark: Mark = "."
    certain: bool = False
    points: bool = False


@dataclass(frozen=True, kw_only=True)
class Written:
    """What a column's different words mean: values (W,), NaN for no number; how they are written, also in words."""

    values: np.ndarray
    style: NumberStyle
    encoding: str = "as is"
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class NumberStyle:
    """How the numbers of a column are written; ``decimal`` decides about marks that the column does not hold."""

    marks: Marks
    units: Units
    decimal: Decimal

    def read(self, words: Sequence[str]) -> np.ndarray:
        plain, readable = _plain_numbers(words)
        if readable.all() and (self.marks.dots == "decimal" or not any("." in word for word in words)):
            return plain
        # A column that lies in parentheses throughout holds no numbers, so here they mean a minus.
        texts = without_known_marks(in_plain_digits(words), _match, unit=self.units.unit)
        matches = [_match(text) for text in with_leading_sign(texts, minus=True)]
        seen = Marks.of([match["number"] for match in matches if match], self.decimal)
        marks = dataclasses.replace(seen, commas=self.marks.commas or seen.commas, dots=self.marks.dots or seen.dots)
        units = self.units.with_all_multipliers() if self.units.unit or self.units.factors else Units.of(matches)
        return _with_plain(_values(matches, marks, units), plain, words, marks)


def guess_decimal(columns: Iterable[pd.Series], separator: str | None) -> Decimal:
    """The decimal mark that columns of text agree on; else a comma for files with semicolons, a point for others."""
    shown: set[Mark] = set()
    points = False
    for column in columns:
        cells = [cell for cell in column.tolist() if isinstance(cell, str)]
        # Looking for a letter is quick; the pattern runs only where it can tell something new.
        if any(mark not in shown and any(mark in cell for cell in cells) for mark in _SHOWS):
            marks = _shown_marks(cells)
            shown |= marks
            points |= marks == {"."}
    points = points and separator != ";"  # semicolons go with decimal commas, and 24.12 may be a day
    if len(shown) == 1:
        return Decimal(mark=shown.pop(), certain=True, points=points)
    return Decimal(mark="," if separator == ";" and not shown else ".", points=points)


def _shown_marks(cells: list[str]) -> set[Mark]:
    """The decimal marks that a column shows without doubt, if most of its cells are numbers."""
    written = [_match(cell.strip()) for cell in cells if not is_missing(cell)]
    numbers = [match["number"] for match in written if match and _DIGITS.fullmatch(match["number"])]
    if len(numbers) < _MOSTLY * len(written):
        return set()
    return {mark for mark, pattern in _SHOWS.items() if any(pattern.fullmatch(number) for number in numbers)}


def read_numbers(name: str, words: Sequence[str], counts: np.ndarray, decimal: Decimal) -> Written:
    """The number that each different word of a column means; ``counts`` says how many cells hold it."""
    plain, readable = _plain_numbers(words)
    dotted = [word for word in words if "." in word]
    if readable.all() and not (dotted and all(_DOT_GROUPS.fullmatch(word) for word in dotted)):
        marks = Marks(dots="decimal" if dotted else None)
        return Written(values=plain, style=NumberStyle(marks=marks, units=Units(), decimal=decimal))
    unmarked = without_marks(in_plain_digits(words), counts, _match)
    matches = [_match(text) for text in with_leading_sign(unmarked.words)]
    marks, units = Marks.of([match["number"] for match in matches if match], decimal), Units.of(matches)
    style = NumberStyle(marks=marks, units=units, decimal=decimal)
    written = _values(matches, marks, units)
    notes = (
        *unmarked.notes(name, written, counts),
        *tell_powers(name, words, written),
        *marks.notes(name),
        *units.notes(name, words, matches, written, counts),
    )
    differs = np.isfinite(written) & ~(readable & (written == plain))
    if not differs.any():
        return Written(values=plain, style=style, notes=notes)
    values = _with_plain(written, plain, words, marks)
    decades = units.unit == "s" and all(map(_DECADE.fullmatch, words))
    encoding = "first year of the decade" if decades else units.encoding
    return Written(values=values, style=style, encoding=encoding, notes=notes)


def different_units(words: Sequence[str]) -> list[str]:
    """Units of words that are numbers with several units, most of them at least; else none."""
    matches = [match for match in map(_match, words) if match and _DIGITS.fullmatch(match["number"])]
    # '12A' and '12B' are seats: a single letter is a unit where a blank stands before it.
    if any(match["after"] and re.fullmatch(r"\S+[^\W\d_]", match[0]) and len(match["after"]) == 1 for match in matches):
        return []
    units = {unit for match in matches for unit in match.group("before", "after") if unit}
    unlike = len(set(map(same_unit, units))) > 1 and len(units) <= _MOST_UNITS
    return sorted(units) if unlike and len(matches) >= _MOSTLY * len(words) else []


def _plain_numbers(words: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
    """The numbers that a programmer would write so, (W,), and whether each is one."""
    plain = pd.to_numeric(pd.Series(words, dtype=object), errors="coerce").to_numpy(dtype=float)
    # "infinity" and friends are numbers to the parser; they become missing cells further on.
    infinite = np.array([word.casefold().lstrip("+-") in ("inf", "infinity") for word in words], dtype=bool)
    return plain, np.isfinite(plain) | infinite


def _values(matches: Sequence[re.Match[str] | None], marks: Marks, units: Units) -> np.ndarray:
    values = np.full(len(matches), np.nan)
    for k, match in enumerate(matches):
        if match is None or not units.allow(match):
            continue
        text = match["sign"] + marks.normal(match["number"])
        if _NUMBER.fullmatch(text):
            values[k] = float(text) * units.factors.get(match["after"], 1.0)
    return values


def _with_plain(written: np.ndarray, plain: np.ndarray, words: Sequence[str], marks: Marks) -> np.ndarray:
    """Written numbers, and plain ones where these are none; '1.5' is none where dots part thousands."""
    grouped = np.array([marks.dots == "group" and "." in word for word in words], dtype=bool)
    return np.where(np.isfinite(written) | grouped, written, plain)


def _match(text: str) -> re.Match[str] | None:
    # No number is long, and the search takes time with the square of a run of blanks.
    return _WRITTEN.fullmatch(text) if len(text) <= _LONGEST else None


@dataclass(frozen=True, kw_only=True)
class Marks:
    """What commas and dots mean in a column, None for none seen; ``doubtful``: a number for which it is not certain."""

    commas: Use | None = None
    dots: Use | None = None
    doubtful: str = ""

    @classmethod
    def of(cls, numbers: list[str], decimal: Decimal) -> Marks:
        numbers = [number for number in numbers if _DIGITS.fullmatch(number)]
        commas = [number for number in numbers if "," in number]
        dots = [number for number in numbers if "." in number]
        commas_fit = bool(commas) and all(_COMMA_GROUPS.fullmatch(number) for number in commas)
        dots_fit = bool(dots) and all(_DOT_GROUPS.fullmatch(number) for number in dots)
        # Several groups, the other mark behind a group, or the other mark as a clear decimal mark leave no doubt.
        commas_sure = any(n.count(",") > 1 or "." in n for n in commas) or (bool(dots) and not dots_fit)
        dots_sure = any(n.count(".") > 1 or "," in n for n in dots) or (bool(commas) and not commas_fit)
        # Beside whole numbers, rounded decimals hardly all have three places; below a thousand there are no groups.
        plain = [number for number in numbers if number.lstrip("-+").isdigit()]
        look_grouped = bool(plain) and (len(dots) >= _MANY_GROUPS or all(abs(int(number)) < 1000 for number in plain))
        doubtful = ""
        if commas_fit and not commas_sure and not decimal.certain:
            doubtful = commas[0]
        elif dots_fit and not dots_sure and not decimal.certain:
            doubtful = dots[0]
        commas_group = commas_fit and (commas_sure or decimal.mark == ".")
        dots_group = dots_fit and (dots_sure or (decimal.mark == "," and (decimal.certain or look_grouped)))
        return cls(
            commas=None if not commas else "group" if commas_group else "decimal",
            dots=None if not dots else "group" if dots_group else "decimal",
            doubtful=doubtful,
        )

    def normal(self, number: str) -> str:
        """The number with a decimal point and without groups; empty when its marks mean something else here."""
        if _SPACED_GROUPS.fullmatch(number):
            return re.sub(r"[^-+\d.,]", "", number).replace(",", ".")
        if self.commas == "group" and "," in number:
            return number.replace(",", "") if _COMMA_GROUPS.fullmatch(number) else ""
        if _DECIMAL_COMMA.fullmatch(number):
            return number.replace(".", "").replace(",", ".")
        if self.dots == "group" and "." in number:
            return number.replace(".", "") if _DOT_GROUPS.fullmatch(number) else ""
        return number

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
