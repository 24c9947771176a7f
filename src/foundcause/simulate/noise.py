"""Noise families of unit nominal scale, and distributions of variables without causes. N rows."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

CAUCHY_LIMIT = 50.0  # times the nominal scale (the paper's clip)


def gaussian(rng: np.random.Generator, rows: int) -> np.ndarray:
    return rng.standard_normal(rows, dtype=np.float32)


def laplace(rng: np.random.Generator, rows: int) -> np.ndarray:
    both = rng.standard_exponential(2 * rows, dtype=np.float32)
    return (both[:rows] - both[rows:]) * np.float32(0.70710678)


def uniform(rng: np.random.Generator, rows: int) -> np.ndarray:
    return (rng.random(rows, dtype=np.float32) - np.float32(0.5)) * np.float32(3.4641016)


def mixture(rng: np.random.Generator, rows: int) -> np.ndarray:
    """A Gaussian mixture of 2 to 4 components, centered and scaled to unit variance in the population."""
    count = int(rng.integers(2, 5))
    share = rng.dirichlet(np.full(count, 3.0))
    mean = rng.uniform(-2.0, 2.0, count)
    spread = rng.uniform(0.2, 0.7, count)
    mean -= share @ mean
    scale = np.sqrt(share @ (mean**2 + spread**2))
    which = np.searchsorted(np.cumsum(share)[:-1], rng.random(rows))
    drawn = rng.standard_normal(rows, dtype=np.float32)
    return (mean / scale).astype(np.float32)[which] + (spread / scale).astype(np.float32)[which] * drawn


def cauchy(rng: np.random.Generator, rows: int) -> np.ndarray:
    """Cauchy noise of unit scale, clipped at 50 scales."""
    both = rng.standard_normal(2 * rows, dtype=np.float32)
    below = both[rows:]
    below[below == 0.0] = 1e-6
    return np.clip(both[:rows] / below, -CAUCHY_LIMIT, CAUCHY_LIMIT)


def student_t(rng: np.random.Generator, rows: int) -> np.ndarray:
    """Student-t noise with 3 to 8 degrees of freedom, scaled to unit variance."""
    freedom = rng.uniform(3.0, 8.0)
    chi = rng.standard_gamma(freedom / 2, rows, dtype=np.float32) * np.float32(2.0 / freedom)
    chi = np.maximum(chi, 1e-6)
    scale = np.float32(np.sqrt((freedom - 2.0) / freedom))
    return rng.standard_normal(rows, dtype=np.float32) / np.sqrt(chi) * scale


NOISE_FAMILIES: dict[str, Callable[[np.random.Generator, int], np.ndarray]] = {
    "gaussian": gaussian,
    "laplace": laplace,
    "uniform": uniform,
    "mixture": mixture,
    "cauchy": cauchy,
    "student_t": student_t,
}


ROOT_MIXTURE = "gaussian_mixture"
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


ROOT_FAMILIES: dict[str, Callable[[np.random.Generator, int], np.ndarray]] = {
    ROOT_MIXTURE: gaussian_mixture,
    "log_normal": log_normal,
    "exponential": exponential,
    "beta": beta,
    "chi_square": chi_square,
    "gaussian": gaussian,
    "laplace": laplace,
    "uniform": uniform,
    "student_t": student_t,
}
