"""Columns whose values in neighbouring rows resemble each other although the table is not sorted by them.

Shapes: N rows in the order of the source, D columns; NaN for missing.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

_FEW_ROWS = 30
_FEW_STEPS = 20
_LEAST_CORRELATION = 0.25
_MOST_MISSING = 0.5
_PIECES, _PIECE_ROWS = 20, 30
_BLOCK_ROWS = 10
_NOTHING = 1e-9  # of the rows, as a deviation of ranks


def alike_in_neighbours(values: np.ndarray, *, dates: Collection[int] = ()) -> list[int]:
    """Columns of (N, D) values that resemble themselves one row on, as those of a time series do.

    Sorted columns say how the table was sorted, not that time passes; nor do columns that follow them. Only ``dates``
    explain nothing away: a table sorted by a date is ordered in time.
    """
    if len(values) < _FEW_ROWS:
        return []
    return resembling(*beside_sorting(values, dates=dates))


def beside_sorting(values: np.ndarray, *, dates: Collection[int] = ()) -> tuple[np.ndarray, list[int]]:
    """Ranks (N, D) less what they owe to columns by which the table is sorted, and which columns these are."""
    keys = _sort_keys(np.apply_along_axis(_by_appearance, 0, values))
    rest = np.apply_along_axis(_ranks, 0, values)
    for n, key in enumerate(keys):
        if key in dates or np.isnan(values[:, key]).mean() > _MOST_MISSING:
            continue
        for k in range(values.shape[1]):
            if k not in keys[: n + 1]:
                rest[:, k] = _beside(rest[:, k], rest[:, key])
    return rest, keys


def resembling(rest: np.ndarray, keys: Collection[int]) -> list[int]:
    """Columns but those of ``keys`` that go with themselves one row on, of what ``beside_sorting`` leaves."""
    return [k for k in range(rest.shape[1]) if k not in keys and _resembles_next(rest[:, k])]


def mean_ranks(values: np.ndarray) -> np.ndarray:
    """Ranks with ties sharing their mean rank."""
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    return (ends - (counts - 1) / 2)[place]


def _ranks(column: np.ndarray) -> np.ndarray:
    """(N,) mean ranks of the observed cells; NaN where missing."""
    found = np.full(len(column), np.nan)
    seen = ~np.isnan(column)
    found[seen] = mean_ranks(column[seen])
    return found


def _resembles_next(column: np.ndarray) -> bool:
    """Whether ranks (N,), or what is left of them, go with those one row on.

    What is left is not ranked again: of a column that is nearly always 0, those ranks would follow what was taken away.
    """
    here, next_one = column[:-1], column[1:]
    both = ~np.isnan(here) & ~np.isnan(next_one)
    if both.sum() < _FEW_ROWS:
        return False
    here, next_one = here[both], next_one[both]
    if min(here.std(), next_one.std()) <= _NOTHING * len(column):
        return False
    correlation = float(np.corrcoef(here, next_one)[0, 1])
    return abs(correlation) > max(_LEAST_CORRELATION, 4 / np.sqrt(both.sum()))


def _sort_keys(values: np.ndarray) -> list[int]:
    """Columns by which the rows are sorted: all rows by the first ones, their ties by the next, and so on."""
    steps = np.diff(values, axis=0)
    keys: list[int] = []
    tied = np.ones(len(steps), dtype=bool)
    while tied.sum() >= _FEW_STEPS:
        more = [k for k in range(values.shape[1]) if k not in keys and _one_way(steps[tied, k])]
        if not more:
            break
        keys += more
        tied &= ((steps[:, more] == 0) | np.isnan(steps[:, more])).all(axis=1)
    return keys


def _by_appearance(column: np.ndarray) -> np.ndarray:
    """(N,) a column of few values, each in one block of rows, numbered in the order of its blocks; others as they are.

    So the rows are sorted by it, although the codes of its categories may have another order.
    """
    seen = ~np.isnan(column)
    cells = column[seen]
    block = np.cumsum(np.r_[False, cells[1:] != cells[:-1]]) if len(cells) else np.zeros(0, dtype=int)
    levels = len(np.unique(cells))
    if levels == 0 or block[-1] + 1 != levels or levels * _BLOCK_ROWS > len(cells):
        return column
    numbered = column.copy()
    numbered[seen] = block
    return numbered


def _one_way(steps: np.ndarray) -> bool:
    steps = steps[~np.isnan(steps)]
    return len(steps) >= _FEW_STEPS and bool((steps >= 0).all() or (steps <= 0).all())


def _beside(column: np.ndarray, sorter: np.ndarray) -> np.ndarray:
    """(N,) what is left of ranks, a column, beside their dependence on another column; NaN where either is missing.

    The dependence may have any shape: a line for each of a few pieces of the sorter's range, a mean for each level.
    """
    left = np.full(len(column), np.nan)
    both = np.flatnonzero(~np.isnan(column) & ~np.isnan(sorter))
    heights, along = column[both], mean_ranks(sorter[both])
    pieces = int(np.clip(len(both) // _PIECE_ROWS, 1, _PIECES))
    levels, piece = np.unique(along, return_inverse=True)
    if len(levels) > pieces:
        piece = ((along - 0.5) * pieces / len(both)).astype(int)
    for k in np.unique(piece):
        inside = piece == k
        centred = along[inside] - along[inside].mean()
        slope = centred @ heights[inside] / max(centred @ centred, 1e-300)
        left[both[inside]] = heights[inside] - heights[inside].mean() - slope * centred
    return left
