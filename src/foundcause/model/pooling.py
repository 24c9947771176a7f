"""Pooling each variable over its rows by multi-head attention (PMA) with a max-pool residual.

Shape letters: B tasks, N rows, D variables, Q queries, H width.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from foundcause.model.config import ModelConfig
from foundcause.model.encoder import row_keys
from foundcause.model.layers import MLP, attend, san

_HIDDEN_ROW = -1e4


class Pooling(nn.Module):
    """Learned queries attend to a variable's rows; their answer is blended with the maximum over rows."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        width, queries = config.width, config.pooling_queries
        self.heads = config.pooling_heads
        self.released = config.compatibility == "release"
        self.queries = nn.Parameter(torch.empty(queries, width).normal_(std=0.02))
        self.query_norm = nn.LayerNorm(width)
        self.query = nn.Linear(width, width)
        self.key_value = nn.Linear(width, 2 * width)
        self.out = nn.Linear(width, width)
        self.feed_norm = nn.LayerNorm(width)
        self.feed = MLP(width, 2 * width, width)
        self.merge = nn.Linear(queries * width, width)
        self.gate = nn.Parameter(torch.tensor(-2.0))

    def forward(
        self, z_BNDH: Tensor, observed_BND: Tensor, variables_BD: Tensor, *, max_only: bool = False
    ) -> tuple[Tensor, Tensor]:
        """Embeddings (B, D, H), zero for padded variables, and the diversity penalty (a scalar)."""
        z_BDNH = z_BNDH.transpose(1, 2)
        observed_BDN = observed_BND.transpose(1, 2)
        largest = z_BDNH.masked_fill(~observed_BDN.unsqueeze(-1), _HIDDEN_ROW).amax(2)
        if not self.released:  # a variable without an observed cell has no maximum
            largest = largest.masked_fill(~observed_BDN.any(2, keepdim=True), 0.0)
        keys_BDN = row_keys(observed_BND, variables_BD)
        keys = None if keys_BDN is None else keys_BDN[:, :, None, None, :].flatten(0, 1)
        k, v = self.key_value(z_BDNH.flatten(0, 1)).chunk(2, dim=-1)
        q = self.query(self.query_norm(self.queries)).expand(k.shape[0], -1, -1)
        pooled = self.out(attend(q, k, v, self.heads, keys)).unflatten(0, z_BDNH.shape[:2])
        pooled_BDQH = pooled + self.feed(self.feed_norm(pooled))
        share = torch.zeros_like(self.gate) if max_only else torch.sigmoid(self.gate)
        merged = share * self.merge(pooled_BDQH.flatten(-2)) + (1.0 - share) * largest
        embeddings = san(merged, 5000.0) * variables_BD.unsqueeze(-1)
        return embeddings, self._diversity(pooled_BDQH, variables_BD)

    def _diversity(self, pooled_BDQH: Tensor, variables_BD: Tensor) -> Tensor:
        direction = F.normalize(pooled_BDQH.float(), dim=-1, eps=1e-8)
        cosine = direction @ direction.transpose(-1, -2)
        off = ~torch.eye(cosine.shape[-1], dtype=torch.bool, device=cosine.device)
        excess_BD = (F.relu(cosine - 0.5).square() * off).mean((-1, -2))
        if self.released:
            return excess_BD.mean()
        return (excess_BD * variables_BD).sum() / variables_BD.sum().clamp(min=1)
