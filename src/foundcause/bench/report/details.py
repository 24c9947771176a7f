"""Tables beside the averages: counts and probabilities of every method, and discrete scores beside Gaussian ones."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from foundcause.bench.report.markdown import number, table
from foundcause.bench.report.summary import per_dataset, records, summarise
from foundcause.bench.report.versions import entry
from foundcause.bench.results import Record

TWINS = {"pc_discrete": "pc_0.01", "ges_discrete": "ges", "grasp_discrete": "grasp"}
"""Methods for category codes, and the same search with a Gaussian test or score."""


def more_metrics(folder: Path, experiment: str) -> str:
    """Method by counts, CPDAG distance, precision, recall and what is known of its probabilities.

    Counts are shares of the true edges, averaged like everything else: seeds, then data sets.
    """
    found = [r for r in records(folder, experiment) if not entry(r["method"]).discrete_only]
    derived = [{**record, "metrics": _shares(record)} for record in found if record["status"] == "ok"]
    names = ("found", "oriented", "extra", "shd_cpdag_per_d", "precision", "recall", "auprc", "ece", "brier")
    values = {name: per_dataset(derived, name) for name in names}
    rows = []
    for item in summarise(found):
        means = [_mean(values[name].get(item.method, {})) for name in names]
        rows.append([item.label, *(number(mean) for mean in means)])
    header = ["method", "found / true", "oriented / true", "extra / true", "SHD of CPDAGs / d", "precision", "recall"]
    return table([*header, "AUPRC", "calibration error", "Brier"], rows)


def _shares(record: Record) -> Record:
    metrics = dict(record["metrics"])
    for name in ("found", "oriented", "extra"):
        metrics[name] = metrics[name] / metrics["true"] if metrics.get("true") else None
    distance = metrics.get("shd_cpdag")
    metrics["shd_cpdag_per_d"] = None if distance is None else distance / record["variables"]
    return metrics


def discrete(folder: Path, experiment: str) -> str | None:
    """Discrete tests and scores beside their Gaussian twins, on the discrete sets both answered; None without any."""
    found = records(folder, experiment)
    metrics = ("f1", "skeleton_f1", "shd_pairs_per_d", "seconds")
    values = {metric: per_dataset(found, metric) for metric in metrics}
    attempted: dict[str, set[str]] = {}
    for record in found:
        attempted.setdefault(record["method"], set()).add(record["dataset"])
    rows = []
    for name, twin in TWINS.items():
        mine, other = (values["f1"].get(method, {}) for method in (name, twin))
        both = sorted(set(mine) & set(other))
        for method in (name, twin) if both else ():
            figures = [_mean({k: values[metric][method][k] for k in both}) for metric in metrics]
            sets = f"{len(both)}/{len(attempted[name])}" + f" ({', '.join(both)})" * (method == name)
            rows.append([entry(method).label, sets, *(number(value) for value in figures)])
    if not rows:
        return None
    return table(["on discrete sets", "sets", "F1", "skeleton F1", "SHD/d, reversal 1", "seconds"], rows)


def _mean(values: dict[str, float]) -> float | None:
    return float(np.mean(list(values.values()))) if values else None
