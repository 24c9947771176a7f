"""The inference protocols of the paper (Appendix "Inference Protocol") and of the released tool.

The paper: K = 10 runs, each a bootstrap of the rows and a permutation of the variables; logits averaged; temperature
0.65; a threshold where two Gaussians fitted to the logits cross; edges that stand in half of the runs; greedy
acyclicity. The released tool draws no bootstrap, averages probabilities, and leaves cycles unless it is told not to.
Every part is a field of ``Protocol``, so that each can be ablated: ``replace(PAPER, temperature=1.0)``.
Shapes: K runs, D variables.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np

from foundcause.inference.decoding import agreement, binarize
from foundcause.inference.probabilities import FALLBACK_CUT, pair_scores, sigmoid
from foundcause.inference.protocols import Protocol

RELEASE_SEED = 42
RELEASE_ROWS = 5000
TEMPERATURE = 0.65
_CLIP = 1e-6


def mixture_threshold(probabilities: np.ndarray) -> float:
    """Threshold where two Gaussians fitted to the pair logits cross (Appendix "Inference Protocol").

    0.5 when there are fewer than four pairs, when the fit fails, or when the means are less than one logit apart;
    always within [0.1, 0.9]. ``probabilities`` is (D, D); of each pair the larger direction counts.
    """
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.mixture import GaussianMixture

    scores = pair_scores(probabilities)
    if len(scores) < 4:
        return FALLBACK_CUT
    clipped = np.clip(scores, _CLIP, 1 - _CLIP)
    logits = np.log(clipped / (1 - clipped))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            mixture = GaussianMixture(n_components=2, random_state=42, max_iter=100).fit(logits[:, None])
    except ValueError:
        return FALLBACK_CUT
    means, spreads = mixture.means_.ravel(), np.sqrt(mixture.covariances_.ravel())
    low, high = np.argsort(means)
    if means[high] - means[low] < 1.0:
        return FALLBACK_CUT
    crossing = (means[low] * spreads[high] + means[high] * spreads[low]) / (spreads[low] + spreads[high])
    return float(np.clip(1 / (1 + np.exp(-crossing)), 0.1, 0.9))


def released_draws(rows: int, variables: int, runs: int) -> tuple[np.ndarray | None, np.ndarray]:
    """Rows that every run of the released tool sees (None for all) and the column order (K, D) of each."""
    chosen = None
    if rows > RELEASE_ROWS:
        chosen = np.random.RandomState(RELEASE_SEED).choice(rows, RELEASE_ROWS, replace=False)
    orders = np.stack([np.random.RandomState(RELEASE_SEED + k).permutation(variables) for k in range(runs)])
    return chosen, orders


PAPER = Protocol(
    name="paper",
    n_passes=10,
    resampling="bootstrap",
    permute=True,
    temperature=TEMPERATURE,
    cut=mixture_threshold,
    acyclicity="greedy",
)
RELEASE = Protocol(
    name="release",
    n_passes=10,
    resampling="none",
    permute=True,
    draws=released_draws,
    average="probabilities",
    temperature=TEMPERATURE,
    cut=mixture_threshold,
    acyclicity="greedy",
)


@dataclass(frozen=True, kw_only=True)
class ReleasePrediction:
    """What the released function returns: (D, D) arrays (the diagonal of ``probabilities`` is kept) and the cut."""

    adjacency: np.ndarray
    probabilities: np.ndarray
    agreement: np.ndarray
    threshold: float


def release_predict(
    logits: np.ndarray, *, temperature: float = 1.0, threshold: float | None = None, min_agreement: float = 0.5
) -> ReleasePrediction:
    """Decide on run logits (K, D, D) in table order exactly as the released function does; cycles may remain."""
    single = sigmoid(np.asarray(logits, dtype=float) / temperature)
    probabilities = single.mean(axis=0)
    cut = mixture_threshold(probabilities) if threshold is None else threshold
    agreed = agreement(single, cut)
    adjacency = binarize(probabilities, cut) & (agreed >= min_agreement)
    return ReleasePrediction(adjacency=adjacency, probabilities=probabilities, agreement=agreed, threshold=cut)


def greedy_dag(probabilities: np.ndarray, threshold: float) -> np.ndarray:
    """Post-process as the release does (Appendix "Acyclicity"): most probable first, each unless it closes a cycle."""
    from foundcause.inference.acyclicity import greedy_acyclic

    D = len(probabilities)
    candidates = [
        (probabilities[i, j], i, j) for i in range(D) for j in range(D) if i != j and probabilities[i, j] > threshold
    ]
    weights = np.zeros((D, D))
    for rank, (_, i, j) in enumerate(sorted(candidates)):
        weights[i, j] = rank + 1.0
    return greedy_acyclic(weights)
