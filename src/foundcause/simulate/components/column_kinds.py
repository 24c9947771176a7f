"""Columns as fields write them down, and causes that act together on one of them. N rows, P causes.

A kind of column turns a standardized latent (N,) into the column of the table, the standardized value that effects
respond to, and whether it is discrete.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

Written = tuple[np.ndarray, np.ndarray, bool]


def standard_scores(column: np.ndarray) -> np.ndarray:
    """Mean zero, variance one."""
    centered = column - column.mean()
    return centered / (np.sqrt(centered @ centered / len(centered)) + 1e-9)


def normal(rng: np.random.Generator, latent: np.ndarray, likert: int) -> Written:
    """A measurement such as height or pressure: often rounded, people like fives and tens."""
    value = rng.uniform(20.0, 150.0) + np.exp(rng.uniform(0.5, 3.0)) * latent
    value, coarse = _recorded(rng, value)
    return value, latent, coarse


def amount(rng: np.random.Generator, latent: np.ndarray, likert: int) -> Written:
    """Income, price or size: multiplicative, perhaps with a ceiling of the questionnaire or a limit of detection."""
    width = np.exp(rng.uniform(np.log(0.15), np.log(1.2)))
    value = np.exp(np.clip(width * latent, -8, 8) + rng.uniform(0.0, 9.0))
    touch = rng.random()
    if touch < 0.1:
        value = np.minimum(value, np.quantile(value, rng.uniform(0.88, 0.99)))
    elif touch < 0.17:
        value = np.maximum(value, np.quantile(value, rng.uniform(0.02, 0.3)))
    value, coarse = _recorded(rng, value)
    if rng.random() < 0.3 and value.min() > 0:
        value = np.log(value)
    # Effects follow the logarithm (elasticities) more often than the level.
    return value, latent if rng.random() < 0.7 else standard_scores(np.exp(np.clip(width * latent, -4, 4))), coarse


def ordinal(rng: np.random.Generator, latent: np.ndarray, likert: int) -> Written:
    """Ordered answers by cut points. Effects follow the answer."""
    levels = int(rng.integers(3, 8))
    code = _cut(rng, latent, levels, evenness=4.0)
    return code, standard_scores(code), True


def likert_item(rng: np.random.Generator, latent: np.ndarray, likert: int) -> Written:
    """Agreement on the questionnaire's common scale."""
    code = _cut(rng, latent if rng.random() < 0.75 else -latent, likert, evenness=6.0)
    return code, standard_scores(code), True


def binary(rng: np.random.Generator, latent: np.ndarray, likert: int) -> Written:
    """Yes or no, from rare to common."""
    share = rng.uniform(0.04, 0.5)
    code = (latent > np.quantile(latent, 1.0 - share)).astype(np.float64)
    return (1.0 - code if rng.random() < 0.3 else code), standard_scores(code), True


def count(rng: np.random.Generator, latent: np.ndarray, likert: int) -> Written:
    """Children, visits, cigarettes: Poisson around a multiplicative mean, sometimes with surplus zeros."""
    mean = np.exp(np.clip(rng.uniform(0.4, 1.0) * latent + rng.uniform(-0.3, 2.5), -5, 6))
    code = rng.poisson(mean).astype(np.float64)
    if rng.random() < 0.3:
        code = np.where(rng.random(len(code)) < rng.uniform(0.1, 0.5), 0.0, code)
    if code.std() == 0:
        code[np.argsort(latent)[-3:]] += 1.0
    return np.minimum(code, np.quantile(code, 0.995)) if rng.random() < 0.2 else code, standard_scores(code), True


def percent(rng: np.random.Generator, latent: np.ndarray, likert: int) -> Written:
    """A rate between 0 and 100, with floors and ceilings."""
    value = 100.0 / (1.0 + np.exp(-np.clip(rng.uniform(0.5, 2.0) * latent + rng.normal(0.0, 1.2), -12, 12)))
    value, coarse = _recorded(rng, value)
    return value, latent, coarse


def nominal(rng: np.random.Generator, latent: np.ndarray, likert: int) -> Written:
    """Categories that carry no order in the table, though their effects differ."""
    levels = int(rng.integers(3, 7))
    code = _cut(rng, latent, levels, evenness=4.0).astype(np.int64)
    effect = rng.normal(size=levels)
    return rng.permutation(levels)[code].astype(np.float64), standard_scores(effect[code]), True


COLUMNS: dict[str, Callable[[np.random.Generator, np.ndarray, int], Written]] = {
    "normal": normal,
    "amount": amount,
    "ordinal": ordinal,
    "likert": likert_item,
    "binary": binary,
    "count": count,
    "percent": percent,
    "nominal": nominal,
}


def _root(kind: str) -> Callable[[np.random.Generator, int], Written]:
    def draw(rng: np.random.Generator, rows: int) -> Written:
        latent = rng.normal(size=rows)
        if rng.random() < 0.25:
            latent = standard_scores(rng.gamma(rng.uniform(1.0, 5.0), size=rows))
        return COLUMNS[kind](rng, latent, 5)

    return draw


