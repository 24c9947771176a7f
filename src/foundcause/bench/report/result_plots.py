"""Pictures of the results. Each function returns a figure, or None when there is nothing to draw.

One color per method in all of them, names beside what they name, nothing over anything else.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from foundcause.bench.baselines import METHODS
from foundcause.bench.datasets import DATASETS, DIMENSION, DIMENSION_PAPER
from foundcause.bench.judgement import Reliability
from foundcause.bench.records import Record
from foundcause.bench.report import paper_figures
from foundcause.bench.report.averages import by_seed, entry, method_of, per_dataset, records, summarise

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_BASELINES = 3
"""Baselines among the bars: more cannot be read."""


def bars(folder: Path) -> Figure | None:
    """F1 per data set: ours, the best baselines, and what the paper prints for its own model."""
    found = records(folder, "clean")
    if not found:
        return None
    ranked = [item.method for item in summarise(found) if not entry(item.method).discrete_only]
    baselines = [name for name in ranked if not entry(name).ours][:_BASELINES]
    order = [*(name for name in ranked if method_of(name) == "foundcause"), *baselines]
    values = by_seed(found, "f1")
    names = sorted({r["dataset"] for r in found}, key=lambda name: (not DATASETS[name].simulated, name))
    figure = empty_figure(12, 4.2)
    axes = figure.subplots()
    width = 0.84 / (len(order) + 1)
    at = np.arange(len(names)) - 0.42 + width / 2
    for k, method in enumerate(order):
        runs = [values.get(method, {}).get(name, [0.0]) for name in names]
        mean = np.array([np.mean(run) for run in runs])
        spread = np.abs([[min(run) for run in runs], [max(run) for run in runs]] - mean)
        axes.bar(
            at + k * width,
            mean,
            width,
            yerr=spread,
            label=entry(method).label,
            color=color_of(method),
            error_kw={"lw": 0.8, "ecolor": "#333333"},
        )
    printed = paper_figures.PER_DATASET[paper_figures.MODEL]
    heights = [printed[name].f1 if name in printed else 0 for name in names]
    axes.bar(
        at + len(order) * width,
        heights,
        width,
        label="paper: its model on its own data",
        color="white",
        edgecolor=PAPER,
        hatch="////",
    )
    simulated = sum(DATASETS[name].simulated for name in names)
    if 0 < simulated < len(names):
        axes.axvline(simulated - 0.5, color=GREY, lw=1, ls=":")
        for x, word, side in (
            (simulated - 0.6, "simulated on known graphs", "right"),
            (simulated - 0.4, "real", "left"),
        ):
            axes.text(x, 1.02, word, ha=side, fontsize=8, color="#55606b")
    axes.text(-0.5, 1.02, "whiskers: range over seeds", fontsize=8, color="#55606b")
    axes.set_xticks(np.arange(len(names)), names, rotation=30, ha="right", rotation_mode="anchor")
    axes.set_xlim(-0.6, len(names) - 0.4)
    axes.set_ylim(0, 1.08)
    dress(axes, "", "directed F1")
    figure.legend(ncols=len(order) + 1, frameon=False, loc="outside upper center")
    return figure


def dimension(folder: Path) -> Figure | None:
    """F1 against the number of variables: on our suites, and on those by the paper's recipe."""
    suites = (("dimension", DIMENSION, "our suites"), ("dimension_paper", DIMENSION_PAPER, "the paper's recipe"))
    found = [(per_dataset(records(folder, name), "f1"), names, title) for name, names, title in suites]
    found = [panel for panel in found if panel[0]]
    if not found:
        return None
    figure = empty_figure(7.5 if len(found) == 1 else 12.0, 4.2)
    panels = figure.subplots(1, len(found), sharey=True, squeeze=False)[0]
    for axes, (values, names, title) in zip(panels, found, strict=True):
        ends = []
        for method, sets in sorted(values.items()):
            points = [(int(name.rsplit("_", 1)[1]), sets[name]) for name in names if name in sets]
            if points:
                ends.append(_line(axes, method, points))
        printed = [(size, row[1]) for size, row in paper_figures.DIMENSION.items()]
        axes.plot(*zip(*printed, strict=True), "--", color=PAPER)  # on its own suites
        ends.append(("paper: its model", *printed[-1], PAPER))
        axes.set_ylim(bottom=0)
        dress(axes, "variables", "directed F1, mean of the tasks" if axes is panels[0] else "")
        axes.set_title(title)
        name_ends(axes, ends)
    return figure


def missingness(folder: Path) -> Figure | None:
    """F1 against the missing rate; every method over the data sets it answered at all of its rates."""
    tables = {
        rate: per_dataset(records(folder, name), "f1") for rate, name in ((0, "clean"), (10, "mar10"), (30, "mar30"))
    }
    if not (tables[10] or tables[30]):
        return None
    figure = empty_figure(7.5, 4.2)
    axes = figure.subplots()
    ends = []
    for method in sorted(set(tables[0]) & (set(tables[10]) | set(tables[30]))):
        mine = {rate: table[method] for rate, table in tables.items() if method in table}
        shared = set.intersection(*(set(sets) for sets in mine.values()))
        if shared:
            points = [(rate, float(np.mean([sets[name] for name in shared]))) for rate, sets in mine.items()]
            ends.append(_line(axes, method, points))
    axes.set_xticks([0, 10, 30])
    axes.set_ylim(bottom=0)
    dress(axes, "% of the targets' cells missing at random", "mean directed F1")
    name_ends(axes, ends)
    return figure


