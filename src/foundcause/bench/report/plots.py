"""Pictures of the results. Each function returns a figure, or None when there is nothing to draw."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from foundcause.bench.baselines import METHODS
from foundcause.bench.datasets import DIMENSION
from foundcause.bench.metrics.probability import Reliability
from foundcause.bench.report import paper
from foundcause.bench.report.summary import per_dataset, records, summarise

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_OURS, _OTHER, _PAPER = "#1b6ca8", "#9aa5b1", "#d98e04"
_BARS = 4


def _figure(width: float, height: float) -> Figure:
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def bars(folder: Path) -> Figure | None:
    """F1 per data set: the best methods run here, and what the paper prints for its own model."""
    found = records(folder, "clean")
    if not found:
        return None
    order = [item.method for item in summarise(found) if not METHODS[item.method].discrete_only][:_BARS]
    values = per_dataset(found, "f1")
    names = sorted({record["dataset"] for record in found})
    figure = _figure(11, 4)
    axes = figure.subplots()
    width = 0.8 / (len(order) + 1)
    at = np.arange(len(names))
    shades = [_OURS, *("#5f8fb0", "#8a97a3", "#b9c1c9")]
    for k, method in enumerate(order):
        axes.bar(
            at + k * width,
            [values[method].get(n, 0) for n in names],
            width,
            label=METHODS[method].label,
            color=shades[k],
        )
    printed = paper.PER_DATASET["FoundCause (ours)"]
    heights = [printed[name].f1 if name in printed else 0 for name in names]
    axes.bar(at + len(order) * width, heights, width, label="paper: its model, its data", color=_PAPER, hatch="//")
    axes.set_xticks(at + 0.4 - width / 2, names, rotation=35, ha="right")
    axes.set_ylabel("directed F1")
    axes.legend(ncols=len(order) + 1, frameon=False, loc="upper center", bbox_to_anchor=(0.5, 1.15))
    axes.spines[["top", "right"]].set_visible(False)
    return figure


def dimension(folder: Path) -> Figure | None:
    """F1 against the number of variables."""
    values = per_dataset(records(folder, "dimension"), "f1")
    if not values:
        return None
    figure = _figure(6, 4)
    axes = figure.subplots()
    for method, sets in sorted(values.items()):
        points = [(int(name.rsplit("_", 1)[1]), sets[name]) for name in DIMENSION if name in sets]
        ours = METHODS[method].ours
        axes.plot(*zip(*points, strict=True), marker="o", label=METHODS[method].label, lw=2.5 if ours else 1)
    axes.plot(
        list(paper.DIMENSION),
        [row[1] for row in paper.DIMENSION.values()],
        "--",
        color=_PAPER,
        label="paper: its model, its suites",
    )
    return _finish(figure, "variables", "directed F1")


def missingness(folder: Path) -> Figure | None:
    """F1 against the missing rate."""
    tables = {
        rate: per_dataset(records(folder, name), "f1") for rate, name in ((0, "clean"), (10, "mar10"), (30, "mar30"))
    }
    if not (tables[10] or tables[30]):
        return None
    figure = _figure(6, 4)
    axes = figure.subplots()
    for method in sorted(set(tables[0]) & (set(tables[10]) | set(tables[30]))):
        points = [
            (rate, float(np.mean(list(table[method].values())))) for rate, table in tables.items() if method in table
        ]
        axes.plot(
            *zip(*points, strict=True), marker="o", label=METHODS[method].label, lw=2.5 if METHODS[method].ours else 1
        )
    return _finish(figure, "% of the targets' cells missing at random", "mean directed F1")


def reliability(folder: Path) -> Figure | None:
    """How often arcs of a stated probability are there, over all clean data sets."""
    total: dict[str, Reliability] = {}
    for record in records(folder, "clean"):
        metrics = record.get("metrics", {})
        if "reliability_count" in metrics:
            curve = Reliability(
                count=np.array(metrics["reliability_count"]),
                probability=np.array(metrics["reliability_probability"]),
                true=np.array(metrics["reliability_true"]),
            )
            total[record["method"]] = total[record["method"]] + curve if record["method"] in total else curve
    if not total:
        return None
    figure = _figure(4.5, 4.5)
    axes = figure.subplots()
    axes.plot([0, 1], [0, 1], color=_OTHER, lw=1)
    for method, curve in sorted(total.items()):
        used = curve.count > 0
        label = f"{METHODS[method].label} (error {curve.error:.3f})"
        axes.plot(
            (curve.probability / np.maximum(curve.count, 1))[used],
            (curve.true / np.maximum(curve.count, 1))[used],
            marker="o",
            label=label,
        )
    return _finish(figure, "stated probability", "share that is true")


def time_and_accuracy(folder: Path) -> Figure | None:
    """Mean F1 against median time of a table."""
    found = records(folder, "clean")
    if not found:
        return None
    figure = _figure(6.5, 4.5)
    axes = figure.subplots()
    for item in summarise(found):
        if "f1" in item.means and not METHODS[item.method].discrete_only:
            color = _OURS if METHODS[item.method].ours else _OTHER
            axes.scatter(max(item.seconds, 1e-3), item.means["f1"].mean, color=color)
            axes.annotate(
                item.label,
                (max(item.seconds, 1e-3), item.means["f1"].mean),
                xytext=(4, 3),
                textcoords="offset points",
                fontsize=7,
            )
    axes.set_xscale("log")
    return _finish(figure, "median seconds a table (one core)", "mean directed F1", legend=False)


def _finish(figure: Figure, x: str, y: str, *, legend: bool = True) -> Figure:
    axes = figure.axes[0]
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    axes.spines[["top", "right"]].set_visible(False)
    if legend:
        axes.legend(frameon=False, fontsize=7)
    return figure


PLOTS = {
    "clean_f1": bars,
    "dimension": dimension,
    "missingness": missingness,
    "reliability": reliability,
    "time": time_and_accuracy,
}
