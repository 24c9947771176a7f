"""Run an experiment cell by cell: data set x seed x variant x method. What is done is not done again."""

from __future__ import annotations

import hashlib
import json
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from foundcause import engines
from foundcause.bench import datasets, plugin
from foundcause.bench.baselines import method
from foundcause.bench.baselines.method import Method, Table
from foundcause.bench.baselines.our_methods import (
    CHECKPOINT_VARIABLE,
    checkpoint_digest,
    checkpoint_version,
    chosen_checkpoint,
)
from foundcause.bench.case import Answer, Case, Dataset, generator, integer
from foundcause.bench.download import DATA_VARIABLE, data_folder
from foundcause.bench.experiments import Experiment, experiment
from foundcause.bench.isolation import Job, Worker
from foundcause.bench.judgement import judge, judge_pair
from foundcause.bench.records import Record, Store, Version, cell_key, environment
from foundcause.errors import ConfigError


@dataclass(frozen=True, kw_only=True)
class Cell:
    """One run."""

    experiment: str
    method: str
    dataset: str
    seed: int
    variant: str
    limit: float
    """Seconds after which the method is stopped."""


def plan(
    chosen: Experiment, methods: Iterable[Method], names: Iterable[str], seeds: int, limit: float
) -> Iterator[Cell]:
    """All cells, method by method so that a worker can be kept."""
    for entry in methods:
        for name in names:
            about = datasets.dataset(name)
            if entry.discrete_only and not about.discrete:
                continue
            several = about.simulated or entry.random or chosen.reseeds
            for seed in range(seeds if several else 1):
                for variant in chosen.variants:
                    yield Cell(
                        experiment=chosen.name,
                        method=entry.name,
                        dataset=name,
                        seed=seed,
                        variant=variant,
                        limit=limit,
                    )


def pending(cells: Iterable[Cell], done: dict[Any, Record], *, retry: bool = False) -> list[Cell]:
    """Cells without a valid result.

    A result is valid when it was made with the same settings, weights and recipe; a timeout only while the limit is not
    raised; a failure unless ``retry``.
    """

    def wanted(cell: Cell) -> bool:
        record = done.get(cell_key(asdict(cell)))
        if record is None or record["identity"] != identity(cell):
            return True
        if record["status"] == "timeout":
            return cell.limit > record["limit"]
        return record["status"] == "failed" and retry

    return [cell for cell in cells if wanted(cell)]


def identity(cell: Cell) -> str:
    """Digest of what decides a result: settings, weights, data and plug-ins.

    Code of this package counts only as far as settings name its version.
    """
    weights = checkpoint_digest() if method(cell.method).ours else None
    return identity_with(weights, cell.method, cell.dataset)


def identity_with(weights: str | None, method_name: str, dataset_name: str) -> str:
    """The identity of a cell if ours has the weights of this digest."""
    entry, about = method(method_name), datasets.dataset(dataset_name)
    content = [entry.settings, weights if entry.ours else None, about.recipe, about.rows, about.edges]
    content += [version.sha256 for version in (entry.version, about.version) if version is not None]
    return hashlib.sha256(json.dumps(content).encode()).hexdigest()[:10]


def outdated(cells: Iterable[Cell], done: dict[Any, Record]) -> list[Record]:
    """Results that running these cells replaces by those of other weights, settings, data or plug-ins."""
    found = ((done.get(cell_key(asdict(cell))), cell) for cell in cells)
    return [record for record, cell in found if record is not None and record["identity"] != identity(cell)]


@dataclass(frozen=True, kw_only=True)
class WorkItem:
    """A cell with everything that a process on any machine needs to run it."""

    cell: Cell
    identity: str
    """What the process that planned the cell takes for its settings, weights and data."""
    settings: dict[str, str]
    """Environment variables of foundcause (weights, data folder, commands), paths absolute."""
    plugins: tuple[plugin.Plugin, ...]


def work_item(cell: Cell) -> WorkItem:
    """Add the settings and plug-ins of this process to a cell."""
    settings = {name: value for name, value in os.environ.items() if name.startswith("FOUNDCAUSE_")}
    settings[DATA_VARIABLE] = str(data_folder().resolve())
    weights = chosen_checkpoint()
    if weights is not None:
        settings[CHECKPOINT_VARIABLE] = str(weights.resolve())
    return WorkItem(cell=cell, identity=identity(cell), settings=settings, plugins=plugin.loaded())


def run(
    cells: list[Cell],
    folder: Path,
    *,
    jobs: int = 1,
    backend: str = "loky",
    address: str | None = None,
    report: Callable[[Record], None] = lambda record: None,
) -> None:
    """Run cells and append each result to ``folder/<experiment>.jsonl`` as it arrives.

    ``jobs``, ``backend`` and ``address`` are those of :func:`foundcause.engines.run`.
    """
    known: dict[Path, set[str]] = {}  # environments that a file has already
    results = engines.run(perform, map(work_item, cells), backend=backend, jobs=jobs, address=address)
    for index, record in results:
        if isinstance(record, engines.ItemError):
            record = _lost(cells[index], record.error)
        store = Store(folder / f"{record['experiment']}.jsonl")
        if store.path not in known:
            known[store.path] = set(store.environments())
        about = record.pop("_environment")
        if about["id"] not in known[store.path]:
            store.append({"kind": "environment", **about})
            known[store.path].add(about["id"])
        store.append(record)
        report(record)


_worker: Worker | None = None


