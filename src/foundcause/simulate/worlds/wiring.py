"""How the worlds connect their variables. V nodes, always numbered in a causal order (edges run from low to high).

Every wiring is one weighted choice: each child takes a number of parents, drawn without replacement with log weights
that add up layers, distance, popularity and module membership. ``FORMS`` names the shapes people make.
"""

from __future__ import annotations

import numpy as np

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

    ``edges_per_node`` is aimed at, not promised; a node that ends with no neighbour keeps its solitude with probability
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
            graph = cap_parents(rng, graph[::-1, ::-1].T.copy(), most_parents)
    return befriend(rng, graph, keep=isolated)


def pick_parents(rng: np.random.Generator, scores: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Choose ``counts[j]`` parents of each j without replacement with weights ``exp(scores[i, j])``; (V, V) bool.

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


def befriend(rng: np.random.Generator, graph: np.ndarray, *, keep: float) -> np.ndarray:
    """Give lonely nodes one neighbour each, except with probability ``keep``."""
    graph = graph.copy()
    lonely = np.flatnonzero(~graph.any(0) & ~graph.any(1))
    for node in lonely.tolist():
        if rng.random() < keep or len(graph) < 2:
            continue
        other = int(rng.integers(len(graph) - 1))
        other += other >= node
        graph[min(node, other), max(node, other)] = True
    return graph


def cap_parents(rng: np.random.Generator, graph: np.ndarray, most_parents: int) -> np.ndarray:
    """Drop random incoming edges of nodes with more than ``most_parents`` parents."""
    for child in np.flatnonzero(graph.sum(0) > most_parents):
        parents = np.flatnonzero(graph[:, child])
        graph[rng.permutation(parents)[most_parents:], child] = False
    return graph


def hide_some(rng: np.random.Generator, graph: np.ndarray, count: int) -> np.ndarray:
    """Mark ``count`` nodes as hidden, (V,) bool, with a preference for nodes that have a few children."""
    hidden = np.zeros(len(graph), dtype=bool)
    if count > 0:
        children = graph.sum(1)
        # Hiding the largest hubs would hide most of the edges with them.
        weight = np.where(children > 4, 1.5, np.where(children >= 2, 6.0, np.where(children == 1, 1.0, 0.2)))
        hidden[rng.choice(len(graph), size=min(count, len(graph) - 1), replace=False, p=weight / weight.sum())] = True
    return hidden


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
    """The same small graph repeated over time, each variable fed by its own past and a few neighbours'."""
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
    return cap_parents(rng, graph[:nodes, :nodes].copy(), most_parents)
