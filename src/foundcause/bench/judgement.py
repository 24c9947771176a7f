"""All metrics of one answer, scores as rankings and as probabilities, and uncertainty over data sets.

Shape letters: D variables, K bins.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.stats import rankdata

from foundcause.bench.case import Answer, Case
from foundcause.bench.graph_metrics import (
    counts,
    directed_f1,
    directed_precision_recall,
    half_credit_f1,
    is_dag,
    parent_aid,
    shd_cpdag,
    shd_entries,
    shd_pairs,
    skeleton_f1,
)
from foundcause.errors import InputError

Metrics = dict[str, float | int | list[float] | None]


def judge(answer: Answer, case: Case) -> Metrics:
    """Every metric of an answer in the case's column order."""
    predicted, true = answer.adjacency, case.adjacency
    scores = predicted.astype(float) if answer.scores is None else answer.scores
    count = counts(predicted, true)
    precision, recall = directed_precision_recall(predicted, true)
    entries, pairs = shd_entries(predicted, true), shd_pairs(predicted, true)
    result: Metrics = {
        "f1": directed_f1(predicted, true),
        "precision": precision,
        "recall": recall,
        "skeleton_f1": skeleton_f1(predicted, true),
        "auroc": auroc(off_diagonal(scores), off_diagonal(true)),
        "auroc_binary": auroc(off_diagonal(predicted), off_diagonal(true)),
        "auprc": auprc(off_diagonal(scores), off_diagonal(true)),
        "shd_entries": entries,
        "shd_entries_per_d": entries / case.variables,
        "shd_pairs": pairs,
        "shd_pairs_per_d": pairs / case.variables,
        "shd_cpdag": shd_cpdag(predicted, true),
        "f1_half_credit": half_credit_f1(predicted, true),
        "parent_aid": parent_aid(predicted, true),
        "true": count.true,
        "found": count.found,
        "oriented": count.oriented,
        "extra": count.extra,
        "both": count.both,
        "acyclic": int(is_dag(predicted)),
    }
    if answer.probabilistic and answer.scores is not None:
        curve = reliability(off_diagonal(answer.scores), off_diagonal(true))
        result["ece"] = curve.error
        result["brier"] = brier(off_diagonal(answer.scores), off_diagonal(true))
        result["reliability_count"] = [float(x) for x in curve.count]
        result["reliability_probability"] = [round(float(x), 6) for x in curve.probability]
        result["reliability_true"] = [float(x) for x in curve.true]
    if case.confounding is not None and answer.confounding is not None:
        truth = upper(case.confounding)
        hidden = upper(answer.confounding).astype(float)
        result["confounding_auroc"] = auroc(hidden, truth)
        result["confounding_auprc"] = auprc(hidden, truth)
        result["confounding_brier"] = brier(hidden, truth)
        result["confounding_base_rate"] = float(np.mean(truth))
    return result


def judge_pair(answer: Answer, case: Case) -> dict[str, float | int]:
    """Whether the direction is right.

    The two scores decide when the method has scores, else its arcs. ``correct`` counts an undecided pair as wrong (as
    the paper's row for NOTEARS must have); ``correct_or_coin`` gives it one half.
    """
    belief = answer.adjacency.astype(float) if answer.scores is None else answer.scores
    forward = float(belief[0, 1] - belief[1, 0])
    decided = forward != 0.0
    right = decided and (forward > 0) == bool(case.adjacency[0, 1])
    return {
        "correct": int(right),
        "correct_or_coin": float(right) if decided else 0.5,
        "decided": int(decided),
        "confidence": abs(forward),
        "weight": case.weight,
    }


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


RESAMPLES = 2000


@dataclass(frozen=True, kw_only=True)
class Interval:
    """A mean with its bootstrap percentile interval."""

    mean: float
    low: float
    high: float


def mean_interval(
    values: np.ndarray, *, weights: np.ndarray | None = None, seed: int = 0, level: float = 0.95
) -> Interval:
    """Mean over data sets (weighted when asked), and the interval from resampling the data sets."""
    values = np.asarray(values, dtype=float)
    weights = np.ones(len(values)) if weights is None else np.asarray(weights, dtype=float)
    if not values.size:
        raise InputError("a confidence interval needs at least one value")
    rng = np.random.default_rng(seed)
    drawn = rng.integers(len(values), size=(RESAMPLES, len(values)))
    means = (values * weights)[drawn].sum(axis=1) / weights[drawn].sum(axis=1)
    low, high = np.quantile(means, [(1 - level) / 2, (1 + level) / 2])
    return Interval(mean=float(np.average(values, weights=weights)), low=float(low), high=float(high))


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """A method against another on the same data sets."""

    difference: Interval
    """Mean of first minus second."""
    wins: int
    """Data sets on which the first is higher."""
    ties: int
    losses: int
    p: float
    """Two-sided sign-flip test of no difference: exact up to 14 data sets, else 20,000 random flips."""


def paired(first: np.ndarray, second: np.ndarray, *, seed: int = 0) -> Comparison:
    """Compare per-data-set scores of two methods in the same order."""
    first, second = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    if first.shape != second.shape:
        raise InputError(f"paired comparison of {first.shape} with {second.shape}: use the data sets both have")
    difference = first - second
    return Comparison(
        difference=mean_interval(difference, seed=seed),
        wins=int((difference > 1e-12).sum()),
        ties=int((np.abs(difference) <= 1e-12).sum()),
        losses=int((difference < -1e-12).sum()),
        p=_sign_flip(difference, seed),
    )


def _sign_flip(difference: np.ndarray, seed: int) -> float:
    size = len(difference)
    if size <= 14:
        signs = 1 - 2 * ((np.arange(2**size)[:, None] >> np.arange(size)) & 1)
    else:
        signs = np.random.default_rng(seed).choice([-1, 1], size=(20_000, size))
        signs[0] = 1  # what was observed is one of the ways signs can fall, so p is never 0
    flipped = np.abs((signs * difference).mean(axis=1))
    return float((flipped >= abs(difference.mean()) - 1e-12).mean())
