"""Names of columns that are moments, as in a table with time across: 2021-01, Jan-21, 2021Q1, 01.02.2021, 2021.

Shapes: D columns.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from foundcause.data.dates import are_shaped_like_dates, read_dates
from foundcause.data.periods import YEAR, read_two_years

_LEAST_MOMENTS = 3
_MONTH, _DAY = r"(?:0[1-9]|1[0-2])", r"(?:0[1-9]|[12]\d|3[01])"
_YEAR = re.compile(YEAR)
_DIGITS = re.compile(rf"({YEAR})({_MONTH})({_DAY})?")  # 202101, 20210131
_DOTTED = re.compile(rf"(0?[1-9]|[12]\d|3[01])\.(0?[1-9]|1[0-2])\.({YEAR})|({_MONTH})\.({YEAR})")  # 1.2.2021, 01.2021
_MANGLED = re.compile(r"X(?=\d)")  # as R makes names of numbers
_TWICE = re.compile(rf"({YEAR}(?:[QM]\d+)?) \[(?:YR)?\1\]")  # of the World Bank: 2020 [YR2020]


def moments_across(names: Sequence[str]) -> list[int]:
    """The places of the names that are moments, all different: three or more; none where there are fewer."""
    words = [_plain(name) for name in names]
    years = [k for k, word in enumerate(words) if _YEAR.fullmatch(word)]
    dates = [k for k in np.flatnonzero(are_shaped_like_dates(words)).tolist() if k not in years]
    fiscal = [k for k in range(len(words)) if read_two_years([words[k]] * 2) is not None]
    for places in sorted((years, dates, fiscal), key=len, reverse=True):
        chosen = [words[k] for k in places]
        if len(chosen) < _LEAST_MOMENTS or len(set(chosen)) < len(chosen):
            continue
        if places is dates and read_dates("", chosen, np.ones(len(chosen))) is None:
            continue
        return places
    return []


def are_moments_in_digits(cells: Sequence[str]) -> bool:
    """Whether cells that read like numbers are three or more years by even steps, or dates that rise or fall."""
    words = [cell.strip() for cell in cells]
    if len(words) < _LEAST_MOMENTS:
        return False
    if all(map(_YEAR.fullmatch, words)):
        steps = {int(right) - int(left) for left, right in pairwise(words)}
        return len(steps) == 1 and steps != {0}
    times = [_in_order(word) for word in words]
    if None in times or len({len(str(time)) for time in times}) > 1:
        return False
    rising = {str(left) < str(right) for left, right in pairwise(times)}
    return len(rising) == 1 and len(set(times)) == len(times)


def is_moment_in_digits(cell: str) -> bool:
    """Whether a cell that reads like a number may be a year, a month or a day."""
    return _YEAR.fullmatch(cell.strip()) is not None or _in_order(cell.strip()) is not None


def _in_order(word: str) -> str | None:
    """The digits of a date, the year first; None for other words."""
    if match := _DOTTED.fullmatch(word):
        day, month, year, only_month, its_year = match.groups("")
        return year + month.zfill(2) + day.zfill(2) if year else its_year + only_month
    return word if _DIGITS.fullmatch(word) else None


def _plain(name: str) -> str:
    word = _TWICE.sub(r"\1", _MANGLED.sub("", name.strip()))
    digits = _DIGITS.fullmatch(word)
    return "-".join(filter(None, digits.groups())) if digits else word
