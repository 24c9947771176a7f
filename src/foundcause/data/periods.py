"""Parts of years as offices of statistics write them ('2020Q1', '2022-M07', 'H1 2022'), and of fiscal years ('FY23Q2').

Shapes: W different words.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from foundcause.data.reading import Encoded

YEAR = r"(?:1[89]|20|21)\d{2}"
"""Pattern of a year; 1/1000 is a dilution."""

_YEARS_AHEAD = 5  # appointments lie this far ahead, births do not
_TWO_DIGITS = 99
_MONTHS_LONG = {"M": 1, "Q": 3, "T": 3, "H": 6, "S": 6}  # trimester, semester
_PERIOD = re.compile(
    rf"(?P<year>{YEAR})[ -]?(?:(?P<part>[QTHSM])(?P<number>\d{{1,2}})|W(?P<week>\d{{1,2}})(?:-?(?P<day>[1-7]))?)"
    rf"|(?:(?P<first_part>[QTHS])(?P<its_number>\d)|(?P<first_number>\d)(?P<its_part>[QTHS]))"
    rf"[ /-](?P<last_year>{YEAR})"
    # With two digits of the year; 1q21 is a piece of a chromosome.
    r"|(?:(?P<short_number>\d)(?P<short_part>(?-i:[QH]))'?|(?P<short_first>[QH])(?P<short_its>\d)['’]"
    r"|(?P<short_quarter>(?-i:Q))(?P<its_quarter>\d)[ -])(?P<short_year>\d{2})",
    re.IGNORECASE,
)
_PARTS_OF_PERIODS = ("part", "first_part", "its_part", "short_part", "short_first", "short_quarter")
_NUMBERS_OF_PERIODS = ("number", "its_number", "first_number", "short_number", "short_its", "its_quarter")
_FISCAL = re.compile(rf"FY[ -]?'?(?P<year>{YEAR}|\d{{2}})", re.IGNORECASE)
_TWO_YEARS = re.compile(
    rf"(?:(?P<year>{YEAR})|FY[ -]?(?P<fiscal>{YEAR}|\d{{2}}))[/–-](?P<next>\d{{2}}|\d{{4}})", re.IGNORECASE
)
_PART = re.compile(  # of a fiscal year, behind or before it: FY23 Q2, Q2 2023/24, 2QFY23, 2023/24 Quarter 2
    r"(?P<year>.*?\d)[ ,/-]*(?:(?P<part>[QTHSM])|Q(?:uarte|t)r\.? ?)(?P<number>\d{1,2})"
    r"|(?:(?P<first_part>[QTHS])|Q(?:uarte|t)r\.? ?)(?P<its_number>\d)(?:[ ,/-]+|(?=FY))(?P<its_year>.*)"
    r"|(?P<first_number>\d)(?P<its_part>[QTHS])[ ,/-]*(?P<last_year>FY.*|[^/]*/.*)",
    re.IGNORECASE,
)


@dataclass(frozen=True, kw_only=True)
class YearStyle:
    """Years that begin in one and end in the next: 2019/20.

    fiscal: called by one of them, FY23. parts: quarters and the like of them, FY23 Q2.
    """

    fiscal: bool = False
    parts: bool = False

    def read(self, words: Sequence[str]) -> np.ndarray:
        year = _fiscal_year if self.fiscal else _first_year
        time = (lambda word: _part_of_year(word, year)) if self.parts else year
        return np.array([time(word) for word in words], dtype=float)


def read_two_years(words: list[str]) -> Encoded | None:
    """The year of each different word such as 2019/20, FY23 or FY23 Q2; None unless all are so: 2019-05 is a month."""
    for style, encoding in (
        (YearStyle(), "year in which it begins"),
        (YearStyle(fiscal=True), "fiscal year"),
        (YearStyle(parts=True), "year in which it begins, Q2 as .25"),
        (YearStyle(fiscal=True, parts=True), "fiscal year, Q2 as .25"),
    ):
        if len(words) < 2 or np.isnan(style.read(words[:1])).any():
            continue  # nearly always, and the patterns take time
        values = style.read(words)
        if not np.isnan(values).any():
            return Encoded(values=values, kind="date", encoding=encoding, style=style)
    return None


def first_day(word: str) -> str | None:
    """The day on which a part of a year begins, 2020-04-01 for 2020Q2; empty for one that no year has, else None."""
    match = _PERIOD.fullmatch(word)
    if match is None:
        return None
    year = full_year(int(match["year"] or match["last_year"] or match["short_year"]))
    try:
        if match["week"]:
            return datetime.date.fromisocalendar(year, int(match["week"]), int(match["day"] or 1)).isoformat()
        part = next(filter(None, match.group(*_PARTS_OF_PERIODS))).upper()
        number = int(next(filter(None, match.group(*_NUMBERS_OF_PERIODS))))
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


def _part_of_year(word: str, year: Callable[[str], float]) -> float:
    """The year that ``year`` reads, and how much of it has passed when the part begins."""
    match = _PART.fullmatch(word)
    if match is None:
        return np.nan
    begins = year(match["year"] or match["its_year"] or match["last_year"])
    part = (match["part"] or match["first_part"] or match["its_part"] or "Q").upper()
    passed = _MONTHS_LONG[part] * (int(match["number"] or match["its_number"] or match["first_number"]) - 1) / 12
    return begins + passed if 0 <= passed < 1 else np.nan


def latest_year() -> int:
    """The latest year that two digits mean; those that would lie later are of the century before."""
    return datetime.date.today().year + _YEARS_AHEAD


def full_year(year: int) -> int:
    """The year that two digits mean."""
    if year > _TWO_DIGITS:
        return year
    return 2000 + year if 2000 + year <= latest_year() else 1900 + year
