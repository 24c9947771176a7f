"""Parts of years as offices of statistics write them ('2020Q1', '2022-M07', 'H1 2022'), and fiscal years ('FY23').

Shapes: W different words.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from foundcause.table.reading import Encoded

YEAR = r"(?:1[89]|20|21)\d{2}"
"""Pattern of a year; 1/1000 is a dilution."""

_YEARS_AHEAD = 5  # appointments lie this far ahead, births do not
_TWO_DIGITS = 99
_MONTHS_LONG = {"M": 1, "Q": 3, "T": 3, "H": 6, "S": 6}  # trimester, semester
_PERIOD = re.compile(
    rf"(?P<year>{YEAR})[ -]?(?:(?P<part>[QTHSM])(?P<number>\d{{1,2}})|W(?P<week>\d{{1,2}})(?:-?(?P<day>[1-7]))?)"
    rf"|(?:(?P<first_part>[QTHS])(?P<its_number>\d)|(?P<first_number>\d)(?P<its_part>[QTHS]))"
    rf"[ /-](?P<last_year>{YEAR})",
    re.IGNORECASE,
)
_FISCAL = re.compile(rf"FY[ -]?'?(?P<year>{YEAR}|\d{{2}})", re.IGNORECASE)
_TWO_YEARS = re.compile(
    rf"(?:(?P<year>{YEAR})|FY[ -]?(?P<fiscal>{YEAR}|\d{{2}}))[/–-](?P<next>\d{{2}}|\d{{4}})", re.IGNORECASE
)


@dataclass(frozen=True, kw_only=True)
class YearStyle:
    """Years that begin in one and end in the next: 2019/20; ``fiscal``: called by one of them, FY23."""

    fiscal: bool = False

    def read(self, words: Sequence[str]) -> np.ndarray:
        year = _fiscal_year if self.fiscal else _first_year
        return np.array([year(word) for word in words], dtype=float)


def read_two_years(words: list[str]) -> Encoded | None:
    """The year of each different word such as 2019/20 or FY23; None unless all are so, for 2019-05 is a month."""
    for style, encoding in ((YearStyle(), "year in which it begins"), (YearStyle(fiscal=True), "fiscal year")):
        values = style.read(words)
        if len(words) > 1 and not np.isnan(values).any():
            return Encoded(values=values, kind="date", encoding=encoding, style=style)
    return None


def first_day(word: str) -> str | None:
    """The day on which a part of a year begins, 2020-04-01 for 2020Q2; empty for one that no year has, else None."""
    match = _PERIOD.fullmatch(word)
    if match is None:
        return None
    year = int(match["year"] or match["last_year"])
    try:
        if match["week"]:
            return datetime.date.fromisocalendar(year, int(match["week"]), int(match["day"] or 1)).isoformat()
        part = (match["part"] or match["first_part"] or match["its_part"]).upper()
        number = int(match["number"] or match["its_number"] or match["first_number"])
        return datetime.date(year, _MONTHS_LONG[part] * (number - 1) + 1, 1).isoformat()
    except ValueError:
        return ""


def _first_year(word: str) -> float:
    match = _TWO_YEARS.fullmatch(word)
    if match is None:
        return np.nan
    year = full_year(int(match["year"] or match["fiscal"]))
    return float(year) if int(match["next"]) in (year + 1, (year + 1) % 100) else np.nan


def _fiscal_year(word: str) -> float:
    match = _FISCAL.fullmatch(word)
    return float(full_year(int(match["year"]))) if match else np.nan


def latest_year() -> int:
    """The latest year that two digits mean; those that would lie later are of the century before."""
    return datetime.date.today().year + _YEARS_AHEAD


def full_year(year: int) -> int:
    """The year that two digits mean."""
    if year > _TWO_DIGITS:
        return year
    return 2000 + year if 2000 + year <= latest_year() else 1900 + year
