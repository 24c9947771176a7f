"""Outlier cells lie far from all others of their column: a lost decimal point, or the one extreme day of a year.

Shapes: N rows, D columns. Without torch, so that a table can be looked at before the network is loaded.
"""

from __future__ import annotations

import numpy as np

_MOST_ISOLATED = 3
_LEAST_CELLS = 30
_LEAST_DISTINCT = 20
_TAIL = (10, 50)  # cells that show how the tail thins out
_FACTOR = 5.0  # an isolated cell is at least so many times as far from the middle as the next
_CHANCE = 1e-3  # that the farthest cell of a tail like a power law looks isolated; of two or three cells, less


def outlier_cells(column: np.ndarray) -> np.ndarray:
    """Positions of the one to three cells of a column (N,), NaN where missing, that lie far from all others.

    The farthest comes first; empty when there is none.

    Distances are those from the median. In a tail as heavy as a power law, the logarithms of the largest distances
    thin out evenly: k times the k-th gap between them is exponential with the mean excess of the tail as its mean.
    So a heavy tail, whose cells lead up to the farthest one, is no reason, and lighter tails have smaller gaps still.
    """
    seen = np.flatnonzero(~np.isnan(column))
    cells = column[seen]
    if len(cells) < _LEAST_CELLS or len(np.unique(cells)) < _LEAST_DISTINCT:
        return np.zeros(0, dtype=int)
    scale = np.abs(cells).max()  # differences of huge numbers overflow
    distance = np.abs(cells / scale - np.median(cells / scale))
    order = np.argsort(-distance, kind="stable")
    off = int((distance > 0).sum())  # a column of mostly zeros has few cells that show a tail
    tail = int(np.clip(off // 10, *_TAIL))
    if off < _MOST_ISOLATED + 2 * tail:
        return np.zeros(0, dtype=int)
    far = np.log(distance[order[: _MOST_ISOLATED + tail + 1]])
    isolated = 0
    for k in range(1, _MOST_ISOLATED + 1):
        gap, excess = far[k - 1] - far[k], float((far[k : k + tail] - far[k + tail]).mean())
        limit = tail * ((_CHANCE / 10 ** (k - 1)) ** (-1 / tail) - 1)  # of an exponential over the mean of ``tail``
        if gap > np.log(_FACTOR) and k * gap > limit * excess:
            isolated = k
    return seen[order[:isolated]]


def without_outliers(values_ND: np.ndarray) -> np.ndarray:
    """The table with its outlier cells missing too (NaN); itself when there are none."""
    kept = values_ND
    for column in range(values_ND.shape[1]):
        rows = outlier_cells(values_ND[:, column])
        if rows.size:
            kept = values_ND.copy() if kept is values_ND else kept
            kept[rows, column] = np.nan
    return kept
