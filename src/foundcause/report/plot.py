"""The graph as a picture by matplotlib: causes above effects, width by probability."""

from __future__ import annotations

import textwrap
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from foundcause.diagnostics.graph import drawn_pairs
from foundcause.errors import OutputError
from foundcause.files import replacing
from foundcause.report.layout import Position, layered_positions
from foundcause.report.letters import drawable, fonts_for, missing_note, shorten_middle
from foundcause.report.page import headline

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.path import Path as Path2D
    from matplotlib.text import Text

    from foundcause.result import Result

_INK, _EDGE, _HIDDEN, _PAPER, _BORDER = "#1f2933", "#2b6cb0", "#c53030", "#f7fafc", "#a0aec0"
_UNDECIDED = "#6b7682"
_INCHES = (1.9, 1.25)  # between neighbours across and down
_LARGEST = (26.0, 60.0)
_SMALLEST = (5.0, 3.2)
_MARGIN = (0.7, 0.6)  # around the outermost nodes, for their boxes
_LINE = 18  # letters of a name on one line


def plot(result: Result, path: str | Path | None = None, *, ax: Axes | None = None) -> Axes:
    """Draw the graph.

    Parameters
    ----------
    result : Result
    path : path or None
        A file to write, in a format by its suffix.
    ax : Axes or None
        Where to draw. None makes a figure. Without a path it is one of pyplot, which notebooks show.

    Returns
    -------
    Axes

    Warns
    -----
    UserWarning
        If no font of this machine has some of the letters. They become boxes, and a note says so.
    """
    if path is not None:
        _refuse_unknown_format(Path(path))
    positions = layered_positions(result.graph)
    pairs = drawn_pairs(result)
    bows = [_bow(positions[pair["first"]], positions[pair["second"]]) for pair in pairs]
    (left, right), (low, high) = _limits(positions, bows)
    if ax is None:
        ax = _canvas(right - left, high - low, shown=path is None)
    ax.set_axis_off()
    ax.set_xlim(left, right)
    ax.set_ylim(low, high)
    boxes, notes = _names(ax, positions)
    if len(pairs) < len(result.confounded_pairs):
        notes.append(_drawn_note(len(pairs), len(result.confounded_pairs)))
    _title(ax, headline(result), notes)
    edges = result.edges.to_dict("records")
    for edge in edges:
        undecided = edge["orientation"] == "undecided"
        _arrow(ax, boxes[edge["cause"]], boxes[edge["effect"]], edge["probability"], undecided=undecided)
    for pair, bow in zip(pairs, bows, strict=True):
        _arc(ax, boxes[pair["first"]], boxes[pair["second"]], bow, pair["probability"])
    _legend(ax, undecided=any(edge["orientation"] == "undecided" for edge in edges), hidden=bool(pairs))
    if path is not None:
        _write(ax, Path(path))
    return ax


def _title(ax: Axes, text: str, notes: list[str]) -> None:
    """The headline and, below it, notes for the reader."""
    families, missing = fonts_for([text])
    shown = "".join("□" if letter in missing else letter for letter in text)
    lines = "\n".join([shown, *notes])
    ax.set_title(lines, fontsize=12, fontfamily=families, color=_INK, loc="left", parse_math=False)


def _canvas(width: float, height: float, *, shown: bool) -> Axes:
    """Axes on a figure of their own, large enough for so many nodes across and down."""
    spans = zip((width, height), _INCHES, _SMALLEST, _LARGEST, strict=True)
    across, down = (min(max(span * inches, least), most) for span, inches, least, most in spans)
    if shown:
        from matplotlib import pyplot

        return pyplot.figure(figsize=(across, down), layout="constrained").add_subplot()
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(across, down), layout="constrained")
    FigureCanvasAgg(figure)
    return figure.add_subplot()


def _legend(ax: Axes, *, undecided: bool, hidden: bool) -> None:
    """Explain the lines, below the graph."""
    from matplotlib.lines import Line2D

    entries = [Line2D([], [], color=_EDGE, linewidth=2, label="causes (width: probability)")]
    if undecided:
        entries.append(
            Line2D([], [], color=_UNDECIDED, linewidth=1.5, marker="o", markersize=4, label="undecided direction")
        )
    if hidden:
        entries.append(Line2D([], [], color=_HIDDEN, linewidth=1.5, linestyle="--", label="share a hidden cause"))
    ax.legend(handles=entries, loc="upper left", bbox_to_anchor=(0, 0), ncols=3, frameon=False, fontsize=8)


def _limits(positions: Mapping[str, Position], bows: list[Path2D]) -> np.ndarray:
    """((left, right), (low, high)) of all nodes with their boxes and of all arcs."""
    nodes = np.array([*positions.values()] or [(0.0, 0.0)])
    arcs = [bow.get_extents() for bow in bows]
    lowest = np.min([nodes.min(axis=0) - _MARGIN, *(np.array(box.min) - 0.1 for box in arcs)], axis=0)
    highest = np.max([nodes.max(axis=0) + _MARGIN, *(np.array(box.max) + 0.1 for box in arcs)], axis=0)
    return np.column_stack([lowest, highest])


def _drawn_note(drawn: int, pairs: int) -> str:
    if not drawn:
        return f"{pairs} pairs may share a hidden common cause. They are too many to draw."
    return f"Only the {drawn} most probable of {pairs} pairs with a hidden common cause are drawn."


