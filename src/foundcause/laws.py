"""Exact linear relations among columns: a total and its parts, or logarithms of a product and its factors.

Shapes: N rows, D columns.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from foundcause.decode.acyclic import knots

_UNEXPLAINED = 0.1
_SAME_LAW = 0.5  # partial correlation


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


def usual_range(column: np.ndarray) -> float:
    """How far the middle nine tenths of the values reach."""
    low, high = np.quantile(column, (0.05, 0.95))
    return float(high - low)
