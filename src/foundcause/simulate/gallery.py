"""A picture of the simulated world: for each component one task with its graph, marginals and scatter plots."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np

from foundcause.errors import OutputError
from foundcause.simulate.extension import pair_components
from foundcause.simulate.settings import Mixture
from foundcause.simulate.task import Task
from foundcause.simulate.tasks import make_task

_MARGINALS, _SCATTERS = 3, 4
_SHOWN = (5, 11)  # variables of the tasks shown: enough for a graph, few enough to draw
_TRIES = 200
_CODES = 12  # columns with at most this many values are drawn as codes
_INK, _EDGE, _HIDDEN = "#30343b", "#3d6fb4", "#d1603d"


def draw_gallery(mixture: Mixture, seed: int, out: Path) -> None:
    """Write the picture: a row per component that has a weight."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    names = [name for name, weight in mixture.weights.items() if weight > 0]
    wide = 1 + _MARGINALS + _SCATTERS
    figure, axes = plt.subplots(
        len(names),
        wide,
        figsize=(1.65 * wide + 1.4, 1.6 * len(names)),
        squeeze=False,
        gridspec_kw={"width_ratios": [1.9] + [1.0] * (wide - 1)},
    )
    for k, name in enumerate(names):
        _row(axes[k], name, _presentable(mixture.only(name), seed, start=k * _TRIES))
    figure.tight_layout(pad=0.4)
    try:
        figure.savefig(out, dpi=80)
    except (OSError, ValueError) as error:
        raise OutputError(
            f"cannot write {out} ({error}); name a .png, .pdf or .svg file in a folder that exists"
        ) from None
    finally:
        plt.close(figure)


def _presentable(mixture: Mixture, seed: int, start: int) -> Task:
    """The first task small enough to draw, with an edge if there is one to find."""
    best = make_task(mixture, seed, start)
    for index in range(start, start + _TRIES):
        task = make_task(mixture, seed, index)
        columns = task.values.shape[1]
        fits = _SHOWN[0] <= columns <= _SHOWN[1] or set(pair_components()) & set(mixture.weights)
        if fits and task.adjacency.sum() >= max(columns - 2, 1):
            return task
        if columns <= _SHOWN[1] and task.adjacency.sum() >= best.adjacency.sum():
            best = task
    return best


def _row(axes: np.ndarray, name: str, task: Task) -> None:
    rows, columns = task.values.shape
    _graph(axes[0], task)
    axes[0].set_title(f"{name}: {rows} x {columns}", fontsize=9, loc="left", color=_INK)
    for axis, column in zip(axes[1 : 1 + _MARGINALS], range(columns), strict=False):
        values = task.values[task.observed[:, column], column]
        low, high = np.quantile(values, [0.005, 0.995])
        axis.hist(np.clip(values, low, high), bins=40, color=_INK)
        axis.set_title(f"x{column}", fontsize=8, color=_INK)
    pairs = [(int(i), int(j), _EDGE) for i, j in np.argwhere(task.adjacency)]
    pairs += [(int(i), int(j), _HIDDEN) for i, j in np.argwhere(np.triu(task.confounding & ~task.adjacency))]
    for axis, (first, second, color) in zip(axes[1 + _MARGINALS :], _spread(pairs), strict=False):
        both = task.observed[:, first] & task.observed[:, second]
        x, y = (_jittered(task.values[both, column][:500]) for column in (first, second))
        axis.scatter(x, y, s=2, c=color, linewidths=0)
        sign = "→" if color == _EDGE else "↔"
        axis.set_title(f"x{first} {sign} x{second}", fontsize=8, color=color)
    for axis in axes[1:]:
        axis.set_xticks([])
        axis.set_yticks([])
        if not axis.has_data():
            axis.axis("off")


def _jittered(values_N: np.ndarray) -> np.ndarray:
    """Values limited to their bulk. Codes spread a little so that points do not hide each other."""
    values = np.clip(values_N, *np.quantile(values_N, [0.005, 0.995]))
    distinct = np.unique(values)
    if distinct.size > _CODES:
        return values
    gap = np.diff(distinct).min() if distinct.size > 1 else 1.0
    # A fixed low-discrepancy shift instead of random numbers keeps the picture the same.
    return values + 0.5 * gap * ((np.arange(len(values)) * (0.618 + 0.1 * values.mean() % 0.1)) % 1.0 - 0.5)


def _spread(pairs: list[tuple[int, int, str]]) -> list[tuple[int, int, str]]:
    """Scatter plots to show: mostly edges, the last one a hidden common cause where there is one."""
    edges = [pair for pair in pairs if pair[2] == _EDGE]
    hidden = [pair for pair in pairs if pair[2] == _HIDDEN]
    return (edges[: _SCATTERS - 1] + hidden[:1] + edges[_SCATTERS - 1 :] + hidden[1:])[:_SCATTERS]


def _graph(axis: Any, task: Task) -> None:
    graph: Any = nx.DiGraph(task.adjacency)
    for level, nodes in enumerate(nx.topological_generations(graph)):
        for node in nodes:
            graph.nodes[node]["subset"] = level
    points = nx.multipartite_layout(graph, align="vertical")
    for node, point in points.items():  # nodes of one layer in line would hide edges that pass between them
        points[node] = point + np.array([0.0, 0.07 * (node % 3 - 1)])
    shared: Any = nx.Graph(np.triu(task.confounding))
    style = {"ax": axis, "node_size": 60}
    nx.draw_networkx_nodes(graph, points, node_color=_INK, **style)
    nx.draw_networkx_edges(graph, points, edge_color=_EDGE, arrowsize=6, width=0.8, **style)
    nx.draw_networkx_edges(shared, points, edge_color=_HIDDEN, style="dashed", width=0.7, **style)
    nx.draw_networkx_labels(graph, points, font_size=5, font_color="white", ax=axis)
    axis.axis("off")
