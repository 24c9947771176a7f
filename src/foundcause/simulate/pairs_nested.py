"""Pairs whose noise enters before, inside or after the law, in the manner of Goudet et al. (2018). N rows.

``network`` passes the cause and the noise through one random net; ``polynomial`` adds or multiplies noise before or
after a polynomial. Causes come from many plain distributions. Written from the descriptions, not from their code.
"""

from __future__ import annotations

import numpy as np

from foundcause.simulate.pairs_functions import standard
from foundcause.simulate.pairs_mechanisms import noise_size
from foundcause.simulate.pairs_published import blob

PLACES = ("added after", "multiplied after", "added before", "multiplied before")
_ACTIVATIONS = (np.tanh, np.sin, np.abs, lambda h: np.maximum(h, 0.0), lambda h: np.exp(-(h**2)))


def plain_cause(rng: np.random.Generator, rows: int) -> np.ndarray:
    """Normal, even, exponential, gamma, log-normal, Laplace or a few Gaussians, standardised, (N,)."""
    kind = int(rng.integers(7))
    if kind == 0:
        return standard(rng.normal(size=rows))
    if kind == 1:
        return standard(rng.random(rows))
    if kind == 2:
        return standard(rng.exponential(size=rows))
    if kind == 3:
        return standard(rng.gamma(rng.uniform(1.0, 6.0), size=rows))
    if kind == 4:
        return standard(np.exp(rng.uniform(0.2, 0.8) * rng.normal(size=rows)))
    if kind == 5:
        return standard(rng.laplace(size=rows))
    return blob(rng, rows)


def network_effect(rng: np.random.Generator, x: np.ndarray, noise: np.ndarray) -> np.ndarray:
    """A random net of one or two hidden layers over cause and noise, (N,)."""
    layer = np.stack([standard(x), noise_size(rng) * noise], axis=1)
    for _ in range(int(rng.integers(1, 3))):
        units = int(rng.integers(4, 21))
        act = _ACTIVATIONS[int(rng.integers(len(_ACTIVATIONS)))]
        layer = act(layer @ (rng.normal(size=(layer.shape[1], units)) * rng.uniform(0.5, 1.5)) + rng.normal(size=units))
        layer = layer / np.sqrt(units)
    return standard(layer @ rng.normal(size=layer.shape[1]))


def polynomial_effect(rng: np.random.Generator, x: np.ndarray, noise: np.ndarray, place: str) -> np.ndarray:
    """A polynomial of degree one to four of the cause, its noise added or multiplied before or after, (N,)."""
    size = noise_size(rng)
    degree = int(rng.integers(1, 5))
    weight = rng.normal(size=degree) / np.arange(1, degree + 1)

    def law(v: np.ndarray) -> np.ndarray:
        powers = np.clip(v, -4.0, 4.0)[:, None] ** np.arange(1, degree + 1)
        return np.asarray(powers @ weight)

    def multiplied(level: np.ndarray) -> np.ndarray:
        # Relative to the level's own spread: high above zero the same factor would drown it.
        width = min(size * level.std() / level.mean(), 1.2)
        return level * np.exp(np.clip(width * noise, -3.0, 3.0))

    if place == "added after":
        return standard(law(x)) + size * noise
    if place == "multiplied after":
        curve = standard(law(x))
        return multiplied(curve - curve.min() + rng.uniform(0.05, 1.0))
    if place == "added before":
        return standard(law(standard(x + size * noise)))
    return standard(law(standard(multiplied(x - x.min() + rng.uniform(0.05, 1.0)))))
