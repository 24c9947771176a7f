"""The factored edge decoder: feature gate, existence and direction, and the head that blends logits (Section 3 (iii)).

Shape letters: B tasks, D variables, H width, P pair width, F features, S symmetric and A antisymmetric features.
"""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from foundcause.model.layers import MLP, difference, full_precision
from foundcause.model.pair_features import PairFeatures
from foundcause.paper.attention import san, split_linear
from foundcause.paper.config import PaperConfig

_LARGEST_LOGIT = 15.0
_ROLE_WEIGHT = 0.1


class FeatureGate(nn.Module):
    """Trust in each antisymmetric statistic of a pair, from both embeddings and all its statistics (Figure 1)."""

    def __init__(self, config: PaperConfig, features: PairFeatures) -> None:
        super().__init__()
        self.hidden = nn.Linear(config.width + features.count, config.gate_width)
        self.out = nn.Linear(config.gate_width, features.antisymmetric_count)

    def forward(self, nodes_BDH: Tensor, features_BDDF: Tensor) -> Tensor:
        """Gate values (B, D, D, A) in (0, 1) from normalised embeddings."""
        with full_precision(nodes_BDH):
            node, pair = split_linear(self.hidden, nodes_BDH.float(), features_BDDF.float())
            hidden = node.unsqueeze(2) - node.unsqueeze(1) + pair + self.hidden.bias
            return torch.sigmoid(self.out(F.gelu(hidden)))


class EdgeDecoder(nn.Module):
    """The hidden state [existence ; direction] of a pair (Section 3 (iii), Figure "Factored Edge Predictor").

    Existence reads sums, products, projected symmetric statistics and confounding; direction reads differences and
    projected, gated antisymmetric statistics.
    """

    def __init__(self, config: PaperConfig, features: PairFeatures) -> None:
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


class BlendHead(nn.Module):
    """Base and refined logits, each split into a learned skeleton and a direction, blended; plus the role score.

    Section 3 (iii); Appendix "Architecture Details", "Learned Skeleton Extraction".
    """

    def __init__(self, config: PaperConfig) -> None:
        super().__init__()
        width, role = config.width, config.role_width
        self.base = MLP(2 * width, width, 1)
        self.refined = nn.Linear(config.pair_width, 1)
        self.skeleton_map = nn.Linear(2, 1)
        self.existence_share = nn.Parameter(torch.tensor(0.0))
        self.direction_share = nn.Parameter(torch.tensor(0.847))
        self.scale = nn.Parameter(torch.tensor(0.0))
        self.parent = nn.Linear(width, role)
        self.child = nn.Linear(width, role)
        nn.init.xavier_uniform_(self.base.hidden.weight, gain=2.0)
        nn.init.normal_(self.base.out.weight, std=0.02)
        nn.init.constant_(self.base.out.bias, config.initial_logit)
        nn.init.zeros_(self.refined.weight)
        nn.init.constant_(self.refined.bias, config.initial_logit)
        with torch.no_grad():
            self.skeleton_map.weight.copy_(torch.tensor([[0.5, 0.0]]))
            self.skeleton_map.bias.zero_()

    def base_logits(self, hidden_BDDH: Tensor) -> Tensor:
        """Logits (B, D, D) of the decoder alone, 0 on the diagonal, not yet clipped."""
        with full_precision(hidden_BDDH):
            logits = self.base(hidden_BDDH.float()).squeeze(-1)
        return logits * off_diagonal(logits)

    def refined_logits(self, e_BDDP: Tensor) -> Tensor:
        """Logits (B, D, D) of the refined pair state, not yet clipped."""
        return self.refined(e_BDDP).squeeze(-1)

    def skeleton(self, logits_BDD: Tensor) -> Tensor:
        """The learned symmetric function w1 (l_ij + l_ji) + w2 l_ij l_ji + w0."""
        opposite = logits_BDD.transpose(1, 2)
        w_sum, w_product = self.skeleton_map.weight[0]
        return w_sum * (logits_BDD + opposite) + w_product * (logits_BDD * opposite) + self.skeleton_map.bias

    def forward(self, embeddings_BDH: Tensor, base_BDD: Tensor, refined_BDD: Tensor | None) -> Tensor:
        """Edge logits (B, D, D), diagonal and padding not masked; without refined logits the base ones count alone."""
        base = base_BDD.clamp(-_LARGEST_LOGIT, _LARGEST_LOGIT)
        role = _ROLE_WEIGHT * self._role(embeddings_BDH)
        if refined_BDD is None:
            return (base + role).clamp(-_LARGEST_LOGIT, _LARGEST_LOGIT)
        refined = refined_BDD.clamp(-_LARGEST_LOGIT, _LARGEST_LOGIT) * off_diagonal(refined_BDD)
        existence, direction = torch.sigmoid(self.existence_share), torch.sigmoid(self.direction_share)
        logits = existence * self.skeleton(refined) + (1.0 - existence) * self.skeleton(base)
        logits = logits + direction * difference(refined) + (1.0 - direction) * difference(base)
        logits = torch.sigmoid(self.scale).clamp(0.3, 0.7) * logits
        return (logits.clamp(-_LARGEST_LOGIT, _LARGEST_LOGIT) + role).clamp(-_LARGEST_LOGIT, _LARGEST_LOGIT)

    def _role(self, embeddings_BDH: Tensor) -> Tensor:
        parent, child = self.parent(embeddings_BDH), self.child(embeddings_BDH)
        score = parent @ child.transpose(1, 2) / math.sqrt(parent.shape[-1])
        return san(score, 100.0) * off_diagonal(score)


def off_diagonal(like_BDD: Tensor) -> Tensor:
    """0 on the diagonal, 1 elsewhere (D, D)."""
    return 1.0 - torch.eye(like_BDD.shape[-1], dtype=like_BDD.dtype, device=like_BDD.device)
