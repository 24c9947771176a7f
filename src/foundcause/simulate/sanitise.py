"""The last guard of a task: only finite numbers, enough of them in every column, no column that shows one value."""

from __future__ import annotations

import numpy as np

LARGEST = 1e15  # beyond it a float32 column has no precision left to tell its rows apart from overflow


def enough(rows: int) -> int:
    """Observed cells every variable keeps: max(10, 0.1 N)."""
    return max(10, int(np.ceil(0.1 * rows)))


def sanitise(rng: np.random.Generator, values_ND: np.ndarray, observed_ND: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(N, D) float32 values, 0 where unobserved, and the (N, D) mask.

    Non-finite cells become missing. A column with too few observed cells, or with one value only, gets hidden cells
    back at random; what is non-finite in a column that is still too short is drawn again from its finite cells.
    """
    finite = np.abs(values_ND) < LARGEST  # False for NaN too
    values = np.where(finite, values_ND, 0.0).astype(np.float32)
    observed = observed_ND & finite
    need = min(enough(len(values)), len(values))
    low = np.where(observed, values, np.inf).min(axis=0)
    high = np.where(observed, values, -np.inf).max(axis=0)
    for column in np.flatnonzero((observed.sum(axis=0) < need) | ~(low < high)):
        _mend(rng, values[:, column], observed[:, column], finite[:, column], need)
    values[~observed] = 0.0
    return values, observed


def _mend(
    rng: np.random.Generator, values_N: np.ndarray, observed_N: np.ndarray, finite_N: np.ndarray, need: int
) -> None:
    """Give cells back, in place."""
    if observed_N.any() and np.ptp(values_N[observed_N]) == 0.0:
        observed_N |= finite_N
    back = rng.permutation(np.flatnonzero(finite_N & ~observed_N))
    observed_N[back[: max(0, need - int(observed_N.sum()))]] = True
    short = need - int(observed_N.sum())
    if short > 0:
        source = values_N[finite_N]
        lost = rng.permutation(np.flatnonzero(~finite_N))[:short]
        values_N[lost] = rng.choice(source, size=lost.size) if source.size else rng.standard_normal(lost.size)
        observed_N[lost] = True
