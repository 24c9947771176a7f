"""From a task's index to what the network is fed: simulate, compute statistics, pick encoder rows.

Everything here runs in worker processes and is a pure function of its arguments. Validation suites are kept on disk,
because simulation and statistics cost more than a pass of the network.

Shape letters: N rows of the table, R encoder rows, D variables, F features.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
import zipfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import foundcause
from foundcause.errors import InputError, OutputError
from foundcause.features.series import FEWEST_ROWS, lagged_statistics, row_dependence
from foundcause.files import replacing
from foundcause.simulate.task import Task

if TYPE_CHECKING:
    from foundcause.model.interface import NetworkConfig
    from foundcause.simulate.shard_folder import ShardFolder

_ROWS_ROLE, _SERIES_ROLE, _GAPS_ROLE = 1, 2, 3  # keep the draws of one task apart
_FIRST = 0  # part of every draw, so that tasks stay what they were when they could be drawn several times
NO_FEATURES = "none"  # of a network that reads cells only
_ARRAYS = ("values", "observed", "statistics", "adjacency", "confounding")


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """How tasks become training items.

    mixture: the task distribution.
    seed: seed of the tasks.
    features: name of the feature set.
    encoder_rows: most rows that the sample encoder reads; ``None`` sends all, 0 none.
    fills_gaps: whether half of the tasks have their missing cells filled from donors first.
    shards: folder that holds some of the tasks, as a path or an address that fsspec knows.
    """

    mixture: Any
    seed: int
    features: str
    encoder_rows: int | None
    fills_gaps: bool = False
    shards: str = field(default="", repr=False)  # names no other tasks


def recipe_for(model: NetworkConfig, mixture: Any, *, seed: int) -> Recipe:
    """Describe how tasks of a mixture are prepared for a network of this configuration."""
    return Recipe(
        mixture=mixture,
        seed=seed,
        features=model.features,
        encoder_rows=model.rows_read,
        fills_gaps=model.fills_gaps,
    )


@dataclass(frozen=True, kw_only=True)
class Prepared:
    """A task as the network reads it.

    index: which task.
    values, observed: (R, D) float32 encoder rows, and which of their cells are known.
    statistics: (D, D, F) float32.
    adjacency, confounding: (D, D) bool.
    rows: N of the table behind the statistics.
    record: how the task was made.
    seconds: processor time of simulation and statistics.
    """

    index: int
    values: np.ndarray
    observed: np.ndarray
    statistics: np.ndarray
    adjacency: np.ndarray
    confounding: np.ndarray
    rows: int
    record: dict[str, Any] = field(default_factory=dict)
    seconds: tuple[float, float] = (0.0, 0.0)

    @property
    def variables(self) -> int:
        """Number of variables D."""
        return self.adjacency.shape[0]


@dataclass(frozen=True)
class Job:
    """Which task to prepare."""

    recipe: Recipe
    index: int


def run(job: Job) -> Prepared:
    """Simulate a task and prepare it."""
    from foundcause.simulate.tasks import make_task

    started = time.thread_time()
    task = _stored_task(job.recipe.shards, job.index) if job.recipe.shards else None
    if task is None:
        task = make_task(job.recipe.mixture, job.recipe.seed, job.index)
    return prepare(task, job.recipe, index=job.index, simulated=time.thread_time() - started)


def prepare(task: Task, recipe: Recipe, *, index: int, simulated: float = 0.0) -> Prepared:
    """Compute the statistics of a task and pick its encoder rows.

    Parameters
    ----------
    task : Task
        The simulated table with its true graph.
    recipe : Recipe
        What the network reads.
    index : int
        Index of the task, from which every draw follows.
    simulated : float
        Seconds that the simulation took.

    Returns
    -------
    Prepared
    """
    from foundcause.features import compute

    started = time.thread_time()
    cells = np.where(task.observed, task.values, np.nan)
    dependence = row_dependence(cells)
    lagged = lagged_statistics(cells, dependence) if "lagged" in recipe.features.split("+") else None
    values, observed = _effective_rows(task, recipe, index, dependence.n_effective)
    if recipe.features == NO_FEATURES:
        statistics = np.zeros((*task.adjacency.shape, 0), np.float32)
    else:
        statistics = compute(
            values, observed, features=recipe.features, seed=_small_seed(recipe.seed, index, _FIRST),
            fill_seed=_fill_seed(recipe, index), lagged_BDDL=lagged, compiled=True,
        ).numpy()  # fmt: skip
    rng = np.random.default_rng([recipe.seed, index, _FIRST, _ROWS_ROLE])
    chosen = _choose(rng, len(values), len(values) if recipe.encoder_rows is None else recipe.encoder_rows)
    return Prepared(
        index=index,
        values=np.ascontiguousarray(values[chosen], dtype=np.float32),
        observed=np.ascontiguousarray(observed[chosen]),
        statistics=statistics,
        adjacency=task.adjacency,
        confounding=task.confounding,
        rows=len(values),
        record=task.record,
        seconds=(simulated, time.thread_time() - started),
    )


def check_shards(recipe: Recipe) -> None:
    """Refuse a folder whose tasks are not those of the run."""
    from foundcause.simulate.tasks import make_task

    folder = _shard_folder(recipe.shards)
    if not len(folder):
        raise InputError(f"{recipe.shards} holds no tasks; write some with `foundcause simulate`")
    made = make_task(recipe.mixture, recipe.seed, folder.indices[0].start)
    if not np.array_equal(np.float32(folder[0].values), np.float32(made.values), equal_nan=True):
        raise InputError(
            f"{recipe.shards} holds tasks of {folder.mixture}, seed {folder.seed}, which are not those of this run; "
            f"train with --mixture {folder.mixture} --seed {folder.seed} and the same shares, or simulate anew"
        )


def kept(path: Path, make: Callable[[], list[Prepared]]) -> list[Prepared]:
    """Read the items in ``path``, or make them and write them there; a damaged file is made anew."""
    if path.exists():
        with suppress(OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
            return _read(path)
    items = make()
    with suppress(OutputError):  # no place for a cache: prepare again next time
        _write(path, items)
    return items


def suite_path(recipe: Recipe, count: int) -> Path:
    """Name the file of the first ``count`` tasks of a recipe; it changes with the code behind them."""
    return cache_folder() / f"{_key(repr((recipe, count)))}.npz"


def cache_folder() -> Path:
    """Say where prepared suites are kept: ``FOUNDCAUSE_CACHE``, or ``foundcause`` in the user's cache folder."""
    own = os.environ.get("FOUNDCAUSE_CACHE")
    if own:
        return Path(own)
    return Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "foundcause" / "validation"


