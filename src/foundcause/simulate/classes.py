"""Measurements told in classes: over the limit or not, age groups, brackets of income, whole years. N rows, D columns.

What was measured goes on to cause what it causes; the table tells less of it than there was. Most real tables hold such
columns beside measurements.
"""

from __future__ import annotations

import numpy as np

from foundcause.simulate.settings import Mishaps

_SHARE = (0.1, 0.8)  # of the measurements of a table that are told in classes
_LEAST_VALUES = 16  # a column with fewer distinct ones holds classes already
_FEWEST_ROWS = 2  # outside the largest class


def tell_in_classes(
    rng: np.random.Generator, settings: Mishaps, values_ND: np.ndarray, discrete_D: np.ndarray
) -> tuple[np.ndarray, np.ndarray, int | None]:
    """The table, which columns are discrete now (D,), and how many were put into classes (None: as it was)."""
    if not settings.classes or rng.random() >= settings.classes:
        return values_ND, discrete_D, None
    values, discrete, changed = np.array(values_ND), discrete_D.copy(), 0
    for place in np.flatnonzero(~discrete_D & (rng.random(len(discrete_D)) < rng.uniform(*_SHARE))):
        finite = np.isfinite(values[:, place])
        column = values[finite, place]
        if len(np.unique(column)) < _LEAST_VALUES:
            continue
        told = _KINDS[int(rng.choice(len(_KINDS), p=_OFTEN))](rng, column)
        if len(told) - np.unique(told, return_counts=True)[1].max() >= _FEWEST_ROWS:
            values[finite, place], discrete[place] = told, True
            changed += 1
    return values, discrete, changed


def _limit(rng: np.random.Generator, column_N: np.ndarray) -> np.ndarray:
    """Whether it lies above a limit, which few may pass."""
    return (column_N > np.quantile(column_N, rng.beta(1.3, 1.3))).astype(float)


def _brackets(rng: np.random.Generator, column_N: np.ndarray) -> np.ndarray:
    """3 to 9 classes of uneven numbers of rows."""
    shares = np.cumsum(rng.dirichlet(np.full(int(rng.integers(3, 10)), 3.0)))[:-1]
    return np.searchsorted(np.quantile(column_N, shares), column_N).astype(float)


def _steps(rng: np.random.Generator, column_N: np.ndarray) -> np.ndarray:
    """Classes as wide as each other, the outer ones open: 4 to 20 within the usual range."""
    low, high = np.quantile(column_N, [0.02, 0.98])
    unit = max(high - low, 1e-30) / rng.integers(4, 21)
    return np.floor((np.clip(column_N, low, high) - low) / unit)


_KINDS = (_limit, _brackets, _steps)
_OFTEN = (0.4, 0.3, 0.3)
