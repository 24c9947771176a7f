"""What one forward pass returns.

Shape letters: B tasks, D variables, H width, P pair width, K confounder tokens, A antisymmetric features.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True, kw_only=True)
class Prediction:
    """Logits and the states behind them; ``[b, i, j]`` speaks of "i causes j".

    Impossible pairs (diagonal, padding) hold ``MASKED_LOGIT``, and 0 in the direction logits; networks of official
    weights leave edge and skeleton logits unmasked, as released.

    edge_logits: (B, D, D) that i causes j.
    existence_logits: (B, D, D) that an edge joins i and j in either direction; symmetric.
    direction_logits: (B, D, D) that an edge between i and j points to j; exactly antisymmetric.
    skeleton_logits: (B, D, D), the same as ``existence_logits``.
    confounding_logits: (B, D, D) that i and j share a hidden cause; symmetric but for official weights.
    pair_state: (B, D, D, P) after refinement.
    loadings: (B, D, K) of each variable on each confounder token, in (0, 1); None, like the next three, for networks
        whose evidence is ``direct``.
    embeddings: (B, D, H) of the variables.
    gate: (B, D, D, A) trust in each antisymmetric statistic.
    pooling_diversity: Scalar penalty for pooling queries that look alike.
    acyclicity: (B,) spectral radius of the edge probabilities; None unless asked for.
    base_logits: (B, D, D) of the decoder alone; None for the factored head.
    refined_logits: (B, D, D) of the pair state alone, unclipped; None for the factored head or without refinement.
    """

    edge_logits: Tensor
    existence_logits: Tensor
    direction_logits: Tensor
    confounding_logits: Tensor
    pair_state: Tensor
    loadings: Tensor | None = None
    embeddings: Tensor | None = None
    gate: Tensor | None = None
    pooling_diversity: Tensor | None = None
    acyclicity: Tensor | None = None
    base_logits: Tensor | None = None
    refined_logits: Tensor | None = None

    @property
    def skeleton_logits(self) -> Tensor:
        """The existence logits, under the paper's name."""
        return self.existence_logits

    @property
    def confounding(self) -> Tensor:
        """Confounding probabilities (B, D, D), symmetric for every network."""
        probabilities = torch.sigmoid(self.confounding_logits)
        return 0.5 * (probabilities + probabilities.transpose(1, 2))
