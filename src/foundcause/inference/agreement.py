"""Binary graphs of single passes, and how far passes agree. Shapes: K passes, D variables."""

from __future__ import annotations

import numpy as np


def binarise(probabilities: np.ndarray, threshold: float) -> np.ndarray:
    """(..., D, D) bool: of each pair over the threshold (strictly), the likelier direction (ties: the first)."""
    reverse = np.swapaxes(probabilities, -1, -2)
    D = probabilities.shape[-1]
    first = np.triu(np.ones((D, D), dtype=bool), 1)
    wins = np.where(first, probabilities >= reverse, probabilities > reverse)
    return wins & (np.maximum(probabilities, reverse) > threshold) & ~np.eye(D, dtype=bool)


def agreement(passes: np.ndarray, threshold: float) -> np.ndarray:
    """(D, D) share of the K passes (K, D, D) whose binary graph holds each edge."""
    return binarise(passes, threshold).mean(axis=0)
