"""Dates as people write them, with or without a time: one format for a column. Shapes: N rows, W different words."""

from __future__ import annotations

import datetime
import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from foundcause.data.typed import Style, Typed, examples, note
from foundcause.data.vocabulary import MONTH_NUMBER, without_accents
from foundcause.findings import Finding

SINCE_1970 = "days since 1970-01-01"

_SHARE = 0.95  # below this share of readable dates a text column is text
_YEARS_AHEAD = 10  # the future that years of two digits may lie in
_YEAR_LAST = 100
YEAR = r"(?:1[5-9]|20|21)\d\d"
_TIME = (
    r"(?P<time>(?:,? ?T?| (?:at|um|à) )\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?: ?[AaPp]\.?[Mm]\.?)?"
    r"(?: ?(?:Z|UTC|GMT|[+-]\d{2}(?::?\d{2})?))?)?"
)
_WEEKDAY = re.compile(r"^[^\W\d_]{2,10}\.?,? (?=\d|[^\W\d_]{3,10}\.? \d)")
_ISO = re.compile(rf"(?P<year>\d{{4}})[-/.](?P<month>\d{{1,2}})(?:[-/.](?P<day>\d{{1,2}}){_TIME})?")
_COMPACT = re.compile(
    r"(?P<year>\d{4})(?P<month>\d\d)(?P<day>\d\d)(?P<time>[T ]\d{2}:?\d{2}(?::?\d{2}(?:[.,]\d+)?)?Z?)"
)
_NUMERIC = re.compile(
    rf"(?P<first>\d{{1,2}})(?P<mark>[-/.]) ?(?P<second>\d{{1,2}})[-/.] ?(?P<year>\d{{4}}|\d\d){_TIME}"
)
_NAMED = re.compile(
    rf"(?P<day>\d{{1,2}})(?:st|nd|rd|th|er|[.ºª°])?(?: (?:of |de |di )?|[-/.]|)(?P<name>[^\W\d_]{{3,10}})\.?"
    rf"(?:,? (?:de |del |di )?|[-/.]|:|)(?P<year>\d{{4}}|\d\d)(?::(?=\d\d:))?{_TIME}"
)
_NAME_FIRST = re.compile(
    rf"(?P<name>[^\W\d_]{{3,10}})\.? {{1,2}}(?P<day>\d{{1,2}})(?:st|nd|rd|th)?,? (?P<year>\d{{4}}){_TIME}"
)
_MONTH_YEAR = re.compile(r"(?P<name>[^\W\d_]{3,10})\.?(?:[-/]| (?:de )?(?=\d{4}))(?P<year>\d{4}|\d\d)")
_YEAR_MONTH = re.compile(rf"(?P<year>{YEAR})[ -](?P<name>[^\W\d_]{{3,10}})\.?")
_NUMERIC_MONTH = re.compile(rf"(?P<month>0?[1-9]|1[0-2])[/.-](?P<year>{YEAR})")
_PART_OF_YEAR = re.compile(
    rf"(?P<year>{YEAR})[ -]?(?P<part>[QTHSM])(?P<number>\d\d?)|(?P<part_>[QTHS])(?P<number_>\d)[ /-](?P<year_>{YEAR})"
)
_WEEK = re.compile(rf"(?P<year>{YEAR})-?W(?P<week>\d\d)(?:-?(?P<day>[1-7]))?")
_MONTHS_LONG = {"Q": 3, "T": 3, "H": 6, "S": 6, "M": 1}
_PATTERNS = (_ISO, _NUMERIC, _NAMED, _NAME_FIRST, _MONTH_YEAR, _YEAR_MONTH, _NUMERIC_MONTH, _COMPACT)
_MANGLED = re.compile(r"X(?=\d)")  # as R makes names of numbers
_LEAST_MONTHS = 2  # 'AVR-10' and 'AVR-12' are models, 'avr-10' beside 'mai-10' is a month
_LONGEST = 60
_BEHIND_DAY = {1: "", 100: "%H", 10_000: "%H%M", 1_000_000: "%H%M%S"}
_DAY = 86_400.0
_EXCEL_ZERO = 25_569.0  # 1970-01-01
_UNIX_UNITS = {"seconds": 1.0, "milliseconds": 1e3, "microseconds": 1e6, "nanoseconds": 1e9}
_FIRST, _FIRST_OF_TIMES, _LAST = 3e8, 9.4e8, 4.2e9  # seconds: 1979, 2000, 2103
_FIRST_DAY, _LAST_DAY = 20_000.0, 75_000.0  # of Excel: 1954, 2105
_LEAST_VALUES = 5
_NAME_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_MOMENTS = frozenset(["timestamp", "timestamps", "ts", "epoch", "unix", "unixtime", "datetime", "zeitstempel", "posix"])
_DATES = frozenset(["date", "dates", "datum", "fecha"])
_TIMES = frozenset(["t", "time", "times", "zeit", "day", "created", "updated", "modified"])
_AMOUNTS = frozenset(["per", "to"])  # sales per day, paid to date; but from_date and to_date


