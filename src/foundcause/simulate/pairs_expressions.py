"""Random formulas: causes and effects as expressions of random operators over noises and the cause. N rows.

No single law is the point here but their number: what a network learns from formulas nobody chose holds on families of
pairs it never saw (docs/worlds.md).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from foundcause.simulate.pairs_functions import random_noise, standard, warp
from foundcause.simulate.pairs_mechanisms import noise_size
from foundcause.simulate.pairs_nested import plain_cause

_FARTHEST = 8.0  # standard deviations an intermediate value may lie from its mean
Unary = Callable[[np.random.Generator, np.ndarray], np.ndarray]
Binary = Callable[[np.random.Generator, np.ndarray, np.ndarray], np.ndarray]


def expression_cause(rng: np.random.Generator, rows: int) -> np.ndarray:
    """A formula of one to three plain sources, standardised, (N,)."""
    return expression(rng, [plain_cause(rng, rows) for _ in range(int(rng.integers(1, 4)))])


def expression_effect(rng: np.random.Generator, x: np.ndarray, noise: np.ndarray) -> np.ndarray:
    """A formula of the cause (N,), which may stand in it twice, its noise (N,) and at times another one, (N,)."""
    terms = [standard(x), noise_size(rng) * noise]
    if rng.random() < 0.5:
        terms.append(min(noise_size(rng), 1.5) * random_noise(rng, len(x)))
    if rng.random() < 0.4:
        terms.append(standard(x))
    return expression(rng, terms)


def expression(rng: np.random.Generator, terms: list[np.ndarray]) -> np.ndarray:
    """All terms (N,) joined two by two by random operators, with random functions in between, (N,)."""
    parts = [_bent(rng, terms[k], 0.4) for k in rng.permutation(len(terms))]
    while len(parts) > 1:
        join = _BINARY[int(rng.integers(len(_BINARY)))]
        joined = _tame(join(rng, parts.pop(), parts.pop()))
        parts.insert(int(rng.integers(len(parts) + 1)), _bent(rng, joined, 0.5))
    return _bent(rng, parts[0], 0.5)


def _bent(rng: np.random.Generator, column: np.ndarray, chance: float) -> np.ndarray:
    """A random function of the column with that chance, else the column, (N,)."""
    if rng.random() >= chance:
        return column
    return _tame(_UNARY[int(rng.integers(len(_UNARY)))](rng, column))


def _tame(column: np.ndarray) -> np.ndarray:
    """Standardised, and bounded, so that formulas of formulas stay finite, (N,)."""
    return np.clip(standard(column), -_FARTHEST, _FARTHEST)


def _raised(rng: np.random.Generator, column: np.ndarray, least: float = 0.05) -> np.ndarray:
    """The column moved above a random small positive end, (N,)."""
    return column - column.min() + rng.uniform(least, 1.0)


def _inside(column: np.ndarray, level: float) -> float:
    """The level, moved to where the column passes it in one row of ten: a switch that never switches is no cause."""
    low, high = np.quantile(column, [0.1, 0.9])
    if high == column.max() > column.min():  # many rows share the largest value; the level stays below it
        high = column[column < high].max()
    return float(np.clip(level, min(low, high), high))


_UNARY: tuple[Unary, ...] = (
    lambda rng, a: np.tanh(rng.uniform(0.4, 2.0) * a + rng.normal()),
    lambda rng, a: np.exp(np.clip(rng.uniform(0.4, 2.0) * a, -6.0, 3.0)),
    lambda rng, a: np.log(_raised(rng, a)),
    lambda rng, a: np.sign(a) * np.abs(a) ** rng.uniform(0.4, 2.2),
    lambda rng, a: (a - rng.normal()) ** 2,
    lambda rng, a: np.sin(rng.uniform(0.4, 2.0) * a + rng.uniform(0.0, 2 * np.pi)),
    lambda rng, a: np.maximum(a, _inside(a, rng.normal())),
    lambda rng, a: 1.0 / _raised(rng, a, 0.1),
    lambda rng, a: warp(rng, a, strength=rng.uniform(0.2, 1.0)),
    lambda rng, a: np.abs(a - rng.normal()),
)


def _sum(rng: np.random.Generator, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return a + rng.choice([-1.0, 1.0]) * np.exp(rng.normal(0.0, 0.7)) * b


_BINARY: tuple[Binary, ...] = (
    _sum,
    _sum,  # the commonest way for causes to meet
    lambda rng, a, b: a * b,
    lambda rng, a, b: a * np.exp(rng.uniform(0.3, 1.0) * b),
    lambda rng, a, b: np.maximum(a, b),
    lambda rng, a, b: np.where(a > _inside(a, rng.normal(0.0, 0.7)), b, rng.normal() * b + rng.normal()),
    lambda rng, a, b: _raised(rng, a) * _raised(rng, b),
    lambda rng, a, b: a / _raised(rng, b, 0.2),
)
