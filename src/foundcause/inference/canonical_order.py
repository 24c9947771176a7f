"""An order of rows and columns that depends on what they hold, never on where they stand or in which unit.

Everything after it (resampling, sums, ties) happens in that order, so the order of a file cannot change the answer
(but by how many rows a pass sees, where that order shows a series: ``foundcause.features.series``).
Shapes: N rows, D columns.
"""

from __future__ import annotations

import numpy as np

_MISSING = np.uint64(0x9E3779B97F4A7C15)
_ROUNDS = 2


def canonical_order(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Row indices (N,) and column indices (D,) that put (N, D) float64 values, NaN for missing, in canonical order.

    A cell counts by its rank in its column, which has no unit. Keys are sums of scrambled cells, which forget the order
    they were added in. A row's key salts each cell with the key of its column, so that (0, 1) and (1, 0) differ, a
    column's key salts with the keys of the rows, and so on for a few rounds. Rows and columns that still share a key
    are ordered by their cells.
    """
    ranks = [np.unique(column, return_inverse=True, equal_nan=True)[1].reshape(-1) for column in values.T]
    cells = _scramble(np.where(np.isnan(values), _MISSING, np.reshape(ranks, values.T.shape).T.astype(np.uint64)))
    columns = _scramble(cells.sum(axis=0, dtype=np.uint64))
    for _ in range(_ROUNDS):
        with np.errstate(over="ignore"):
            rows = _scramble(_scramble(cells + columns[None, :]).sum(axis=1, dtype=np.uint64))
            columns = _scramble(_scramble(cells + rows[:, None]).sum(axis=0, dtype=np.uint64))
    column_order = np.argsort(columns, kind="stable")
    row_order = np.argsort(rows, kind="stable")
    if len(np.unique(rows)) < len(rows):
        row_order = np.lexsort((*cells.T[column_order[::-1]], rows))
    if len(np.unique(columns)) < len(columns):
        # One rises wherever the other does, so that only the cells themselves are left to tell them apart.
        cells_of = np.nan_to_num(values[row_order], nan=np.inf)
        column_order = np.array(sorted(range(len(columns)), key=lambda k: (columns[k], cells_of[:, k].tolist())))
    return row_order, column_order


def standardized(values: np.ndarray) -> np.ndarray:
    """(N, D) float64 with mean 0 and standard deviation 1 over observed cells; huge and tiny numbers are safe."""
    largest = np.nanmax(np.abs(values), axis=0, initial=0.0, keepdims=True)
    scaled = values / np.where(largest > 0, largest, 1.0)
    scaled = scaled - np.nanmean(scaled, axis=0, keepdims=True)
    # Once more: after centering, numbers such as 1e9 + small steps are tiny, and squares of tiny numbers vanish.
    spread = np.nanmax(np.abs(scaled), axis=0, initial=0.0, keepdims=True)
    scaled = scaled / np.where(spread > 0, spread, 1.0)
    deviation = np.sqrt(np.nanmean(scaled**2, axis=0, keepdims=True))
    return scaled / np.where(deviation > 0, deviation, 1.0)


def _scramble(bits: np.ndarray) -> np.ndarray:
    """The splitmix64 finalizer, element by element."""
    with np.errstate(over="ignore"):
        bits = bits + np.uint64(0x9E3779B97F4A7C15)
        bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return bits ^ (bits >> np.uint64(31))
