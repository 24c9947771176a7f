"""What is run: each experiment of the paper as data sets, a change made to their cases, and seeds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from foundcause.bench.case import Case
from foundcause.bench.corruption import missing_at_random
from foundcause.bench.datasets import (
    BEYOND,
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
from foundcause.bench.datasets.seeding import generator
from foundcause.bench.datasets.synthetic import TASKS
from foundcause.errors import ConfigError

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