def _names(ax: Axes, positions: Mapping[str, Position]) -> tuple[dict[str, Text], list[str]]:
    """The nodes by name, and notes for the reader: one when some letters cannot be drawn."""
    shorts = [_short(name) for name in positions]
    families, missing = fonts_for(shorts)
    boxes = {}
    for number, (name, short) in enumerate(zip(positions, shorts, strict=True), start=1):
        x, y = positions[name]
        boxes[name] = ax.text(
            x,
            y,
            drawable(short, number, missing),
            ha="center",
            va="center",
            fontsize=10,
            fontfamily=families,
            color=_INK,
            zorder=3,
            parse_math=False,
            bbox={"boxstyle": "round,pad=0.35", "facecolor": _PAPER, "edgecolor": _BORDER, "linewidth": 1},
        )
    if missing:
        warnings.warn(missing_note(missing), stacklevel=4)
        return boxes, ["□: a letter that no font on this machine has; #: number of the column"]
    return boxes, []


def _connect(ax: Axes, start: Text, end: Text, **style: Any) -> None:
    """An arrow between two boxes, which ends at their borders wherever it meets them."""
    from matplotlib.patches import FancyArrowPatch

    class Between(FancyArrowPatch):
        """Boxes are as wide as their names, and that is known when they are drawn."""

        def draw(self, renderer: Any) -> None:
            for box in (start, end):
                box.update_bbox_position_size(renderer)
            super().draw(renderer)

    ends: dict[str, Any] = {
        "patchA": start.get_bbox_patch(),
        "patchB": end.get_bbox_patch(),
        "shrinkA": 1.5,
        "shrinkB": 1.5,
    }
    ax.add_patch(Between(start.get_position(), end.get_position(), **ends, **style))


def _arrow(ax: Axes, start_box: Text, end_box: Text, probability: float, *, undecided: bool) -> None:
    start, end = start_box.get_position(), end_box.get_position()
    spans_layers = abs(start[1] - end[1]) > 1.01
    bend = 0.18 if spans_layers and abs(start[0] - end[0]) < 0.3 else 0.04
    _connect(
        ax,
        start_box,
        end_box,
        arrowstyle="|-|,widthA=0.25,widthB=0.25" if undecided else "-|>",
        mutation_scale=12,
        linewidth=0.6 + 2.4 * probability,
        color=_UNDECIDED if undecided else _EDGE,
        alpha=0.35 + 0.6 * probability,
        connectionstyle=f"arc3,rad={bend}",
        zorder=2,
    )


def _bow(start: Position, end: Position) -> Path2D:
    """The path of an arc in the coordinates of the nodes. Its extent is thus known before anything is drawn.

    Longer arcs rise higher, but ever more slowly. In a wide table they would otherwise leave the canvas.
    """
    from matplotlib.path import Path as Path2D

    a, b, inches = np.array(start), np.array(end), np.array(_INCHES)
    across, down = (b - a) * inches
    distance = max(float(np.hypot(across, down)), 1e-9)
    height = 0.75 * np.log1p(distance / 4)
    aside = np.array([-down, across]) / distance * 2 * height / inches  # a curve reaches half-way to its control point
    return Path2D([a, (a + b) / 2 + aside, b], [Path2D.MOVETO, Path2D.CURVE3, Path2D.CURVE3])


def _arc(ax: Axes, start: Text, end: Text, bow: Path2D, probability: float) -> None:
    from matplotlib.patches import ConnectionStyle

    class Along(ConnectionStyle.Arc3):
        """Leads along the bow, and is shortened at the nodes like every connection."""

        def connect(self, posA: Position, posB: Position) -> Path2D:
            return ax.transData.transform_path(bow)

    _connect(
        ax,
        start,
        end,
        arrowstyle="<|-|>",
        mutation_scale=9,
        linewidth=0.6 + 1.6 * probability,
        linestyle=(0, (4, 3)),
        color=_HIDDEN,
        alpha=0.3 + 0.6 * probability,
        connectionstyle=Along(),
        zorder=1,
    )


def _short(name: str) -> str:
    """A name on up to three lines. Longer ones lose their middle, because names often differ at their end only."""
    clean = " ".join(name.split()) or "(blank)"
    most = 3 * _LINE
    lines = textwrap.wrap(clean, _LINE)
    while len(lines) > 3:
        most -= 4
        lines = textwrap.wrap(shorten_middle(clean, most), _LINE)
    return "\n".join(lines)


def _refuse_unknown_format(path: Path) -> None:
    from matplotlib.backend_bases import FigureCanvasBase

    if path.suffix.removeprefix(".").lower() not in FigureCanvasBase.get_supported_filetypes():
        why = f"{path.suffix} is not a picture format" if path.suffix else "the name has no suffix"
        raise OutputError(f"cannot draw into {str(path)!r}: {why}; use a name ending in .png, .pdf or .svg")


def _write(ax: Axes, path: Path) -> None:
    metadata: Mapping[str, None] = {"Date": None} if path.suffix == ".svg" else {}
    figure = ax.get_figure(root=True)
    assert figure is not None  # axes that were drawn on belong to one
    with replacing(path) as partial:
        figure.savefig(partial, dpi=144, facecolor="white", metadata=dict(metadata))
