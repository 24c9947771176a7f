"""Stand-ins that training tests share: small random items, a mixture of small tasks, cheap work for workers."""

from __future__ import annotations

import dataclasses
import time
from pathlib import Path
from typing import Any

import numpy as np

from foundcause.simulate.draws import uniform
from foundcause.simulate.mixture import MIXTURES
from foundcause.simulate.settings import Sizes
from foundcause.simulate.tasks import drawn_size
from foundcause.training.preparation import Job, Prepared, Recipe


def small_mixture() -> Any:
    """The shipped mixture with tables of 2 to 6 columns and 40 to 80 rows."""
    whole = MIXTURES["SHIPPED"].only("linear_gaussian", "diverse", "pairs")
    return dataclasses.replace(whole, name="FEW", sizes=Sizes(variables=((1.0, uniform(2, 6)),), rows=uniform(40, 80)))


PLAIN = Recipe(mixture=small_mixture(), seed=5, features="paper", encoder_rows=8)


def random_item(index: int, *, variables: int | None = None, features: int = 45) -> Prepared:
    """A task of random numbers, the same for the same index."""
    rng = np.random.default_rng([77, index, 0])
    d = variables or int(rng.integers(2, 9))
    graph = np.triu(rng.random((d, d)) < 0.4, 1)
    order = rng.permutation(d)
    adjacency = graph[np.ix_(order, order)]
    shared = np.triu(rng.random((d, d)) < 0.2, 1)
    statistics = rng.standard_normal((d, d, features)).astype(np.float32)
    statistics[..., 0] += 3 * (adjacency | adjacency.T)
    return Prepared(
        index=index,
        values=rng.standard_normal((8, d)).astype(np.float32),
        observed=rng.random((8, d)) < 0.9,
        statistics=statistics,
        adjacency=adjacency,
        confounding=shared | shared.T,
        rows=100,
    )


def cheap_work(job: Job) -> Prepared:
    """Random items of the size that is drawn; some indices are slow, so that results arrive out of order."""
    if job.index % 5 == 0:
        time.sleep(0.02)
    return random_item(job.index, variables=drawn_size(job.recipe.mixture, job.recipe.seed, job.index))


def failing_work(job: Job) -> Prepared:
    """Every third task cannot be made."""
    if job.index % 3 == 0:
        raise ValueError(f"no task {job.index}")
    return cheap_work(job)


def dying_work(job: Job) -> Prepared:
    """The process ends without a word at task 4."""
    if job.index == 4:
        import os

        os._exit(9)
    return cheap_work(job)


def options(**changes: Any) -> dict[str, Any]:
    """Options of a short run."""
    base = {
        "preset": "TINY", "mixture": "FEW", "seed": 3, "workers": 0, "threads": 1, "scaling_tasks": 8,
        "validate_minutes": 0, "calibration_tasks": 0, "log_every": 1, "batch_budget": 120, "batch_smallest": 2,
        "batch_largest": 6, "warmup_steps": 2, "thinning": 0.0, "ahead": 8,
    }  # fmt: skip
    return base | changes


def register() -> None:
    """Make the small mixture known by its name."""
    MIXTURES["FEW"] = small_mixture()


def run_folder(path: Path) -> Path:
    """A folder for one run."""
    return path / "run"
