"""What a method gives back. Shape letters: D variables."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np


@dataclass(frozen=True, kw_only=True)
class Answer:
    """A predicted graph over the columns a method was given."""

    adjacency: np.ndarray
    """(D, D) bool arcs; an undirected edge is both arcs."""
    scores: np.ndarray | None = None
    """(D, D) how strongly each arc is believed; None for methods that only decide."""
    probabilistic: bool = False
    """Whether the scores are meant as probabilities (then they are checked for calibration)."""
    confounding: np.ndarray | None = None
    """(D, D) symmetric: belief (0 or 1 for methods that only decide) that the pair has a hidden common cause."""

    def permuted(self, order: np.ndarray) -> Answer:
        """The answer for columns in another order: new column k is old column order[k]."""
        grid = np.ix_(order, order)
        return replace(
            self,
            adjacency=self.adjacency[grid],
            scores=None if self.scores is None else self.scores[grid],
            confounding=None if self.confounding is None else self.confounding[grid],
        )
