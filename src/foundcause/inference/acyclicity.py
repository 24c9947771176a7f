"""The acyclic subgraph of greatest weight. Shapes: D variables, n variables of one strongly connected component.

Cycles live inside strongly connected components. Small ones are solved exactly by dynamic programming over subsets;
large ones start from the greedy graph and improve the order of variables until no single move helps, so the
result is never lighter than the greedy graph.
"""

from __future__ import annotations

import numpy as np

EXACT_SIZE = 12
_MAX_SWEEPS = 100


def greedy_acyclic(weights: np.ndarray) -> np.ndarray:
    """(D, D) bool: edges of positive weight, heaviest first, each unless it closes a cycle with those before."""
    D = len(weights)
    chosen = np.zeros((D, D), dtype=bool)
    reach = np.eye(D, dtype=bool)  # reach[i, j]: a path leads from i to j
    cause, effect = np.nonzero(weights > 0)
    for k in np.argsort(-weights[cause, effect], kind="stable"):
        i, j = cause[k], effect[k]
        if i == j or reach[j, i]:
            continue
        chosen[i, j] = True
        if not reach[i, j]:
            reach |= reach[:, i, None] & reach[None, j, :]
    return chosen


def maximum_acyclic(weights: np.ndarray, required: np.ndarray | None = None) -> np.ndarray:
    """(D, D) bool, acyclic: edges of positive weight with the greatest sum found; every required edge is kept.

    weights: (D, D); zero or negative means no candidate. required: (D, D) bool, itself acyclic.
    """
    weights = np.where(weights > 0, weights, 0.0)
    np.fill_diagonal(weights, 0.0)
    if required is not None and required.any():
        # Heavier than all others together: no solution may trade a required edge away.
        weights = np.where(required, weights + weights.sum() + 1.0, weights)
    chosen = weights > 0
    for component in strongly_connected(chosen):
        inside = np.ix_(component, component)
        chosen[inside] = _solve(weights[inside])
    return chosen


def strongly_connected(edges: np.ndarray) -> list[np.ndarray]:
    """Members of each strongly connected component of at least two variables of a (D, D) bool graph."""
    kept = np.arange(len(edges))
    while True:  # what nothing enters or nothing leaves lies on no cycle
        inside = edges[np.ix_(kept, kept)]
        busy = inside.any(axis=0) & inside.any(axis=1)
        if busy.all():
            break
        kept = kept[busy]
    reach = inside | np.eye(len(kept), dtype=bool)
    while True:  # doubling the length of paths: log2(D) matrix products
        longer = reach.astype(np.float32) @ reach.astype(np.float32) > 0
        if (longer == reach).all():
            break
        reach = longer
    mutual = reach & reach.T
    firsts = [v for v in range(len(kept)) if mutual[v].sum() > 1 and mutual[v].argmax() == v]
    return [kept[mutual[v]] for v in firsts]


def _solve(weights: np.ndarray) -> np.ndarray:
    if len(weights) <= EXACT_SIZE:
        return _along(weights, _exact_order(weights))
    greedy = greedy_acyclic(weights)
    starts = [_topological(greedy), np.argsort(weights.sum(axis=0) - weights.sum(axis=1), kind="stable")]
    orders = [_improve(weights, order) for order in starts]
    best = max(orders, key=lambda order: float(weights[_along(weights, order)].sum()))
    return _along(weights, best)


def _along(weights: np.ndarray, order: np.ndarray) -> np.ndarray:
    """Candidates that point forward in the order."""
    position = np.empty(len(order), dtype=int)
    position[order] = np.arange(len(order))
    return (weights > 0) & (position[:, None] < position[None, :])


def _exact_order(weights: np.ndarray) -> np.ndarray:
    """The order of greatest forward weight: best[S] = max over the last v of S of best[S - v] + weight(S - v -> v)."""
    n = len(weights)
    into = np.zeros((1 << n, n))  # into[S, v]: weight from the members of S into v
    for u in range(n):
        into[1 << u : 2 << u] = into[: 1 << u] + weights[u]
    best = np.zeros(1 << n)
    last = np.zeros(1 << n, dtype=int)
    members = np.array([[(S >> v) & 1 for v in range(n)] for S in range(1 << n)], dtype=bool)
    bits = 1 << np.arange(n)
    for S in range(1, 1 << n):
        inside = np.flatnonzero(members[S])
        rest = S ^ bits[inside]
        gains = best[rest] + into[rest, inside]
        k = int(np.argmax(gains))
        best[S], last[S] = gains[k], inside[k]
    order, S = [], (1 << n) - 1
    while S:
        order.append(last[S])
        S ^= 1 << int(last[S])
    return np.array(order[::-1])


def _topological(edges: np.ndarray) -> np.ndarray:
    waiting = edges.sum(axis=0)
    order: list[int] = []
    ready = [int(v) for v in np.flatnonzero(waiting == 0)]
    while ready:
        v = ready.pop(0)
        order.append(v)
        for child in np.flatnonzero(edges[v]):
            waiting[child] -= 1
            if waiting[child] == 0:
                ready.append(int(child))
    return np.array(order)


def _improve(weights: np.ndarray, order: np.ndarray) -> np.ndarray:
    """Move one variable at a time to its best position until nothing is gained."""
    order = order.copy()
    for _ in range(_MAX_SWEEPS):
        improved = False
        for v in range(len(order)):
            at = int(np.flatnonzero(order == v)[0])
            others = np.delete(order, at)
            # Placed at position p, v receives from the first p others and gives to the rest.
            received = np.concatenate([[0.0], np.cumsum(weights[others, v])])
            given = np.concatenate([[0.0], np.cumsum(weights[v, others])])
            value = received + given[-1] - given
            best = int(np.argmax(value))
            if value[best] > value[at] + 1e-12 * max(1.0, abs(value[at])):
                order = np.insert(others, best, v)
                improved = True
        if not improved:
            break
    return order