def reliability(folder: Path) -> Figure | None:
    """How often arcs of a stated probability are there, over all clean data sets, and how many there are."""
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
    figure = empty_figure(5.2, 6.2)
    axes, below = figure.subplots(2, 1, sharex=True, height_ratios=(3.4, 1))
    axes.plot([0, 1], [0, 1], color=GREY, lw=1, ls=":", label="perfect")
    for method, curve in sorted(total.items()):
        used = curve.count > 0
        stated = (curve.probability / np.maximum(curve.count, 1))[used]
        share = (curve.true / np.maximum(curve.count, 1))[used]
        error = np.sqrt(share * (1 - share) / curve.count[used])
        axes.errorbar(
            stated,
            share,
            yerr=2 * error,
            marker=marker(method),
            color=color_of(method),
            lw=1.5,
            elinewidth=0.8,
            label=f"{entry(method).label}, expected calibration error {curve.error:.3f}",
        )
        below.plot(stated, curve.count[used], marker=marker(method), color=color_of(method), lw=1.2, ms=4)
    dress(axes, "", "share of arcs that are in the graph (±2 s.e.)")
    axes.legend(frameon=False, fontsize=8, loc="upper left")
    axes.set_ylim(-0.02, 1.12)
    below.set_yscale("log")
    dress(below, "stated probability", "ordered pairs")
    return figure


def time_and_accuracy(folder: Path) -> Figure | None:
    """Mean F1 against median time of a table."""
    found = records(folder, "clean")
    if not found:
        return None
    figure = empty_figure(8, 5.2)
    axes = figure.subplots()
    points = []
    for item in summarise(found):
        if "f1" in item.means and not entry(item.method).discrete_only:
            name = item.label if item.covered == item.attempted else f"{item.label}, {item.covered} sets"
            tint = color_of("foundcause") if entry(item.method).ours else "#3f4a55"
            points.append((name, max(item.seconds, 1e-3), item.means["f1"].mean, tint))
    for _, x, y, tint in points:
        axes.scatter(x, y, s=28, color=tint, zorder=3)
    axes.set_xscale("log")
    axes.margins(x=0.16, y=0.08)
    dress(axes, "median seconds a table, one core", "mean directed F1")
    name_points(axes, points)
    return figure


def rows(folder: Path) -> Figure | None:
    """F1 and time against the number of rows, one column of panels per data set."""
    found = [record for record in records(folder, "rows") if record["status"] == "ok"]
    names = sorted({record["dataset"] for record in found})
    if not names:
        return None
    figure = empty_figure(3.6 * len(names) + 0.6, 5.6)
    panels = figure.subplots(2, len(names), sharex="col", sharey="row", squeeze=False)
    for column, name in enumerate(names):
        for line, (metric, label) in enumerate((("f1", "directed F1"), ("seconds", "seconds"))):
            axes = panels[line, column]
            for method in sorted({record["method"] for record in found}):
                mine = [r for r in found if r["dataset"] == name and r["method"] == method]
                if mine:
                    _line(axes, method, _by_rows(mine, metric))
            axes.set_xscale("log")
            if metric == "seconds":
                axes.set_yscale("log")
            dress(axes, "rows" if line else "", "" if column else label, "" if line else name)
    handles, labels = panels[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, ncols=5, frameon=False, loc="outside upper center")
    return figure


def _by_rows(found: list[Record], metric: str) -> list[tuple[float, float]]:
    values: dict[int, list[float]] = {}
    for record in found:
        value = record["seconds"] if metric == "seconds" else record["metrics"][metric]
        values.setdefault(int(record["variant"].removeprefix("n=")), []).append(value)
    return [(size, float(np.mean(runs))) for size, runs in sorted(values.items())]


def speed(folder: Path) -> Figure | None:
    """Time against the number of variables at 600 rows; a point needs an answer to every run."""
    found = records(folder, "speed")
    times = per_dataset(found, "seconds")
    broken = Counter((record["method"], record["dataset"]) for record in found if record["status"] != "ok")
    if not times:
        return None
    figure = empty_figure(7.5, 4.2)
    axes = figure.subplots()
    for method, sets in sorted(times.items()):
        points = [(int(name.rsplit("_", 1)[1]), value) for name, value in sets.items() if not broken[method, name]]
        if points:
            _line(axes, method, sorted(points))
    axes.set_yscale("log")
    dress(axes, "variables (600 rows)", "seconds, one core")
    figure.legend(frameon=False, loc="outside right upper", fontsize=8)
    return figure


