"""How pictures look: one colour per method in all of them, names beside what they name, nothing over anything else."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from foundcause.bench.baselines import METHODS
from foundcause.bench.report.versions import method_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PAPER = "#b8860b"
GREY = "#8a94a0"
_COLOURS = {
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


def colour(method: str) -> str:
    """The colour of a method; grey for those that are only background."""
    return _COLOURS.get(method_of(method), GREY)


def weight(method: str) -> float:
    """Width of a line."""
    return 2.6 if method_of(method) == "foundcause" else 1.5


def marker(method: str) -> str:
    """Shape of a point, so that colour is not the only sign."""
    shapes = ("o", "s", "^", "D", "v", "P", "X")
    return shapes[list(METHODS).index(method_of(method)) % len(shapes)]


def figure(width: float, height: float) -> Figure:
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
    """Write names right of the last points (name, x, y, colour) of lines, moved apart where they would collide."""
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
    """Write names (name, x, y, colour) beside points, where they hit no point and no other name if there is room."""
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
