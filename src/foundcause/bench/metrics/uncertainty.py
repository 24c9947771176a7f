"""Bootstrap confidence intervals and paired comparisons over data sets."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from foundcause.errors import InputError

RESAMPLES = 2000


@dataclass(frozen=True, kw_only=True)
class Interval:
    """A mean with its bootstrap percentile interval."""

    mean: float
    low: float
    high: float


def mean_interval(
    values: np.ndarray, *, weights: np.ndarray | None = None, seed: int = 0, level: float = 0.95
) -> Interval:
    """Mean over data sets (weighted when asked), and the interval from resampling the data sets."""
    values = np.asarray(values, dtype=float)
    weights = np.ones(len(values)) if weights is None else np.asarray(weights, dtype=float)
    if not values.size:
        raise InputError("a confidence interval needs at least one value")
    rng = np.random.default_rng(seed)
    drawn = rng.integers(len(values), size=(RESAMPLES, len(values)))
    means = (values * weights)[drawn].sum(axis=1) / weights[drawn].sum(axis=1)
    low, high = np.quantile(means, [(1 - level) / 2, (1 + level) / 2])
    return Interval(mean=float(np.average(values, weights=weights)), low=float(low), high=float(high))


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """A method against another on the same data sets."""

    difference: Interval
    """Mean of first minus second."""
    wins: int
    """Data sets on which the first is higher."""
    ties: int
    losses: int
    p: float
    """Two-sided sign-flip test of no difference: exact up to 14 data sets, else 20,000 random flips."""


def paired(first: np.ndarray, second: np.ndarray, *, seed: int = 0) -> Comparison:
    """Compare per-data-set scores of two methods in the same order."""
    first, second = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    if first.shape != second.shape:
        raise InputError(f"paired comparison of {first.shape} with {second.shape}: use the data sets both have")
    difference = first - second
    return Comparison(
        difference=mean_interval(difference, seed=seed),
        wins=int((difference > 1e-12).sum()),
        ties=int((np.abs(difference) <= 1e-12).sum()),
        losses=int((difference < -1e-12).sum()),
        p=_sign_flip(difference, seed),
    )


def _sign_flip(difference: np.ndarray, seed: int) -> float:
    size = len(difference)
    if size <= 14:
        signs = 1 - 2 * ((np.arange(2**size)[:, None] >> np.arange(size)) & 1)
    else:
        signs = np.random.default_rng(seed).choice([-1, 1], size=(20_000, size))
        signs[0] = 1  # what was observed is one of the ways signs can fall, so p is never 0
    flipped = np.abs((signs * difference).mean(axis=1))
    return float((flipped >= abs(difference.mean()) - 1e-12).mean())
