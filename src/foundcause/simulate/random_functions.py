"""Random smooth functions, and noise of random shape or with a memory. N rows.

Gaussian processes are drawn by random Fourier features. Warps integrate an exponentiated process, as the simulators of
Mooij et al. (2016) do.
"""

from __future__ import annotations

import numpy as np
from scipy.signal import lfilter

_GRID = np.linspace(-3.5, 3.5, 141)


def standard(column: np.ndarray) -> np.ndarray:
    """Mean zero, variance one (a constant column stays constant)."""
    centered = column - column.mean()
    spread = np.sqrt(np.add.reduce(centered * centered) / len(column))  # the same bytes as column.std()
    return centered / (spread if spread > 1e-12 else 1.0)


def gaussian_process(
    rng: np.random.Generator, inputs: np.ndarray, lengths: np.ndarray, *, features: int = 48
) -> np.ndarray:
    """A sample path at ``inputs`` (N, k) with one length scale per input, (N,), of about unit variance."""
    frequency = rng.normal(size=(inputs.shape[1], features)) / np.asarray(lengths)[:, None]
    phase = rng.uniform(0.0, 2 * np.pi, features)
    weight = rng.normal(size=features) * np.sqrt(2.0 / features)
    waves = inputs @ frequency
    waves += phase
    return np.cos(waves, out=waves) @ weight


def warp(rng: np.random.Generator, column: np.ndarray, *, strength: float = 1.0, length: float = 1.0) -> np.ndarray:
    """A random increasing function of a standardized column, (N,), standardized."""
    slope = np.exp(strength * gaussian_process(rng, _GRID[:, None], np.array([length])))
    rise = np.concatenate([[0.0], np.cumsum(0.5 * (slope[1:] + slope[:-1]))]) * (_GRID[1] - _GRID[0])
    inside = np.interp(column, _GRID, rise)
    # Beyond the grid the warp goes on with its last slope.
    inside += np.where(column > _GRID[-1], (column - _GRID[-1]) * slope[-1], 0.0)
    inside += np.where(column < _GRID[0], (column - _GRID[0]) * slope[0], 0.0)
    return standard(inside)


def random_noise(rng: np.random.Generator, rows: int) -> np.ndarray:
    """Standardized noise of a random shape, (N,): normal, warped, skewed, heavy, flat or sharp."""
    kind = rng.random()
    if kind < 0.3:
        return rng.normal(size=rows)
    if kind < 0.55:
        return warp(rng, rng.normal(size=rows), strength=rng.uniform(0.2, 1.0), length=rng.uniform(0.6, 3.0))
    if kind < 0.72:
        shape = np.exp(rng.uniform(np.log(0.8), np.log(12.0)))
        return rng.choice([1.0, 1.0, -1.0]) * (rng.gamma(shape, size=rows) - shape) / np.sqrt(shape)
    if kind < 0.84:
        freedom = rng.uniform(3.0, 9.0)
        return rng.standard_t(freedom, size=rows) / np.sqrt(freedom / (freedom - 2.0))
    if kind < 0.92:
        return rng.laplace(size=rows) / np.sqrt(2.0)
    return rng.uniform(-np.sqrt(3.0), np.sqrt(3.0), rows)


def smooth_noise(rng: np.random.Generator, rows: int, columns: int, memory: np.ndarray) -> np.ndarray:
    """First-order autoregressive noise of unit variance, (N, columns). ``memory`` (columns,) in [0, 1)."""
    shocks = rng.normal(size=(rows, columns)) * np.sqrt(1.0 - memory**2)
    shocks[0] /= np.sqrt(1.0 - memory**2)
    if not memory.any():
        return shocks
    return np.stack([lfilter([1.0], [1.0, -m], shocks[:, k]) for k, m in enumerate(memory)], axis=1)
