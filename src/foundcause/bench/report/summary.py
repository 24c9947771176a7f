"""Averages of results: seeds first, then data sets. Everything the tables and plots show comes from here."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from foundcause.bench.baselines import METHODS
from foundcause.bench.datasets import DATASETS
from foundcause.bench.metrics.uncertainty import Interval, mean_interval
from foundcause.bench.report.versions import by_version, entry
from foundcause.bench.results import Record, Store


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
