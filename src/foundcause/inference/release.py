"""The release's prediction step, exactly: probabilities averaged, mixture threshold, agreement; no acyclicity.

Kept apart from ``decode`` so that parity with the released tool can be checked number by number. Shapes: K runs, D.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from foundcause.inference.agreement import agreement, binarise
from foundcause.inference.temperature import sigmoid
from foundcause.inference.threshold import mixture_threshold

RELEASE_SEED = 42
RELEASE_ROWS = 5000


@dataclass(frozen=True, kw_only=True)
class ReleasePrediction:
    """What the released function returns: (D, D) arrays (the diagonal of ``probabilities`` is kept) and the cut."""

    adjacency: np.ndarray
    probabilities: np.ndarray
    agreement: np.ndarray
    threshold: float


def column_orders(variables: int, runs: int) -> np.ndarray:
    """(K, D) column order that each run sees."""
    return np.stack([np.random.RandomState(RELEASE_SEED + k).permutation(variables) for k in range(runs)])


def row_choice(rows: int, max_rows: int = RELEASE_ROWS) -> np.ndarray | None:
    """Rows that every run sees, or None for all."""
    if rows <= max_rows:
        return None
    return np.random.RandomState(RELEASE_SEED).choice(rows, max_rows, replace=False)


def release_predict(
    logits: np.ndarray, *, temperature: float = 1.0, threshold: float | None = None, min_agreement: float = 0.5
) -> ReleasePrediction:
    """The released decision on run logits (K, D, D) in table order."""
    single = sigmoid(np.asarray(logits, dtype=float) / temperature)
    probabilities = single.mean(axis=0)
    cut = mixture_threshold(probabilities) if threshold is None else threshold
    agreed = agreement(single, cut)
    adjacency = binarise(probabilities, cut) & (agreed >= min_agreement)
    return ReleasePrediction(adjacency=adjacency, probabilities=probabilities, agreement=agreed, threshold=cut)
