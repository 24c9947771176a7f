"""From logits to calibrated probabilities, and where to cut them.

Shapes: K passes, D variables, M = D (D - 1) / 2 pairs; leading axes are free.
"""

from __future__ import annotations

import numpy as np

from foundcause.model.calibration import Calibration, CutCoefficients

LOWEST_CUT, HIGHEST_CUT = 0.25, 0.8
"""Policy: below, tables without information would show edges for want of better ones."""
CONFOUNDING_CUT = 0.5
"""Policy: from which probability on a confounded pair is reported."""
FALLBACK_CUT = 0.5


def factored_probabilities(existence: np.ndarray, direction: np.ndarray, calibration: Calibration) -> np.ndarray:
    """P(i causes j) = P(an edge joins i and j) P(it points to j | it exists); both directions sum to existence."""
    exists = sigmoid((existence + calibration.edge_bias) / calibration.edge_temperature)
    return _without_diagonal(exists * sigmoid(direction / calibration.direction_temperature))


def joint_probabilities(edges: np.ndarray, calibration: Calibration) -> np.ndarray:
    """P(i causes j) from edge logits alone: the directions are independent chances first, then rivals.

    With a and b the probabilities of the two directions, an edge exists with 1 - (1-a)(1-b) and points to j with
    a / (a + b).
    """
    one = sigmoid((edges + calibration.edge_bias) / calibration.edge_temperature)
    other = np.swapaxes(one, -1, -2)
    exists = one + other - one * other
    return _without_diagonal(exists * one / np.maximum(one + other, 1e-300))


def confounding_probabilities(logits: np.ndarray, calibration: Calibration) -> np.ndarray:
    """Symmetric probabilities of a shared hidden cause, zero on the diagonal."""
    probabilities = sigmoid((logits + calibration.confounding_bias) / calibration.confounding_temperature)
    return _without_diagonal((probabilities + np.swapaxes(probabilities, -1, -2)) / 2)


def sigmoid(logits: np.ndarray) -> np.ndarray:
    """Logistic function that neither overflows nor warns."""
    return 0.5 * (1 + np.tanh(0.5 * np.asarray(logits, dtype=float)))


def expected_f1_cut(probabilities: np.ndarray) -> float:
    """Find the cut that maximizes the expected F1 of the graph if the probabilities are right.

    Keeping the k most probable pairs is expected to be right ``sum(top k)`` times, so F1 is about
    ``2 sum(top k) / (k + sum(all))``. For the empty graph it is the chance that there is no edge at all. The cut lies
    half way between the last pair kept and the first one left out.
    """
    scores = np.sort(pair_scores(probabilities))[::-1]
    if len(scores) == 0:
        return FALLBACK_CUT
    total = float(probabilities.sum() - np.trace(probabilities))
    k = np.arange(1, len(scores) + 1)
    expected = 2 * np.cumsum(scores) / (k + total)
    best = int(np.argmax(expected))
    sums = (probabilities + probabilities.T)[np.triu_indices(len(probabilities), 1)]
    none = float(np.prod(1 - np.minimum(sums, 1.0)))
    if none > expected[best]:
        return float((scores[0] + 1.0) / 2)
    following = scores[best + 1] if best + 1 < len(scores) else 0.0
    return float((scores[best] + following) / 2)


def learned_cut(probabilities: np.ndarray, coefficients: CutCoefficients, *, rows: int) -> float:
    """Cut (D, D) probabilities of a table with so many rows by the coefficients of a checkpoint, within the policy."""
    start = np.clip(expected_f1_cut(probabilities), 1e-3, 1 - 1e-3)
    logit = (
        coefficients.intercept
        + coefficients.expected_f1 * np.log(start / (1 - start))
        + coefficients.log_variables * np.log(max(len(probabilities), 1))
        + coefficients.log_rows * np.log(max(rows, 1))
    )
    return float(np.clip(1 / (1 + np.exp(-logit)), LOWEST_CUT, HIGHEST_CUT))


def pair_scores(probabilities: np.ndarray) -> np.ndarray:
    """Of each unordered pair the larger direction (M,)."""
    return np.maximum(probabilities, probabilities.T)[np.triu_indices(len(probabilities), 1)]


def _without_diagonal(matrices: np.ndarray) -> np.ndarray:
    return matrices * ~np.eye(matrices.shape[-1], dtype=bool)
