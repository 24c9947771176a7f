"""The graph as a picture: causes above effects, width by probability, dashed red arcs for hidden common causes."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from foundcause.atomic import replacing
from foundcause.errors import OutputError
from foundcause.layout import Position, layered_positions

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from foundcause.result import Result

_INK, _EDGE, _HIDDEN, _PAPER, _BORDER = "#1f2933", "#2b6cb0", "#c53030", "#f7fafc", "#a0aec0"


def plot(result: Result, path: str | Path | None = None, *, ax: Axes | None = None) -> Axes:
    """Draw ``result`` on ``ax`` (a new figure without one) and write it to ``path`` when given."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    positions = layered_positions(result.graph)
    if ax is None:
        columns = (
            1 + max((x for x, _ in positions.values()), default=0) - min((x for x, _ in positions.values()), default=0)
        )
        rows = 1 + max((-y for _, y in positions.values()), default=0)
        figure = Figure(figsize=(min(max(1.9 * columns, 5), 24), min(max(1.25 * rows, 3.2), 20)), layout="constrained")
        FigureCanvasAgg(figure)
        ax = figure.add_subplot()
    ax.set_axis_off()
    for arc in result.arcs:
        _arrow(ax, positions[arc.cause], positions[arc.effect], arc.probability)
    for pair in result.hidden_causes:
        _arc(ax, positions[pair.first], positions[pair.second], pair.probability)
    for name, (x, y) in positions.items():
        ax.text(
            x,
            y,
            _short(name),
            ha="center",
            va="center",
            fontsize=10,
            color=_INK,
            zorder=3,
            parse_math=False,
            bbox={"boxstyle": "round,pad=0.35", "facecolor": _PAPER, "edgecolor": _BORDER, "linewidth": 1},
        )
    xs, ys = zip(*positions.values(), strict=True) if positions else ((0.0,), (0.0,))
    ax.set_xlim(min(xs) - 0.7, max(xs) + 0.7)
    ax.set_ylim(min(ys) - 0.6, max(ys) + 0.6)
    if path is not None:
        _write(ax, Path(path))
    return ax


def _arrow(ax: Axes, start: Position, end: Position, probability: float) -> None:
    from matplotlib.patches import FancyArrowPatch

    spans_layers = abs(start[1] - end[1]) > 1.01
    bend = 0.18 if spans_layers and abs(start[0] - end[0]) < 0.3 else 0.04
    ax.add_patch(
        FancyArrowPatch(
            start,
            end,
            arrowstyle="-|>",
            mutation_scale=12,
            shrinkA=17,
            shrinkB=17,
            linewidth=0.6 + 2.4 * probability,
            color=_EDGE,
            alpha=0.35 + 0.6 * probability,
            connectionstyle=f"arc3,rad={bend}",
            zorder=2,
        )
    )


def _arc(ax: Axes, start: Position, end: Position, probability: float) -> None:
    from matplotlib.patches import FancyArrowPatch

    ax.add_patch(
        FancyArrowPatch(
            start,
            end,
            arrowstyle="<|-|>",
            mutation_scale=9,
            shrinkA=17,
            shrinkB=17,
            linewidth=0.6 + 1.6 * probability,
            linestyle=(0, (4, 3)),
            color=_HIDDEN,
            alpha=0.3 + 0.6 * probability,
            connectionstyle="arc3,rad=-0.35",
            zorder=1,
        )
    )


def _short(name: str) -> str:
    clean = " ".join(name.split()) or "(blank)"
    return clean if len(clean) <= 18 else clean[:17] + "…"


def _write(ax: Axes, path: Path) -> None:
    metadata: Mapping[str, None] = {"Date": None} if path.suffix == ".svg" else {}
    figure = ax.get_figure(root=True)
    assert figure is not None  # axes that were drawn on belong to one
    try:
        with replacing(path) as partial, warnings.catch_warnings():
            # Letters the font lacks are drawn as boxes; a line per letter on the terminal helps nobody.
            warnings.filterwarnings("ignore", message="Glyph .* missing from font")
            figure.savefig(partial, dpi=144, facecolor="white", metadata=dict(metadata))
    except ValueError as error:
        raise OutputError(f"cannot draw into {path}: {error}; use a name ending in .png, .svg or .pdf") from error
