"""Rows that repeat the same unit, such as the visits of a patient. Shapes: N rows, D columns; NaN for missing."""

from __future__ import annotations

import numpy as np

_NEARLY_ALL = 0.8  # of the values that occur more than once
_BY_CHANCE = 0.4


def unit_rows(values: np.ndarray, key: int, *, without: int) -> np.ndarray | None:
    """Places of one row for each unit of (N, D) values, or None when rows that share a key are no rows of one unit.

    They are when some other columns (but ``without``) are constant, as hardly happens by chance, for nearly all values
    of the key. For all of them they may as well be looked up by it, as the tax of a state is.
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
    """Share of groups of so many random cells of a column (N,) that would hold one value."""
    _, counts = np.unique(column[~np.isnan(column)], return_counts=True)
    shares = counts / max(counts.sum(), 1)
    return float(np.mean([(shares**size).sum() for size in sizes.tolist()]))
