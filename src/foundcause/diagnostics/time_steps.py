"""Findings about the time index of a series: rows that are missing, repeated or out of order.

Shapes: N rows, S steps.
"""

from __future__ import annotations

import numpy as np

from foundcause.data import Matrix
from foundcause.data.clock import SINCE_MIDNIGHT
from foundcause.features.series import moments, monotone_direction, shares_moments
from foundcause.findings import Finding

_FEWEST = 30  # moments
_EVEN = 0.15  # by which months and years differ in length
_MOST = 0.7  # of the steps are even in a series
_FEW_REPEATED = 0.2  # of the rows; if more share a time, the table is no single series
_NOTED = 0.05
_LONGER = 1.5
_COUNTED_IN = {"days since": "day", SINCE_MIDNIGHT: "minute", "year in which": "year", "fiscal year": "year"}


def time_step_findings(table: Matrix) -> list[Finding]:
    """Report date columns that look like the time index of one series but are unsorted, repeated or have gaps."""
    if table.total_rows > len(table.values):  # a sample has gaps
        return []
    found = []
    encodings = {column.name: column.encoding for column in table.columns}
    for name, column in moments(table).items():
        seen = column[~np.isnan(column)]
        different = np.unique(seen)
        repeated = len(seen) - len(different)
        if len(different) < _FEWEST or repeated > _FEW_REPEATED * len(seen) or shares_moments(table, column):
            continue
        steps = np.diff(different)
        usual = float(np.median(steps))
        if (np.abs(steps / usual - 1) < _EVEN).mean() < _MOST:
            continue
        if repeated:
            found.append(Finding(code="repeated-times", columns=[name], details={"rows": repeated}))
        unit = next((unit for words, unit in _COUNTED_IN.items() if encodings[name].startswith(words)), None)
        if monotone_direction(column) == 0:
            found.append(Finding(code="unsorted-rows", columns=[name]))
        elif _has_gaps(different, steps, usual, days=unit == "day"):
            longer = steps[steps > _LONGER * usual]
            details = {"longer": len(longer), "steps": len(steps), "usual": usual, "longest": float(longer.max())}
            found.append(Finding(code="gaps-in-time", columns=[name], details={**details, "unit": unit}))
    return found


def _has_gaps(different: np.ndarray, steps: np.ndarray, usual: float, *, days: bool) -> bool:
    """Whether many steps (S,) are too long, and not because of weekends or nights."""
    longer = np.flatnonzero(steps > _LONGER * usual)
    if len(longer) < max(2, _NOTED * len(steps)):
        return False
    between = np.diff(longer)
    regular = len(between) > 1 and (between == np.median(between)).mean() > _MOST
    return not regular and not (days and abs(usual - 1) < _EVEN and _are_weekends(different))


def _are_weekends(different: np.ndarray) -> bool:
    """Whether most missing days are Saturdays and Sundays."""
    there = np.unique(np.floor(different)).astype(int)
    missing = np.setdiff1d(np.arange(there[0], there[-1] + 1), there)
    return bool(((missing + 3) % 7 >= 5).mean() > _MOST)  # 1970-01-01 was a Thursday
