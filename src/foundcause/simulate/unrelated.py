"""Tables in which nothing has to do with anything: a network that never saw one finds edges in noise. N rows.

The columns are those of another component, so that no marginal gives such a table away; their rows are shuffled apart.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

import numpy as np

from foundcause.simulate.settings import WORLD_NAMES
from foundcause.simulate.task import Scene

NAME = "unrelated"
SOURCES = ("dowhy", "diverse", "discrete", *WORLD_NAMES)
"""Components whose columns are taken; pairs have unrelated ones of their own."""


def choose_source(rng: np.random.Generator, weights: Mapping[str, float]) -> str:
    """The component whose columns are taken apart, one that the mixture has if it can be."""
    present = [name for name in SOURCES if weights.get(name, 0.0) > 0.0] or list(SOURCES)
    return str(rng.choice(present))


def take_apart(rng: np.random.Generator, scene: Scene) -> Scene:
    """The scene with the rows of every column shuffled on their own, and so without edges and hidden causes."""
    values = rng.permuted(scene.values, axis=0)
    nothing = np.zeros_like(scene.graph)
    return dataclasses.replace(scene, values=values, graph=nothing, confounded=nothing.copy())
