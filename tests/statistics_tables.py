"""Tables that pairwise statistics must survive: random, tied, missing and degenerate."""

from __future__ import annotations

import numpy as np


def chain(rng, N, D):
    """Nonlinear chain with heavy-tailed noise."""
    x = np.zeros((N, D))
    x[:, 0] = rng.gamma(2.0, 1.0, N)
    for k in range(1, D):
        x[:, k] = np.tanh(x[:, k - 1]) + 0.5 * rng.laplace(size=N) + 0.2 * x[:, k - 1] ** 2
    return x


def table(kind: str) -> tuple[np.ndarray, np.ndarray]:
    """Values (float64) and mask of a named table."""
    rng = np.random.default_rng(sum(map(ord, kind)))
    x = chain(rng, 70, 5)
    seen = np.ones(x.shape, bool)
    match kind:
        case "random":
            pass
        case "long":
            x = chain(rng, 300, 4)
            seen = np.ones(x.shape, bool)
        case "tied":
            x[:, 0], x[:, 2] = np.round(x[:, 0]), x[:, 2] > 0.3
            x[:, 3] = np.round(2 * x[:, 3]) / 2
        case "long_discrete":
            x = np.floor(chain(rng, 300, 4) % 3)
            seen = np.ones(x.shape, bool)
        case "missing":
            seen = rng.random(x.shape) > 0.15
        case "missing_tied":
            x = np.round(x)
            seen = rng.random(x.shape) > 0.3
        case "empty_rows":
            seen = rng.random(x.shape) > 0.1
            seen[::7] = False
        case "constant":
            x[:, 1] = 0.1
        case "all_constant":
            x[:] = 3.0
        case "one_varies":
            x[:, 1:] = 3.0
        case "never_seen":
            seen[:, 2] = False
            seen[5:9, 0] = False
        case "disjoint":
            seen[:35, 1], seen[35:, 3] = False, False
        case "rarely_seen":
            seen = rng.random(x.shape) > 0.1
            seen[:, 2] = rng.random(len(x)) > 0.9
            x[:, 3] = np.round(x[:, 3])
        case "five_rows":
            x, seen = x[:5], seen[:5]
        case "three_rows":
            x, seen = x[:3], seen[:3]
        case "two_columns":
            x, seen = x[:, :2], seen[:, :2]
        case "duplicated":
            x[:, 3], x[:, 4] = x[:, 0], np.round(x[:, 1])
            x[:, 2] = x[:, 4]
        case "huge":
            x = 1e12 * (1.0 + 0.1 * x)
        case "wild_scales":
            x = x * np.array([1e-12, 1e12, 1.0, 1e-3, 1e6]) + np.array([0.0, 1e12, 1e4, 0.0, -1e8])
        case "outliers":
            x[3, 0], x[4:6, 2] = 1e9, -1e7
        case _:
            raise KeyError(kind)
    return x, seen


KINDS = (
    *("random", "long", "tied", "long_discrete", "missing", "missing_tied", "empty_rows", "constant", "all_constant"),
    *(
        "one_varies",
        "never_seen",
        "disjoint",
        "rarely_seen",
        "five_rows",
        "three_rows",
        "two_columns",
        "duplicated",
        "huge",
    ),
    *("wild_scales", "outliers"),
)
