"""Hidden variables: which to hide, and the right labels over what stays visible.

V nodes of a scene, D of them observed. ``graph[i, j]`` means i causes j.
"""

from __future__ import annotations

import numpy as np

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


def marginalise(
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

    Wealth, health, a neighbourhood, the mood of a market: real columns are alike for reasons that no column tells, all
    at once, so that what has many neighbours need not be their cause.
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
