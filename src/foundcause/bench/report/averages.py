"""Averages of results: seeds first, then data sets. Everything the tables and plots show comes from here.

One row per method, or one per version of it where several meet: no mean is over two networks. All our methods share
their weights, so they count as one; a method of a plug-in has the text of its file.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

import numpy as np

from foundcause.bench.baselines import METHODS
from foundcause.bench.baselines.method import Method
from foundcause.bench.datasets import DATASETS
from foundcause.bench.experiments import EXPERIMENTS
from foundcause.bench.judgement import Interval, mean_interval
from foundcause.bench.records import UNKNOWN_VERSION, Record, Store, Version, recorded_version
from foundcause.bench.runner import identity_with


def records(folder: Path, experiment: str) -> list[Record]:
    """The latest record of every cell of an experiment, of methods that still exist, named by version where needed."""
    stored = Store(folder / f"{experiment}.jsonl").cells().values()
    found = [record for record in stored if record["method"] in METHODS and record["status"] != "absent"]
    return by_version(folder, shared_runs(found) if experiment in _SAME_TASKS else found)


_SAME_TASKS = ("wide", "confounding")  # where some methods ran on fewer seeds than others


def shared_runs(found: list[Record]) -> list[Record]:
    """The runs on tables that every method was run on, so that means compare the same tables.

    Of real data sets, whose seeds are those of the method alone, all runs stay.
    """
    seeds: dict[str, set[int]] = {}
    for name in {record["dataset"] for record in found if DATASETS[record["dataset"]].simulated}:
        mine = [record for record in found if record["dataset"] == name]
        tried = [{r["seed"] for r in mine if r["method"] == method} for method in {r["method"] for r in mine}]
        seeds[name] = set.intersection(*tried)
    return [record for record in found if record["dataset"] not in seeds or record["seed"] in seeds[record["dataset"]]]


@dataclass(frozen=True, kw_only=True)
class MethodSummary:
    """A method on an experiment."""

    method: str
    covered: int
    """Data sets on which at least one seed finished."""
    attempted: int
    """Data sets it was run on."""
    answered: int
    """Runs that gave an answer."""
    runs: int
    """Runs in all."""
    lost: tuple[str, ...]
    """Data set, reason and number of the runs that gave no answer; a set is covered while one of its runs did."""
    means: dict[str, Interval]
    """Metric to mean over covered data sets of the mean over seeds."""
    seconds: float
    """Median over data sets of the mean time."""

    @property
    def coverage(self) -> str:
        """Data sets covered of those attempted, and runs where some were lost."""
        sets = f"{self.covered}/{self.attempted}"
        return sets if self.answered == self.runs else f"{sets} ({self.answered} of {self.runs} runs)"

    @property
    def label(self) -> str:
        """Name in reports."""
        return entry(self.method).label


def by_seed(found: Iterable[Record], metric: str) -> dict[str, dict[str, list[float]]]:
    """Method to data set to the values of a metric, one per run that has it."""
    values: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for record in found:
        if record["status"] != "ok":
            continue
        value = record["seconds"] if metric == "seconds" else record["metrics"].get(metric)
        if value is not None:
            values[record["method"]][record["dataset"]].append(float(value))
    return {name: dict(sorted(sets.items())) for name, sets in values.items()}


def per_dataset(found: Iterable[Record], metric: str) -> dict[str, dict[str, float]]:
    """Method to data set to the mean over seeds (and whatever else varies) of a metric; only where it is defined."""
    return {
        name: {dataset: float(np.mean(seeds)) for dataset, seeds in sets.items()}
        for name, sets in by_seed(found, metric).items()
    }


METRICS = (
    "f1",
    "skeleton_f1",
    "auroc",
    "auroc_binary",
    "auprc",
    "shd_entries_per_d",
    "shd_pairs_per_d",
    "f1_half_credit",
    "parent_aid",
    "ece",
    "brier",
    "confounding_auroc",
    "confounding_auprc",
    "confounding_brier",
    "confounding_base_rate",
)


def summarise(found: list[Record]) -> list[MethodSummary]:
    """One summary per method, best directed F1 first."""
    by_metric = {metric: per_dataset(found, metric) for metric in METRICS}
    times = per_dataset(found, "seconds")
    result = []
    for name in {record["method"] for record in found}:
        mine = [record for record in found if record["method"] == name]
        attempted = {record["dataset"] for record in mine}
        covered = {record["dataset"] for record in mine if record["status"] == "ok"}
        runs = Counter(record["dataset"] for record in mine)
        broken = Counter((record["dataset"], record["status"]) for record in mine if record["status"] != "ok")
        result.append(
            MethodSummary(
                method=name,
                covered=len(covered),
                attempted=len(attempted),
                answered=sum(record["status"] == "ok" for record in mine),
                runs=len(mine),
                lost=tuple(
                    f"{dataset} ({status}, {count} of {runs[dataset]} runs)"
                    for (dataset, status), count in sorted(broken.items())
                ),
                means={
                    metric: mean_interval(np.array(list(table[name].values())))
                    for metric, table in by_metric.items()
                    if table.get(name)
                },
                seconds=float(np.median(list(times[name].values()))) if times.get(name) else float("nan"),
            )
        )
    return sorted(result, key=lambda item: (-item.means["f1"].mean if "f1" in item.means else 0.0, item.method))


OURS = "foundcause"


def method_of(row: str) -> str:
    """The method's own name: that of ``foundcause [a.safetensors 0f1e]`` is ``foundcause``."""
    return row.split(" [", 1)[0]