def age(rng: np.random.Generator, rows: int) -> Written:
    """Years: a plateau that thins out, whole or in groups of five or ten."""
    low, high = rng.uniform(0.0, 30.0), rng.uniform(55.0, 95.0)
    years = low + (high - low) * rng.beta(rng.uniform(0.9, 2.0), rng.uniform(1.0, 2.5), size=rows)
    step = float(rng.choice([1.0, 1.0, 1.0, 5.0, 10.0]))
    shown = np.floor(years / step) * step if rng.random() < 0.85 else years
    return shown, standard_scores(years), bool(step > 1.0 and (shown != years).any())


def grid(rng: np.random.Generator, rows: int) -> Written:
    """A design choice: a few sizes that makers offer, or years of make."""
    levels = int(rng.integers(3, 15))
    ladder = np.cumsum(rng.choice([1.0, 1.0, 2.0], levels))
    if rng.random() < 0.3:
        ladder = np.exp(0.4 * ladder)
    pick = rng.choice(levels, size=rows, p=rng.dirichlet(np.full(levels, 2.0)))
    pick[rng.choice(rows, 2, replace=False)] = [0, levels - 1]
    return ladder[pick], standard_scores(ladder[pick]), True


ROOTS: dict[str, Callable[[np.random.Generator, int], Written]] = {
    "age": age,
    "grid": grid,
    "binary": _root("binary"),
    "nominal": _root("nominal"),
    "ordinal": _root("ordinal"),
    "normal": _root("normal"),
    "amount": _root("amount"),
    "percent": _root("percent"),
}


def _cut(rng: np.random.Generator, latent: np.ndarray, levels: int, *, evenness: float) -> np.ndarray:
    """Codes 0 .. levels - 1 by cut points at uneven quantiles, (N,) float."""
    share = 0.92 * rng.dirichlet(np.full(levels, evenness)) + 0.08 / levels
    return (latent[:, None] > np.quantile(latent, np.cumsum(share)[:-1])).sum(axis=1).astype(np.float64)


def _recorded(rng: np.random.Generator, value: np.ndarray) -> tuple[np.ndarray, bool]:
    """Values as answered: exact, rounded, or heaped on round numbers by some, and whether few values remain."""
    rule = rng.random()
    if rule < 0.5:
        return value, False
    step = 10.0 ** np.floor(np.log10(value.std() + 1e-9)) * rng.choice([0.01, 0.1, 0.5, 1.0], p=[0.3, 0.35, 0.15, 0.2])
    fine = np.round(value / step) * step
    if rule < 0.85:
        return fine, bool(len(np.unique(fine)) < 25)
    coarse = np.round(value / (5 * step)) * 5 * step
    return np.where(rng.random(len(value)) < rng.uniform(0.3, 0.9), coarse, fine), False


def partly_explained(
    rng: np.random.Generator, causes: list[np.ndarray], own: np.ndarray, *, explained: float, curvature: float
) -> np.ndarray:
    """Standardized causes and standardized noise of one's ``own``, standardized (N,).

    ``explained`` is the typical share that causes explain, ``bend`` the share of effects that are not straight lines.
    """
    if not causes:
        return standard_scores(own)
    share = np.clip(rng.beta(4.0 * explained, 4.0 * (1.0 - explained)), 0.05, 0.98)
    return standard_scores(
        np.sqrt(share) * joined(rng, np.stack(causes, axis=1), curvature) + np.sqrt(1.0 - share) * own
    )


def joined(rng: np.random.Generator, causes: np.ndarray, curvature: float) -> np.ndarray:
    """The standardized sum (N,) of the effects of (N, P) standardized causes: most straight, some bent."""
    count = causes.shape[1]
    # No cause is drowned by the others altogether.
    weight = np.clip(np.exp(rng.normal(0.0, 0.5, count)), 0.35, 3.0) * rng.choice([1.0, 1.0, -1.0], count)
    total = np.zeros(len(causes))
    for k in range(count):
        x = causes[:, k]
        total += weight[k] * (standard_scores(curved(rng, x)) if rng.random() < curvature else x)
    if count > 1 and rng.random() < 0.2:
        a, b = rng.choice(count, size=2, replace=False)
        total += rng.uniform(0.3, 1.0) * causes[:, a] * causes[:, b]
    return standard_scores(total)


def curved(rng: np.random.Generator, x: np.ndarray) -> np.ndarray:
    """A response (N,) to a standardized cause that is no straight line."""
    kind = int(rng.integers(6))
    if kind == 0:
        return -((x - rng.uniform(-1.0, 1.0)) ** 2) + rng.choice([-1.0, 1.0]) * x
    if kind == 1:
        return np.tanh(rng.uniform(0.8, 2.5) * (x - rng.normal(0.0, 0.5)))
    if kind == 2:
        return np.maximum(x - rng.normal(0.0, 0.6), 0.0) + 0.1 * x
    if kind == 3:
        return (x > rng.normal(0.0, 0.6)) + 0.05 * x
    if kind == 4:
        return np.exp(np.clip(rng.uniform(0.4, 1.0) * x, -5, 3))
    return np.log(np.maximum(x - x.min(), 0.0) + rng.uniform(0.1, 1.0))