@dataclass(frozen=True, kw_only=True)
class DateStyle:
    """How the dates of a column are written.

    day_first: whether 3/4 is in April.
    latest_year: of years with two digits; those that would lie later are of the century before.
    """

    day_first: bool
    latest_year: int

    def read(self, words: Sequence[str]) -> np.ndarray:
        return _days_of([_iso(word, self.day_first, self.latest_year) for word in words])


@dataclass(frozen=True, kw_only=True)
class DigitStyle:
    """Dates as eight digits, 20200131, or more with a time."""

    def read(self, words: Sequence[str]) -> np.ndarray:
        return days_of_digits(pd.to_numeric(pd.Series(words, dtype=object), errors="coerce").to_numpy(dtype=float))


@dataclass(frozen=True, kw_only=True)
class EpochStyle:
    """Moments as numbers.

    unit: of Unix time, or ``days`` as Excel counts them. numbers: how they are written, if as text.
    """

    unit: str
    numbers: Style | None = None

    def read(self, words: Sequence[str]) -> np.ndarray:
        if self.numbers is not None:
            return self.days(self.numbers.read(words))
        return self.days(pd.to_numeric(pd.Series(words, dtype=object), errors="coerce").to_numpy(dtype=float))

    def days(self, numbers: np.ndarray) -> np.ndarray:
        """Return (N,) days since 1970-01-01."""
        return numbers - _EXCEL_ZERO if self.unit == "days" else numbers / (_UNIX_UNITS[self.unit] * _DAY)


def read_dates(name: str, words: list[str], counts: np.ndarray, *, decimal_commas: bool = False) -> Typed | None:
    """Return the date that each different word means, ``counts`` of which the column holds; None for no dates.

    decimal_commas: whether the table writes numbers with them, as most people do who write days first.
    """
    shaped = are_shaped_like_dates(words)
    if counts[shaped].sum() < _SHARE * counts.sum():
        return None
    day_first, findings = _day_order(name, words, counts, decimal_commas=decimal_commas)
    written_out = [int(year) for word in words for year in re.findall(rf"(?<!\d){YEAR}(?!\d)", word)]
    style = DateStyle(day_first=day_first, latest_year=max([_latest_year(), *written_out]))
    values = style.read(words)
    strange = np.isnan(values)
    if counts[~strange].sum() < _SHARE * counts.sum():
        return None
    short = [word for word, fits in zip(words, ~strange, strict=True) if fits and not re.search(r"\d{4}", word)]
    if short:
        findings.append(note("two-digit-years", name, word=short[0], latest=style.latest_year))
    if strange.any():
        odd = examples(words[k] for k in np.flatnonzero(strange))
        findings.append(note("strange-cells", name, words=odd, cells=int(counts[strange].sum()), what="dates"))
    return Typed(values=values, kind="date", encoding=SINCE_1970, findings=tuple(findings), style=style)


