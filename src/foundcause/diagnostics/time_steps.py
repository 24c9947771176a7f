"""Series with a row for each step of time, of which some are lacking, stand twice or stand in another order.

Shapes: N rows, S steps.
"""

from __future__ import annotations

import numpy as np

from foundcause.data import Matrix
from foundcause.data.clock import SINCE_MIDNIGHT
from foundcause.features.series import moments, monotone_direction, shares_moments

_FEWEST = 30  # moments
_EVEN = 0.15  # by which months and years differ in length
_MOST = 0.7  # of the steps are even in a series
_FEW_TWICE = 0.2  # of the rows; where more share a moment, it is no series of one row a moment
_NOTED = 0.05
_LONGER = 1.5
_UNITS = {"year": 365.25, "month": 30.44, "week": 7.0, "day": 1.0, "hour": 1 / 24, "minute": 1 / 1440}
_SECONDS = 86_400.0
_COUNTED_IN = {"days since": "day", SINCE_MIDNIGHT: "minute", "year in which": "year", "fiscal year": "year"}


def time_step_warnings(table: Matrix) -> list[str]:
    """Warnings about each column of dates that goes by even steps, as that of one series does."""
    if table.total_rows > len(table.values):  # a sample has gaps
        return []
    found = []
    encodings = {column.name: column.encoding for column in table.columns}
    for name, column in moments(table).items():
        unit = next((unit for words, unit in _COUNTED_IN.items() if encodings[name].startswith(words)), "")
        seen = column[~np.isnan(column)]
        different = np.unique(seen)
        twice = len(seen) - len(different)
        if len(different) < _FEWEST or twice > _FEW_TWICE * len(seen) or shares_moments(table, column):
            continue
        steps = np.diff(different)
        usual = float(np.median(steps))
        if (np.abs(steps / usual - 1) < _EVEN).mean() < _MOST:
            continue
        if twice:
            found.append(_tell_twice(name, twice))
        if monotone_direction(column) == 0:
            found.append(
                f"the rows are not in the order of {name!r}, which goes by even steps as that of a series does; sort "
                "them by it, oldest first: only then is it seen how far neighbouring rows resemble each other"
            )
        elif _lacks_some(different, steps, usual, days=unit == "day"):
            longer = steps[steps > _LONGER * usual]
            found.append(
                f"column {name!r}: {len(longer)} of {len(steps)} steps are longer than the usual "
                f"{_length(usual, unit)} (the longest is {_length(longer.max(), unit)}), so neighbouring rows are not "
                "always neighbours in time; where that matters, use a stretch without gaps"
            )
    return found


def _tell_twice(name: str, twice: int) -> str:
    shares = (
        "1 row shares its moment with an earlier one" if twice == 1 else f"{twice} rows share their moment with others"
    )
    return (
        f"column {name!r}: {shares}, while a series has one row a moment; remove copies (in pandas "
        "df.drop_duplicates()), or look at each series by itself"
    )


def _lacks_some(different: np.ndarray, steps: np.ndarray, usual: float, *, days: bool) -> bool:
    """Whether many steps (S,) are too long, and not because of weekends, nights or the like."""
    longer = np.flatnonzero(steps > _LONGER * usual)
    if len(longer) < max(2, _NOTED * len(steps)):
        return False
    between = np.diff(longer)
    regular = len(between) > 1 and (between == np.median(between)).mean() > _MOST
    return not regular and not (days and abs(usual - 1) < _EVEN and _are_weekends(different))


def _are_weekends(different: np.ndarray) -> bool:
    """Whether most days that lack between the first and the last are Saturdays and Sundays."""
    there = np.unique(np.floor(different)).astype(int)
    lacking = np.setdiff1d(np.arange(there[0], there[-1] + 1), there)
    return bool(((lacking + 3) % 7 >= 5).mean() > _MOST)  # 1970-01-01 was a Thursday


def _length(number: float, counted_in: str) -> str:
    """A time in the largest unit that it holds once: '1 day', '3 hours'; bare where its unit is not known."""
    if not counted_in:
        return f"{number:.6g}"
    days = number * _UNITS[counted_in]
    unit, long = next(((unit, long) for unit, long in _UNITS.items() if days > (1 - _EVEN / 2) * long), ("second", 0.0))
    number = round(days / long, 1) if long else round(days * _SECONDS, 1)
    return f"{number:g} {unit}{'' if number == 1 else 's'}"