def _line(axes: Axes, method: str, points: Sequence[tuple[float, float]]) -> tuple[str, float, float, str]:
    """Draw a method's line; returns what names its end."""
    label, tint = entry(method).label, color_of(method)
    axes.plot(
        *zip(*points, strict=True),
        marker=marker(method),
        color=tint,
        lw=weight(method),
        ms=5,
        label=label,
        clip_on=False,
    )
    return label, *points[-1], tint


PLOTS = {
    "clean_f1": bars,
    "time": time_and_accuracy,
    "missingness": missingness,
    "dimension": dimension,
    "rows": rows,
    "speed": speed,
    "reliability": reliability,
}


PAPER = "#b8860b"
GREY = "#8a94a0"
_COLORS = {
    "foundcause": "#0b5fa5",
    "foundcause_one_pass": "#6db3e8",
    "grasp": "#d55e00",
    "boss": "#e69f00",
    "ges": "#9a6324",
    "pc_0.01": "#009e73",
    "pc_0.05": "#7fcdbb",
    "fci": "#5b7f2b",
    "direct_lingam": "#b5479b",
    "ica_lingam": "#e3a0d0",
    "naive_correlation": "#5c6670",
    "r2_sort": "#7b5ea7",
}


def color_of(method: str) -> str:
    """The color of a method; grey for those that are only background."""
    return _COLORS.get(method_of(method), GREY)


def weight(method: str) -> float:
    """Width of a line."""
    return 2.6 if method_of(method) == "foundcause" else 1.5


def marker(method: str) -> str:
    """Shape of a point, so that color is not the only sign."""
    shapes = ("o", "s", "^", "D", "v", "P", "X")
    return shapes[list(METHODS).index(method_of(method)) % len(shapes)]


def empty_figure(width: float, height: float) -> Figure:
    """An empty figure without a window."""
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def dress(axes: Axes, x: str, y: str, title: str = "") -> None:
    """Labels, a faint grid, and no box."""
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    axes.set_title(title, fontsize=10, loc="left")
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="y", color="#e3e7eb", lw=0.7)
    axes.set_axisbelow(True)


def name_ends(axes: Axes, ends: Sequence[tuple[str, float, float, str]]) -> None:
    """Write names right of the last points (name, x, y, color) of lines, moved apart where they would collide."""
    if not ends:
        return
    low, high = axes.get_ylim()
    gap = 0.05 * (high - low)
    ordered = sorted(ends, key=lambda end: end[2])
    places = spaced([end[2] for end in ordered], gap)
    right = max(end[1] for end in ends)
    for (name, x, y, tint), place in zip(ordered, places, strict=True):
        axes.annotate(
            name,
            (x, y),
            xytext=(1.03, place),
            textcoords=axes.get_yaxis_transform(),
            va="center",
            fontsize=8,
            color=tint,
            annotation_clip=False,
            arrowprops={"arrowstyle": "-", "color": tint, "lw": 0.5, "shrinkA": 0, "shrinkB": 3},
        )
    axes.set_xlim(right=right)


def spaced(values: Sequence[float], gap: float) -> list[float]:
    """Ascending values moved as little as needed (least squares) to be at least ``gap`` apart."""
    # with the gaps taken off, the answer is the isotonic regression: pool neighbours that are out of order
    blocks: list[list[float]] = []
    for k, value in enumerate(values):
        blocks.append([value - k * gap])
        while len(blocks) > 1 and np.mean(blocks[-2]) > np.mean(blocks[-1]):
            blocks[-2:] = [blocks[-2] + blocks[-1]]
    flat = [float(np.mean(block)) for block in blocks for _ in block]
    return [place + k * gap for k, place in enumerate(flat)]


# where a name may stand beside its point: points right and up, and how the text is anchored there; nearest first
_PLACES = [
    (reach * dx, reach * dy, ("left", "center", "right")[1 - dx // 6], ("bottom", "center", "top")[1 - dy // 6])
    for reach in (1.0, 2.0, 3.0, 4.0)
    for dx, dy in ((6, 0), (-6, 0), (6, 6), (6, -6), (-6, 6), (-6, -6), (0, 6), (0, -6))
]


def name_points(axes: Axes, points: Sequence[tuple[str, float, float, str]]) -> None:
    """Write names (name, x, y, color) beside points, where they hit no point and no other name if there is room."""
    from matplotlib.transforms import Bbox

    canvas = axes.get_figure(root=True)
    assert canvas is not None
    canvas.draw_without_rendering()
    at = [axes.transData.transform((x, y)) for _, x, y, _ in points]
    taken = [Bbox.from_extents(x - 4, y - 4, x + 4, y + 4) for x, y in at]
    for name, x, y, tint in points:
        label = axes.annotate(name, (x, y), xytext=(0, 0), textcoords="offset points", fontsize=8, color=tint)

        def put(place: tuple[float, float, str, str], label: Any = label) -> Bbox:
            label.set(position=place[:2], ha=place[2], va=place[3])
            return label.get_window_extent()

        def cost(place: tuple[float, float, str, str], put: Any = put) -> int:
            box = put(place)
            return sum(box.overlaps(other) for other in taken) + 9 * (not axes.bbox.contains(*box.min))

        taken.append(put(min(_PLACES, key=cost)))
