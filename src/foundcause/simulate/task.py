"""Scene, draft and task. Shapes: N rows, D observed columns, V nodes of a scene."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from foundcause.simulate.extension import Component
    from foundcause.simulate.settings import Mixture


@dataclass(frozen=True, kw_only=True)
class Scene:
    """Samples of a complete causal model, before anything is hidden or corrupted.

    values: (N, V) samples, float32 or float64.
    graph: (V, V) bool, acyclic. ``graph[i, j]`` means i causes j.
    hidden: (V,) bool, variables that the table will not show.
    confounded: (V, V) bool, symmetric. Pairs with a shared cause that is no node of the graph (correlated noise).
    discrete: (V,) bool, columns of codes or counts, which must not be perturbed as continuous ones.
    record: how the scene was made, JSON-ready.
    """

    values: np.ndarray
    graph: np.ndarray
    hidden: np.ndarray
    confounded: np.ndarray
    discrete: np.ndarray
    record: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Column:
    """A further column (N,), computed from those at the positions ``sources``. NaN where one of them is."""

    values: np.ndarray
    discrete: bool
    sources: tuple[int, ...] = ()


@dataclass(kw_only=True)
class Draft:
    """A table on its way from scene to task, which corruptions change in place.

    mixture, component: the mixture, and the component of the scene.
    values: (N, D), NaN where the component itself leaves a cell empty.
    discrete: (D,) bool.
    adjacency, confounding: (D, D) bool labels.
    easy: the scene asks to be left alone by the paper's artifacts.
    reserved: columns that each corruption has reserved for itself, by its name.
    applied: names of what was done to some columns.
    counts: figures for the record of the task.
    sources: columns from which a column was computed, by its position.
    """

    mixture: Mixture
    component: Component
    values: np.ndarray
    discrete: np.ndarray
    adjacency: np.ndarray
    confounding: np.ndarray
    easy: bool = False
    reserved: dict[str, int] = field(default_factory=dict)
    applied: list[str] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)
    sources: dict[int, tuple[int, ...]] = field(default_factory=dict)

    def append(self, columns: list[Column]) -> None:
        """Add columns that only their sources cause."""
        first = self.values.shape[1]
        self.values = np.column_stack([self.values, *(column.values for column in columns)])
        self.discrete = np.concatenate([self.discrete, [column.discrete for column in columns]])
        labels = (np.pad(each, (0, len(columns))) for each in (self.adjacency, self.confounding))
        self.adjacency, self.confounding = labels
        for position, column in enumerate(columns, start=first):
            if column.sources:
                self.sources[position] = column.sources
                self.adjacency[list(column.sources), position] = True


@dataclass(frozen=True, kw_only=True)
class Task:
    """One table with its right answer.

    values: (N, D) float32, 0 where unobserved.
    observed: (N, D) bool.
    adjacency: (D, D) bool. ``adjacency[i, j]`` means i causes j directly, or through hidden variables only.
    confounding: (D, D) bool, symmetric with an empty diagonal. The pair shares a hidden cause.
    record: how the task was made (component, mechanisms, corruptions, ...), JSON-ready.
    """

    values: np.ndarray
    observed: np.ndarray
    adjacency: np.ndarray
    confounding: np.ndarray
    record: dict[str, Any] = field(default_factory=dict)
