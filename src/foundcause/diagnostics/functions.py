"""Columns that are exact functions of others: age groups of ages, logarithms, products and ratios.

Shapes: N rows, D columns, G different values of a column; NaN for missing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import lgamma
from typing import Literal

import numpy as np

from foundcause.diagnostics.cells import rows_that_differ
from foundcause.diagnostics.laws import laws_despite_gaps, pair_correlations
from foundcause.diagnostics.units import unit_rows
from foundcause.inference.acyclic import knots
from foundcause.inference.canonical import standardised

_MOST_COMPARED = 200  # columns
_LEAST_ROWS = 30
_FIRST_LOOK = 400  # rows; what is no function there is none
_SURE = 20.0  # log odds against chance
_LINEAR = 0.995  # told as nearly the same
_REPEATED = 0.5
_CLEARLY_FEWER = 0.5
_MANY_STEPS = 20  # rounded twins have as many values at least, groups such as those of ages fewer
_AROUND = 5  # spacings on each side of a step
_GAP = 3.5

_LEAST_DISTINCT = 10
_EXPLAINED_BY_LOGS = 0.99
_EXPLAINED_BY_SUM = 0.9999  # told as a sum
_FACTORS = (3, 4)  # columns of a law: a product or ratio of two or three others
_LARGEST_EXPONENT = 3
_NEARLY_WHOLE = 0.1

Relation = Literal["twins", "linear twins", "function"]


@dataclass(frozen=True, kw_only=True)
class Function:
    """The column at place ``of`` determines that at ``place``.

    twins: the one rises or falls with the other without exception, so that each determines the other but for rounding;
    linear twins do so along a line, or nearly.
    """

    of: int
    place: int
    relation: Relation


def functions(values: np.ndarray) -> list[Function]:
    """Pairs of columns of (N, D) values of which one is a function of the other, as hardly happens by chance."""
    rows, variables = values.shape
    if rows < _LEAST_ROWS or not 2 <= variables <= _MOST_COMPARED:
        return []
    look = values[np.linspace(0, rows - 1, min(rows, _FIRST_LOOK)).astype(int)]
    usable = [k for k, column in enumerate(values.T) if not rows_that_differ(column[~np.isnan(column)])]
    found: list[Function] = []
    for i in usable:
        for j in np.flatnonzero(_may_determine(look, i)).tolist():
            if j == i or j not in usable or any((f.of, f.place) == (j, i) for f in found):
                continue
            relation = _relation(values[:, i], values[:, j], comparisons=variables**2)
            if relation is None or (relation == "function" and _is_of_units(values, i, j)):
                continue
            found.append(Function(of=i, place=j, relation=relation))
    return found


def twin_groups(pairs: Sequence[Function], variables: int) -> list[list[int]]:
    """Groups of columns, of so many, that twins among the pairs join; not those of linear twins alone."""
    alike, curved = np.zeros((2, variables, variables), dtype=bool)
    for pair in pairs:
        alike[[pair.of, pair.place], [pair.place, pair.of]] = pair.relation != "function"
        curved[pair.of, pair.place] = pair.relation == "twins"
    return [group.tolist() for group in knots(alike) if curved[np.ix_(group, group)].any()]


def _is_of_units(values: np.ndarray, of: int, place: int) -> bool:
    """Whether one column determines another only because units, such as patients, have several rows each."""
    rows = unit_rows(values, of, without=place)
    return rows is not None and _relation(values[rows, of], values[rows, place], comparisons=1) is None


def _may_determine(look: np.ndarray, k: int) -> np.ndarray:
    """(D,) bool, columns that go with one value for each value of column k and may be no function by chance alone."""
    seen = look[~np.isnan(look[:, k])]
    if len(seen) < 2:
        return np.zeros(look.shape[1], dtype=bool)
    order = np.argsort(seen[:, k], kind="stable")
    key, others = seen[order, k], seen[order]
    starts = np.flatnonzero(np.r_[True, key[1:] != key[:-1]])
    low, high = np.fmin.reduceat(others, starts), np.fmax.reduceat(others, starts)
    single = ~(low < high).any(axis=0)
    monotone = ~(low < np.fmax.accumulate(low)).any(axis=0) | ~(low > np.fmin.accumulate(low)).any(axis=0)
    repeated = len(starts) < len(seen)
    varies = np.fmax.reduce(others, axis=0) > np.fmin.reduce(others, axis=0)
    return np.asarray(varies & single & (monotone | repeated))


def _relation(key: np.ndarray, column: np.ndarray, *, comparisons: int) -> Relation | None:
    """What a column (N,) is of the key (N,): its monotone twin, another function of it, or none that tells much."""
    both = ~np.isnan(key) & ~np.isnan(column)
    key, column = key[both], column[both]
    if len(key) < _LEAST_ROWS:
        return None
    _, first, group, sizes = np.unique(key, return_index=True, return_inverse=True, return_counts=True)
    of_group = column[first]
    _, kinds = np.unique(column, return_counts=True)
    if (column != of_group[group]).any() or len(kinds) < 2:
        return None
    before, after = of_group[:-1], of_group[1:]
    monotone = bool((before <= after).all() or (before >= after).all())
    # So many of all orders of the column's cells are such functions.
    orders = lgamma(len(column) + 1) - sum(lgamma(size + 1) for size in kinds.tolist())
    such = np.log(2) if monotone else len(sizes) * np.log(len(kinds))
    if orders - such < _SURE + np.log(comparisons):
        return None
    one_to_one = len(kinds) == len(sizes)
    linear = abs(_correlation(key, column)) > _LINEAR
    if monotone and (one_to_one or len(kinds) >= _MANY_STEPS):
        return "linear twins" if linear else "twins"
    if linear:
        return None
    if not one_to_one and len(kinds) > _CLEARLY_FEWER * len(sizes):
        return None
    if monotone:
        return None if _jumps_at_gaps(np.unique(key), before != after) else "function"
    # Where most values occur once, they go with one value of anything.
    rest = np.delete(sizes, np.argmax(sizes)) if len(sizes) > 2 else sizes
    return "function" if rest[rest > 1].sum() >= _REPEATED * rest.sum() else None


def _jumps_at_gaps(levels: np.ndarray, jumps: np.ndarray) -> bool:
    """Whether a step function of the sorted levels (G,) jumps, (G - 1,) bool, where they leave a gap.

    Then the column may as well be a cause that parts the cases into two clouds: men and women by testosterone.
    """
    spacing = np.diff(levels / np.abs(levels).max())  # differences of huge numbers overflow
    gaps = []
    for jump in np.flatnonzero(jumps).tolist():
        around = np.delete(spacing[max(0, jump - _AROUND) : jump + _AROUND + 1], min(jump, _AROUND))
        if len(around):
            gaps.append(spacing[jump] / around.mean())
    return bool(gaps) and float(np.mean(gaps)) > _GAP


def _correlation(first: np.ndarray, second: np.ndarray) -> float:
    scaled = standardised(np.column_stack([first, second]))
    return float((scaled[:, 0] * scaled[:, 1]).mean())


def products(values: np.ndarray) -> list[list[int]]:
    """Groups of three or four columns of (N, D) values of which one is the product or ratio of (powers of) the others.

    The logarithms of such columns have an exact linear relation with small whole coefficients.
    """
    positive = [
        k
        for k, column in enumerate(values.T)
        if not (column <= 0).any() and len(np.unique(column[~np.isnan(column)])) >= _LEAST_DISTINCT
    ]
    rows = len(values)
    if not _FACTORS[0] <= len(positive) <= _MOST_COMPARED or rows <= max(2 * len(positive), _LEAST_ROWS):
        return []
    logs = np.log(values[:, positive])
    close = np.abs(pair_correlations(logs)) > _LINEAR
    np.fill_diagonal(close, False)
    alike = {k for group in knots(close) for k in group.tolist()}
    laws = laws_despite_gaps(logs, explained=_EXPLAINED_BY_LOGS, apart=alike)
    found = [[positive[k] for k in sorted(law)] for law in laws if _FACTORS[0] <= len(law) <= _FACTORS[1]]
    return [places for places in found if _has_whole_exponents(values[:, places]) and not _is_sum(values[:, places])]


def _has_whole_exponents(values: np.ndarray) -> bool:
    """Whether some product of the columns (N, K), each to a power of -3 to 3, is as good as constant."""
    logs = np.log(values[~np.isnan(values).any(axis=1)])
    if len(logs) < _LEAST_ROWS:
        return False
    logs = logs - logs.mean(axis=0)
    exponents = np.linalg.svd(logs, full_matrices=False)[2][-1]
    exponents = exponents / np.abs(exponents).min()
    whole = np.round(exponents)
    if np.abs(whole).max() > _LARGEST_EXPONENT or np.abs(exponents - whole).max() > _NEARLY_WHOLE:
        return False
    left = (logs @ whole).std()
    return bool(left**2 < (1 - _EXPLAINED_BY_LOGS) * (np.abs(whole) * logs.std(axis=0)).min() ** 2)


def _is_sum(values: np.ndarray) -> bool:
    """Whether the columns (N, K) themselves, which hardly vary then, have a linear relation."""
    return bool(laws_despite_gaps(values, explained=_EXPLAINED_BY_SUM))
