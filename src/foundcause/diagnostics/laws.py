"""Exact linear relations among columns: a total and its parts, logarithms of a product and its factors.

Shapes: N rows, D columns; NaN for missing. A cell that is filled breaks an exact relation, so that every relation is
judged by rows in which its columns are observed.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from foundcause.inference.acyclic import knots
from foundcause.inference.canonical import standardised

_UNEXPLAINED = 0.1
_SAME_LAW = 0.5  # partial correlation
_LEAST_ROWS = 30
_ROWS_FOR_EACH = 2  # column
_SHARES_LEFT = (0.5, 0.2, 0.0)
_MOST_PARTS = 10
_SAME = 1e-9


def linear_laws(scaled: np.ndarray, *, explained: float, apart: Collection[int] = ()) -> list[list[int]]:
    """Groups of columns of which each is determined by the others of (N, D) standardised values without gaps.

    explained: share of the variance that the others explain at least. apart: columns that are not looked at.
    """
    rows, variables = scaled.shape
    correlation = scaled.T @ scaled / rows
    precision = np.linalg.pinv(correlation + 1e-9 * np.eye(variables), hermitian=True)
    tight = [k for k in range(variables) if precision[k, k] > 1 / (1 - explained) and k not in apart]
    # A few far rows, such as one of totals, explain the variance; only a law explains the usual rows too.
    determined = [
        k
        for k in tight
        if usual_range(scaled @ precision[:, k] / precision[k, k]) < _UNEXPLAINED * usual_range(scaled[:, k])
    ]
    # Columns of one law are tied to each other given all others; those of another law are not.
    size = np.sqrt(np.diag(precision))
    tied = np.abs(precision / np.outer(size, size))[np.ix_(determined, determined)] > _SAME_LAW
    np.fill_diagonal(tied, False)
    laws = [law.tolist() for law in knots(tied)]
    alone = set(range(len(determined))) - {k for law in laws for k in law}
    return [[determined[k] for k in law] for law in [*laws, *([k] for k in sorted(alone))]]


def laws_despite_gaps(values: np.ndarray, *, explained: float, apart: Collection[int] = ()) -> list[list[int]]:
    """Groups of columns of (N, D) values of which each is determined by the others, as in ``linear_laws``.

    Rows with gaps are left out. Where too few are left for all columns, those with the most gaps are looked at later,
    together with columns that are observed in the same rows.
    """
    found: list[list[int]] = []
    for rows, columns in complete_parts(values):
        part = values[rows][:, columns]
        varying = np.flatnonzero((part != part[0]).any(axis=0))
        columns = [columns[k] for k in varying]
        here = [k for k, column in enumerate(columns) if column in apart]
        for law in linear_laws(standardised(part[:, varying]), explained=explained, apart=here):
            places = [columns[k] for k in law]
            told = any(set(places) & set(known) for known in found)  # another part shows the same law, or less of it
            if not told and (2 * len(rows) > len(values) or _holds(values[:, places], explained)):
                found.append(places)
    return found


def _holds(values: np.ndarray, explained: float) -> bool:
    """Whether the columns (N, K) have a law in all rows without gaps, not only in a part that other columns chose."""
    whole = values[~np.isnan(values).any(axis=1)]
    return values.shape[1] > 1 and bool(linear_laws(standardised(whole), explained=explained))


def complete_parts(values: np.ndarray) -> list[tuple[np.ndarray, list[int]]]:
    """Parts of (N, D) values without gaps, each as its rows and its columns in their order.

    The first parts hold as many columns, those with the fewest gaps first, as leave half of the rows, a fifth, or just
    enough; further ones start from a column that no part holds yet. There is at most one when nothing is missing.
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
            whole, columns = _complete_part(gaps, within, share)
            if len(columns) > 1 and all(columns != known for _, known in parts):
                parts.append((np.flatnonzero(whole), columns))
            held.update(columns)
    return parts


def _complete_part(gaps: np.ndarray, within: np.ndarray, share: float) -> tuple[np.ndarray, list[int]]:
    """Rows (N,) bool and columns without gaps (N, D) in these rows, at least a share of those ``within`` (N,) bool."""
    missing = gaps[within].sum(axis=0)
    whole = within
    columns: list[int] = []
    for count in np.unique(missing):  # all columns with equally many at once: their order decides nothing
        more = np.flatnonzero(missing == count).tolist()
        fewer = whole & ~gaps[:, more].any(axis=1)
        enough = max(_LEAST_ROWS, _ROWS_FOR_EACH * (len(columns) + len(more)) + 1, share * within.sum())
        if fewer.sum() < enough:
            break
        whole, columns = fewer, columns + more
    return whole, sorted(columns)


def pair_correlations(values: np.ndarray) -> np.ndarray:
    """(D, D) correlation of each pair of columns of (N, D) values over the rows that show both.

    0 where fewer than 30 rows of a table with gaps show both, or where one of the two does not vary in them.
    """
    scaled = standardised(values)
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
    """How far the middle nine tenths of the values reach."""
    low, high = np.quantile(column, (0.05, 0.95))
    return float(high - low)
