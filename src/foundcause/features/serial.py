"""How many rows a table is worth in which neighbouring rows resemble each other, as those of a time series do.

Two columns that both drift agree by chance far more often than as many independent rows would. A correlation of two
autoregressive columns has the variance of one over N / tau rows, tau = (1 + f g) / (1 - f g) with f and g what is left
of either column one row on (Bartlett 1935), so a series is read as that many rows.

What counts is seen within short windows of rows, of columns that resemble themselves although the table is not sorted
by them: a table that was sorted, or put together from blocks, looks different from one end to the other, but what its
columns do not owe to that differs between neighbouring rows as it does anywhere.

N rows in the order of the source, D columns, W rows of a window; NaN for missing.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
from scipy.stats import rankdata

from foundcause.features.neighbours import beside_sorting, resembling

WINDOW = 24
MOST_WINDOWS = 40  # spread over the table
FEWEST_WINDOWS = 2
LEAST_TAU = 1.15  # below it, rows count as independent
FEWEST_ROWS = 20  # what networks are trained to read


def independent_rows(values_ND: np.ndarray, *, dates: Collection[int] = ()) -> int:
    """The number of rows that the table is worth, N where neighbouring rows do not resemble each other.

    dates: columns that hold dates, by which a series is sorted.
    """
    N, D = values_ND.shape
    if D < 2 or N < FEWEST_WINDOWS * WINDOW or _tau(resemblance(values_ND)) < LEAST_TAU:
        return N
    rest, keys = beside_sorting(values_ND, dates=dates)
    alike = resembling(rest, keys)
    if len(alike) < 2:
        return N
    kept = np.zeros(D)
    kept[alike] = resemblance(rest[:, alike])
    tau = _tau(kept)
    return N if tau < LEAST_TAU else max(min(FEWEST_ROWS, N), round(N / tau))


def _tau(kept: np.ndarray) -> float:
    """How many rows are worth one, on average over pairs of columns."""
    both = np.outer(kept, kept)[np.triu_indices(len(kept), 1)]
    return float(((1 + both) / (1 - both)).mean())


def resemblance(values_ND: np.ndarray) -> np.ndarray:
    """(D,) how much of a column is left one row on, from 0 to 0.995, by ranks within windows of neighbouring rows."""
    windows = len(values_ND) // WINDOW
    starts = np.linspace(0, len(values_ND) - WINDOW, min(windows, MOST_WINDOWS)).astype(int)
    rows = (starts[:, None] + np.arange(WINDOW)).ravel()
    cells = values_ND[rows]
    ranks = rankdata(cells, axis=0, nan_policy="omit" if np.isnan(cells).any() else "propagate")
    ranks = ranks.reshape(len(starts), WINDOW, -1)
    steps, here = np.diff(ranks, axis=1), ~np.isnan(ranks)
    number = here.sum(1)
    centred = np.where(here, ranks - _ratio(np.where(here, ranks, 0.0).sum(1), number)[:, None], 0.0)
    spread = _ratio(np.square(centred).sum((0, 1)), np.maximum(number - 1, 0).sum(0))
    step = _ratio(0.5 * np.nansum(np.square(steps), (0, 1)), (~np.isnan(steps)).sum((0, 1)))
    return np.interp(1 - _ratio(step, spread, nothing=1.0), _SEEN, _KEPT)


def _ratio(above: np.ndarray, below: np.ndarray, *, nothing: float = 0.0) -> np.ndarray:
    """A quotient; ``nothing`` where the divisor is 0."""
    return np.divide(above, below, out=np.full(np.shape(above), nothing), where=below > 0)


def _seen_in_windows(kept: np.ndarray) -> np.ndarray:
    """What 1 - (half the mean square of steps) / (variance within windows) is for autoregressive columns.

    Windows are too short to show how far a column strays that keeps nearly all from row to row.
    """
    lags = np.arange(1, WINDOW)
    within = 1 - 2 / (WINDOW * (WINDOW - 1)) * (kept[:, None] ** lags @ (WINDOW - lags))
    return 1 - (1 - kept) / within


_KEPT = np.linspace(0.0, 0.995, 200)
_SEEN = _seen_in_windows(_KEPT)
