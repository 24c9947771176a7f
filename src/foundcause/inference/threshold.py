"""Where to cut edge probabilities: the paper's mixture rule, and the learned rule of our checkpoints.

Shapes: D variables, M = D (D - 1) / 2 pairs.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

import numpy as np

from foundcause.errors import CheckpointError

FALLBACK = 0.5
_CLIP = 1e-6


def mixture_threshold(probabilities: np.ndarray) -> float:
    """The paper's rule: where two Gaussians fitted to the pair logits cross.

    0.5 when there are fewer than four pairs, when the fit fails, or when the means are less than one logit apart;
    always within [0.1, 0.9]. ``probabilities`` is (D, D); of each pair the larger direction counts.
    """
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.mixture import GaussianMixture

    scores = _pair_scores(probabilities)
    if len(scores) < 4:
        return FALLBACK
    clipped = np.clip(scores, _CLIP, 1 - _CLIP)
    logits = np.log(clipped / (1 - clipped))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            mixture = GaussianMixture(n_components=2, random_state=42, max_iter=100).fit(logits[:, None])
    except ValueError:
        return FALLBACK
    means, spreads = mixture.means_.ravel(), np.sqrt(mixture.covariances_.ravel())
    low, high = np.argsort(means)
    if means[high] - means[low] < 1.0:
        return FALLBACK
    crossing = (means[low] * spreads[high] + means[high] * spreads[low]) / (spreads[low] + spreads[high])
    return float(np.clip(1 / (1 + np.exp(-crossing)), 0.1, 0.9))


def expected_f1_threshold(probabilities: np.ndarray) -> float:
    """The cut that maximises the expected F1 of the graph if the probabilities are right.

    Keeping the k most probable pairs is expected to be right ``sum(top k)`` times, so F1 is about
    ``2 sum(top k) / (k + sum(all))``. For the empty graph it is the chance that there is no edge at all. The cut lies
    half way between the last pair kept and the first one left out.
    """
    scores = np.sort(_pair_scores(probabilities))[::-1]
    if len(scores) == 0:
        return FALLBACK
    total = float(probabilities.sum() - np.trace(probabilities))
    k = np.arange(1, len(scores) + 1)
    expected = 2 * np.cumsum(scores) / (k + total)
    best = int(np.argmax(expected))
    none = float(np.prod(1 - np.minimum(_pair_sums(probabilities), 1.0)))
    if none > expected[best]:
        return float((scores[0] + 1.0) / 2)
    following = scores[best + 1] if best + 1 < len(scores) else 0.0
    return float((scores[best] + following) / 2)


@dataclass(frozen=True, kw_only=True)
class ThresholdRule:
    """A cut that adapts to the table: logit(cut) is linear in what is known of it, then clipped.

    The defaults are the expected-F1 cut itself. A checkpoint stores the coefficients chosen on the synthetic tasks of
    calibration in ``metadata["calibration"]["threshold"]``.

    intercept: constant part.
    expected_f1: coefficient of the logit of the expected-F1 cut.
    log_variables: coefficient of ln D.
    log_rows: coefficient of ln N.
    low, high: the cut never leaves [low, high].
    """

    intercept: float = 0.0
    expected_f1: float = 1.0
    log_variables: float = 0.0
    log_rows: float = 0.0
    low: float = 0.2
    high: float = 0.6

    def __post_init__(self) -> None:
        if not 0 < self.low <= self.high < 1:
            raise CheckpointError(f"threshold rule: low={self.low}, high={self.high} must satisfy 0 < low <= high < 1")
        if not all(np.isfinite(value) for value in asdict(self).values()):
            raise CheckpointError("threshold rule: every coefficient must be a finite number")

    @classmethod
    def from_metadata(cls, entries: Mapping[str, Any] | None) -> ThresholdRule:
        """The rule a checkpoint stores; the defaults when it stores none. Unknown entries are ignored."""
        entries = entries or {}
        try:
            return cls(**{f.name: float(entries[f.name]) for f in fields(cls) if f.name in entries})
        except (TypeError, ValueError) as error:
            raise CheckpointError(f"the checkpoint's threshold rule is damaged: {error}") from error

    def __call__(self, probabilities: np.ndarray, *, rows: int) -> float:
        """The cut for (D, D) probabilities of a table with ``rows`` rows."""
        start = np.clip(expected_f1_threshold(probabilities), 1e-3, 1 - 1e-3)
        logit = (
            self.intercept
            + self.expected_f1 * np.log(start / (1 - start))
            + self.log_variables * np.log(max(len(probabilities), 1))
            + self.log_rows * np.log(max(rows, 1))
        )
        return float(np.clip(1 / (1 + np.exp(-logit)), self.low, self.high))


def _pair_scores(probabilities: np.ndarray) -> np.ndarray:
    above = np.triu_indices(len(probabilities), 1)
    return np.maximum(probabilities, probabilities.T)[above]


def _pair_sums(probabilities: np.ndarray) -> np.ndarray:
    above = np.triu_indices(len(probabilities), 1)
    return (probabilities + probabilities.T)[above]
