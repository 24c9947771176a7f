"""From averaged logits to calibrated probabilities. Shapes: K passes, D variables; leading axes are free.

A checkpoint stores its calibration in ``metadata["calibration"]``; without one, logits are taken as they are.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from foundcause.errors import CheckpointError
from foundcause.inference.threshold import ThresholdRule


@dataclass(frozen=True, kw_only=True)
class Calibration:
    """How logits become probabilities: p = sigmoid((logit + bias) / temperature).

    edge_temperature, edge_bias: of "an edge joins i and j" (of "i causes j" for the released weights).
    direction_temperature: of "the edge points to j".
    confounding_temperature, confounding_bias: of "i and j share a hidden cause".
    confounding_threshold: from which probability on a hidden common cause is reported.
    threshold: rule that cuts edge probabilities.
    """

    edge_temperature: float = 1.0
    edge_bias: float = 0.0
    direction_temperature: float = 1.0
    confounding_temperature: float = 1.0
    confounding_bias: float = 0.0
    confounding_threshold: float = 0.5
    threshold: ThresholdRule = field(default_factory=ThresholdRule)

    def __post_init__(self) -> None:
        for name in ("edge_temperature", "direction_temperature", "confounding_temperature"):
            value = getattr(self, name)
            if not (np.isfinite(value) and value > 0):
                raise CheckpointError(f"the checkpoint's calibration has {name}={value}; it must be positive")
        if not 0 < self.confounding_threshold < 1:
            raise CheckpointError(f"confounding threshold {self.confounding_threshold} must lie between 0 and 1")

    @classmethod
    def from_metadata(cls, metadata: Mapping[str, Any]) -> Calibration:
        """The calibration of a checkpoint's metadata; identity where entries are absent."""
        entries = metadata.get("calibration") or {}
        confounding = entries.get("confounding") or {}
        try:
            return cls(
                edge_temperature=float(entries.get("edge_temperature", 1.0)),
                edge_bias=float(entries.get("edge_bias", 0.0)),
                direction_temperature=float(entries.get("direction_temperature", 1.0)),
                confounding_temperature=float(confounding.get("temperature", 1.0)),
                confounding_bias=float(confounding.get("bias", 0.0)),
                confounding_threshold=float(confounding.get("threshold", 0.5)),
                threshold=ThresholdRule.from_metadata(entries.get("threshold")),
            )
        except (TypeError, ValueError, AttributeError) as error:
            raise CheckpointError(f"the checkpoint's calibration is damaged: {error}") from error


def factored_probabilities(existence: np.ndarray, direction: np.ndarray, calibration: Calibration) -> np.ndarray:
    """P(i causes j) = P(an edge joins i and j) P(it points to j | it exists); both directions sum to existence."""
    exists = sigmoid((existence + calibration.edge_bias) / calibration.edge_temperature)
    return _without_diagonal(exists * sigmoid(direction / calibration.direction_temperature))


def joint_probabilities(edges: np.ndarray, calibration: Calibration) -> np.ndarray:
    """For the released weights: the two directions taken as independent chances, then as rivals.

    With a and b the probabilities of the two directions, an edge exists with 1 - (1-a)(1-b) and points to j with
    a / (a + b).
    """
    one = sigmoid((edges + calibration.edge_bias) / calibration.edge_temperature)
    other = np.swapaxes(one, -1, -2)
    exists = one + other - one * other
    return _without_diagonal(exists * one / np.maximum(one + other, 1e-300))


def confounding_probabilities(logits: np.ndarray, calibration: Calibration) -> np.ndarray:
    """Symmetric probabilities of a shared hidden cause, zero on the diagonal."""
    found = sigmoid((logits + calibration.confounding_bias) / calibration.confounding_temperature)
    return _without_diagonal((found + np.swapaxes(found, -1, -2)) / 2)


def sigmoid(logits: np.ndarray) -> np.ndarray:
    """Logistic function that neither overflows nor warns."""
    return 0.5 * (1 + np.tanh(0.5 * np.asarray(logits, dtype=float)))


def _without_diagonal(matrices: np.ndarray) -> np.ndarray:
    return matrices * ~np.eye(matrices.shape[-1], dtype=bool)
