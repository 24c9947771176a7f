"""Distances between a predicted graph and the true one. Shape letters: D variables.

A predicted graph is a (D, D) bool matrix of arcs; an undirected edge is both arcs (the paper's rule).
"""

from __future__ import annotations

from dataclasses import dataclass

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
