"""Distributions of variables without causes. N rows."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from foundcause.simulate import noise

MIXTURE = "gaussian_mixture"
_MIXTURE_SPREAD = 0.4  # the paper's component standard deviation
_MIXTURE_REACH = 3.0  # component means lie in [-3, 3]


def gaussian_mixture(rng: np.random.Generator, rows: int) -> np.ndarray:
    """(N,) float32 from 2 to 6 Gaussians of standard deviation 0.4 with means in [-3, 3]."""
    count = int(rng.integers(2, 7))
    mean = rng.uniform(-_MIXTURE_REACH, _MIXTURE_REACH, count).astype(np.float32)
    share = np.cumsum(rng.dirichlet(np.full(count, 2.0)))[:-1]
    which = np.searchsorted(share, rng.random(rows))
    return mean[which] + np.float32(_MIXTURE_SPREAD) * rng.standard_normal(rows, dtype=np.float32)


def log_normal(rng: np.random.Generator, rows: int) -> np.ndarray:
    return np.exp(np.float32(rng.uniform(0.25, 1.0)) * rng.standard_normal(rows, dtype=np.float32))


def exponential(rng: np.random.Generator, rows: int) -> np.ndarray:
    return rng.standard_exponential(rows, dtype=np.float32) * np.float32(rng.uniform(0.5, 2.0))


def beta(rng: np.random.Generator, rows: int) -> np.ndarray:
    first = rng.standard_gamma(rng.uniform(0.5, 5.0), rows, dtype=np.float32)
    second = rng.standard_gamma(rng.uniform(0.5, 5.0), rows, dtype=np.float32)
    return first / np.maximum(first + second, 1e-12)


def chi_square(rng: np.random.Generator, rows: int) -> np.ndarray:
    return 2.0 * rng.standard_gamma(rng.uniform(1.0, 8.0) / 2.0, rows, dtype=np.float32)


FAMILIES: dict[str, Callable[[np.random.Generator, int], np.ndarray]] = {
    MIXTURE: gaussian_mixture,
    "log_normal": log_normal,
    "exponential": exponential,
    "beta": beta,
    "chi_square": chi_square,
    "gaussian": noise.gaussian,
    "laplace": noise.laplace,
    "uniform": noise.uniform,
    "student_t": noise.student_t,
}
