"""The graph as a small SVG picture, for notebooks and for browsers without scripts. It needs no drawing library."""

from __future__ import annotations

from html import escape
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from foundcause.diagnostics.graph import drawn_pairs
from foundcause.report.layout import Position, layered_positions
from foundcause.report.letters import shorten_middle

if TYPE_CHECKING:
    import networkx as nx

    from foundcause.result import Result

MOST_EDGES = 60
_LETTER, _WIDE_LETTER = 7.2, 13.0  # pixels of a letter at 13 pixels, and of one of a wide script
_LONGEST = 24  # letters
_STEP = (34.0, 78.0)  # pixels between boxes across, and between rows
_BOX = 28.0
_MOST_IN_ROW = 6
_INK, _CAUSE, _HIDDEN, _UNDECIDED = "#1b2430", "#1f5fa8", "#b42318", "#6b7682"
_NODE, _BORDER = "#eef3fa", "#b9c3cf"


def graph_svg(result: Result, *, most_edges: int = MOST_EDGES) -> str:
    """Draw the graph as the text of an SVG element.

    Parameters
    ----------
    result : Result
    most_edges : int, default=60
        Of more edges, the most probable ones are drawn, with the columns at them.

    Returns
    -------
    str
        Empty for a result without edges and confounded pairs.
    """
    edges = result.edges.head(most_edges)
    pairs = drawn_pairs(result)
    graph = _subgraph(result, edges[["cause", "effect"]].to_numpy().tolist(), pairs)
    if not graph:
        return ""
    labels = {name: shorten_middle(" ".join(name.split()) or "(blank)", _LONGEST) for name in graph}
    widths = {name: max(46.0, _width(label) + 22) for name, label in labels.items()}
    places, width, height = _in_pixels(layered_positions(graph, most_in_row=_MOST_IN_ROW), widths)
    boxes = {name: (*places[name], widths[name]) for name in graph}
    lines = [
        _line(
            boxes,
            edge["cause"],
            edge["effect"],
            "undecided" if edge["orientation"] == "undecided" else "cause",
            f"{edge['cause']} → {edge['effect']}: {edge['probability']:.2f}, reverse {edge['reverse_probability']:.2f}",
            0.8 + 2.4 * edge["probability"],
        )
        for edge in edges.to_dict("records")
    ]
    lines += [
        _line(
            boxes,
            pair["first"],
            pair["second"],
            "hidden",
            f"{pair['first']} and {pair['second']} share a hidden cause: {pair['probability']:.2f}",
            1.5,
        )
        for pair in pairs
    ]
    nodes = [
        f'<g><title>{escape(name)}</title><rect x="{x - w / 2:.1f}" y="{y - _BOX / 2:.1f}" width="{w:.1f}" '
        f'height="{_BOX}" rx="7" fill="{_NODE}" stroke="{_BORDER}"/>'
        f'<text x="{x:.1f}" y="{y + 4.5:.1f}" text-anchor="middle" fill="{_INK}">{escape(labels[name])}</text></g>'
        for name, (x, y, w) in boxes.items()
    ]
    left_out = len(result.edges) - len(edges)
    note = f"<p>The {len(edges)} most probable of {len(result.edges)} edges are drawn.</p>" if left_out else ""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" '
        f'style="max-width: 100%; height: auto; font: 13px system-ui, sans-serif" role="img" '
        f'aria-label="Causal graph with {len(boxes)} columns and {len(edges)} edges">'
        f"{_markers()}{''.join(lines)}{''.join(nodes)}</svg>{note}"
    )


def _subgraph(result: Result, edges: list[list[str]], pairs: list[dict[Any, Any]]) -> nx.DiGraph[str]:
    """The edges that are drawn, and the columns at them and at confounded pairs."""
    import networkx as nx

    used = {name for edge in edges for name in edge} | {
        name for pair in pairs for name in (pair["first"], pair["second"])
    }
    graph: nx.DiGraph[str] = nx.DiGraph()
    graph.add_nodes_from(name for name in result.names if name in used)
    graph.add_edges_from((cause, effect) for cause, effect in edges)
    return graph


def _width(label: str) -> float:
    return sum(_WIDE_LETTER if ord(letter) > 0x2E80 else _LETTER for letter in label)


