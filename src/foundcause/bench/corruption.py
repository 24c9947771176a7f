"""Missing cells as the paper makes them: always-observed drivers decide which cells of the targets are lost.

Shape letters: N rows, D variables.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit

from foundcause.bench.case import Case
from foundcause.bench.datasets.seeding import generator
from foundcause.errors import ConfigError


def missing_at_random(case: Case, rate: float) -> Case:
    """The case with cells lost at random given the drivers.

    Half of the variables (rounded down) are targets; each of their cells is missing with probability
    sigmoid(alpha_j + beta_j . drivers), drivers standardised, beta_j standard normal, alpha_j solved so that the
    expected missing rate of every target is ``rate``. The split depends on (data set, rate, seed) alone. The paper
    leaves open whether its rate is over targets or over the whole table; here it is over the targets.
    """
    if not 0 < rate < 1:
        raise ConfigError(f"missing rate {rate} must lie strictly between 0 and 1")
    rng = generator(f"mar {rate} {case.dataset}", case.seed)
    drivers, targets = split(case.variables, rng)
    driver_values = _standardise(case.values[:, drivers])
    values = case.values.copy()
    for target in targets:
        beta = rng.standard_normal(len(drivers))
        score = driver_values @ beta
        alpha = brentq(lambda a, s=score: expit(a + s).mean() - rate, -500.0, 500.0)
        lost = rng.random(case.rows) < expit(alpha + score)
        values[lost, target] = np.nan
    return case.with_values(values)


def split(variables: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Driver and target columns; with an odd number of variables there is one driver more."""
    order = rng.permutation(variables)
    targets = variables // 2
    return np.sort(order[targets:]), np.sort(order[:targets])


def _standardise(values: np.ndarray) -> np.ndarray:
    """Zero mean and unit variance; cells that are missing already (petshop) count as average, constants as zero."""
    observed = np.isfinite(values)
    count = np.maximum(observed.sum(axis=0), 1)
    centred = np.where(observed, values, 0.0)
    centred = np.where(observed, centred - centred.sum(axis=0) / count, 0.0)
    scale = np.sqrt((centred**2).sum(axis=0) / count)
    return centred / np.where(scale > 1e-12, scale, 1.0)
