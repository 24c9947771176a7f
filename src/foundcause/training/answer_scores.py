"""Scores of predicted graphs, in numpy. Shapes: D variables, P pairs of one task."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import rankdata

ADJACENT_AT = 0.4  # probability of adjacency from which a pair counts as joined when F1 is computed

_SMALLEST_PROBABILITY = 1e-6  # of what is true, so that one overconfident pair does not decide a comparison


@dataclass(frozen=True, kw_only=True)
class Answer:
    """One task with its prediction, all (D, D): truth, probabilities of adjacency (symmetric), of direction given
    adjacency (``direction + direction.T == 1`` off the diagonal), and of a shared hidden cause (symmetric)."""

    adjacency: np.ndarray
    confounding: np.ndarray
    existence: np.ndarray
    direction: np.ndarray
    shared: np.ndarray
    rows: int = 0

    @property
    def edges(self) -> np.ndarray:
        """Probabilities that i causes j."""
        return self.existence * self.direction


def score(answer: Answer) -> dict[str, float]:
    """F1, skeleton F1, AUROC, AUPRC, direction accuracy, confounder AUROC, and the log-losses of existence and of
    direction; NaN where a task cannot say."""
    D = len(answer.adjacency)
    off = ~np.eye(D, dtype=bool)
    upper = np.triu(off, 1)
    adjacent = answer.adjacency | answer.adjacency.T
    joined = (answer.existence > ADJACENT_AT) & off
    oriented = joined & ((answer.direction > 0.5) | ((answer.direction == 0.5) & np.triu(off)))
    truth = answer.adjacency.astype(bool)
    right = answer.direction[truth]
    return {
        "f1": f1(oriented[off], truth[off]),
        "skeleton_f1": f1(joined[upper], adjacent[upper]),
        "auroc": auroc(answer.edges[off], truth[off]),
        "auprc": auprc(answer.edges[off], truth[off]),
        "direction": float(np.mean((right > 0.5) + 0.5 * (right == 0.5))) if right.size else float("nan"),
        "confounder_auroc": auroc(answer.shared[upper], answer.confounding.astype(bool)[upper]),
        "existence_loss": log_loss(answer.existence[upper], adjacent[upper]),
        "direction_loss": log_loss(right, np.ones(right.size, dtype=bool)),
    }


def summary(answers: Sequence[Answer]) -> dict[str, float]:
    """Means over the tasks that can say, and the calibration error over all ordered pairs pooled."""
    scores = [score(answer) for answer in answers]
    means = {name: _mean([s[name] for s in scores]) for name in scores[0]}
    probabilities = np.concatenate([a.edges[~np.eye(len(a.edges), dtype=bool)] for a in answers])
    truths = np.concatenate([a.adjacency[~np.eye(len(a.edges), dtype=bool)] for a in answers])
    return means | {"ece": calibration_error(probabilities, truths)}


def log_loss(probabilities: np.ndarray, truth: np.ndarray) -> float:
    """Mean negative log-probability of what is true; NaN without entries."""
    if not truth.size:
        return float("nan")
    said = np.where(truth, probabilities, 1 - probabilities).astype(float)
    return float(-np.log(np.maximum(said, _SMALLEST_PROBABILITY)).mean())


def f1(predicted: np.ndarray, truth: np.ndarray) -> float:
    """2 TP / (2 TP + FP + FN); 1 when both are empty."""
    hits = np.sum(predicted & truth)
    size = predicted.sum() + truth.sum()
    return float(2 * hits / size) if size else 1.0


def auroc(scores: np.ndarray, truth: np.ndarray) -> float:
    """Probability that a true entry outranks a false one (ties half); NaN when one kind is missing."""
    positive = int(truth.sum())
    negative = len(truth) - positive
    if not positive or not negative:
        return float("nan")
    ranks = rankdata(scores)
    return float((ranks[truth].sum() - positive * (positive + 1) / 2) / (positive * negative))


def auprc(scores: np.ndarray, truth: np.ndarray) -> float:
    """Average precision with tied scores taken together; NaN without a true entry."""
    if not truth.any():
        return float("nan")
    order = np.argsort(-scores, kind="stable")
    last_of_tie = np.append(np.diff(scores[order]) != 0, True)
    hits = np.cumsum(truth[order])[last_of_tie]
    precision = hits / (np.flatnonzero(last_of_tie) + 1)
    return float(np.sum(np.diff(hits, prepend=0) * precision) / truth.sum())


def reliability(probabilities: np.ndarray, truth: np.ndarray, bins: int = 10) -> list[tuple[float, float, int]]:
    """(mean probability, share of true entries, count) of each equal-width bin that holds anything."""
    which = np.minimum((probabilities * bins).astype(int), bins - 1)
    rows = []
    for k in range(bins):
        inside = which == k
        if inside.any():
            rows.append((float(probabilities[inside].mean()), float(truth[inside].mean()), int(inside.sum())))
    return rows


def calibration_error(probabilities: np.ndarray, truth: np.ndarray, bins: int = 10) -> float:
    """Expected calibration error: mean absolute gap between said and true share, weighted by bin counts."""
    total = max(len(probabilities), 1)
    return sum(abs(said - true) * count for said, true, count in reliability(probabilities, truth, bins)) / total


def _mean(values: Sequence[float]) -> float:
    known = [value for value in values if not np.isnan(value)]
    return float(np.mean(known)) if known else float("nan")
