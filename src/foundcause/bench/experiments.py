"""What is run: each experiment as data sets, a change made to their cases, and seeds.

Shape letters: N rows, D variables.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit

from foundcause.bench.case import Case, generator
from foundcause.bench.datasets import (
    BEYOND,
    BNREP,
    CLEAN,
    CONFOUNDED,
    DIMENSION,
    DIMENSION_PAPER,
    EXAMPLE_PAIRS,
    SERIES,
    TEXTBOOK,
    TUEBINGEN,
    WIDE,
)
from foundcause.bench.datasets.own_simulations import TASKS
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


SEEDS = 3
OWN = "own"
"""The experiment on the data sets of plug-ins."""


@dataclass(frozen=True, kw_only=True)
class Experiment:
    """A named set of cells."""

    name: str
    """Name on the command line, and of its file of results."""
    question: str
    """What it answers, in one line."""
    datasets: tuple[str, ...]
    """Names in the registry."""
    seeds: int = SEEDS
    """Seeds 0 to seeds - 1, unless another number is asked for."""
    variants: tuple[str, ...] = ("",)
    """Versions of every case; "" is the case as it is."""
    change: Callable[[Case, str], Case | None] = lambda case, variant: case
    """Case and variant to the case that methods see; None when the data set has no such variant."""
    reseeds: bool = False
    """Whether the change draws anew for every seed (then real data are run with every seed)."""
    pairs: bool = False
    """Whether methods are only asked for the direction of a pair."""
    methods: str = "all"
    """Methods that are run when none are named."""


def _corrupt(rate: float, case: Case, variant: str) -> Case:
    return missing_at_random(case, rate)


def _first_rows(case: Case, variant: str) -> Case | None:
    """A random subset of rows; the larger ones contain the smaller."""
    wanted = int(variant.removeprefix("n="))
    if wanted > case.rows:
        return None
    order = generator(f"rows {case.dataset}", case.seed).permutation(case.rows)
    return case.with_values(case.values[order[:wanted]])


EXPERIMENTS: dict[str, Experiment] = {
    entry.name: entry
    for entry in (
        Experiment(name="clean", question="the paper's fifteen data sets as they are", datasets=CLEAN),
        Experiment(
            name="mar10",
            question="the same with 10% of the cells of half of the variables missing at random",
            datasets=CLEAN,
            change=partial(_corrupt, 0.1),
            reseeds=True,
        ),
        Experiment(
            name="mar30",
            question="the same with 30% of the cells of half of the variables missing at random",
            datasets=CLEAN,
            change=partial(_corrupt, 0.3),
            reseeds=True,
        ),
        Experiment(
            name="dimension", question="synthetic graphs of 50 to 100 variables", datasets=DIMENSION, seeds=TASKS
        ),
        Experiment(
            name="dimension_paper",
            question="the same by the paper's recipe: its DoWhy generator",
            datasets=DIMENSION_PAPER,
            seeds=TASKS,
        ),
        Experiment(name="wide", question="published networks of 56 to 100 variables", datasets=WIDE),
        Experiment(name="beyond", question="published networks that the paper does not evaluate on", datasets=BEYOND),
        Experiment(name="bnrep", question="published networks of bnRep that training never sees", datasets=BNREP),
        Experiment(
            name="textbook",
            question="simulations as the literature has them, by gCastle: nothing hidden, 20 variables, 1,000 rows",
            datasets=TEXTBOOK,
        ),
        Experiment(
            name="series",
            question="systems that move in time: vector autoregressions of 10 variables, 500 rows",
            datasets=SERIES,
            methods="series",
        ),
        Experiment(name="tuebingen", question="direction of 102 real pairs", datasets=TUEBINGEN, seeds=1, pairs=True),
        Experiment(
            name="example_pairs",
            question=f"direction of {len(EXAMPLE_PAIRS)} real pairs from the example tables of R, labelled here",
            datasets=EXAMPLE_PAIRS,
            seeds=1,
            pairs=True,
        ),
        Experiment(
            name="confounding",
            question="hidden common causes in synthetic graphs",
            datasets=CONFOUNDED,
            seeds=TASKS,
            methods="ours,fci",
        ),
        Experiment(
            name="rows",
            question="accuracy and time as rows are added",
            datasets=("causal_chambers_lt", "sachs_full", "hailfinder"),
            variants=tuple(f"n={rows}" for rows in (100, 200, 500, 1000, 2000, 5000, 10000)),
            change=_first_rows,
            reseeds=True,
        ),
        Experiment(
            name="speed",
            question="time and memory as variables are added, 600 rows",
            datasets=(
                "confounded_10",
                "confounded_20",
                "confounded_40",
                "synthetic_60",
                "synthetic_80",
                "synthetic_100",
            ),
        ),
        Experiment(
            name="ablation",
            question="what our network leans on: parts switched off at test time",
            datasets=("asia", "child_nonlinear", "alarm_like", "sachs_obs", "causal_chambers_lt"),
            methods="ablations",
        ),
        Experiment(
            name="ablation_pairs",
            question="the same on the 102 pairs",
            datasets=TUEBINGEN,
            seeds=1,
            pairs=True,
            methods="ablations",
        ),
        Experiment(name=OWN, question="data sets of your own, from plug-ins", datasets=()),
    )
}


def experiment(name: str) -> Experiment:
    """The experiment of this name."""
    if name not in EXPERIMENTS:
        raise ConfigError(f"unknown experiment '{name}'; there are {', '.join(EXPERIMENTS)}")
    return EXPERIMENTS[name]
