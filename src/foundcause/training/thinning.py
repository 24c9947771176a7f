"""Fewer large tasks that count more: the same objective, learned from with less noise a second.

A task of D variables costs about D squared to learn from, but its gradient, a mean over its pairs and edges, is far
less noisy than that of a pair. The sum of weighted gradients has the least variance for its cost when a task is drawn
in proportion to the deviation of its gradient over the root of its cost, which falls nearly as 1 / D
(docs/training.md).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from foundcause.simulate.make import drawn_size
from foundcause.training.prepare import Prepared, Recipe

_KEEP_ROLE = 4  # apart from the draws of train.prepare


@dataclass(frozen=True)
class Thinning:
    """Tasks of D variables are kept (2 / D) ** exponent as often as the mixture draws them, and weigh the inverse."""

    exponent: float

    def keeps(self, recipe: Recipe, index: int) -> bool:
        """Whether a task is learned from; known from its drawn size, before it is simulated."""
        if not self.exponent:
            return True
        weight = self._weight(drawn_size(recipe.mixture, recipe.seed, index))
        return bool(np.random.default_rng([recipe.seed, index, _KEEP_ROLE]).random() * weight < 1.0)

    def weight(self, item: Prepared) -> float:
        """How many tasks of the mixture this one stands for."""
        return self._weight(item.record["variables"]) if self.exponent else 1.0

    def _weight(self, variables: int) -> float:
        return float((variables / 2) ** self.exponent)