def are_shaped_like_dates(words: Sequence[str]) -> np.ndarray:
    """Return (W,) whether a word is written as a date is; 99.99.2020 is, too."""
    shaped = np.zeros(len(words), dtype=bool)
    months = set()
    without_day = []
    for k, word in enumerate(words):
        if len(word) > _LONGEST or not any(map(str.isdigit, word)):
            continue
        match = _matched(word)
        if match is None:
            continue
        shaped[k] = True
        if match.re in (_MONTH_YEAR, _YEAR_MONTH):
            months.add(_month(match["name"]))
            without_day.append(k)
    if without_day and len(months) < _LEAST_MONTHS:
        shaped[without_day] = False
    return shaped


def moments_across(names: Sequence[str]) -> list[int]:
    """Return the positions of column names that are years or dates, all different: three or more, or none."""
    words = [_MANGLED.sub("", name.strip()) for name in names]
    words = [re.sub(rf"^({YEAR}) ?\[(?:YR)?\1\]$", r"\1", word) for word in words]  # of the World Bank
    years = [k for k, word in enumerate(words) if re.fullmatch(YEAR, word)]
    dates = [k for k in np.flatnonzero(are_shaped_like_dates(words)).tolist() if k not in years]
    for positions in sorted((years, dates), key=len, reverse=True):
        if len(positions) > 2 and len({words[k] for k in positions}) == len(positions):
            return positions
    return []


def _matched(word: str) -> re.Match[str] | None:
    """Return how a date is written; None for words that are none."""
    plain = " ".join(word.strip("[]").split())
    for text in dict.fromkeys([plain, _WEEKDAY.sub("", plain)]):
        for pattern in (*_PATTERNS, _PART_OF_YEAR, _WEEK):
            match = pattern.fullmatch(text)
            if match and ("name" not in pattern.groupindex or _month(match["name"])):
                return match
    return None


def _month(name: str) -> int | None:
    return MONTH_NUMBER.get(without_accents(name.casefold()))


def _iso(word: str, day_first: bool, latest_year: int) -> str:
    """Return a date as ISO 8601 writes it; empty for other words."""
    match = _matched(word) if len(word) <= _LONGEST else None
    if match is None:
        return ""
    parts = match.groupdict()
    if match.re is _PART_OF_YEAR:
        part, number = parts["part"] or parts["part_"], int(parts["number"] or parts["number_"])
        month = _MONTHS_LONG[part] * (number - 1) + 1
        return f"{parts['year'] or parts['year_']}-{month:02d}-01" if 1 <= month <= 12 else ""
    if match.re is _WEEK:
        try:
            week = datetime.date.fromisocalendar(int(parts["year"]), int(parts["week"]), int(parts["day"] or 1))
        except ValueError:
            return ""
        return week.isoformat()
    if match.re is _NUMERIC:
        order = ("second", "first") if day_first else ("first", "second")
        month, day = int(parts[order[0]]), int(parts[order[1]])
        if month > 12 >= day:  # only one order is possible
            month, day = day, month
    else:
        month = _month(parts["name"]) or 0 if parts.get("name") else int(parts["month"])
        day = int(parts.get("day") or 1)
    year = int(parts["year"])
    if year < _YEAR_LAST:
        year += 2000 if 2000 + year <= latest_year else 1900
    return f"{year:04d}-{month:02d}-{day:02d} {(parts.get('time') or '').lstrip(', T').removeprefix('at ')}".strip()


def _days_of(texts: list[str]) -> np.ndarray:
    """Return (W,) days since 1970 of ISO dates with times as people write them, NaN for impossible ones."""
    column = pd.Series(texts, dtype=object).str.replace(",", ".", regex=False)
    late = column.str.contains(r" 24:00", regex=True).to_numpy(dtype=bool)  # at the end of the day
    column = column.str.replace(" 24:00", " 00:00", regex=False)
    moments = pd.to_datetime(column, errors="coerce", format="mixed", utc=True)
    return days(moments) + late


def days(moments: pd.Series) -> np.ndarray:
    """Return (N,) days since 1970-01-01, NaN for no date."""
    if getattr(moments.dt, "tz", None) is not None:
        moments = moments.dt.tz_convert("UTC").dt.tz_localize(None)
    # Nanoseconds overflow for years outside 1678-2262, and float64 holds no part of a microsecond of days since 1970.
    exact = moments.to_numpy().astype("datetime64[us]")
    values = exact.astype("int64") / 86400e6
    values[np.isnat(exact)] = np.nan
    return values