def entry(row: str) -> Method:
    """The method of a row; its label says the version where the row does."""
    found = METHODS[method_of(row)]
    return replace(found, label=found.label + row.removeprefix(found.name))


def by_version(folder: Path, found: list[Record]) -> list[Record]:
    """The records, their method named with its version where the folder has several of it."""
    census = _census(folder)

    def renamed(record: Record) -> Record:
        if len(census.results.get(_family(record), ())) < 2:
            return record
        return {**record, "method": f"{record['method']} [{census.version(record)}]"}

    return [renamed(record) for record in found]


def made_with(folder: Path) -> str | None:
    """The weights and plug-ins behind the results, in a line; None when there are only baselines."""
    parts = [f"{name}: {' and '.join(map(str, seen))}" for name, seen in _census(folder).results.items()]
    return f"Weights and plug-ins (file, start of its sha256): {'; '.join(parts)}." if parts else None


def warnings(folder: Path) -> list[str]:
    """What a reader must know before comparing rows."""
    census = _census(folder)
    texts = []
    for name, seen in census.results.items():
        if len(seen) > 1:
            what = "weights" if name == OURS else "versions of its plug-in"
            each = "; ".join(f"{version} ({_counts(number)})" for version, number in seen.items())
            texts.append(
                f"results of {name} come from different {what} and stand in separate rows: {each}. Run all of them "
                "with one, or give each a folder of its own with --results"
            )
    if census.strangers:
        names = ", ".join(sorted(census.strangers))
        texts.append(f"results of {names} are left out: no such method here; name its file with --plugin")
    return texts


def _counts(number: Counter[str]) -> str:
    return ", ".join(f"{name} {count}" for name, count in number.items())


def _family(record: Record) -> str:
    return OURS if METHODS[record["method"]].ours else record["method"]


@dataclass(frozen=True)
class _Census:
    known: dict[str, Version]
    """Versions that results name, by digest: one name per content."""
    results: dict[str, dict[Version, Counter[str]]]
    """Whose results, by version: how many in which experiment."""
    strangers: frozenset[str]
    """Methods that the registry does not have."""

    def version(self, record: Record) -> Version:
        noted = recorded_version(record)
        if noted is not UNKNOWN_VERSION:
            return self.known[noted.sha256]
        if record["dataset"] in DATASETS:  # an older result: its identity tells whether it was one of those known
            for version in self.known.values():
                if record.get("identity") == identity_with(version.sha256, record["method"], record["dataset"]):
                    return version
        return UNKNOWN_VERSION


def _census(folder: Path) -> _Census:
    stamps = tuple(
        (name, path, path.stat().st_mtime_ns, path.stat().st_size)
        for name in EXPERIMENTS
        for path in Store(folder / f"{name}.jsonl").files()
    )
    return _counted(stamps, frozenset(METHODS))


@lru_cache(maxsize=4)
def _counted(stamps: tuple[tuple[str, Path, int, int], ...], methods: frozenset[str]) -> _Census:
    """Read all results once, not for every table."""
    stores = {name: Store(path.with_name(f"{name}.jsonl")) for name, path, _, _ in stamps}
    stored = [(name, record) for name, store in stores.items() for record in store.cells().values()]
    census = _Census(dict(_known_versions(stored)), {}, frozenset(r["method"] for _, r in stored) - methods)
    for experiment, record in stored:
        if record["method"] in methods and ("version" in record or METHODS[record["method"]].ours):
            seen = census.results.setdefault(_family(record), {})
            seen.setdefault(census.version(record), Counter())[experiment] += 1
    return census


def _known_versions(stored: list[tuple[str, Record]]) -> Iterator[tuple[str, Version]]:
    for _, record in reversed(stored):  # the first name that a content had stays
        if "version" in record:
            version = recorded_version(record)
            yield version.sha256, version
