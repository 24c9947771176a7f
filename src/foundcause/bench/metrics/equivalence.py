"""CPDAGs and judgements that do not blame a method for what the data cannot tell. Shape letters: D variables."""

from __future__ import annotations

import networkx as nx
import numpy as np

from foundcause.bench.metrics.structure import shd_pairs


def cpdag(dag: np.ndarray) -> np.ndarray:
    """(D, D) bool CPDAG of a DAG: arcs that every Markov-equivalent DAG shares, both arcs where they differ.

    V-structures of the DAG are kept, the rest starts undirected, and Meek's first three rules orient what follows.
    """
    dag = np.asarray(dag, dtype=bool)
    linked = dag | dag.T
    compelled = np.zeros_like(dag)
    for child in range(len(dag)):
        parents = np.flatnonzero(dag[:, child])
        for a in parents:
            # a -> child <- b with a, b not adjacent
            if any(b != a and not linked[a, b] for b in parents):
                compelled[a, child] = True
    return _close(linked, compelled)


def _close(linked: np.ndarray, compelled: np.ndarray) -> np.ndarray:
    compelled = compelled.copy()
    while True:
        undirected = linked & ~compelled & ~compelled.T
        new = np.zeros_like(compelled)
        for b, c in zip(*np.nonzero(undirected), strict=True):
            into_b = np.flatnonzero(compelled[:, b])
            rule1 = any(not linked[a, c] for a in into_b if a != c)
            rule2 = bool((compelled[b, :] & compelled[:, c]).any())
            middles = np.flatnonzero(undirected[b, :] & compelled[:, c])
            rule3 = any(not linked[x, y] for k, x in enumerate(middles) for y in middles[k + 1 :])
            if rule1 or rule2 or rule3:
                new[b, c] = True
        if not new.any():
            return compelled | (linked & ~compelled.T)
        compelled |= new


def directed_only(predicted: np.ndarray) -> np.ndarray:
    """The prediction without its undirected (both-ways) edges."""
    predicted = np.asarray(predicted, dtype=bool)
    return predicted & ~predicted.T


def shd_cpdag(predicted: np.ndarray, true: np.ndarray) -> int | None:
    """Pairs that differ between the CPDAGs of prediction and truth; None when the truth is cyclic.

    A prediction that is a DAG is turned into its CPDAG; one that has undirected edges (or cycles) is taken as it is.
    """
    if not is_dag(true):
        return None
    predicted = np.asarray(predicted, dtype=bool)
    return shd_pairs(cpdag(predicted) if is_dag(predicted) else predicted, cpdag(true))


def half_credit_f1(predicted: np.ndarray, true: np.ndarray) -> float:
    """Directed F1 in which an undirected edge is one edge, half right when the pair is truly joined."""
    predicted, true = np.asarray(predicted, dtype=bool), np.asarray(true, dtype=bool)
    both = np.triu(predicted & predicted.T, 1)
    single = directed_only(predicted)
    hits = float((single & true).sum()) + 0.5 * float((both & (true | true.T)).sum())
    total = float(single.sum() + both.sum() + true.sum())
    return 2 * hits / total if total else 0.0


def is_dag(graph: np.ndarray) -> bool:
    """Whether the matrix has no directed cycle (a both-ways arc is one)."""
    return bool(nx.is_directed_acyclic_graph(nx.DiGraph(np.asarray(graph, dtype=bool))))
