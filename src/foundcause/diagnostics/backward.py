"""Edges that run back in time by the numbers of their columns: ``wk2 -> wk1``, ``price82 -> price71``.

Shapes: D columns. Numbers alone are no times: items of a questionnaire are numbered too. So the name has to say it, by
a word such as week or visit before the number, or by numbers that all are years.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from foundcause.diagnostics.names import words_of
from foundcause.diagnostics.wording import listed

_TIMES = {
    *("wk", "week", "day", "month", "mon", "quarter", "qtr", "year", "yr", "hour", "hr", "time", "visit", "wave"),
    *("period", "session", "semester", "grade", "followup"),
}
_QUANTILES = {"p", "q", "pct", "top", "v", "x", "var", "item"}  # p50 and p90, v70 and v71


def backward_warnings(guessed: np.ndarray, names: Sequence[str]) -> list[str]:
    """A hint when edges run from a later to an earlier one of columns that are numbered by times.

    guessed: (D, D) bool, edges that no knowledge requires.
    """
    siblings: dict[tuple[str, ...], dict[int, int]] = {}
    for k, name in enumerate(names):
        *stem, last = words_of(name) or [""]
        if stem and last.isdecimal() and len(last) <= 4:
            siblings.setdefault(tuple(stem), {})[k] = int(last)
    backward = [
        f"{names[i]} -> {names[j]}"
        for stem, times in siblings.items()
        if _are_times(stem, list(times.values()))
        for i in times
        for j in times
        if guessed[i, j] and times[i] > times[j]
    ]
    if not backward:
        return []
    back = "an edge runs" if len(backward) == 1 else "edges run"
    return [
        f"{back} from later to earlier, if the numbers of columns tell the time: {listed(backward)}; if they do, give "
        "the columns as tiers (tiers, --tier)"
    ]


def _are_times(stem: tuple[str, ...], numbers: list[int]) -> bool:
    if stem[-1] in _TIMES or (stem[-1] == "t" and len(stem) > 1):  # t3 and t4 alone are hormones
        return True
    years = all(1900 <= number <= 2100 for number in numbers) or all(50 <= number <= 99 for number in numbers)
    return years and stem[-1] not in _QUANTILES
