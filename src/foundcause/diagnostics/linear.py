"""Columns that nearly repeat each other, and totals, shares and differences, in words. Shapes: N rows, D columns."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from foundcause.data.ranks import mean_ranks
from foundcause.diagnostics.cells import rows_that_differ
from foundcause.diagnostics.functions import functions, twin_groups
from foundcause.diagnostics.laws import laws_despite_gaps, pair_correlations, usual_range
from foundcause.diagnostics.wording import grouped, listed, together
from foundcause.inference.acyclic import knots

_COLLINEAR = 0.995
_ALSO_IN_RANKS = 0.9
_EXPLAINED = 0.9999
_SAME_SUM = 0.02


def linear_warnings(values: np.ndarray, names: Sequence[str], *, told: Sequence[list[int]]) -> list[str]:
    """Groups of columns of (N, D) values that nearly repeat each other, and columns that the others determine.

    told: groups of columns whose relation is told already. That of monotone twins is told as such: of a number, its
    logarithm and the square of this, two may be nearly the same.
    """
    alike = [group.tolist() for group in knots(_nearly_the_same(values))]
    laws = laws_despite_gaps(values, explained=_EXPLAINED, apart={k for group in alike for k in group})
    if alike or laws:
        told = [*told, *twin_groups(functions(values), len(names))]
    new = [[names[k] for k in group] for group in alike if not _known(group, told)]
    found = []
    if len(new) == 1:
        found.append(
            f"columns {listed([repr(name) for name in new[0]])} are nearly the same; "
            "edges among them and to others may be swapped"
        )
    elif new:
        found.append(
            f"some columns are nearly the same ({grouped([together(group) for group in new])}); "
            "edges among them and to others may be swapped"
        )
    for places in laws:
        if _known(places, told):
            continue
        columns = listed([repr(names[k]) for k in places])
        if _same_sum(values[:, places]):
            found.append(
                f"columns {columns} add up to the same in every row: where one is larger, others must be smaller, "
                "so edges among them are forced by the sum, also without one of them"
            )
        else:
            found.append(f"the other columns determine {columns} almost exactly (a sum or a ratio?); drop one")
    return found


def _known(places: Sequence[int], told: Sequence[list[int]]) -> bool:
    return any(set(places) <= set(group) for group in told)


def _nearly_the_same(values: np.ndarray) -> np.ndarray:
    """(D, D) bool, pairs of columns."""
    close = np.abs(pair_correlations(values)) > _COLLINEAR
    np.fill_diagonal(close, False)
    for i, j in np.argwhere(np.triu(close)):
        both = values[~np.isnan(values[:, [i, j]]).any(axis=1)][:, [i, j]]
        # A few far values that two columns share, such as codes for missing, do not make them the same.
        ranks = np.corrcoef(mean_ranks(both[:, 0]), mean_ranks(both[:, 1]))[0, 1]
        # Nor does a single case that is all that differs among the rows that show both.
        few = len(both) < len(values) and any(rows_that_differ(column) for column in both.T)
        close[i, j] = close[j, i] = abs(ranks) > _ALSO_IN_RANKS and not few
    return close


def _same_sum(values: np.ndarray) -> bool:
    """Whether two or more columns, such as shares, add up to a constant; rounded ones do so nearly."""
    whole = values[~np.isnan(values).any(axis=1)]
    if values.shape[1] < 2 or len(whole) < 2:
        return False
    whole = whole / max(np.abs(whole).max(), np.finfo(float).tiny)  # sums of huge numbers overflow
    return bool(usual_range(whole.sum(axis=1)) <= _SAME_SUM * max(map(usual_range, whole.T)))
