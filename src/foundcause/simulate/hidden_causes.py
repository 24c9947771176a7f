"""Hidden causes: which variables to hide, noise that several share, and the right labels over what stays visible.

V nodes of a scene, D of them observed, N rows. ``graph[i, j]`` means i causes j.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field

import numpy as np

from foundcause.simulate.noise import gaussian
from foundcause.simulate.task import Scene

PREFERENCE = 5.0  # how much likelier a node with two or more children is hidden than one with fewer
MOST_CIRCUMSTANCES = 4


def choose_hidden(rng: np.random.Generator, graph: np.ndarray, count: int) -> np.ndarray:
    """(V,) bool with ``count`` nodes to hide, preferring those with two or more children."""
    nodes = len(graph)
    hidden = np.zeros(nodes, dtype=bool)
    if count:
        weight = np.where(graph.sum(axis=1) >= 2, PREFERENCE, 1.0)
        # Largest Gumbel-shifted log weights: weighted sampling without replacement in one step.
        hidden[np.argsort(np.log(weight) + rng.gumbel(size=nodes))[nodes - count :]] = True
    return hidden


def marginalize(
    graph: np.ndarray, hidden: np.ndarray, confounded: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Labels over the observed nodes: (D, D) adjacency and (D, D) symmetric confounding, both bool.

    ``adjacency[i, j]``: i causes j directly or along a directed path whose inner nodes are all hidden.
    ``confounding[i, j]``: a hidden node reaches both i and j along directed paths whose inner nodes are all hidden,
    or ``confounded`` marks a pair of nodes with correlated noise that reach them in this way (or are them).
    """
    graph = np.asarray(graph, dtype=bool)
    hidden = np.asarray(hidden, dtype=bool)
    seen = ~hidden
    reach = hidden_reach(graph, hidden)
    into = graph[:, seen] | _product(graph[:, hidden], reach[:, seen])
    adjacency = into[seen].copy()
    np.fill_diagonal(adjacency, False)
    from_hidden = into[hidden]
    confounding = _product(from_hidden.T, from_hidden)
    if confounded is not None and confounded.any():
        touch = np.zeros_like(into)
        touch[hidden] = from_hidden
        touch[seen] = np.eye(int(seen.sum()), dtype=bool)
        confounding |= _product(_product(touch.T, np.asarray(confounded, dtype=bool)), touch)
    confounding |= confounding.T
    np.fill_diagonal(confounding, False)
    return adjacency, confounding


def with_circumstances(
    rng: np.random.Generator, graph: np.ndarray, hidden: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The graph (V, V) and its hidden nodes (V,) with one to four more before them, each a cause of many others.

    Wealth, health, a neighborhood, the mood of a market: such causes move most columns of
    a real table at once, so that a column with many neighbors need not be their cause.
    """
    number = int(rng.integers(1, MOST_CIRCUMSTANCES + 1))
    moved = rng.random((number, len(graph))) < rng.uniform(0.3, 1.0, (number, 1))
    wider = np.pad(graph, ((number, 0), (number, 0)))
    wider[:number, number:] = moved
    return wider, np.concatenate([np.ones(number, dtype=bool), hidden])


def hidden_reach(graph: np.ndarray, hidden: np.ndarray) -> np.ndarray:
    """(hidden, V) bool: which nodes each hidden node reaches along directed paths with hidden inner nodes."""
    inner = graph[np.ix_(hidden, hidden)]
    closure = inner | np.eye(len(inner), dtype=bool)
    steps = 1
    while steps < len(inner):  # squaring doubles the path length covered
        closure = _product(closure, closure)
        steps *= 2
    return _product(closure, graph[hidden])


def _product(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Boolean matrix product."""
    return (left.astype(np.float32) @ right.astype(np.float32)) > 0.0


def hide_some(rng: np.random.Generator, graph: np.ndarray, count: int) -> np.ndarray:
    """Mark ``count`` nodes as hidden, (V,) bool, with a preference for nodes that have a few children."""
    hidden = np.zeros(len(graph), dtype=bool)
    if count > 0:
        children = graph.sum(1)
        # Hiding the largest hubs would hide most of the edges with them.
        weight = np.where(children > 4, 1.5, np.where(children >= 2, 6.0, np.where(children == 1, 1.0, 0.2)))
        hidden[rng.choice(len(graph), size=min(count, len(graph) - 1), replace=False, p=weight / weight.sum())] = True
    return hidden


@dataclass(frozen=True, kw_only=True)
class SharedNoise:
    """Correlated exogenous noise: some nodes share a part of theirs, as if a hidden variable drove them.

    confounded: (V, V) bool, the pairs that share noise.
    parts: for each such node the shared unit-variance noise (N,) and the share of variance it takes, signed.
    """

    confounded: np.ndarray
    parts: dict[int, tuple[np.ndarray, float]] = field(default_factory=dict)

    def mix(self, node: int, noise: np.ndarray) -> np.ndarray:
        """(N,) noise of the node, the shared part mixed in."""
        if node not in self.parts:
            return noise
        shared, weight = self.parts[node]
        return (
            np.float32(np.sqrt(1.0 - abs(weight))) * noise + np.float32(np.sign(weight) * abs(weight) ** 0.5) * shared
        )


def no_shared_noise(nodes: int) -> SharedNoise:
    """Every node has noise of its own."""
    return SharedNoise(confounded=np.zeros((nodes, nodes), dtype=bool))


def shared_noise(rng: np.random.Generator, nodes: int, rows: int) -> SharedNoise:
    """Disjoint groups of 2 to 4 nodes whose noise is correlated, at least one group, about one per eight nodes."""
    confounded = np.zeros((nodes, nodes), dtype=bool)
    parts: dict[int, tuple[np.ndarray, float]] = {}
    order = rng.permutation(nodes)
    start = 0
    for _ in range(int(rng.integers(1, max(2, nodes // 8 + 1)))):
        group = order[start : start + int(rng.integers(2, 5))]
        start += len(group)
        if len(group) < 2:
            break
        confounded[np.ix_(group, group)] = True
        drawn = gaussian(rng, rows)
        for node in group.tolist():
            parts[node] = (drawn, float(rng.uniform(0.3, 0.9) * (1 if rng.random() < 0.5 else -1)))
    np.fill_diagonal(confounded, False)
    return SharedNoise(confounded=confounded, parts=parts)


def hide_constants(scene: Scene) -> Scene:
    """The scene with variables of one value hidden: they influence nothing, so their edges go too."""
    values = scene.values
    low, high = values.min(axis=0), values.max(axis=0)
    gaps = np.flatnonzero(~np.isfinite(low + high))  # worlds may leave cells empty
    if gaps.size:
        finite = np.isfinite(values[:, gaps])
        low[gaps] = np.where(finite, values[:, gaps], np.inf).min(axis=0)
        high[gaps] = np.where(finite, values[:, gaps], -np.inf).max(axis=0)
    constant = ~(low.astype(np.float32) < high.astype(np.float32))  # as the table will show them
    if not constant.any():
        return scene
    graph = scene.graph.copy()
    graph[constant] = False
    return dataclasses.replace(scene, graph=graph, hidden=scene.hidden | constant)
