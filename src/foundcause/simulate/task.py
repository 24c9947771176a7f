"""What the simulator makes. Shapes: N rows, D observed variables, V all variables of a scene (hidden ones too)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np


@dataclass(frozen=True, kw_only=True)
class Scene:
    """Samples of a whole causal model, before anything is hidden or spoiled.

    values: (N, V) samples, float32 or float64.
    graph: (V, V) bool, acyclic; ``graph[i, j]`` means i causes j.
    hidden: (V,) bool, variables that the table will not show.
    confounded: (V, V) bool, symmetric; pairs with a shared cause that is no node of the graph (correlated noise).
    discrete: (V,) bool, columns whose values are codes or counts and must not be perturbed as continuous ones.
    record: how the scene was made, JSON-ready.
    """

    values: np.ndarray
    graph: np.ndarray
    hidden: np.ndarray
    confounded: np.ndarray
    discrete: np.ndarray
    record: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Task:
    """One table with its right answer.

    values: (N, D) float32, 0 where unobserved.
    observed: (N, D) bool.
    adjacency: (D, D) bool; ``adjacency[i, j]`` means i causes j directly, or through hidden variables only.
    confounding: (D, D) bool, symmetric with an empty diagonal; the pair shares a hidden cause.
    record: how the task was made (path or world, mechanisms, artefacts applied, ...), JSON-ready.
    """

    values: np.ndarray
    observed: np.ndarray
    adjacency: np.ndarray
    confounding: np.ndarray
    record: dict[str, Any] = field(default_factory=dict)
