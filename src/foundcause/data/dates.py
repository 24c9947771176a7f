"""Dates as people write them, with or without a time. Shapes: N rows, W different words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from foundcause.data.day_order import find_day_order
from foundcause.data.frequencies import are_years_beside_parts, tell_frequencies
from foundcause.data.months import with_english_months
from foundcause.data.periods import YEAR, first_day, latest_year
from foundcause.data.reading import Encoded, counted, quote
from foundcause.data.zones import ZONE, tell_zones, with_offset

_DATE_SHARE = 0.95  # below this share of readable dates a text column is text
_TIME = (
    r"(?:,?[T ]\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?: ?[AaPp]\.?[Mm]\.?)?"
    rf"(?: ?(?:Z|UTC|GMT|{ZONE}|[+-]\d{{2}}(?::?\d{{2}})?)(?:\[[\w/+-]+\])?)?)?"
)
_SERVER = r"\[?(\d{1,2})/([A-Za-z]{3})/(\d{4})(?::(\d{2}:\d{2}:\d{2}(?: [+-]\d{4})?))?\]?"  # as Apache writes it
_MONTH_AND_YEAR = r"((?i:(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}))(?:-| (?=\d{4}))(\d{4}|\d{2})"
_MONTH_OF_YEAR = rf"(0?[1-9]|1[0-2])[/.-]({YEAR})"  # 01/2020
_SHAPE = re.compile(
    rf"\d{{4}}[-/.]\d{{1,2}}(?:[-/.]\d{{1,2}}{_TIME})?"
    rf"|\d{{1,2}}[-/.]\d{{1,2}}[-/.]\d{{2,4}}{_TIME}"
    r"|(?:[A-Za-z]{3,9},? )?"  # a weekday
    rf"(?:\d{{1,2}}[- ]?[A-Za-z]{{3,9}}[- ,]*\d{{2,4}}|[A-Za-z]{{3,9}} \d{{1,2}},? \d{{4}}){_TIME}"
    r"|\d{8}[T ]\d{2}:?\d{2}(?::?\d{2}(?:[.,]\d+)?)?(?:Z|[+-]\d{2}(?::?\d{2})?)?"
    rf"|{_SERVER}|{_MONTH_AND_YEAR}|{_MONTH_OF_YEAR}"
)
_ORDINAL = re.compile(r"(?<=\d)(?:st|nd|rd|th)(?: of)?\b", re.IGNORECASE)  # May 3rd, the 3rd of May
_MONTH_DOT = re.compile(r"(?<=[a-z]{3})\.|(?<=\bsept)\.", re.IGNORECASE)
_SPACED_DOTS = re.compile(r"^(\d{1,2})\. ?(\d{1,2})\. (?=\d{4})")
_YEAR_LAST = re.compile(r"^([A-Za-z]{3} [A-Za-z]{3}) {1,2}(\d{1,2}) (\d{2}:\d{2}:\d{2}(?: \S+)?) (\d{4})$")  # of C
_FOUR_DIGIT_YEAR = re.compile(r"(?<!\d)\d{4}(?!\d)|\d{8}[T ]")
_DAYS_FOR_MISSING = (  # where calendars of programs begin and end
    *("0001-01-01", "1753-01-01", "1899-12-30", "1899-12-31", "1900-01-01", "1970-01-01", "2099-12-31", "9999-12-31"),
)
_YEAR_LONG = 365
_MIDNIGHT = r"(?<=\d[T ])24:00(?::00(?:[.,]0+)?)?(?=$|[ Z+-])"  # at the end of the day
_BEHIND_DAY = {1: "", 100: "%H", 10_000: "%H%M", 1_000_000: "%H%M%S"}


@dataclass(frozen=True, kw_only=True)
class DateStyle:
    """How the dates of a column are written.

    day_first: whether 3/4 is in April.
    latest_year: of years with two digits; those that would lie later are of the century before.
    """

    day_first: bool
    latest_year: int

    def read(self, words: Sequence[str]) -> np.ndarray:
        words = _plain(words, surely_dates=True)
        parsed = _parse(pd.Series(words, dtype=object), self.day_first)
        return _days_moved(parsed, self.are_moved(words, parsed))

    def are_moved(self, words: Sequence[str], parsed: pd.Series) -> np.ndarray:
        """(W,) whether the year has two digits and is of the century before the one that the parser assumes."""
        return _are_short(words) & (parsed.dt.year > self.latest_year).to_numpy()


@dataclass(frozen=True, kw_only=True)
class DigitStyle:
    """Dates as eight digits, 20200131, or more with a time."""

    def read(self, words: Sequence[str]) -> np.ndarray:
        return days_of_digits(pd.to_numeric(pd.Series(words, dtype=object), errors="coerce").to_numpy(dtype=float))


def days_of_digits(numbers: np.ndarray) -> np.ndarray:
    """(N,) days since 1970-01-01 of numbers such as 20200131, NaN for those that are no date.

    Hours, minutes and seconds may follow, in all or none: 2020013112, 202001311230, 20200131123059.
    """
    for behind, pattern in _BEHIND_DAY.items():
        usual = (numbers >= 1900_01_01 * behind) & (numbers < 2101_01_01 * behind) & (numbers == np.round(numbers))
        if usual.any():  # nearly never, and parsing takes time
            texts = pd.Series(np.where(usual, numbers, 0)).astype("int64").astype(str)
            return days(pd.to_datetime(texts, format=f"%Y%m%d{pattern}", errors="coerce"))
    return np.full(len(numbers), np.nan)


def days(moments: pd.Series) -> np.ndarray:
    """(N,) days since 1970-01-01, NaN for no date."""
    if getattr(moments.dt, "tz", None) is not None:
        moments = moments.dt.tz_convert("UTC").dt.tz_localize(None)
    # Nanoseconds overflow for years outside 1678-2262, and float64 holds no part of a microsecond of days since 1970.
    exact = moments.to_numpy().astype("datetime64[us]")
    values = exact.astype("int64") / 86400e6
    values[np.isnat(exact)] = np.nan
    return values


def tell_odd_days(name: str, values: np.ndarray) -> tuple[str, ...]:
    """Notes about 1900-01-01 and the like in days since 1970 (N,): far before or after all others, more than once."""
    seen = np.unique(values[np.isfinite(values)])
    codes = {float(np.datetime64(day).astype("int64")): day for day in _DAYS_FOR_MISSING}
    others = seen[~np.isin(seen, list(codes))]
    if len(others) < 2:
        return ()
    # Years or decades, written as their first day, lie as far from each other as such a day lies from them.
    near = max(_YEAR_LONG, 2 * np.diff(others).max())
    return tuple(
        f"column {name!r} holds {day} in {int((values == code).sum())} rows, far from all other dates; if it stands "
        "for a missing value, empty those cells"
        for code, day in codes.items()
        if (values == code).sum() > 1 and max(others[0] - code, code - others[-1]) > near
    )


def are_shaped_like_dates(words: Sequence[str]) -> np.ndarray:
    """(W,) whether a word is written as a date is; 99.99.2020 is, too."""
    return np.array([_SHAPE.fullmatch(word) is not None for word in _plain(words)], dtype=bool)


def read_dates(name: str, words: list[str], counts: np.ndarray, *, decimal_commas: bool = False) -> Encoded | None:
    """The date that each different word means, ``counts`` of which the column holds; None when it holds no dates.

    decimal_commas: whether the table writes numbers with them.
    """
    written, words = words, _plain(words)
    shaped = np.array([_SHAPE.fullmatch(word) is not None for word in words])
    if not shaped.all():
        shaped |= are_years_beside_parts(written)
    if counts[shaped].sum() < _DATE_SHARE * counts.sum():
        return None
    day_first, notes = find_day_order(name, words, counts, decimal_commas=decimal_commas)
    parsed = _parse(pd.Series(words, dtype=object), day_first)
    good = int(counts[parsed.notna().to_numpy()].sum())
    if good < _DATE_SHARE * counts.sum():
        return None
    written_out = parsed.dt.year[~_are_short(words)]
    style = DateStyle(day_first=day_first, latest_year=max([latest_year(), *written_out.dropna().astype(int)]))
    moved = style.are_moved(words, parsed)
    if moved.any():
        notes.append(
            f"column {name!r}: {int(counts[moved].sum())} dates with years of two digits such as "
            f"{quote([written[int(np.argmax(moved))]])} are taken for 19.., for they would lie in the future; "
            "write years with four digits"
        )
    months = np.array([re.fullmatch(_MONTH_AND_YEAR, word) is not None for word in words]) & _are_short(words)
    if months.any():
        shown = quote([written[int(np.argmax(months))]])
        notes.append(f"column {name!r}: {shown} is read as a month and a year; write years with four digits")
    notes += [*tell_zones(name, words), *tell_frequencies(name, written, counts)]
    if good < counts.sum():
        said = counted(int(counts.sum()) - good, "cell is no date and is", "cells are no dates and are")
        notes.append(f"column {name!r}: {said} treated as missing")
    return Encoded(
        values=_days_moved(parsed, moved),
        kind="date",
        encoding="days since 1970-01-01",
        notes=tuple(notes),
        style=style,
    )


def _plain(words: Sequence[str], *, surely_dates: bool = False) -> list[str]:
    """Dates as the parser knows them; ``surely_dates``: as in ``with_english_months``."""
    return [first_day(word) or _tidy(word) for word in with_english_months(words, surely_dates=surely_dates)]


def _tidy(word: str) -> str:
    """The date without letters behind the day, dots behind a month, blanks behind dots, or a time before the year."""
    word = _MONTH_DOT.sub("", _ORDINAL.sub("", word))
    return _YEAR_LAST.sub(r"\1 \2 \4 \3", _SPACED_DOTS.sub(r"\1.\2.", word))


def _parse(texts: pd.Series, day_first: bool) -> pd.Series:
    # The parser takes 'Jan-20' for a day of this year, and would swap month and day of dates that begin with the year.
    texts = pd.Series([with_offset(text) for text in texts], index=texts.index, dtype=object)
    if texts.str.contains("/[A-Za-z]", regex=True).any():
        texts = texts.str.replace(f"^{_SERVER}$", r"\1 \2 \3 \4", regex=True).str.strip()
    texts = texts.str.replace(f"^{_MONTH_AND_YEAR}$", r"1 \1 \2", regex=True)
    texts = texts.str.replace(f"^{_MONTH_OF_YEAR}$", r"\2-\1", regex=True)
    late = texts.str.contains(_MIDNIGHT, regex=True).to_numpy(dtype=bool)
    if late.any():
        texts = texts.str.replace(_MIDNIGHT, "00:00", regex=True)
    year_first = texts.str.match(r"\d{4}(?:\D|\d{4}[T ])").to_numpy(dtype=bool)
    parts = [
        pd.to_datetime(texts[chosen], errors="coerce", format="mixed", dayfirst=first, utc=True)
        for chosen, first in ((year_first, False), (~year_first, day_first))
        if chosen.any()
    ]
    parsed = pd.concat(parts).reindex(texts.index)
    return parsed.mask(late, parsed + pd.Timedelta(days=1)) if late.any() else parsed


def _days_moved(parsed: pd.Series, moved: np.ndarray) -> np.ndarray:
    """(W,) days of the dates, those ``moved`` a century earlier."""
    return days(parsed.mask(moved, parsed - pd.DateOffset(years=100)) if moved.any() else parsed)


def _are_short(words: Sequence[str]) -> np.ndarray:
    """(W,) whether a date's year has two digits only."""
    return np.array([_FOUR_DIGIT_YEAR.search(word) is None for word in words], dtype=bool)
