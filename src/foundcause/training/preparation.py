"""From a task index to what the network is fed: simulate, compute statistics, pick encoder rows.

Everything here runs in worker processes and is a pure function of its arguments. Shapes: N rows of the table,
R encoder rows, D variables, F features.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
import zipfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import foundcause
from foundcause.errors import OutputError
from foundcause.features.series import FEWEST_ROWS, lagged_statistics, row_dependence
from foundcause.files import replacing
from foundcause.simulate.task import Task

if TYPE_CHECKING:
    from foundcause.model.interface import NetworkConfig

_ROWS_ROLE, _SUBSAMPLE_ROLE, _GAPS_ROLE = 1, 2, 3  # keep the draws of one task apart


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """How tasks become training items.

    mixture: the task distribution.
    seed: seed of the tasks.
    features: name of the feature set.
    fills_gaps: whether half of the tasks have their missing cells filled from donors first.
    encoder_rows: most rows that the sample encoder sees; ``None`` sends all, 0 none.
    smallest_share: least share of the rows that a further view of a task keeps.
    folder: where prepared tasks are kept for other runs with the same recipe, their statistics in half precision;
        ``None`` keeps none.
    """

    mixture: Any
    seed: int
    features: str
    encoder_rows: int | None
    fills_gaps: bool = False
    smallest_share: float = 0.6
    folder: str | None = field(default=None, repr=False)  # names no other tasks


def recipe_for(model: NetworkConfig, mixture: Any, *, seed: int, folder: str | None = None) -> Recipe:
    """How tasks of a mixture are prepared for a network of this configuration."""
    return Recipe(
        mixture=mixture,
        seed=seed,
        features=model.features,
        encoder_rows=model.rows_read,
        fills_gaps=model.fills_gaps,
        folder=folder,
    )


@dataclass(frozen=True, kw_only=True)
class Prepared:
    """One view of a task.

    index, view: which task, and which of its views (0 has all rows that count, later ones a subsample).
    values: (R, D) float32 encoder rows; observed: (R, D) bool; statistics: (D, D, F) float32.
    adjacency, confounding: (D, D) bool.
    rows: N of the table behind the statistics.
    record: how the task was made.
    seconds: processor time of simulation and statistics.
    """

    index: int
    view: int
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
    """Which views of which task to prepare."""

    recipe: Recipe
    index: int
    views: tuple[int, ...] = (0,)


def run(job: Job) -> list[Prepared]:
    """All views asked for: read where they are kept, else from one simulation of the task."""
    if job.recipe.folder is None:
        return _made(job)
    from foundcause.training.preparation import kept, task_path

    return kept(task_path(Path(job.recipe.folder), job.recipe, job.index, job.views), lambda: _made(job), half=True)


def _made(job: Job) -> list[Prepared]:
    from foundcause.simulate.mixture import make_task

    started = time.thread_time()
    task = make_task(job.recipe.mixture, job.recipe.seed, job.index)
    simulated = time.thread_time() - started
    return [
        prepare(task, job.recipe, index=job.index, view=view, simulated=simulated if k == 0 else 0.0)
        for k, view in enumerate(job.views)
    ]


def prepare(task: Task, recipe: Recipe, *, index: int, view: int, simulated: float = 0.0) -> Prepared:
    """One view of a task: its rows, statistics and encoder rows."""
    from foundcause.features import compute

    started = time.thread_time()
    cells = np.where(task.observed, task.values, np.nan)
    dependence = row_dependence(cells)
    lagged = lagged_statistics(cells, dependence) if "lagged" in recipe.features.split("+") else None
    values, observed = _rows_of_view(task, recipe, index, view, dependence.n_effective)
    statistics = compute(
        values, observed, features=recipe.features, seed=_small_seed(recipe.seed, index, view),
        fill_seed=_fill_seed(recipe, index), lagged_BDDL=lagged,
    ).numpy()  # fmt: skip
    rng = np.random.default_rng([recipe.seed, index, view, _ROWS_ROLE])
    chosen = _choose(rng, len(values), len(values) if recipe.encoder_rows is None else recipe.encoder_rows)
    return Prepared(
        index=index,
        view=view,
        values=np.ascontiguousarray(values[chosen], dtype=np.float32),
        observed=np.ascontiguousarray(observed[chosen]),
        statistics=statistics,
        adjacency=task.adjacency,
        confounding=task.confounding,
        rows=len(values),
        record=task.record,
        seconds=(simulated, time.thread_time() - started),
    )


def _rows_of_view(task: Task, recipe: Recipe, index: int, view: int, worth: int) -> tuple[np.ndarray, np.ndarray]:
    """As many rows as the table is worth, which is all of them unless it is a series; further views have fewer."""
    total = len(task.values)
    if view == 0 and worth == total:
        return task.values, task.observed
    rng = np.random.default_rng([recipe.seed, index, view, _SUBSAMPLE_ROLE])
    share = 1.0 if view == 0 else rng.uniform(recipe.smallest_share, 1.0)
    kept = _choose(rng, total, max(round(share * worth), min(total, 30 if view else FEWEST_ROWS)))
    values, observed = task.values[kept], task.observed[kept]
    return (values, observed) if _learnable(values, observed) else (task.values, task.observed)


def _learnable(values: np.ndarray, observed: np.ndarray) -> bool:
    """A subsample must not turn a variable into a constant or an unobserved one."""
    low = np.where(observed, values, np.inf).min(0)
    high = np.where(observed, values, -np.inf).max(0)
    return bool((high > low).all())


def _fill_seed(recipe: Recipe, index: int) -> int | None:
    """Donors of a task's gaps, or None where they stay; drawn, for halves by index serve as held-out ones elsewhere."""
    drawn = _small_seed(recipe.seed, index, _GAPS_ROLE)
    return drawn if recipe.fills_gaps and drawn % 2 == 0 else None


