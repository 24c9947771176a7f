"""Apply statements about paths and beliefs to an answer: "a is upstream of b", "a is not", "no hidden cause".

Shapes: D columns. ``[i, j]`` is the edge from i to j.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import networkx as nx
import numpy as np
from scipy.sparse.csgraph import connected_components, dijkstra

from foundcause.errors import KnowledgeError
from foundcause.inference.acyclicity import maximum_acyclic
from foundcause.inference.decoding import Decoded, log_odds_gain
from foundcause.knowledge import Knowledge

_Pairs = Sequence[tuple[int, int]]
_MOST_TRIES = 500
_STANDS = 1e-3
"""Cost of an edge that is in the graph already, in nats, so that paths through such edges are preferred."""


def apply_statements(answer: Decoded, knowledge: Knowledge, names: Sequence[str]) -> Decoded:
    """Return the answer with the statements about paths and hidden causes enforced.

    Where the graph lacks a stated path, the most probable path that contradicts nothing is added. Where it has a
    denied path, the edges that cost the least log odds are removed. Probabilities of edges stay as they are.

    Parameters
    ----------
    answer : Decoded
        Of D columns, with all other knowledge applied.
    knowledge : Knowledge
        Whose statements name columns among ``names``.
    names : sequence of str
        The D columns.
    """
    if pairs := knowledge.pairs("unconfounded", names):
        first, second = np.array(pairs).T
        confounding = answer.confounding.copy()
        confounding[first, second] = confounding[second, first] = 0.0
        answer = replace(answer, confounding=confounding)
    stated, denied = knowledge.pairs("upstream", names), knowledge.pairs("not_upstream", names)
    if not stated and not denied:
        return answer
    forbidden, required = knowledge.masks(names)
    before, adjacency = knowledge.before(names), answer.adjacency
    gains = log_odds_gain(answer.edges, answer.threshold)
    if stated:
        kept = required
        for pair in stated:
            path = _allowed_path(answer, pair, kept, forbidden, before, stated, denied)
            if path is None:
                first, second = names[pair[0]], names[pair[1]]
                raise KnowledgeError(
                    f"{first!r} is stated to be upstream of {second!r}, but the other statements allow no path; "
                    "remove one of them"
                )
            kept = kept | path
        weights = np.where(adjacency, gains, 0.0)
        adjacency = maximum_acyclic(weights, kept | before) & (adjacency | kept)
        required = kept
    for pair in denied:
        adjacency = _cut(adjacency, pair, required, gains)
    return replace(answer, adjacency=adjacency)


def _allowed_path(
    answer: Decoded,
    pair: tuple[int, int],
    kept: np.ndarray,
    forbidden: np.ndarray,
    before: np.ndarray,
    stated: _Pairs,
    denied: _Pairs,
) -> np.ndarray | None:
    """The edges (D, D) of the most probable path that fits all statements together, None without one."""
    costs = -np.log(np.clip(answer.edges, 1e-9, 1 - 1e-9))
    costs[answer.adjacency] = np.minimum(costs[answer.adjacency], _STANDS)
    costs[kept] = _STANDS / 10
    costs[forbidden] = 0.0  # no edge
    order = before.copy()
    order[tuple(np.array(stated).T)] = True
    start, end = pair
    for _ in range(_MOST_TRIES):
        _, came_from = dijkstra(costs, indices=start, return_predecessors=True)
        path, node = np.zeros_like(kept), end
        while node != start:
            if came_from[node] < 0:
                return None
            path[came_from[node], node] = True
            node = came_from[node]
        together = kept | path
        if _is_acyclic(order | together) and not any(_reaches(together, *pair) for pair in denied):
            return path
        removable = np.argwhere(path & ~kept)
        weakest = removable[np.argmax(costs[tuple(removable.T)])]
        costs[tuple(weakest)] = 0.0
    return None


def _cut(adjacency: np.ndarray, pair: tuple[int, int], required: np.ndarray, gains: np.ndarray) -> np.ndarray:
    """The graph without the cheapest edges that lead from the first of the pair to the second."""
    if not _reaches(adjacency, *pair):
        return adjacency
    graph = nx.DiGraph()
    for i, j in np.argwhere(adjacency).tolist():
        graph.add_edge(i, j, **({} if required[i, j] else {"capacity": float(gains[i, j])}))
    _, (near, far) = nx.minimum_cut(graph, *pair)
    left = adjacency.copy()
    left[np.ix_(sorted(near), sorted(far))] = False
    return left


def _is_acyclic(graph: np.ndarray) -> bool:
    components, _ = connected_components(graph, directed=True, connection="strong")
    return bool(components == len(graph)) and not graph.diagonal().any()


def _reaches(graph: np.ndarray, start: int, end: int) -> bool:
    seen = np.zeros(len(graph), dtype=bool)
    layer = graph[start]
    while (layer & ~seen).any():
        new = layer & ~seen
        seen |= new
        layer = graph[new].any(axis=0)
    return bool(seen[end])
