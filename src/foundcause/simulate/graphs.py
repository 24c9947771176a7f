"""Random acyclic graphs, all strictly upper triangular: node order is causal order until the task is shuffled.

V nodes. ``graph[i, j]`` means i causes j. ``TOPOLOGIES`` are those of the literature. ``wire`` makes the shapes of
fields: each child takes a number of parents, drawn without replacement with log weights that add up layers, distance,
popularity and module membership.
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
    """(V, V) graph with every pair joined independently. ``degree`` is the expected number of neighbors."""
    return np.triu(rng.random((nodes, nodes)) < degree / max(nodes - 1, 1), 1)


def barabasi_albert(rng: np.random.Generator, nodes: int, degree: float) -> np.ndarray:
    """(V, V) scale-free graph: nodes join earlier ones in proportion to their degree. Hubs are causes or effects."""
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


FORMS = ("layered", "tree", "hubs", "gates", "chain", "modules", "slices", "plain")


def wire(
    rng: np.random.Generator,
    *,
    nodes: int,
    form: str,
    edges_per_node: float,
    most_parents: int = 7,
    isolated: float = 0.1,
) -> np.ndarray:
    """A random acyclic graph of the given form, (V, V) bool and strictly upper triangular.

    ``edges_per_node`` is aimed at, not promised. A node that ends with no neighbor keeps its solitude with probability
    ``isolated``.
    """
    if form == "slices" and nodes >= 6:
        graph = _slices(rng, nodes=nodes, edges_per_node=edges_per_node, most_parents=most_parents)
    else:
        scores = _scores(rng, nodes, form)
        counts = parent_counts(
            rng, nodes=nodes, edges_per_node=edges_per_node, most_parents=most_parents, even=form == "tree"
        )
        graph = pick_parents(rng, scores, counts)
        if form == "gates":
            graph = limit_parents(rng, graph[::-1, ::-1].T.copy(), most_parents)
    return connect_isolated(rng, graph, keep=isolated)


def pick_parents(rng: np.random.Generator, scores: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Choose ``counts[j]`` parents of each j without replacement with weights ``exp(scores[i, j])``. (V, V) bool.

    Pairs at or below the diagonal and pairs of score -inf are never chosen.
    """
    nodes = len(counts)
    noisy = scores + rng.gumbel(size=(nodes, nodes))
    noisy[np.tril_indices(nodes)] = -np.inf
    rank = np.argsort(np.argsort(-noisy, axis=0), axis=0)
    return (rank < counts[None, :]) & np.isfinite(noisy)


def parent_counts(
    rng: np.random.Generator,
    *,
    nodes: int,
    edges_per_node: float,
    most_parents: int = 7,
    roots: float | None = None,
    even: bool = False,
) -> np.ndarray:
    """How many parents each node asks for, (V,) int: some none, others at least one, the rest shared out unevenly."""
    share = rng.uniform(0.1, 0.45) if roots is None else roots
    wanted = round(edges_per_node * nodes)
    parentless = max(1, round(share * nodes), nodes - wanted)
    # Early nodes are roots more often, but exogenous nodes appear anywhere in the order.
    order = np.arange(nodes) / max(nodes - 1, 1) + rng.normal(0.0, rng.uniform(0.1, 0.8), nodes)
    order[0] = -np.inf
    is_root = np.zeros(nodes, dtype=bool)
    is_root[np.argsort(order)[: min(parentless, nodes - 1)]] = True
    counts = np.where(is_root, 0, 1)
    extra = max(0, wanted - int(counts.sum()))
    children = np.flatnonzero(~is_root)
    if extra and len(children):
        weight = rng.gamma(5.0 if even else rng.uniform(0.4, 3.0), size=len(children)) + 1e-3
        # Late nodes have more candidates to choose from.
        weight *= np.minimum(children, most_parents)
        counts[children] += rng.multinomial(extra, weight / weight.sum())
    return np.minimum(counts, np.minimum(np.arange(nodes), most_parents))


def connect_isolated(rng: np.random.Generator, graph: np.ndarray, *, keep: float) -> np.ndarray:
    """Give lonely nodes one neighbor each, except with probability ``keep``."""
    graph = graph.copy()
    isolated_nodes = np.flatnonzero(~graph.any(0) & ~graph.any(1))
    for node in isolated_nodes.tolist():
        if rng.random() < keep or len(graph) < 2:
            continue
        other = int(rng.integers(len(graph) - 1))
        other += other >= node
        graph[min(node, other), max(node, other)] = True
    return graph


def _scores(rng: np.random.Generator, nodes: int, form: str) -> np.ndarray:
    """Log weights of i as a parent of j, (V, V)."""
    index = np.arange(nodes)
    distance = index[None, :] - index[:, None]
    scores = np.zeros((nodes, nodes))
    popularity = {"hubs": rng.uniform(1.5, 3.0), "tree": rng.uniform(0.2, 1.2)}.get(form, rng.uniform(0.0, 1.2))
    scores += (popularity * rng.normal(size=nodes))[:, None]
    if form == "layered":
        layers = int(rng.integers(2, max(3, min(6, nodes // 2 + 1)) + 1))
        layer = np.sort(rng.choice(layers, size=nodes, p=rng.dirichlet(np.full(layers, 3.0))))
        gap = layer[None, :] - layer[:, None]
        scores -= rng.uniform(1.5, 4.0) * np.abs(gap - 1)
    if form in ("chain", "tree", "gates", "modules") or rng.random() < 0.25:
        width = {"chain": rng.uniform(0.7, 2.5)}.get(form, rng.uniform(2.0, 0.6 * nodes + 3.0))
        scores -= np.maximum(distance, 0) / width
    if form == "modules" or (nodes >= 12 and rng.random() < 0.2):
        blocks = rng.integers(0, max(2, nodes // int(rng.integers(5, 10))), size=nodes)
        scores -= np.where(blocks[:, None] == blocks[None, :], 0.0, rng.uniform(3.0, 7.0))
    return scores


def _slices(rng: np.random.Generator, *, nodes: int, edges_per_node: float, most_parents: int) -> np.ndarray:
    """The same small graph repeated over time, each variable fed by its own past and a few neighbors'."""
    width = int(rng.integers(3, max(4, min(12, nodes // 2) + 1)))
    within = pick_parents(
        rng,
        _scores(rng, width, "plain"),
        parent_counts(rng, nodes=width, edges_per_node=max(0.3, edges_per_node - 1.0), most_parents=most_parents - 2),
    )
    across = np.diag(rng.random(width) < rng.uniform(0.5, 1.0)) | (rng.random((width, width)) < 0.3 / width)
    graph = np.zeros((nodes + width, nodes + width), dtype=bool)
    for start in range(0, nodes, width):
        graph[start : start + width, start : start + width] = within
        if start:
            graph[start - width : start, start : start + width] = across
    return limit_parents(rng, graph[:nodes, :nodes].copy(), most_parents)
