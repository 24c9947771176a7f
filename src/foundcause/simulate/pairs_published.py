"""Pairs in the manner of two published generators. N rows.

``splines`` follows Lopez-Paz et al. (2017): a mixture of Gaussians, a spline of few knots, noise whose size is a spline
too. ``textbook`` follows the suites of Tagasovska et al. (2020): additive, location-scale and multiplicative noise
around a Gaussian process or a sigmoid. Both are written from their descriptions, with sizes of noise as in our other
families.
"""

from __future__ import annotations

import numpy as np
from scipy.interpolate import PchipInterpolator
from scipy.stats import rankdata

from foundcause.simulate.pairs_functions import gaussian_process, standard
from foundcause.simulate.pairs_mechanisms import noise_size

FORMS = ("AN", "AN-s", "LS", "LS-s", "MN-U")


def blob(rng: np.random.Generator, rows: int) -> np.ndarray:
    """One to five Gaussians of random place, width and weight, standardised, (N,)."""
    groups = int(rng.integers(1, 6))
    far, wide = rng.uniform(0.0, 5.0, 2)
    weight = np.abs(rng.normal(size=groups)) + 1e-3
    pick = rng.choice(groups, size=rows, p=weight / weight.sum())
    place, width = far * rng.normal(size=groups), np.abs(wide * rng.normal(size=groups)) + 0.05
    return standard(place[pick] + width[pick] * rng.normal(size=rows))


def spline(x: np.ndarray, heights: np.ndarray) -> np.ndarray:
    """A smooth curve through evenly spaced knots of these heights, reaching a little beyond the data, (N,)."""
    margin = x.std()
    knots = np.linspace(x.min() - margin, x.max() + margin, len(heights))
    return PchipInterpolator(knots, heights)(x)


def spline_effect(rng: np.random.Generator, x: np.ndarray, noise: np.ndarray) -> np.ndarray:
    """A spline of the cause plus noise whose size is another spline, (N,)."""
    signal = standard(spline(x, rng.normal(size=int(rng.integers(4, 7)))))
    spread = spline(x, rng.uniform(0.0, 5.0, int(rng.integers(4, 7)))) if rng.random() < 0.7 else np.ones(len(x))
    return signal + noise_size(rng) * spread / (np.mean(spread) + 1e-9) * noise


def textbook_cause(rng: np.random.Generator, rows: int) -> np.ndarray:
    """Normal, even, or a few Gaussians, standardised, (N,)."""
    kind = rng.random()
    return (
        standard(rng.normal(size=rows)) if kind < 0.4 else standard(rng.random(rows)) if kind < 0.7 else blob(rng, rows)
    )


def textbook_effect(rng: np.random.Generator, x: np.ndarray, noise: np.ndarray, form: str) -> np.ndarray:
    """An effect of one of the published forms, (N,); multiplicative noise is even, in the order of ``noise``."""

    def curve() -> np.ndarray:
        if form.endswith("-s"):
            steep, shift = rng.uniform(0.5, 2.0) * rng.choice([-1.0, 1.0]), rng.uniform(-2.0, 2.0)
            inner = steep * (x + shift)
            return inner / (1.0 + np.abs(inner))
        return gaussian_process(rng, x[:, None], np.array([rng.uniform(0.8, 2.5)]))

    signal = standard(curve())
    if form == "MN-U":
        least, even = rng.uniform(0.0, 0.6), (rankdata(noise) - 0.5) / len(x)
        return (signal + rng.uniform(0.0, 2.0)) * (least + (1.0 - least) * even)
    if form.startswith("AN"):
        return signal + noise_size(rng) * noise
    spread = np.exp(rng.uniform(0.4, 1.0) * standard(curve()))
    return signal + noise_size(rng) * spread / spread.mean() * noise