@lru_cache(maxsize=64)
def _key(description: str) -> str:
    digest = hashlib.sha256(description.encode())
    root = Path(foundcause.__file__).parent
    for package in ("simulate", "features"):
        for file in sorted((root / package).rglob("*.py")):
            digest.update(file.read_bytes())
    digest.update(Path(__file__).read_bytes())
    return digest.hexdigest()[:24]


@lru_cache(maxsize=2)
def _shard_folder(url: str) -> ShardFolder:
    from foundcause.simulate.shard_folder import ShardFolder

    return ShardFolder(url)


def _stored_task(url: str, index: int) -> Task | None:
    """A task of a folder of shards, None where the folder lacks it."""
    folder = _shard_folder(url)
    position = 0
    for indices in folder.indices:
        if index in indices:
            return folder[position + index - indices.start]
        position += len(indices)
    return None


def _write(path: Path, items: list[Prepared]) -> None:
    arrays: dict[str, Any] = {}
    for k, item in enumerate(items):
        arrays |= {f"{k}.{name}": getattr(item, name) for name in _ARRAYS}
    arrays["about"] = np.array(json.dumps([[item.index, item.rows, item.record] for item in items]))
    with replacing(path) as partial:
        np.savez(partial, **arrays)


def _read(path: Path) -> list[Prepared]:
    with np.load(path, allow_pickle=False) as stored:
        arrays = dict(stored)
    return [
        Prepared(index=index, rows=rows, record=record, **{name: arrays[f"{k}.{name}"] for name in _ARRAYS})
        for k, (index, rows, record) in enumerate(json.loads(str(arrays["about"])))
    ]


def _effective_rows(task: Task, recipe: Recipe, index: int, n_effective: int) -> tuple[np.ndarray, np.ndarray]:
    """As many rows as the effective sample size, which is all of them unless they are a series."""
    total = len(task.values)
    if n_effective == total:
        return task.values, task.observed
    rng = np.random.default_rng([recipe.seed, index, _FIRST, _SERIES_ROLE])
    chosen = _choose(rng, total, max(n_effective, min(total, FEWEST_ROWS)))
    values, observed = task.values[chosen], task.observed[chosen]
    return (values, observed) if _every_column_varies(values, observed) else (task.values, task.observed)


def _every_column_varies(values: np.ndarray, observed: np.ndarray) -> bool:
    low = np.where(observed, values, np.inf).min(0)
    high = np.where(observed, values, -np.inf).max(0)
    return bool((high > low).all())


def _fill_seed(recipe: Recipe, index: int) -> int | None:
    """Seed of the donors of a task's gaps, or None where the gaps stay."""
    drawn = _small_seed(recipe.seed, index, _GAPS_ROLE)  # not by parity of the index: halves by index are held out
    return drawn if recipe.fills_gaps and drawn % 2 == 0 else None


def _choose(rng: np.random.Generator, total: int, count: int) -> np.ndarray:
    return np.sort(rng.choice(total, size=count, replace=False)) if count < total else np.arange(total)


def _small_seed(*parts: int) -> int:
    return int(np.random.SeedSequence(parts).generate_state(1)[0] % (2**31))
