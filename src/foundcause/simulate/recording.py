"""How two columns come to be written down: what else moves them, amounts, floors, rounding, errors. N rows.

One rule for cause and effect alike, but for the clutter that further causes add to an effect: a network must not tell
the two apart by how people write numbers down.
"""

from __future__ import annotations

import numpy as np
from scipy.special import ndtri

from foundcause.simulate.pairs_functions import standard
from foundcause.simulate.pairs_mechanisms import shaped_noise
from foundcause.simulate.resolution import floored, units

_CLUTTER = 0.45  # share of effects that further causes move, beyond what their own law knows
_AMOUNT = 0.22  # share of columns that are written as amounts: skewed to the right
_LOGGED = 0.08
_MIRROR = 0.6  # share of columns with a tail to the left that are written the other way round
_FLOOR = 0.14  # share of columns with a floor that rows lie on
_CEILING = 0.06
_ROUNDED = 0.92  # share of tables that round
_FEW = 20  # distinct values up to which a column counts as discrete


def recorded(
    rng: np.random.Generator, columns: np.ndarray, *, linked: bool
) -> tuple[np.ndarray, np.ndarray, list[str]]:
    """Two columns (N, 2) as a table shows them, which are discrete (2,), and what was done to them.

    linked: the first is a cause of the second, which may have further causes.
    """
    touches: list[str] = []
    columns = np.array(columns, dtype=np.float64)
    if linked and rng.random() < _CLUTTER:
        columns[:, 1] = _cluttered(rng, columns[:, 1])
        touches.append("cluttered")
    steps = np.array([len(np.unique(column)) < min(40, len(columns) // 3) for column in columns.T])
    if rng.random() < 0.4:
        columns, steps = _measured(rng, columns, steps)
        touches.append("measured")
    if rng.random() < 0.08:
        hit = rng.random(columns.shape) < rng.uniform(0.001, 0.02)
        columns = columns + hit * rng.normal(size=columns.shape) * columns.std(axis=0) * rng.uniform(2.0, 6.0)
        touches.append("outliers")
    for place in (0, 1):
        columns[:, place], done = _on_a_scale(rng, columns[:, place])
        touches.extend(done)
    if rng.random() < _ROUNDED:
        unit = np.where(steps, 0.0, units(rng, columns))
        rounded = np.round(columns / np.where(unit > 0, unit, 1.0)) * unit
        columns = np.where((unit > 0) & (np.ptp(rounded, axis=0) > 0), rounded, columns)
        touches.append("rounded")
    # Constant columns tell nothing; a whiff of noise keeps them alive.
    flat = np.ptp(columns, axis=0) <= 0
    if flat.any():
        columns = np.where(flat, rng.normal(size=columns.shape), columns)
    scale = np.exp(rng.normal(0.0, 2.0, 2))
    few = np.array([len(np.unique(column)) <= _FEW for column in columns.T])
    return columns * scale + rng.choice([0.0, 1.0]) * rng.normal(0.0, 3.0, 2) * scale, few, touches


def _cluttered(rng: np.random.Generator, column: np.ndarray) -> np.ndarray:
    """An effect (N,) that further causes move as well: on its own scale, or so that its distribution stays."""
    size = np.exp(rng.uniform(np.log(0.5), np.log(2.5)))
    noise = shaped_noise(rng, len(column))
    if rng.random() < 0.5:
        return column + size * column.std() * noise
    # Ties are broken by the noise, not by the order of rows.
    ranks = np.lexsort((noise, column)).argsort()
    scores = ndtri((ranks + 0.5) / len(column))
    moved = np.empty_like(column)
    moved[np.argsort(scores + size * noise)] = np.sort(column)
    return moved


def _measured(rng: np.random.Generator, columns: np.ndarray, steps: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Columns (N, 2) with errors of measurement, and which of them still come in steps."""
    size = np.exp(rng.uniform(np.log(0.004), np.log(0.15), 2)) * (rng.random(2) < 0.75)
    # Values that come in steps are read without error as often as not.
    size = np.where(steps & (rng.random(2) < 0.7), 0.0, size)
    return columns + size * columns.std(axis=0) * rng.normal(size=columns.shape), steps & (size == 0)


def _on_a_scale(rng: np.random.Generator, column: np.ndarray) -> tuple[np.ndarray, list[str]]:
    """A column (N,) as people scale it: the tail on the right, an amount, a logarithm, a floor or a ceiling."""
    touches: list[str] = []
    if np.mean(standard(column) ** 3) < -0.3 and rng.random() < _MIRROR:
        column = -column
        touches.append("mirrored")
    kind = rng.random()
    if kind < _AMOUNT:
        column = np.exp(np.clip(rng.uniform(0.2, 1.2) * standard(column), -6.0, 6.0))
        touches.append("amount")
    elif kind < _AMOUNT + _LOGGED:
        low = column.min()
        column = np.log(column - low + rng.uniform(0.02, 0.5) * (column.mean() - low + 1e-9))
        touches.append("logged")
    if rng.random() < _FLOOR:
        column = floored(rng, column)
        touches.append("floor")
    if rng.random() < _CEILING:
        column = np.minimum(column, np.quantile(column, 1.0 - rng.uniform(0.01, 0.3)))
        touches.append("ceiling")
    return column, touches
