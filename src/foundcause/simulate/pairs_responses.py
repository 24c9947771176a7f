"""Effects drawn from a distribution whose mean follows the cause, as generalised linear models have it. N rows.

Counts, shares, waiting times and amounts: the noise is neither added nor multiplied, its shape changes with the mean.
"""

from __future__ import annotations

import numpy as np

from foundcause.simulate.pairs_functions import standard, warp

RESPONSES = ("poisson", "negative_binomial", "binomial", "beta", "gamma", "weibull", "normal", "student")


def response(rng: np.random.Generator, x: np.ndarray, noise: np.ndarray, kind: str) -> np.ndarray:
    """An effect of ``x`` (N,) drawn from a distribution of that kind around a smooth predictor, (N,).

    The distribution is the noise; ``noise`` (N,) moves the predictor a little, as another cause would.
    """
    rows = len(x)
    x = standard(x) + rng.uniform(0.15, 0.5) * noise
    inner = standard(warp(rng, standard(x), strength=rng.uniform(0.0, 0.8), length=rng.uniform(1.0, 3.0)))
    if rng.random() < 0.25:
        inner = standard(inner - rng.uniform(0.2, 0.8) * inner**2)
    predictor = rng.choice([-1.0, 1.0]) * rng.uniform(0.2, 1.5) * inner
    grow = np.exp(np.clip(predictor, -4.0, 4.0))
    share = 1.0 / (1.0 + np.exp(-np.clip(predictor + rng.normal(), -6.0, 6.0)))
    if kind == "poisson":
        return rng.poisson(np.exp(rng.uniform(0.5, 4.0)) * grow).astype(np.float64)
    if kind == "negative_binomial":
        size = rng.uniform(0.7, 6.0)
        return rng.poisson(rng.gamma(size, np.exp(rng.uniform(0.5, 4.0)) * grow / size)).astype(np.float64)
    if kind == "binomial":
        return rng.binomial(int(rng.integers(8, 80)), share).astype(np.float64)
    if kind == "beta":
        total = np.exp(rng.uniform(0.7, 4.0))
        return rng.beta(share * total + 0.05, (1.0 - share) * total + 0.05)
    if kind == "gamma":
        shape = np.exp(rng.uniform(-0.3, 3.0))
        return rng.gamma(shape, grow / shape)
    if kind == "weibull":
        return grow * rng.weibull(rng.uniform(0.7, 3.5), size=rows)
    if kind == "normal":
        spread = np.exp(np.clip(rng.normal(0.0, 0.4) * inner, -2.0, 2.0))
        return predictor + rng.uniform(0.2, 1.5) * spread * rng.normal(size=rows)
    return predictor + rng.uniform(0.2, 1.0) * np.clip(rng.standard_t(rng.uniform(2.5, 6.0), size=rows), -12.0, 12.0)
