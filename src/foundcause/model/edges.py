"""The factored edge decoder: symmetric evidence for existence, antisymmetric evidence for direction.

Shape letters: B tasks, D variables, H width, S symmetric and A antisymmetric features.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from foundcause.model.config import ModelConfig
from foundcause.model.features import PairFeatures
from foundcause.model.layers import full_precision, split_linear


class EdgeDecoder(nn.Module):
    """The pair hidden state [existence ; direction]."""

    def __init__(self, config: ModelConfig, features: PairFeatures) -> None:
        super().__init__()
        width, projected = config.width, config.role_width
        self.symmetric = nn.Linear(len(features.symmetric), projected)
        self.antisymmetric = nn.Linear(features.antisymmetric_count, projected)
        self.existence = nn.Linear(2 * width + projected + 1, width)
        self.direction = nn.Linear(width + projected, width)

    def forward(
        self, nodes_BDH: Tensor, symmetric_BDDS: Tensor, gated_BDDA: Tensor, confounding_BDD: Tensor, *, directed: bool
    ) -> Tensor:
        """Hidden state (B, D, D, 2H), diagonal included; ``directed=False`` zeroes the direction half."""
        symmetric = F.gelu(self.symmetric(symmetric_BDDS))
        antisymmetric = F.gelu(self.antisymmetric(gated_BDDA))
        with full_precision(nodes_BDH):
            nodes = nodes_BDH.float()
            product = nodes.unsqueeze(2) * nodes.unsqueeze(1)
            pair = torch.cat([product, symmetric.float(), confounding_BDD.float().unsqueeze(-1)], dim=-1)
            total, rest = split_linear(self.existence, nodes, pair)
            existence = F.gelu(total.unsqueeze(2) + total.unsqueeze(1) + rest + self.existence.bias)
            own, rest = split_linear(self.direction, nodes, antisymmetric.float())
            direction = F.gelu(own.unsqueeze(2) - own.unsqueeze(1) + rest + self.direction.bias)
            if not directed:
                direction = torch.zeros_like(direction)
            return torch.cat([existence, direction], dim=-1)
