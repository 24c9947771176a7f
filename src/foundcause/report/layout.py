"""Positions of the nodes of a graph: causes above effects, and few edges behind nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import networkx as nx

Position = tuple[float, float]

_LARGEST_CLEARED = 40  # nodes up to which nodes step aside for edges
MOST_IN_ROW = 12
_SHIFTS = np.arange(-12, 13) * 0.25  # sideways steps a node in the way may take
_HALF_HEIGHT = 0.28  # of a node's box, in layers
_MARGIN = 0.08
_NEAREST = 0.5


def layered_positions(graph: nx.DiGraph[str], *, most_in_row: int = MOST_IN_ROW) -> dict[str, Position]:
    """Place each node: its layer by the longest path from a root, its order in the layer by repeated barycenters.

    Parameters
    ----------
    graph : DiGraph
        Acyclic.
    most_in_row : int, default=12
        Longer layers become several rows.

    Returns
    -------
    dict of str to (float, float)
        At least 1 apart in a row, rows 1 apart or more. Nodes without edges are in a block below the graph.
    """
    import networkx as nx

    linked = [node for node in graph if graph.degree(node) > 0]
    layers: list[list[str]] = [list(layer) for layer in nx.topological_generations(graph.subgraph(linked))]
    _pull_roots_down(graph, layers)
    order = {node: float(k) for layer in layers for k, node in enumerate(layer)}
    for sweep in range(12):
        downwards = sweep % 2 == 0
        for layer in layers if downwards else reversed(layers):
            neighbors = graph.predecessors if downwards else graph.successors
            barycenter = {n: np.mean([order[m] for m in neighbors(n)] or [order[n]]) for n in layer}
            layer.sort(key=lambda n: (barycenter[n], n))
            offset = (len(layer) - 1) / 2
            order.update({node: k - offset for k, node in enumerate(layer)})
    layers = [row for layer in layers for row in _rows(layer, most_in_row)]
    for layer in layers:
        order.update({node: k - (len(layer) - 1) / 2 for k, node in enumerate(layer)})
    width = max((len(layer) for layer in layers), default=1)
    positions = {
        node: (float(order[node]) * min(width / max(len(layer), 1), 1.6), -float(depth))
        for depth, layer in enumerate(layers)
        for node in layer
    }
    if len(linked) <= _LARGEST_CLEARED:
        _step_aside(graph, layers, positions)
    lonely = [node for node in graph if graph.degree(node) == 0]
    across = min(max(width, 4), most_in_row)
    for k, node in enumerate(lonely):
        row, column = divmod(k, across)
        in_row = min(len(lonely) - row * across, across)
        positions[node] = (column - (in_row - 1) / 2, -float(len(layers)) - 0.75 * row)
    return {node: positions[node] for node in graph}


def _rows(layer: list[str], most: int) -> list[list[str]]:
    """A layer as rows of about equal length."""
    count = -(-len(layer) // most)
    each = -(-len(layer) // count)
    return [layer[k : k + each] for k in range(0, len(layer), each)]


def _pull_roots_down(graph: nx.DiGraph[str], layers: list[list[str]]) -> None:
    """Move each root to just above its first effect, so that edges stay short."""
    depth = {node: k for k, layer in enumerate(layers) for node in layer}
    for node in list(layers[0]) if layers else []:
        target = min(depth[child] for child in graph.successors(node)) - 1
        if target > 0 and len(layers[0]) > 1:
            layers[0].remove(node)
            layers[target].append(node)


def _step_aside(graph: nx.DiGraph[str], layers: list[list[str]], positions: dict[str, Position]) -> None:
    """If an edge runs behind a node, move that node or an end of the edge sideways, if fewer edges are then hidden."""
    edges = [(a, b) for a, b in graph.edges if abs(positions[a][1] - positions[b][1]) > 1.5]
    layer_of = {node: layer for layer in layers for node in layer}
    for _ in range(3 if edges else 0):
        for node in list(positions):
            behind = [edge for edge in edges if _covered(node, [edge], positions)]
            movers = dict.fromkeys([node, *(end for edge in behind for end in edge)]) if behind else {}
            steps = [_best_step(mover, layer_of[mover], edges, positions) for mover in movers]
            if steps:
                _, mover, place = min(steps)
                positions[mover] = place


def _best_step(
    node: str, layer: list[str], edges: list[tuple[str, str]], positions: dict[str, Position]
) -> tuple[float, str, Position]:
    """(what it costs, the node, its new place) of the best step sideways: edges behind nodes, then distance."""
    x, y = positions[node]
    own = [edge for edge in edges if node in edge]

    def cost(shift: float) -> float:
        moved = {**positions, node: (x + shift, y)}
        room = [abs(x + shift - moved[o][0]) - _half_width(node) - _half_width(o) for o in layer if o != node]
        near = min((abs(x + shift - moved[o][0]) for o in layer if o != node), default=1.0)
        if shift and (near < _NEAREST or min(room, default=1.0) < 2 * _MARGIN):
            return float("inf")
        return _covered(node, edges, moved) + sum(_covered(other, own, moved) for other in moved) + 0.2 * abs(shift)

    costs = [cost(float(shift)) for shift in _SHIFTS]
    best = int(np.argmin(costs))
    return costs[best] - cost(0.0), node, (x + float(_SHIFTS[best]), y)


def _covered(node: str, edges: list[tuple[str, str]], positions: dict[str, Position]) -> int:
    """Count the edges that run behind the node's box."""
    x, y = positions[node]
    reach = _half_width(node) + _MARGIN
    count = 0
    for start, end in edges:
        (x0, y0), (x1, y1) = positions[start], positions[end]
        if node in (start, end) or not min(y0, y1) < y < max(y0, y1):
            continue
        slope = (x1 - x0) / (y1 - y0)
        at = x0 + slope * (y - y0)
        count += abs(at - x) < reach + abs(slope) * _HALF_HEIGHT
    return count


def _half_width(node: str) -> float:
    """Of a node's box, in units of the distance between nodes."""
    return 0.08 + 0.024 * min(len(node), 28)
