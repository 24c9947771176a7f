"""How finely numbers are written down. N rows, D columns.

Hardly any real column is free of ties: people count, instruments have digits, and what lies below a limit is nothing.
A network that never saw this takes the resolution of a column for a sign of what it is.
"""

from __future__ import annotations

import numpy as np

from foundcause.simulate.artefacts import detect_discrete
from foundcause.simulate.settings import Resolution

LEVELS = ((3.0, 15.0, 0.12), (15.0, 250.0, 0.4), (100.0, 5e4, 0.48))
"""Units within five standard deviations (from, to, share): few classes, whole numbers, the digits of an instrument."""
_ALIKE = 0.4  # share of columns that are written like the first one of their table
_ROUNDED = 0.92  # share of the columns of a table that is rounded at all
_DEEPEST = 0.6  # share of the rows that lie on a floor, at most


def write_down(
    rng: np.random.Generator, settings: Resolution, values_ND: np.ndarray, discrete_D: np.ndarray
) -> tuple[np.ndarray, list[str]]:
    """The table with columns in whole units and some with a floor, and the names of what was done.

    discrete_D: columns of codes or counts, which stay as they are, as do columns of whole numbers. A change that would
    leave a column constant is not made.
    """
    if not (settings.rounding or settings.floors):
        return values_ND, []
    rounding, floors = rng.random() < settings.rounding, rng.random() < settings.floors
    free_D = np.flatnonzero(~(discrete_D | detect_discrete(values_ND)))
    if not (rounding or floors) or free_D.size == 0:
        return values_ND, []
    values = np.array(values_ND)
    if floors:
        for place in free_D[rng.random(free_D.size) < settings.floor_share]:
            _keep(values, int(place), floored(rng, values[:, place]))
    if rounding:
        unit = units(rng, values[:, free_D])
        for place, one in zip(free_D, unit, strict=True):
            if one > 0:
                _keep(values, int(place), np.round(values[:, place] / one) * one)
    return values, ["floors"] * floors + ["resolution"] * rounding


def units(rng: np.random.Generator, values_ND: np.ndarray) -> np.ndarray:
    """(D,) the unit of each column, 0 for one that is not rounded; a table of counts has more of them."""
    columns = values_ND.shape[1]
    lows, highs, shares = np.array(LEVELS).T
    kinds = rng.choice(np.arange(len(LEVELS)), size=columns, p=shares)
    kinds = np.where(rng.random(columns) < _ALIKE, kinds[0], kinds)
    low, high = np.log(lows[kinds]), np.log(highs[kinds])
    unit = 5.0 * np.nanstd(values_ND, axis=0) / np.exp(rng.uniform(low, high))
    return np.where((rng.random(columns) < _ROUNDED) & np.isfinite(unit), unit, 0.0)


def floored(rng: np.random.Generator, column_N: np.ndarray) -> np.ndarray:
    """(N,) nothing below some value: none, not at all, below the limit of detection."""
    return np.maximum(column_N, np.nanquantile(column_N, _DEEPEST * rng.random() ** 1.5))


def _keep(values_ND: np.ndarray, place: int, changed_N: np.ndarray) -> None:
    if np.nanmin(changed_N) < np.nanmax(changed_N):
        values_ND[:, place] = changed_N