def _choose(rng: np.random.Generator, total: int, count: int) -> np.ndarray:
    return np.sort(rng.choice(total, size=count, replace=False)) if count < total else np.arange(total)


def _small_seed(*parts: int) -> int:
    return int(np.random.SeedSequence(parts).generate_state(1)[0] % (2**31))


def jobs(recipe: Recipe, keys: Sequence[tuple[int, int]]) -> list[Job]:
    """Jobs that rebuild the given (index, view) items, one simulation per task, in order of the index."""
    views: dict[int, set[int]] = {}
    for index, view in keys:
        views.setdefault(index, set()).add(view)
    return [Job(recipe, index, tuple(sorted(views[index]))) for index in sorted(views)]


_ARRAYS = ("values", "observed", "statistics", "adjacency", "confounding")
_FILES_PER_FOLDER = 1000


def cache_folder() -> Path:
    """Where prepared tasks are kept: ``FOUNDCAUSE_CACHE``, or ``foundcause`` in the user's cache folder."""
    own = os.environ.get("FOUNDCAUSE_CACHE")
    if own:
        return Path(own)
    return Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "foundcause" / "validation"


def kept(path: Path, make: Callable[[], list[Prepared]], *, half: bool = False) -> list[Prepared]:
    """The items in ``path``, or those of ``make``, written there; a damaged file is made anew.

    half: keep statistics in 16 bits. They are rounded before the first use too, so a run sees the same numbers
    whether the file was there or not.
    """
    if path.exists():
        with suppress(OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
            return _read(path)
    items = make()
    with suppress(OutputError):  # no place for a cache: prepare again next time
        _write(path, items, half=half)
        return _read(path) if half else items
    return items


def suite_path(recipe: Any, count: int) -> Path:
    """The file of the first ``count`` tasks of a recipe."""
    return cache_folder() / f"{_key(repr((recipe, count)))}.npz"


def task_path(folder: Path, recipe: Any, index: int, views: Sequence[int]) -> Path:
    """The file of some views of one task."""
    shelf = folder / _key(repr(recipe)) / f"{index // _FILES_PER_FOLDER:05d}"
    return shelf / f"{index}-{'-'.join(map(str, views))}.npz"


@lru_cache(maxsize=64)
def _key(description: str) -> str:
    digest = hashlib.sha256(description.encode())
    root = Path(foundcause.__file__).parent
    for package in ("simulate", "features"):
        for file in sorted((root / package).rglob("*.py")):
            digest.update(file.read_bytes())
    for name in ("training/preparation.py",):
        digest.update((root / name).read_bytes())
    return digest.hexdigest()[:24]


def _write(path: Path, items: list[Prepared], *, half: bool) -> None:
    arrays: dict[str, Any] = {}
    for k, item in enumerate(items):
        arrays |= {f"{k}.{name}": getattr(item, name) for name in _ARRAYS}
        if half:
            arrays[f"{k}.statistics"] = item.statistics.astype(np.float16)
    arrays["about"] = np.array(json.dumps([[item.index, item.view, item.rows, item.record] for item in items]))
    with replacing(path) as partial:
        np.savez(partial, **arrays)


def _read(path: Path) -> list[Prepared]:
    with np.load(path, allow_pickle=False) as stored:
        arrays = dict(stored)
    about = json.loads(str(arrays["about"]))
    items = []
    for k, (index, view, rows, record) in enumerate(about):
        content = {name: arrays[f"{k}.{name}"] for name in _ARRAYS}
        content["statistics"] = content["statistics"].astype(np.float32, copy=False)
        items.append(Prepared(index=index, view=view, rows=rows, record=record, **content))
    return items
