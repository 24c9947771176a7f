"""Probabilities once knowledge is taken into account. Shapes: D variables; leading axes are free.

When i -> j is impossible, the data speak only between j -> i and no edge. Being told an order makes the one direction
left twice as likely beforehand (before, the two directions shared the prior), so with e the probability of an edge and
q that of j -> i the new probability is ``2 q / (2 q + 1 - e)``. It equals e when the data could not tell the direction,
rises above e when they pointed to j -> i, falls when they pointed the other way, and is never below q.
"""

from __future__ import annotations

import numpy as np


def constrain(
    probabilities: np.ndarray, existence: np.ndarray, forbidden: np.ndarray, required: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Edge and existence probabilities (..., D, D) that respect the (D, D) bool masks."""
    one_way = ~forbidden & forbidden.T
    doubled = 2 * probabilities
    renormalised = doubled / np.maximum(doubled + 1 - np.minimum(existence, 1.0), 1e-300)
    edges = np.where(one_way, renormalised, probabilities)
    edges = np.where(forbidden, 0.0, edges)
    edges = np.where(required, 1.0, np.where(required.T, 0.0, edges))
    touched = forbidden | forbidden.T | required | required.T
    exists = np.where(touched, np.maximum(edges, np.swapaxes(edges, -1, -2)), existence)
    return edges, exists * ~np.eye(edges.shape[-1], dtype=bool)