def _new_record(cell: Cell) -> Record:
    about = environment()
    record = {"kind": "cell", **asdict(cell), "identity": identity(cell), "environment": about["id"]}
    version = _version(method(cell.method))
    return record | {"_environment": about} | ({"version": asdict(version)} if version is not None else {})


def _lost(cell: Cell, error: Exception) -> Record:
    return _new_record(cell) | _ended("failed", 0.0, f"{type(error).__name__}: {error}")


def perform(item: WorkItem) -> Record:
    """Run a cell in this process, in which nothing else may run meanwhile."""
    global _worker
    cell = item.cell
    for name in [name for name in os.environ if name.startswith("FOUNDCAUSE_") and name not in item.settings]:
        del os.environ[name]
    os.environ.update(item.settings)
    plugin.require(item.plugins)
    if identity(cell) != item.identity:
        raise ConfigError(
            f"{cell.method} on {cell.dataset}: this worker has other weights or another version; run again"
        )
    chosen = experiment(cell.experiment)
    record = _new_record(cell)
    try:
        case = _case(datasets.dataset(cell.dataset), cell.seed)
        changed = chosen.change(case, cell.variant)
    except Exception as error:  # one broken table must not end the run
        return {**record, **_ended("failed", 0.0, f"no table: {type(error).__name__}: {error}")}
    if changed is None:
        return {**record, **_ended("absent", 0.0, f"{cell.dataset} has no variant {cell.variant}")}
    order = np.arange(case.variables)
    if not chosen.pairs:
        order = generator(f"columns {cell.dataset}", cell.seed).permutation(case.variables)
    shown = changed.permuted(order)
    record["case"] = _digest(shown)
    table = Table(values=shown.values, seed=integer(f"method {cell.dataset}", cell.seed), discrete=case.discrete)
    if _worker is None:
        _worker = Worker()
    outcome = _worker.run(Job(method=cell.method, table=table, plugins=item.plugins), cell.limit)
    record |= _ended(outcome.status, outcome.seconds, outcome.error)
    record["waited"] = round(outcome.waited, 4)
    record |= {"rows": changed.rows, "variables": case.variables, "peak_bytes": outcome.peak_bytes}
    if chosen.pairs:
        record["weight"] = case.weight  # a pair that is lost is lost by its weight
    if outcome.answer is not None:
        answer = outcome.answer.permuted(np.argsort(order))
        try:
            record["metrics"] = _rounded(judge_pair(answer, case) if chosen.pairs else judge(answer, case))
        except Exception as error:
            return record | _ended("failed", outcome.seconds, f"not judged: {type(error).__name__}: {error}")
        record["arcs"] = _arcs(answer)
    return record


def _version(entry: Method) -> Version | None:
    """What a method is made of beside this package: weights, or the text of a plug-in."""
    return checkpoint_version() if entry.ours else entry.version


def _digest(case: Case) -> str:
    """Of the table and the truth as the method met them: shows later whether a data set was still the same."""
    content = np.ascontiguousarray(case.values).tobytes() + np.ascontiguousarray(case.adjacency).tobytes()
    return hashlib.sha256(content).hexdigest()[:12]


@lru_cache(maxsize=8)
def _case(about: Dataset, seed: int) -> Case:
    return datasets.load(about.name, seed)


def _ended(status: str, seconds: float, error: str | None) -> Record:
    return {
        "status": status,
        "seconds": round(seconds, 4),
        "error": error,
        "finished": datetime.now(UTC).isoformat(timespec="seconds"),
    }


def _arcs(answer: Answer) -> list[int]:
    """Predicted arcs as i * D + j in the data set's own column order: enough to judge again without running again."""
    return [int(at) for at in np.flatnonzero(answer.adjacency)]


def _rounded(metrics: dict[str, Any]) -> dict[str, Any]:
    return {name: round(value, 6) if isinstance(value, float) else value for name, value in metrics.items()}


_LOST = ("failed", "timeout")


class RunProgress:
    """Counts finished cells and tells of each."""

    def __init__(self, console: Console, name: str, total: int) -> None:
        self.counts: Counter[str] = Counter()
        self._console = console
        self._total = total
        self._bar: Progress | None = None
        if console.is_terminal:  # in a file nobody sees the bar move, and drawing it takes time from the methods
            columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
            self._bar = Progress(*columns, TimeElapsedColumn(), TimeRemainingColumn(), console=console)
            self._task = self._bar.add_task(name, total=total)

    def __enter__(self) -> RunProgress:
        if self._bar is not None:
            self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def finished(self, record: Record) -> None:
        """Tell of a cell: on a terminal the bar moves and only lost cells are printed."""
        self.counts[record["status"]] += 1
        if self._bar is not None:
            self._bar.update(self._task, advance=1, description=f"{record['method']} on {record['dataset']}")
        if self._bar is None or record["status"] in _LOST:
            text = line(record, self.counts.total(), self._total)
            self._console.print(text, markup=False, soft_wrap=True)

    def summary(self) -> str:
        """How many cells ended in which way."""
        return ", ".join(f"{count} {status}" for status, count in sorted(self.counts.items())) or "nothing to run"


def line(record: Record, number: int, total: int) -> str:
    """``k/n method dataset seed status seconds``, and why a cell was lost.

    A variant joins its data set, as in ``asia/n=100``.
    """
    variant = record.get("variant")
    dataset = f"{record['dataset']}/{variant}" if variant else record["dataset"]
    text = (
        f"{number}/{total} {record['method']} {dataset} {record['seed']} {record['status']} {record['seconds']:.2f} s"
    )
    return f"{text}: {' '.join(str(record['error']).split())}" if record["status"] in _LOST else text
