"""Distributions of causes: what nature, calendars, censuses and experimenters put on the first axis. N rows.

Each function returns the cause as drawn, (N,), before anything is measured. ``NATURAL`` names those that come in steps
by themselves.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from foundcause.simulate.random_functions import standard, warp

Cause = Callable[[np.random.Generator, int], np.ndarray]


def warped(rng: np.random.Generator, rows: int) -> np.ndarray:
    """A normal variable bent by a random increasing function."""
    return warp(rng, rng.normal(size=rows), strength=rng.uniform(0.3, 1.5), length=rng.uniform(0.5, 2.5))


def normal(rng: np.random.Generator, rows: int) -> np.ndarray:
    return rng.normal(size=rows)


def mixture(rng: np.random.Generator, rows: int) -> np.ndarray:
    """Two to five groups of different place and width."""
    groups = int(rng.integers(2, 6))
    pick = rng.choice(groups, size=rows, p=rng.dirichlet(np.full(groups, 2.0)))
    place, width = 2.0 * rng.normal(size=groups), rng.gamma(2.0, 0.5, size=groups) + 0.05
    return place[pick] + width[pick] * rng.normal(size=rows)


def flat(rng: np.random.Generator, rows: int) -> np.ndarray:
    """An even spread between two bounds, or nearly so."""
    return rng.beta(rng.uniform(0.8, 1.4), rng.uniform(0.8, 1.4), size=rows)


def bounded(rng: np.random.Generator, rows: int) -> np.ndarray:
    rise, fall = np.exp(rng.uniform(np.log(0.5), np.log(5.0), 2))
    return rng.beta(rise, fall, size=rows)


def skewed(rng: np.random.Generator, rows: int) -> np.ndarray:
    """Amounts: gamma, from a spike at zero to nearly symmetric."""
    return rng.gamma(np.exp(rng.uniform(np.log(0.6), np.log(8.0))), size=rows)


def multiplicative(rng: np.random.Generator, rows: int) -> np.ndarray:
    """Sizes, incomes, populations: log-normal over up to several powers of ten."""
    return np.exp(rng.uniform(0.2, 1.6) * rng.normal(size=rows))


def heavy(rng: np.random.Generator, rows: int) -> np.ndarray:
    """Rare giants: Pareto, or a t distribution with few degrees of freedom."""
    if rng.random() < 0.6:
        return np.minimum(rng.pareto(rng.uniform(1.5, 4.0), size=rows), 300.0) + 1.0
    return np.clip(rng.standard_t(rng.uniform(2.2, 5.0), size=rows), -40.0, 40.0)


def place(rng: np.random.Generator, rows: int) -> np.ndarray:
    """Heights and coordinates of stations: most low and a long tail, or clusters over a bounded range."""
    if rng.random() < 0.5:
        return np.minimum(rng.gamma(rng.uniform(0.7, 2.0), size=rows) ** rng.uniform(0.8, 1.4), 15.0)
    centers = rng.random(int(rng.integers(2, 9)))
    spot = centers[rng.integers(len(centers), size=rows)] + rng.uniform(0.03, 0.15) * rng.normal(size=rows)
    return np.where(rng.random(rows) < 0.3, rng.random(rows), np.clip(spot, -0.1, 1.1))


def years_of_age(rng: np.random.Generator, rows: int) -> np.ndarray:
    """Whole years, a plateau that thins out."""
    low, high = rng.uniform(0.0, 25.0), rng.uniform(50.0, 95.0)
    return np.floor(low + (high - low) * rng.beta(rng.uniform(0.8, 2.2), rng.uniform(1.0, 2.8), size=rows))


def calendar(rng: np.random.Generator, rows: int) -> np.ndarray:
    """Hours, days, months or years: even and in steps."""
    steps = int(rng.choice([12, 24, 31, 60, 120, 365]))
    return rng.integers(0, steps, size=rows).astype(np.float64)


def design(rng: np.random.Generator, rows: int) -> np.ndarray:
    """Levels chosen by an experimenter: equal steps, or doses that double."""
    levels = int(rng.integers(5, 16))
    ladder = np.arange(levels, dtype=np.float64) if rng.random() < 0.7 else 1.6 ** np.arange(levels)
    return ladder[rng.choice(levels, size=rows, p=rng.dirichlet(np.full(levels, 8.0)))]


def counted(rng: np.random.Generator, rows: int) -> np.ndarray:
    """How many there are: negative binomial."""
    size, mean = rng.uniform(0.8, 6.0), np.exp(rng.uniform(1.0, 4.5))
    return rng.poisson(rng.gamma(size, mean / size, size=rows)).astype(np.float64)


CAUSES: dict[str, tuple[Cause, float]] = {
    "warped": (warped, 0.17),
    "normal": (normal, 0.08),
    "mixture": (mixture, 0.12),
    "flat": (flat, 0.1),
    "bounded": (bounded, 0.05),
    "skewed": (skewed, 0.1),
    "multiplicative": (multiplicative, 0.12),
    "heavy": (heavy, 0.04),
    "place": (place, 0.07),
    "years_of_age": (years_of_age, 0.06),
    "calendar": (calendar, 0.03),
    "design": (design, 0.03),
    "counted": (counted, 0.03),
}
NATURAL = frozenset({"years_of_age", "calendar", "design", "counted"})


def draw_cause(rng: np.random.Generator, rows: int) -> tuple[np.ndarray, str]:
    """A cause (N,) that is not constant, and the name of its distribution."""
    names = list(CAUSES)
    name = str(rng.choice(names, p=[share for _, share in CAUSES.values()]))
    column = CAUSES[name][0](rng, rows)
    if np.ptp(column) <= 0:
        name, column = "normal", rng.normal(size=rows)
    return column, name


def plain_cause(rng: np.random.Generator, rows: int) -> np.ndarray:
    """Normal, even, exponential, gamma, log-normal, Laplace or a few Gaussians, standardized, (N,)."""
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


def blob(rng: np.random.Generator, rows: int) -> np.ndarray:
    """One to five Gaussians of random place, width and weight, standardized, (N,)."""
    groups = int(rng.integers(1, 6))
    far, wide = rng.uniform(0.0, 5.0, 2)
    weight = np.abs(rng.normal(size=groups)) + 1e-3
    pick = rng.choice(groups, size=rows, p=weight / weight.sum())
    place, width = far * rng.normal(size=groups), np.abs(wide * rng.normal(size=groups)) + 0.05
    return standard(place[pick] + width[pick] * rng.normal(size=rows))


def textbook_cause(rng: np.random.Generator, rows: int) -> np.ndarray:
    """Normal, even, or a few Gaussians, standardized, (N,)."""
    kind = rng.random()
    return (
        standard(rng.normal(size=rows)) if kind < 0.4 else standard(rng.random(rows)) if kind < 0.7 else blob(rng, rows)
    )
