"""Columns that are exact functions of others: age groups of ages, logarithms, products and ratios.

Shapes: N rows, D columns, G different values of a column; NaN for missing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import lgamma
from typing import Literal

import numpy as np

from foundcause.diagnostics.exact_relations import linear_relations, pair_correlations
from foundcause.diagnostics.rows_and_cells import rows_that_differ
from foundcause.inference.acyclicity import strongly_connected
from foundcause.inference.canonical_order import standardized

_MOST_COMPARED = 200  # columns
_LEAST_ROWS = 30
_SCREENED_ROWS = 400  # a function of all rows is one of these
_SURE = 20.0  # log odds against chance
_LINEAR = 0.995  # reported as a near copy
_REPEATED = 0.5
_CLEARLY_FEWER = 0.5
_MANY_STEPS = 20  # rounded twins have as many values at least, groups such as those of ages fewer
_AROUND = 5  # spacings on each side of a step
_GAP = 3.5

_LEAST_DISTINCT = 10
_EXPLAINED_BY_LOGS = 0.99
_EXPLAINED_BY_SUM = 0.9999  # reported as a sum
_FACTORS = (3, 4)  # columns of a relation: a product or ratio of two or three others
_LARGEST_EXPONENT = 3
_NEARLY_INTEGER = 0.1

_NEARLY_ALL = 0.8  # of the values that occur more than once
_BY_CHANCE = 0.4

Relation = Literal["twins", "linear twins", "function"]


@dataclass(frozen=True, kw_only=True)
class Function:
    """One column is a function of another.

    Parameters
    ----------
    of : int
        Index of the column that determines the other.
    column : int
        Index of the determined column.
    relation : {"twins", "linear twins", "function"}
        Twins are strictly monotone functions of each other but for rounding. Linear twins nearly lie on a line.
    """

    of: int
    column: int
    relation: Relation


def functions(values: np.ndarray) -> list[Function]:
    """Find pairs of columns of (N, D) values of which one is a function of the other, beyond chance."""
    rows, variables = values.shape
    if rows < _LEAST_ROWS or not 2 <= variables <= _MOST_COMPARED:
        return []
    screened = values[np.linspace(0, rows - 1, min(rows, _SCREENED_ROWS)).astype(int)]
    usable = [k for k, column in enumerate(values.T) if not rows_that_differ(column[~np.isnan(column)])]
    found: list[Function] = []
    for i in usable:
        for j in np.flatnonzero(_may_determine(screened, i)).tolist():
            if j == i or j not in usable or any((f.of, f.column) == (j, i) for f in found):
                continue
            relation = _relation(values[:, i], values[:, j], comparisons=variables**2)
            if relation is None or (relation == "function" and _is_of_units(values, i, j)):
                continue
            found.append(Function(of=i, column=j, relation=relation))
    return found


def twin_groups(pairs: Sequence[Function], variables: int) -> list[list[int]]:
    """Groups of columns that are monotone functions of each other. Groups of linear twins alone are left out."""
    alike, curved = np.zeros((2, variables, variables), dtype=bool)
    for pair in pairs:
        alike[[pair.of, pair.column], [pair.column, pair.of]] = pair.relation != "function"
        curved[pair.of, pair.column] = pair.relation == "twins"
    return [group.tolist() for group in strongly_connected(alike) if curved[np.ix_(group, group)].any()]


def _is_of_units(values: np.ndarray, of: int, column: int) -> bool:
    """Whether one column determines another only because units, such as patients, have several rows each."""
    rows = _unit_rows(values, of, without=column)
    return rows is not None and _relation(values[rows, of], values[rows, column], comparisons=1) is None


def _unit_rows(values: np.ndarray, key: int, *, without: int) -> np.ndarray | None:
    """One row of each unit of (N, D) values, or None if the rows that share a key do not belong to one unit.

    They belong to one unit if other columns (but ``without``) are constant for nearly all values of the key, beyond
    chance. If they are constant for all values, they may as well be functions of the key, as the tax of a state is.
    """
    seen = np.flatnonzero(~np.isnan(values[:, key]))
    order = seen[np.argsort(values[seen, key], kind="stable")]
    cells = values[order]
    starts = np.flatnonzero(np.r_[True, np.diff(cells[:, key]) != 0])
    sizes = np.diff(np.r_[starts, len(cells)])
    several = sizes > 1
    if not several.any():
        return None
    low, high = np.fmin.reduceat(cells, starts), np.fmax.reduceat(cells, starts)
    comparable = np.add.reduceat(~np.isnan(cells), starts) > 1
    constant = (comparable & (low == high)).sum(axis=0) / np.maximum(comparable.sum(axis=0), 1)
    of_unit = [
        k
        for k in np.flatnonzero(constant >= _NEARLY_ALL).tolist()
        if k not in (key, without) and _constant_by_chance(cells[:, k], sizes[several]) < _BY_CHANCE
    ]
    if not of_unit or constant[of_unit].min() == 1:
        return None
    _, first = np.unique(np.nan_to_num(cells[:, [key, *of_unit]], nan=np.inf), axis=0, return_index=True)
    return np.sort(order[first])


def _constant_by_chance(column: np.ndarray, sizes: np.ndarray) -> float:
    """Expected share of groups of these sizes of random cells of a column (N,) that hold a single value."""
    _, counts = np.unique(column[~np.isnan(column)], return_counts=True)
    shares = counts / max(counts.sum(), 1)
    return float(np.mean([(shares**size).sum() for size in sizes.tolist()]))


def _may_determine(values: np.ndarray, k: int) -> np.ndarray:
    """(D,) bool, columns of (N, D) values that have a single value for each value of column k."""
    seen = values[~np.isnan(values[:, k])]
    if len(seen) < 2:
        return np.zeros(values.shape[1], dtype=bool)
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
    """How a column (N,) depends on the key (N,): as its monotone twin, as another function, or not exactly."""
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
    # The share of all permutations of the column that are such functions, in logarithms.
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
    # A value that occurs once is trivially mapped to one value.
    rest = np.delete(sizes, np.argmax(sizes)) if len(sizes) > 2 else sizes
    return "function" if rest[rest > 1].sum() >= _REPEATED * rest.sum() else None


def _jumps_at_gaps(levels: np.ndarray, jumps: np.ndarray) -> bool:
    """Whether a step function of the sorted levels (G,) jumps, (G - 1,) bool, at gaps between the levels.

    Then the column may as well be a cause that separates the cases into clusters, such as sex and testosterone.
    """
    spacing = np.diff(levels / np.abs(levels).max())  # differences of huge numbers overflow
    gaps = []
    for jump in np.flatnonzero(jumps).tolist():
        around = np.delete(spacing[max(0, jump - _AROUND) : jump + _AROUND + 1], min(jump, _AROUND))
        if len(around):
            gaps.append(spacing[jump] / around.mean())
    return bool(gaps) and float(np.mean(gaps)) > _GAP


def _correlation(first: np.ndarray, second: np.ndarray) -> float:
    scaled = standardized(np.column_stack([first, second]))
    return float((scaled[:, 0] * scaled[:, 1]).mean())


def products(values: np.ndarray) -> list[list[int]]:
    """Find groups of three or four columns of which one is a product or ratio of powers of the others.

    The logarithms of such columns have an exact linear relation with small integer coefficients.

    Parameters
    ----------
    values : ndarray of shape (N, D)

    Returns
    -------
    list of lists of int
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
    alike = {k for group in strongly_connected(close) for k in group.tolist()}
    relations = linear_relations(logs, explained=_EXPLAINED_BY_LOGS, without=alike)
    found = [[positive[k] for k in sorted(group)] for group in relations if _FACTORS[0] <= len(group) <= _FACTORS[1]]
    return [group for group in found if _has_integer_exponents(values[:, group]) and not _is_sum(values[:, group])]


def _has_integer_exponents(values: np.ndarray) -> bool:
    """Whether a product of the columns (N, K), each to an integer power from -3 to 3, is nearly constant."""
    logs = np.log(values[~np.isnan(values).any(axis=1)])
    if len(logs) < _LEAST_ROWS:
        return False
    logs = logs - logs.mean(axis=0)
    exponents = np.linalg.svd(logs, full_matrices=False)[2][-1]
    exponents = exponents / np.abs(exponents).min()
    integers = np.round(exponents)
    if np.abs(integers).max() > _LARGEST_EXPONENT or np.abs(exponents - integers).max() > _NEARLY_INTEGER:
        return False
    left = (logs @ integers).std()
    return bool(left**2 < (1 - _EXPLAINED_BY_LOGS) * (np.abs(integers) * logs.std(axis=0)).min() ** 2)


def _is_sum(values: np.ndarray) -> bool:
    """Whether the columns (N, K) themselves have a linear relation. Their logarithms then nearly have one too."""
    return bool(linear_relations(values, explained=_EXPLAINED_BY_SUM))
