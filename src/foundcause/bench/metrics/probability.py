"""How good scores are as rankings and as probabilities. Shape letters: D variables, K bins."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.stats import rankdata


def off_diagonal(matrix: np.ndarray) -> np.ndarray:
    """(D * (D - 1),) the ordered pairs of a (D, D) matrix."""
    return np.asarray(matrix)[~np.eye(len(matrix), dtype=bool)]


def upper(matrix: np.ndarray) -> np.ndarray:
    """(D * (D - 1) / 2,) the unordered pairs of a (D, D) matrix."""
    return np.asarray(matrix)[np.triu_indices(len(matrix), 1)]


def auroc(scores: np.ndarray, truth: np.ndarray) -> float | None:
    """Chance that a true entry outranks a false one, ties counting half; None when only one kind is there."""
    truth = np.asarray(truth, dtype=bool)
    positives, negatives = int(truth.sum()), int((~truth).sum())
    if not positives or not negatives:
        return None
    ranks = rankdata(scores)
    return float((ranks[truth].sum() - positives * (positives + 1) / 2) / (positives * negatives))


def auprc(scores: np.ndarray, truth: np.ndarray) -> float | None:
    """Average precision, tied scores taken together; None when nothing is true."""
    truth = np.asarray(truth, dtype=bool)
    scores = np.asarray(scores, dtype=float)
    if not truth.any():
        return None
    order = np.argsort(-scores, kind="stable")
    last = np.append(np.flatnonzero(np.diff(scores[order])), len(scores) - 1)  # the end of each run of ties
    hits = np.cumsum(truth[order])[last]
    precision = hits / (last + 1)
    return float((np.diff(hits, prepend=0) * precision).sum() / truth.sum())


def brier(probabilities: np.ndarray, truth: np.ndarray) -> float:
    """Mean squared difference."""
    return float(np.mean((np.asarray(probabilities, dtype=float) - np.asarray(truth, dtype=float)) ** 2))


@dataclass(frozen=True, kw_only=True)
class Reliability:
    """A reliability curve in K equal bins over [0, 1]; sums, so that curves of many cases add up."""

    count: np.ndarray
    """(K,) how many probabilities fell into each bin."""
    probability: np.ndarray
    """(K,) the sum of those probabilities."""
    true: np.ndarray
    """(K,) how many of them were true."""

    def __add__(self, other: Reliability) -> Reliability:
        return Reliability(
            count=self.count + other.count,
            probability=self.probability + other.probability,
            true=self.true + other.true,
        )

    @property
    def error(self) -> float:
        """Expected calibration error: the bins' distance between mean probability and frequency, weighted by count."""
        return float(np.abs(self.probability - self.true).sum() / max(int(self.count.sum()), 1))


def reliability(probabilities: np.ndarray, truth: np.ndarray, bins: int = 10) -> Reliability:
    """The reliability curve of probabilities."""
    probabilities = np.asarray(probabilities, dtype=float)
    at = np.minimum((probabilities * bins).astype(int), bins - 1)
    return Reliability(
        count=np.bincount(at, minlength=bins),
        probability=np.bincount(at, weights=probabilities, minlength=bins),
        true=np.bincount(at, weights=np.asarray(truth, dtype=float), minlength=bins),
    )
