"""The encoder-conditioned gate on antisymmetric statistics.

Shape letters: B tasks, D variables, H width, F features, A antisymmetric features.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from foundcause.model.config import ModelConfig
from foundcause.model.features import PairFeatures
from foundcause.model.layers import full_precision, split_linear


class FeatureGate(nn.Module):
    """How far each antisymmetric statistic of a pair is to be trusted, from the embeddings and all its statistics."""

    def __init__(self, config: ModelConfig, features: PairFeatures) -> None:
        super().__init__()
        self.hidden = nn.Linear(config.width + features.count, config.gate_width)
        self.out = nn.Linear(config.gate_width, features.antisymmetric_count)

    def forward(self, nodes_BDH: Tensor, features_BDDF: Tensor) -> Tensor:
        """Gate values (B, D, D, A) in (0, 1) from normalised embeddings."""
        with full_precision(nodes_BDH):
            node, pair = split_linear(self.hidden, nodes_BDH.float(), features_BDDF.float())
            hidden = node.unsqueeze(2) - node.unsqueeze(1) + pair + self.hidden.bias
            return torch.sigmoid(self.out(F.gelu(hidden)))
