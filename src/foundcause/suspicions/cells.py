"""Columns in which a handful of cells decides: a lost decimal point, or one yes among hundreds of noes.

Shapes: N observed cells of a column, in the order of the source.
"""

from __future__ import annotations

import numpy as np

_MOST_ISOLATED = 3
_LEAST_CELLS = 30
_LEAST_DISTINCT = 20
_FACTOR = 5.0  # an isolated cell is at least so many times as far from the middle as the next
_TAIL = (10, 50)  # cells that show how the tail thins out
_CHANCE = 1e-3  # that the farthest cell of a tail like a power law looks isolated; of two or three cells, less

_FEW_DIFFERENT = 4
_RARE = 0.05


def isolated_cells(cells: np.ndarray) -> np.ndarray:
    """Places of the one to three cells (N,) that lie far from all others, the farthest first; empty when none do.

    Distances are those from the median. In a tail as heavy as a power law, the logarithms of the largest distances
    thin out evenly: k times the k-th gap between them is exponential with the mean excess of the tail as its mean.
    So a heavy tail, whose cells lead up to the farthest one, is no reason, and lighter tails have smaller gaps still.
    """
    count = len(cells)
    if count < _LEAST_CELLS or len(np.unique(cells)) < _LEAST_DISTINCT:
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
    return order[:isolated]


def rows_that_differ(cells: np.ndarray) -> int:
    """How many cells (N,) of a nearly constant column differ from the commonest value; 0 when it is none."""
    _, counts = np.unique(cells, return_counts=True)
    differ = len(cells) - int(counts.max(initial=0))
    return differ if differ <= min(_FEW_DIFFERENT, _RARE * len(cells)) else 0
