"""Distances between a predicted graph and the true one. Shape letters: D variables.

A predicted graph is a (D, D) bool matrix of arcs; an undirected edge is both arcs (the rule of the paper).
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import networkx as nx
import numpy as np

from foundcause.errors import InputError


@dataclass(frozen=True, kw_only=True)
class Counts:
    """The counts of the paper's per-data-set tables."""

    true: int
    """Edges of the true graph."""
    found: int
    """True edges whose pair is joined in the prediction, in any direction."""
    oriented: int
    """True edges whose own arc is predicted (a both-ways arc contains it)."""
    extra: int
    """Joined pairs with no true edge."""
    both: int
    """Joined pairs predicted as both arcs."""

    @property
    def arcs(self) -> int:
        """Predicted arcs; a pair that is joined both ways has two."""
        return self.found + self.extra + self.both

    @property
    def f1(self) -> float:
        """Directed F1 over arcs."""
        return _ratio(2 * self.oriented, self.arcs + self.true)

    @property
    def skeleton_f1(self) -> float:
        """F1 over unordered pairs."""
        return _ratio(2 * self.found, self.found + self.extra + self.true)

    @property
    def shd_entries(self) -> int:
        """Arcs that differ: a reversal counts twice. The convention of the paper's baseline rows."""
        return self.arcs + self.true - 2 * self.oriented


def counts(predicted: np.ndarray, true: np.ndarray) -> Counts:
    """Counts of a prediction; the true graph must have no both-ways arc for them to describe the paper's tables."""
    predicted, true = _checked(predicted, true)
    joined, linked = _pairs(predicted), _pairs(true)
    return Counts(
        true=int(true.sum()),
        found=int((true & (predicted | predicted.T)).sum()),
        oriented=int((predicted & true).sum()),
        extra=int((joined & ~linked).sum()),
        both=int(_pairs(predicted & predicted.T).sum()),
    )


def directed_precision_recall(predicted: np.ndarray, true: np.ndarray) -> tuple[float, float]:
    """Precision and recall over arcs; 0 where nothing is predicted or nothing is there to find."""
    predicted, true = _checked(predicted, true)
    hits = int((predicted & true).sum())
    return _ratio(hits, int(predicted.sum())), _ratio(hits, int(true.sum()))


def directed_f1(predicted: np.ndarray, true: np.ndarray) -> float:
    """Directed F1; 0 when both graphs are empty of hits."""
    predicted, true = _checked(predicted, true)
    return _ratio(2 * int((predicted & true).sum()), int(predicted.sum() + true.sum()))


def skeleton_f1(predicted: np.ndarray, true: np.ndarray) -> float:
    """F1 over unordered pairs."""
    predicted, true = _checked(predicted, true)
    joined, linked = _pairs(predicted), _pairs(true)
    return _ratio(2 * int((joined & linked).sum()), int(joined.sum() + linked.sum()))


def shd_entries(predicted: np.ndarray, true: np.ndarray) -> int:
    """Entries in which the matrices differ: a reversed edge costs 2, an undirected one 1."""
    predicted, true = _checked(predicted, true)
    return int((predicted != true).sum())


def shd_pairs(predicted: np.ndarray, true: np.ndarray) -> int:
    """Unordered pairs in which the graphs differ: missing, extra, reversed and undirected all cost 1."""
    predicted, true = _checked(predicted, true)
    different = predicted != true
    return int(_pairs(different).sum())


def _pairs(matrix: np.ndarray) -> np.ndarray:
    """(D, D) bool, upper triangle: whether either entry of the pair is set."""
    return np.triu(matrix | matrix.T, 1)


def _ratio(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


def _checked(predicted: np.ndarray, true: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    predicted, true = np.asarray(predicted), np.asarray(true)
    if predicted.shape != true.shape or predicted.ndim != 2 or predicted.shape[0] != predicted.shape[1]:
        raise InputError(f"graphs of shapes {predicted.shape} and {true.shape} cannot be compared")
    off = ~np.eye(len(true), dtype=bool)
    return predicted.astype(bool) & off, true.astype(bool) & off


def cpdag(dag: np.ndarray) -> np.ndarray:
    """(D, D) bool CPDAG of a DAG: arcs that every Markov-equivalent DAG shares, both arcs where they differ."""
    from pgmpy.base import DAG

    graph = DAG()
    graph.add_nodes_from(range(len(dag)))
    graph.add_edges_from(np.argwhere(dag).tolist())
    return _matrix(graph.to_pdag(), len(dag))


def _matrix(graph: Any, variables: int) -> np.ndarray:
    """(D, D) bool arcs of a graph of pgmpy."""
    result = np.zeros((variables, variables), dtype=bool)
    for i, j in graph.directed_edges:
        result[i, j] = True
    for i, j in graph.undirected_edges:
        result[i, j] = result[j, i] = True
    return result


def directed_only(predicted: np.ndarray) -> np.ndarray:
    """The prediction without its undirected (both-ways) edges."""
    predicted = np.asarray(predicted, dtype=bool)
    return predicted & ~predicted.T


def shd_cpdag(predicted: np.ndarray, true: np.ndarray) -> int | None:
    """Pairs that differ between the CPDAGs of prediction and truth; None when the truth is cyclic or pgmpy is absent.

    A prediction that is a DAG is turned into its CPDAG; one that has undirected edges (or cycles) is taken as it is.
    """
    if not is_dag(true) or find_spec("pgmpy") is None:
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


def parent_aid(predicted: np.ndarray, true: np.ndarray) -> float | None:
    """Share of ordered pairs whose effect is misjudged with the predicted graph's parents as adjustment set.

    None when the distance is not defined: the truth is cyclic, or the prediction is neither a DAG nor a CPDAG (gadjid
    compares only those), or a package is not installed.
    """
    if find_spec("gadjid") is None or find_spec("pgmpy") is None:
        return None
    import gadjid

    predicted, true = np.asarray(predicted, dtype=bool), np.asarray(true, dtype=bool)
    if not is_dag(true):
        return None
    guess = predicted.astype(np.int8) if is_dag(predicted) else _as_cpdag(predicted)
    if guess is None:
        return None
    return float(gadjid.parent_aid(true.astype(np.int8), guess, edge_direction="from row to column")[0])


def _as_cpdag(predicted: np.ndarray) -> np.ndarray | None:
    """gadjid's code (1 directed, 2 undirected) when the matrix is the CPDAG of some DAG, else None."""
    from pgmpy.base import PDAG

    both = predicted & predicted.T
    directed = predicted & ~both
    if not is_dag(directed):
        return None
    logging.getLogger("pgmpy").setLevel(logging.ERROR)  # that there is no extension is an answer here
    graph = PDAG(*([(int(i), int(j)) for i, j in np.argwhere(arcs)] for arcs in (directed, np.triu(both))))
    graph.add_nodes_from(range(len(predicted)))
    extension = nx.to_numpy_array(graph.to_dag(), nodelist=range(len(predicted)), weight=None) > 0
    if not is_dag(extension) or (cpdag(extension) != predicted).any():
        return None
    return np.where(np.triu(both), 2, np.where(directed, 1, 0)).astype(np.int8)
