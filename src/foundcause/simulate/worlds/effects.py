"""How causes act together where effects are modest and most lines are straight. N rows, P causes."""

from __future__ import annotations

import numpy as np

from foundcause.simulate.worlds.surveys_columns import standard


def partly_explained(
    rng: np.random.Generator, causes: list[np.ndarray], own: np.ndarray, *, explained: float, bend: float
) -> np.ndarray:
    """Standardised causes and standardised noise of one's ``own``, standardised (N,).

    ``explained`` is the typical share that causes explain, ``bend`` the share of effects that are not straight lines.
    """
    if not causes:
        return standard(own)
    share = np.clip(rng.beta(4.0 * explained, 4.0 * (1.0 - explained)), 0.05, 0.98)
    return standard(np.sqrt(share) * joined(rng, np.stack(causes, axis=1), bend) + np.sqrt(1.0 - share) * own)


def joined(rng: np.random.Generator, causes: np.ndarray, bend: float) -> np.ndarray:
    """The standardised sum (N,) of the effects of (N, P) standardised causes: most straight, some bent."""
    count = causes.shape[1]
    # No cause is drowned by the others altogether.
    weight = np.clip(np.exp(rng.normal(0.0, 0.5, count)), 0.35, 3.0) * rng.choice([1.0, 1.0, -1.0], count)
    total = np.zeros(len(causes))
    for k in range(count):
        x = causes[:, k]
        total += weight[k] * (standard(bent(rng, x)) if rng.random() < bend else x)
    if count > 1 and rng.random() < 0.2:
        a, b = rng.choice(count, size=2, replace=False)
        total += rng.uniform(0.3, 1.0) * causes[:, a] * causes[:, b]
    return standard(total)


def bent(rng: np.random.Generator, x: np.ndarray) -> np.ndarray:
    """A response (N,) to a standardised cause that is no straight line."""
    kind = int(rng.integers(6))
    if kind == 0:
        return -((x - rng.uniform(-1.0, 1.0)) ** 2) + rng.choice([-1.0, 1.0]) * x
    if kind == 1:
        return np.tanh(rng.uniform(0.8, 2.5) * (x - rng.normal(0.0, 0.5)))
    if kind == 2:
        return np.maximum(x - rng.normal(0.0, 0.6), 0.0) + 0.1 * x
    if kind == 3:
        return (x > rng.normal(0.0, 0.6)) + 0.05 * x
    if kind == 4:
        return np.exp(np.clip(rng.uniform(0.4, 1.0) * x, -5, 3))
    return np.log(np.maximum(x - x.min(), 0.0) + rng.uniform(0.1, 1.0))
