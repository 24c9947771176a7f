"""Small random draws that every part of the simulator makes: weighted names, ranges, random directions."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from foundcause.errors import ConfigError

Choice = TypeVar("Choice")


def check_weights(weights: Mapping[str, float], what: str) -> None:
    """Raise when weights, which are relative, are negative or all zero."""
    for name, weight in weights.items():
        if not 0.0 <= weight < math.inf:
            raise ConfigError(f"{what}: the weight of {name!r} is {weight}; use 0 or a positive number")
    if not any(weights.values()):
        raise ConfigError(f"{what}: none is positive; give one a positive weight")


def pick(rng: np.random.Generator, weights: Mapping[str, float]) -> str:
    """One name, drawn with probability proportional to its weight."""
    left = rng.random() * math.fsum(weights.values())
    name = ""
    for name, weight in weights.items():  # noqa: B007 (the last name absorbs rounding)
        left -= weight
        if left < 0.0:
            break
    return name


def pick_weighted(rng: np.random.Generator, choices: Sequence[tuple[float, Choice]]) -> Choice:
    """One of (weight, choice) pairs, drawn with probability proportional to its weight."""
    left = rng.random() * math.fsum(weight for weight, _ in choices)
    for weight, choice in choices:
        left -= weight
        if left < 0.0:
            return choice
    return choices[-1][1]  # rounding


@dataclass(frozen=True, kw_only=True)
class Range:
    """An interval with a law to draw from it.

    low: smallest value.
    high: largest value.
    log: draw log-uniformly instead of uniformly.
    """

    low: float
    high: float
    log: bool = False

    def __post_init__(self) -> None:
        if not self.low <= self.high:
            raise ConfigError(f"a range from {self.low} to {self.high} is empty; swap its ends")
        if self.log and self.low <= 0.0:
            raise ConfigError(f"a log-uniform range cannot start at {self.low}; start above 0 or set log=False")

    def draw(self, rng: np.random.Generator) -> float:
        """One real number of the range."""
        if self.log:
            return math.exp(rng.uniform(math.log(self.low), math.log(self.high)))
        return rng.uniform(self.low, self.high)

    def draw_integer(self, rng: np.random.Generator) -> int:
        """One whole number of the range, both ends included."""
        low, high = int(self.low), int(self.high)
        if self.log:
            return min(high, int(math.exp(rng.uniform(math.log(low), math.log(high + 1)))))
        return int(rng.integers(low, high + 1))


def uniform(low: float, high: float) -> Range:
    """A range drawn from uniformly."""
    return Range(low=low, high=high)


def log_uniform(low: float, high: float) -> Range:
    """A range drawn from log-uniformly."""
    return Range(low=low, high=high, log=True)


def signed(rng: np.random.Generator, low: float, high: float, size: int) -> np.ndarray:
    """(size,) float32 numbers with magnitude uniform in [low, high] and a fair sign."""
    magnitude = rng.uniform(low, high, size)
    return np.where(rng.random(size) < 0.5, -magnitude, magnitude).astype(np.float32)


def some(rng: np.random.Generator, candidates: np.ndarray, share: float) -> np.ndarray:
    """About ``share`` of the candidates, at least one of them when there are any."""
    if candidates.size == 0:
        return candidates
    chosen = candidates[rng.random(candidates.size) < share]
    return chosen if chosen.size else candidates[rng.integers(candidates.size, size=1)]