def _latest_year() -> int:
    return datetime.date.today().year + _YEARS_AHEAD


def _day_order(name: str, words: list[str], counts: np.ndarray, *, decimal_commas: bool) -> tuple[bool, list[Finding]]:
    """Return whether days stand before months, by the cells that show it or else by what is likelier."""
    matches = [_NUMERIC.fullmatch(" ".join(word.split())) for word in words]
    first, second = (
        np.array([int(match[group]) if match else 0 for match in matches]) for group in ("first", "second")
    )
    day_first, month_first = (first > 12) & (second <= 12), (second > 12) & (first <= 12)
    if day_first.any() and month_first.any():
        order = bool(counts[day_first].sum() >= counts[month_first].sum())
        shown = [words[int(np.argmax(day_first))], words[int(np.argmax(month_first))]]
        cells = [int(counts[day_first].sum()), int(counts[month_first].sum())]
        return order, [note("mixed-day-order", name, words=shown, cells=cells, day_first=order)]
    ambiguous = [match for match in matches if match]
    if not ambiguous or day_first.any() or month_first.any():
        return bool(day_first.any()), []
    if all(match["mark"] == "." for match in ambiguous):
        return True, []  # nobody writes dots and months first
    year = np.array([int(match["year"]) for match in ambiguous])
    as_days, as_months = (
        _evenness(year, months, leading)
        for months, leading in ((second[first > 0], first[first > 0]), (first[first > 0], second[first > 0]))
    )
    order = decimal_commas if as_days == as_months else as_days > as_months
    return order, [note("unknown-day-order", name, word=ambiguous[0][0], day_first=order)]


def _evenness(year: np.ndarray, month: np.ndarray, day: np.ndarray) -> int:
    """Return 2 when all dates begin a month, 1 when they follow by even steps, 0 otherwise."""
    months = 12 * (year - 1970) + month - 1
    moments = np.unique(months.astype("M8[M]").astype("M8[D]").astype("int64") + day)
    if len(moments) < 4:
        return 0
    if (day == 1).all() and len(np.unique(months)) > 3:
        return 2
    steps = np.diff(moments)
    return int((steps == np.median(steps)).mean() > 0.8)


def days_of_digits(numbers: np.ndarray) -> np.ndarray:
    """Return (N,) days since 1970-01-01 of numbers such as 20200131, NaN for those that are no date.

    Hours, minutes and seconds may follow, in all or none: 2020013112, 202001311230, 20200131123059.
    """
    for behind, pattern in _BEHIND_DAY.items():
        usual = (numbers >= 1900_01_01 * behind) & (numbers < 2101_01_01 * behind) & (numbers == np.round(numbers))
        if usual.any():  # nearly never, and parsing takes time
            texts = pd.Series(np.where(usual, numbers, 0)).astype("int64").astype(str)
            return days(pd.to_datetime(texts, format=f"%Y%m%d{pattern}", errors="coerce"))
    return np.full(len(numbers), np.nan)


def find_epoch(name: str, seen: np.ndarray, *, numbers: Style | None = None) -> EpochStyle | None:
    """Return how the different numbers ``seen``, sorted, of a column count time; None where they do not.

    A number alone says nothing: the column has to be named like a time.
    """
    words = {word.casefold() for word in _NAME_WORD.findall(name)}
    if len(seen) < _LEAST_VALUES or words.isdisjoint(_MOMENTS | _DATES | _TIMES):
        return None
    if len(words) > 2 and not words.isdisjoint(_AMOUNTS):
        return None
    # How long something took is a time, too.
    first = _FIRST_OF_TIMES if words.isdisjoint(_MOMENTS | _DATES) else _FIRST
    for unit, parts in _UNIX_UNITS.items():
        if seen[0] >= first * parts and seen[-1] <= _LAST * parts:
            return EpochStyle(unit=unit, numbers=numbers)
    dated = not words.isdisjoint((_MOMENTS | _DATES) - {"ts"})
    if dated and seen[0] >= _FIRST_DAY and seen[-1] <= _LAST_DAY:
        return EpochStyle(unit="days", numbers=numbers)
    return None