def _in_pixels(positions: dict[str, Position], widths: dict[str, float]) -> tuple[dict[str, Position], float, float]:
    """Centers in pixels, so that no two boxes of a row touch, and the size of the picture."""
    rows: dict[float, list[str]] = {}
    for name in sorted(positions, key=lambda name: positions[name][0]):
        rows.setdefault(positions[name][1], []).append(name)
    scale = 60.0
    for row in rows.values():
        for left, right in pairwise(row):
            room = positions[right][0] - positions[left][0]
            scale = max(scale, ((widths[left] + widths[right]) / 2 + _STEP[0]) / max(room, 1e-3))
    order = {y: k for k, y in enumerate(sorted(rows, reverse=True))}
    x0 = min(scale * positions[name][0] - widths[name] / 2 for name in positions) - 8
    places = {name: (scale * x - x0, _BOX + _STEP[1] * order[y]) for name, (x, y) in positions.items()}
    width = max(places[name][0] + widths[name] / 2 for name in places) + 8
    return places, width, 2 * _BOX + _STEP[1] * (len(rows) - 1)


def _line(
    boxes: dict[str, tuple[float, float, float]], start: str, end: str, kind: str, title: str, width: float
) -> str:
    """A curve between two boxes that bends around the others as well as it can."""
    others = np.array([box for name, box in boxes.items() if name not in (start, end)]).reshape(-1, 3)
    a, b = np.array(boxes[start][:2]), np.array(boxes[end][:2])
    along = b - a
    aside = np.array([-along[1], along[0]]) / max(float(np.hypot(*along)), 1e-9)
    bows = [bow for bow in (0.0, 36.0, -36.0, 72.0, -72.0, 120.0, -120.0) if bow or kind != "hidden"]
    bow = min(bows, key=lambda bow: (_hidden_by(a, (a + b) / 2 + bow * aside, b, others), abs(bow)))
    control = (a + b) / 2 + bow * aside
    t = np.linspace(0, 1, 201)[:, None]
    curve = (1 - t) ** 2 * a + 2 * t * (1 - t) * control + t**2 * b
    ends = [np.abs(curve - box[:2]) - [box[2] / 2 + 3, _BOX / 2 + 3] for box in (boxes[start], boxes[end])]
    outside = np.flatnonzero((ends[0] > 0).any(axis=1) & (ends[1] > 0).any(axis=1))
    first, last = (t[outside[0], 0], t[outside[-1], 0]) if len(outside) else (0.0, 1.0)
    middle = (1 - first) * ((1 - last) * a + last * control) + first * ((1 - last) * control + last * b)
    p, q = (curve[round(200 * place)] for place in (first, last))
    color = {"cause": _CAUSE, "hidden": _HIDDEN, "undecided": _UNDECIDED}[kind]
    marks = f'marker-end="url(#fc-{kind})"' + (f' marker-start="url(#fc-{kind})"' if kind != "cause" else "")
    dashes = ' stroke-dasharray="6 4"' if kind == "hidden" else ""
    path = f"M {p[0]:.1f} {p[1]:.1f} Q {middle[0]:.1f} {middle[1]:.1f} {q[0]:.1f} {q[1]:.1f}"
    return (
        f'<g><title>{escape(title)}</title><path d="{path}" fill="none" stroke="{color}" '
        f'stroke-width="{width:.1f}"{dashes} {marks}/></g>'
    )


def _hidden_by(a: np.ndarray, control: np.ndarray, b: np.ndarray, others: np.ndarray) -> int:
    """How many other boxes (K, 3) the curve runs behind."""
    t = np.linspace(0.05, 0.95, 15)[:, None]
    curve = (1 - t) ** 2 * a + 2 * t * (1 - t) * control + t**2 * b
    across = np.abs(curve[:, None, 0] - others[None, :, 0]) < others[:, 2] / 2 + 5
    down = np.abs(curve[:, None, 1] - others[None, :, 1]) < _BOX / 2 + 5
    return int((across & down).any(axis=0).sum())


def _markers() -> str:
    arrow = '<path d="M 0 0.8 L 10 5 L 0 9.2 z" fill="{color}"/>'
    ring = '<circle cx="5" cy="5" r="3.6" fill="#fff" stroke="{color}" stroke-width="2"/>'
    parts = []
    for kind, color, shape, at, size in (
        ("cause", _CAUSE, arrow, 9, 11),
        ("hidden", _HIDDEN, arrow, 9, 10),
        ("undecided", _UNDECIDED, ring, 5, 8),
    ):
        parts.append(
            f'<marker id="fc-{kind}" viewBox="0 0 10 10" refX="{at}" refY="5" markerWidth="{size}" '
            f'markerHeight="{size}" markerUnits="userSpaceOnUse" orient="auto-start-reverse">'
            f"{shape.format(color=color)}</marker>"
        )
    return f"<defs>{''.join(parts)}</defs>"
