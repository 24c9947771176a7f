"""Whether days or months stand first in dates such as 03/04/2020: decided once for a column. Shapes: W words."""

from __future__ import annotations

import re

import numpy as np

from foundcause.data.reading import quote

_DAY_AND_MONTH = re.compile(r"(\d{1,2})([-/.])(\d{1,2})[-/.](\d{2,4})(?!\d)")
_MONTHS, _DAYS = 12, 31
_TIMES_A_DAY = 2
_LEAST_DATES = 4  # fewer are evenly spaced by chance
_EVEN, _UNEVEN = 0.8, 0.5  # share of the span with one step in the reading that is preferred, and in the other


def find_day_order(
    name: str, words: list[str], counts: np.ndarray, *, decimal_commas: bool = False
) -> tuple[bool, list[str]]:
    """Whether days stand before months: by the cells that tell, else the likelier reading; and what is to be told.

    decimal_commas: whether the table writes numbers with them, as most people do who write days first.
    """
    matches = [match if match and int(match[1]) <= _DAYS else None for match in map(_DAY_AND_MONTH.match, words)]
    day_first = np.array([match is not None and int(match[1]) > _MONTHS for match in matches])
    month_first = np.array([match is not None and int(match[1]) <= _MONTHS < int(match[3]) for match in matches])
    if day_first.any() and month_first.any():
        return _by_majority(name, words, counts, day_first, month_first)
    found = [match for match in matches if match]
    if not found or day_first.any() or month_first.any():
        return bool(day_first.any()), []
    if all(match[2] == "." for match in found):
        return True, []  # nobody writes dots and months first
    days_lead, why = _likelier(found, decimal_commas=decimal_commas)
    return days_lead, [
        f"column {name!r}: it cannot be told whether dates are written day or month first; "
        f"{'day' if days_lead else 'month'} is assumed{why}; if that is wrong, write the year first"
    ]


def _by_majority(
    name: str, words: list[str], counts: np.ndarray, day_first: np.ndarray, month_first: np.ndarray
) -> tuple[bool, list[str]]:
    """The order of most cells that tell, (W,) bool each, where some tell the one and some the other."""
    order, other = int(counts[day_first].sum()), int(counts[month_first].sum())
    return order >= other, [
        f"column {name!r}: {order} dates can only be written day first ({quote([words[np.argmax(day_first)]])}), "
        f"{other} only month first ({quote([words[np.argmax(month_first)]])}); those that can be both are read "
        f"{'day' if order >= other else 'month'} first, write all alike"
    ]


def _likelier(found: list[re.Match[str]], *, decimal_commas: bool) -> tuple[bool, str]:
    """Whether days lead where no cell tells, and why that is likelier."""
    first, second, year = (np.array([int(match[k]) for match in found]) for k in (1, 3, 4))
    if len(found) > _TIMES_A_DAY * len(set(zip(first, second, year, strict=True))):  # words differ by their times
        spans = _span(year, second, first), _span(year, first, second)
        if spans[0] != spans[1]:
            return spans[0] < spans[1], ", for then the days follow each other"
    as_days, as_months = _evenness(year, second, first), _evenness(year, first, second)
    for days_lead, here, there in ((True, as_days, as_months), (False, as_months, as_days)):
        if here > 1 >= there:
            return days_lead, ", for then all are the first of a month"
        if here >= _EVEN and there < _UNEVEN:
            return days_lead, ", for then they are evenly spaced"
    if decimal_commas:
        return True, ", as where decimal commas are written"
    return False, ""


def _span(year: np.ndarray, month: np.ndarray, day: np.ndarray) -> int:
    """The days from the first date to the last."""
    dates = _months(year, month).astype("M8[M]").astype("M8[D]").astype("int64") + day
    return int(dates.max() - dates.min())


def _months(year: np.ndarray, month: np.ndarray) -> np.ndarray:
    return 12 * (year - 1970) + month - 1


def _evenness(year: np.ndarray, month: np.ndarray, day: np.ndarray) -> float:
    """The share of their span in which dates follow by one step, 2 when all begin a month; 0 for too few."""
    months = _months(year, month)
    moments = months if (day == day[0]).all() else months.astype("M8[M]").astype("M8[D]").astype("int64") + day
    moments = np.unique(moments)
    if len(moments) < _LEAST_DATES:
        return 0.0
    if (day == 1).all():
        return 2.0
    steps, times = np.unique(np.diff(moments), return_counts=True)
    # Of the span, not of the steps: days of January in every year are mostly one day apart, and yet no series.
    return float(steps[np.argmax(times)] * times.max() / (moments[-1] - moments[0]))
