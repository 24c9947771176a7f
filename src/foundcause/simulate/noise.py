"""Noise families with unit nominal scale, and exogenous noise shared by groups of variables. N rows, V nodes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

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
    """A Gaussian mixture of 2 to 4 components, centred and scaled to unit variance in the population."""
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


FAMILIES: dict[str, Callable[[np.random.Generator, int], np.ndarray]] = {
    "gaussian": gaussian,
    "laplace": laplace,
    "uniform": uniform,
    "mixture": mixture,
    "cauchy": cauchy,
    "student_t": student_t,
}


@dataclass(frozen=True, kw_only=True)
class SharedNoise:
    """Correlated exogenous noise: some nodes share a part of theirs, as if a hidden variable drove them.

    confounded: (V, V) bool, the pairs that share noise.
    parts: for each such node the shared unit-variance noise (N,) and the share of variance it takes, signed.
    """

    confounded: np.ndarray
    parts: dict[int, tuple[np.ndarray, float]] = field(default_factory=dict)

    def mix(self, node: int, noise: np.ndarray) -> np.ndarray:
        """(N,) noise of the node, the shared part mixed in."""
        if node not in self.parts:
            return noise
        shared, weight = self.parts[node]
        return (
            np.float32(np.sqrt(1.0 - abs(weight))) * noise + np.float32(np.sign(weight) * abs(weight) ** 0.5) * shared
        )


def no_shared_noise(nodes: int) -> SharedNoise:
    """Every node has noise of its own."""
    return SharedNoise(confounded=np.zeros((nodes, nodes), dtype=bool))


def shared_noise(rng: np.random.Generator, nodes: int, rows: int) -> SharedNoise:
    """Disjoint groups of 2 to 4 nodes whose noise is correlated, at least one group, about one per eight nodes."""
    confounded = np.zeros((nodes, nodes), dtype=bool)
    parts: dict[int, tuple[np.ndarray, float]] = {}
    order = rng.permutation(nodes)
    start = 0
    for _ in range(int(rng.integers(1, max(2, nodes // 8 + 1)))):
        group = order[start : start + int(rng.integers(2, 5))]
        start += len(group)
        if len(group) < 2:
            break
        confounded[np.ix_(group, group)] = True
        drawn = gaussian(rng, rows)
        for node in group.tolist():
            parts[node] = (drawn, float(rng.uniform(0.3, 0.9) * (1 if rng.random() < 0.5 else -1)))
    np.fill_diagonal(confounded, False)
    return SharedNoise(confounded=confounded, parts=parts)
