"""Copies of a column, also when shifted, rescaled or mirrored: the one place that recognises them.

The reader tells them; what is said of the table later says nothing of a copy that it says of the first.
Shapes: N rows, D columns; NaN for missing.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Sequence

import numpy as np

_SAME = 1e-5  # of the range of the middle half of the different values
_FAR = 100.0


def copies(columns: Sequence[np.ndarray], names: Sequence[str]) -> dict[int, int]:
    """Places of the columns, D of (N,), that are copies of one with an earlier name, each with the place of that one.

    By name, so that which copy counts as the first does not depend on the order of columns.
    """
    found: dict[int, int] = {}
    # Copies have the same gaps and, but for the sign, the same weighted mean: only such columns are compared.
    firsts: dict[bytes, list[tuple[float, int]]] = {}
    weights = np.sin(np.arange(1, max(map(len, columns), default=0) + 1))
    for order, k in enumerate(by_name := sorted(range(len(names)), key=lambda k: names[k])):
        gaps = np.isnan(columns[k])
        if gaps.all():
            continue
        cells = _shape(columns[k][~gaps])
        mean = abs(float((weights[: len(cells)] * cells).mean()))
        known = firsts.setdefault(np.packbits(gaps).tobytes(), [])
        near = known[bisect_left(known, (mean - _SAME, -1)) : bisect_right(known, (mean + _SAME, len(names)))]
        same = [first for _, first in near if _are_same(cells, _shape(columns[by_name[first]][~gaps]))]
        if same:
            found[k] = by_name[min(same)]
        else:
            insort(known, (mean, order))
    return found


def first_of_copies(values: np.ndarray, names: Sequence[str]) -> list[int]:
    """Places of the columns of (N, D) values that are no copies of one with an earlier name."""
    found = copies(list(np.ascontiguousarray(values.T)), names)
    return [k for k in range(len(names)) if k not in found]


def _shape(cells: np.ndarray) -> np.ndarray:
    """Observed cells (N,) on a scale on which copies are the same but for the sign.

    Centre and scale are those of the different values, and far values are cut, so that a code such as 999999999 in
    many rows does not make all other values look the same.
    """
    largest = np.abs(cells).max()
    cells = cells / largest if largest > 0 else cells
    low, centre, high = np.quantile(np.unique(cells), (0.25, 0.5, 0.75))
    cells = (cells - centre) / (high - low) if high > low else cells - centre
    return np.clip(cells, -_FAR, _FAR)


def _are_same(first: np.ndarray, second: np.ndarray) -> bool:
    return bool(min(np.abs(first - second).max(), np.abs(first + second).max()) < _SAME)


def mean_ranks(values: np.ndarray) -> np.ndarray:
    """Ranks (N,) from 1, ties sharing their mean rank."""
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    return (ends - (counts - 1) / 2)[place]
