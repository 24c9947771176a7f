"""Random acyclic graphs, all strictly upper triangular: node order is causal order until the task is shuffled.

V nodes. ``graph[i, j]`` means i causes j.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.sparse.csgraph import connected_components

MAX_PARENTS = 10  # a mechanism with more inputs than this is noise to any learner


def sequential_attachment(rng: np.random.Generator, nodes: int, *, roots: int, density: float) -> np.ndarray:
    """(V, V) graph of independent picks: roots first, then each node picks every earlier one with chance ``density``.

    A node that picks none gets one at random, so exactly the first ``roots`` nodes have no parents.
    """
    graph = np.triu(rng.random((nodes, nodes)) < density, 1)
    graph[:, :roots] = False
    orphans = np.flatnonzero(~graph.any(axis=0))
    orphans = orphans[orphans >= roots]
    graph[(rng.random(orphans.size) * orphans).astype(int), orphans] = True
    return graph


def position_attachment(rng: np.random.Generator, nodes: int, *, roots: int, density: float) -> np.ndarray:
    """(V, V) graph as DoWhy's generator of random causal models draws it: weakly connected, exactly ``roots`` roots.

    The in-degree is fixed by position: a node with p nodes before it gets 1 + round(``density`` * (p - 1)) of them as
    parents. Two repairs follow. A root without children gets one at random, and every smaller component is joined to
    the largest one by an edge from the first node there to the last node here.
    """
    graph = np.zeros((nodes, nodes), dtype=bool)
    for child in range(roots, nodes):
        parents = 1 + round(density * (child - 1))
        graph[rng.choice(child, size=parents, replace=False), child] = True
    childless = np.flatnonzero(~graph[:roots].any(axis=1))
    graph[childless, rng.integers(roots, nodes, size=childless.size)] = True
    count, component = connected_components(graph, directed=True, connection="weak")
    if count > 1:
        largest = np.bincount(component).argmax()
        first = np.flatnonzero(component == largest)[0]
        for other in np.delete(np.arange(count), largest):
            graph[first, np.flatnonzero(component == other)[-1]] = True
    return graph


def erdos_renyi(rng: np.random.Generator, nodes: int, degree: float) -> np.ndarray:
    """(V, V) graph with every pair joined independently; ``degree`` is the expected number of neighbours."""
    return np.triu(rng.random((nodes, nodes)) < degree / max(nodes - 1, 1), 1)


def barabasi_albert(rng: np.random.Generator, nodes: int, degree: float) -> np.ndarray:
    """(V, V) scale-free graph: nodes join earlier ones in proportion to their degree; hubs are causes or effects."""
    joins = max(1, round(degree / 2))
    graph = np.zeros((nodes, nodes), dtype=bool)
    ends: list[int] = [0]
    for node in range(1, nodes):
        chosen = {ends[k] for k in rng.integers(len(ends), size=min(joins, node)).tolist()}
        graph[list(chosen), node] = True
        ends.extend(sorted(chosen))
        ends.extend([node] * len(chosen))
    return np.ascontiguousarray(graph[::-1, ::-1].T) if rng.random() < 0.5 else graph


def watts_strogatz(rng: np.random.Generator, nodes: int, degree: float) -> np.ndarray:
    """(V, V) small-world graph: a ring lattice with randomly rewired links, ordered at random."""
    reach = min(max(1, round(degree / 2)), max(1, (nodes - 1) // 2))
    start = np.repeat(np.arange(nodes), reach)
    end = (start + np.tile(np.arange(1, reach + 1), nodes)) % nodes
    rewired = rng.random(start.size) < rng.uniform(0.05, 0.5)
    end[rewired] = rng.integers(nodes, size=int(rewired.sum()))
    return _ordered(rng, nodes, start, end)


def stochastic_block(rng: np.random.Generator, nodes: int, degree: float) -> np.ndarray:
    """(V, V) graph of 2 to 5 communities, dense inside and sparse between."""
    block = rng.integers(rng.integers(2, 6), size=nodes)
    same = block[:, None] == block[None, :]
    weight = np.where(same, 1.0, rng.uniform(0.02, 0.25))
    weight *= degree / max(float(weight.sum(axis=1).mean() - 1.0), 1e-9)
    return np.triu(rng.random((nodes, nodes)) < weight, 1)


def geometric(rng: np.random.Generator, nodes: int, degree: float) -> np.ndarray:
    """(V, V) graph joining near points of the unit square, ordered at random."""
    points = rng.random((nodes, 2))
    distance = ((points[:, None, :] - points[None, :, :]) ** 2).sum(axis=-1)
    radius = degree / max(nodes - 1, 1) / np.pi
    return np.triu(distance < radius, 1)


def hubs(rng: np.random.Generator, nodes: int, degree: float) -> np.ndarray:
    """(V, V) graph of a few hubs joined to most others, which have few links among themselves."""
    count = int(rng.integers(1, max(2, nodes // 8 + 1)))
    hub = rng.choice(nodes, size=count, replace=False)
    joined = rng.random((count, nodes)) < min(1.0, degree / 2 / count + rng.uniform(0.0, 0.5))
    pairs = erdos_renyi(rng, nodes, rng.uniform(0.0, 0.5))
    pairs[hub] |= joined
    pairs |= pairs.T
    return np.triu(pairs, 1)


def tree(rng: np.random.Generator, nodes: int, degree: float) -> np.ndarray:
    """(V, V) tree, or forest when ``degree`` is below one: at most one parent each, near or far in the order."""
    child = np.arange(1, nodes)
    parent = (child * rng.random(nodes - 1) ** rng.uniform(0.1, 1.5)).astype(int)
    graph = np.zeros((nodes, nodes), dtype=bool)
    graph[np.minimum(parent, child - 1), child] = rng.random(nodes - 1) < max(0.5, min(1.0, degree))
    return graph


TOPOLOGIES: dict[str, Callable[[np.random.Generator, int, float], np.ndarray]] = {
    "erdos_renyi": erdos_renyi,
    "barabasi_albert": barabasi_albert,
    "watts_strogatz": watts_strogatz,
    "stochastic_block": stochastic_block,
    "geometric": geometric,
    "hubs": hubs,
    "tree": tree,
}


def limit_parents(rng: np.random.Generator, graph: np.ndarray, limit: int = MAX_PARENTS) -> np.ndarray:
    """The graph with random parents dropped where a node has more than ``limit``."""
    for node in np.flatnonzero(graph.sum(axis=0) > limit):
        parents = np.flatnonzero(graph[:, node])
        graph[rng.permutation(parents)[limit:], node] = False
    return graph


def _ordered(rng: np.random.Generator, nodes: int, start: np.ndarray, end: np.ndarray) -> np.ndarray:
    """Links between nodes whose causal order is a random permutation."""
    order = rng.permutation(nodes)
    linked = np.zeros((nodes, nodes), dtype=bool)
    linked[order[start], order[end]] = True
    return np.triu(linked | linked.T, 1)
