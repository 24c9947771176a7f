"""Exact linear relations among columns: a total and its parts, logarithms of a product and its factors.

Shapes: N rows, D columns, K columns of one relation. NaN is a missing cell. A filled cell would break an exact
relation. Each relation is therefore judged by the rows in which its columns are observed.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from foundcause.inference.acyclicity import strongly_connected
from foundcause.inference.canonical_order import standardized

_UNEXPLAINED = 0.1
_SAME_RELATION = 0.5  # partial correlation
_LEAST_ROWS = 30
_ROWS_FOR_EACH = 2  # column
_SHARES_LEFT = (0.5, 0.2, 0.0)
_MOST_PARTS = 10
_SAME = 1e-9


def linear_relations(values: np.ndarray, *, explained: float, without: Collection[int] = ()) -> list[list[int]]:
    """Find groups of columns of which each is a linear function of the others.

    Rows with gaps are left out. If too few rows are left for all columns, those with the most gaps are examined later,
    together with columns that are observed in the same rows.

    Parameters
    ----------
    values : ndarray of shape (N, D)
    explained : float
        Least share of a column's variance that the others explain.
    without : collection of int
        Columns that are not examined.

    Returns
    -------
    list of lists of int
        The columns of each relation, as indices.
    """
    found: list[list[int]] = []
    for rows, columns in complete_parts(values):
        part = values[rows][:, columns]
        varying = np.flatnonzero((part != part[0]).any(axis=0))
        columns = [columns[k] for k in varying]
        here = [k for k, column in enumerate(columns) if column in without]
        for relation in _complete_relations(standardized(part[:, varying]), explained=explained, without=here):
            indices = [columns[k] for k in relation]
            repeated = any(set(indices) & set(earlier) for earlier in found)  # another part shows it, or less of it
            if not repeated and (2 * len(rows) > len(values) or _holds(values[:, indices], explained)):
                found.append(indices)
    return found


def _complete_relations(scaled: np.ndarray, *, explained: float, without: Collection[int] = ()) -> list[list[int]]:
    """Find linear relations in standardized values (N, D) without gaps."""
    rows, variables = scaled.shape
    correlation = scaled.T @ scaled / rows
    precision = np.linalg.pinv(correlation + 1e-9 * np.eye(variables), hermitian=True)
    tight = [k for k in range(variables) if precision[k, k] > 1 / (1 - explained) and k not in without]
    # A few outlying rows, such as totals, can explain the variance. Only an exact relation explains the usual rows.
    determined = [
        k
        for k in tight
        if usual_range(scaled @ precision[:, k] / precision[k, k]) < _UNEXPLAINED * usual_range(scaled[:, k])
    ]
    # Columns of one relation depend on each other given all others. Columns of different relations do not.
    size = np.sqrt(np.diag(precision))
    tied = np.abs(precision / np.outer(size, size))[np.ix_(determined, determined)] > _SAME_RELATION
    np.fill_diagonal(tied, False)
    groups = [group.tolist() for group in strongly_connected(tied)]
    alone = set(range(len(determined))) - {k for group in groups for k in group}
    return [[determined[k] for k in group] for group in [*groups, *([k] for k in sorted(alone))]]


def _holds(values: np.ndarray, explained: float) -> bool:
    """Whether the columns (N, K) are related in all their complete rows, not only in those other columns selected."""
    complete = values[~np.isnan(values).any(axis=1)]
    return values.shape[1] > 1 and bool(_complete_relations(standardized(complete), explained=explained))


def complete_parts(values: np.ndarray) -> list[tuple[np.ndarray, list[int]]]:
    """Cut a table with gaps into parts without gaps.

    The first parts take columns with few gaps first, as many as leave half of the rows, a fifth of them, or just
    enough. Further parts start from a column that is in no part yet.

    Parameters
    ----------
    values : ndarray of shape (N, D)

    Returns
    -------
    list of (ndarray, list of int)
        Rows and columns of each part. At most one part if nothing is missing.
    """
    gaps = np.isnan(values)
    rows, variables = values.shape
    if not gaps.any():
        return [(np.arange(rows), list(range(variables)))] if rows > _ROWS_FOR_EACH * variables else []
    parts: list[tuple[np.ndarray, list[int]]] = []
    seeds: list[int | None] = [None, *sorted(range(variables), key=lambda k: int(gaps[:, k].sum()))]
    held: set[int | None] = set()
    for seed in seeds:
        if seed in held or len(parts) >= _MOST_PARTS:
            continue
        within = np.ones(rows, dtype=bool) if seed is None else ~gaps[:, seed]
        for share in _SHARES_LEFT:
            complete, columns = _complete_part(gaps, within, share)
            if len(columns) > 1 and all(columns != earlier for _, earlier in parts):
                parts.append((np.flatnonzero(complete), columns))
            held.update(columns)
    return parts


def _complete_part(gaps: np.ndarray, within: np.ndarray, share: float) -> tuple[np.ndarray, list[int]]:
    """Rows (N,) bool and the columns without gaps in them, at least a share of the rows ``within`` (N,) bool."""
    missing = gaps[within].sum(axis=0)
    complete = within
    columns: list[int] = []
    for count in np.unique(missing):  # equally many gaps at once, so that the order of columns does not matter
        more = np.flatnonzero(missing == count).tolist()
        fewer = complete & ~gaps[:, more].any(axis=1)
        enough = max(_LEAST_ROWS, _ROWS_FOR_EACH * (len(columns) + len(more)) + 1, share * within.sum())
        if fewer.sum() < enough:
            break
        complete, columns = fewer, columns + more
    return complete, sorted(columns)


def pair_correlations(values: np.ndarray) -> np.ndarray:
    """Correlate each pair of columns over the rows that show both.

    Parameters
    ----------
    values : ndarray of shape (N, D)

    Returns
    -------
    ndarray of shape (D, D)
        0 where fewer than 30 rows of a table with gaps show both, or where one of the two is constant in them.
    """
    scaled = standardized(values)
    seen = ~np.isnan(scaled)
    cells = np.where(seen, scaled, 0.0)
    if seen.all():
        return np.asarray(cells.T @ cells / len(cells))
    shown = seen.astype(float)
    together = shown.T @ shown
    count = np.maximum(together, 1)
    mean = cells.T @ shown / count  # [i, j]: of column i where j is observed too
    variance = (cells**2).T @ shown / count - mean**2
    covariance = cells.T @ cells / count - mean * mean.T
    usable = (together >= _LEAST_ROWS) & (np.minimum(variance, variance.T) > _SAME)
    return np.where(usable, covariance / np.sqrt(np.where(usable, variance * variance.T, 1.0)), 0.0)


def usual_range(column: np.ndarray) -> float:
    """Range of the middle nine tenths of the values (N,)."""
    low, high = np.quantile(column, (0.05, 0.95))
    return float(high - low)
