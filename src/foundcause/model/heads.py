"""From pair states to logits: the paper's blend, and a head that factors edges into existence and direction.

Shape letters: B tasks, D variables, P pair width, H width.
"""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from foundcause.model.config import ModelConfig
from foundcause.model.layers import MLP, full_precision, san

_LARGEST_LOGIT = 15.0
_ROLE_WEIGHT = 0.1


class BlendHead(nn.Module):
    """Base and refined logits, each split into a learned skeleton and a direction, blended; plus the role score."""

    def __init__(self, config: ModelConfig) -> None:
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
        return logits * _off_diagonal(logits)

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
        refined = refined_BDD.clamp(-_LARGEST_LOGIT, _LARGEST_LOGIT) * _off_diagonal(refined_BDD)
        existence, direction = torch.sigmoid(self.existence_share), torch.sigmoid(self.direction_share)
        logits = existence * self.skeleton(refined) + (1.0 - existence) * self.skeleton(base)
        logits = logits + direction * _difference(refined) + (1.0 - direction) * _difference(base)
        logits = torch.sigmoid(self.scale).clamp(0.3, 0.7) * logits
        return (logits.clamp(-_LARGEST_LOGIT, _LARGEST_LOGIT) + role).clamp(-_LARGEST_LOGIT, _LARGEST_LOGIT)

    def _role(self, embeddings_BDH: Tensor) -> Tensor:
        parent, child = self.parent(embeddings_BDH), self.child(embeddings_BDH)
        score = parent @ child.transpose(1, 2) / math.sqrt(parent.shape[-1])
        return san(score, 100.0) * _off_diagonal(score)


class FactoredHead(nn.Module):
    """Existence from symmetric combinations of e_ij and e_ji, direction from a difference, confounding likewise."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        width = config.pair_width
        self.norm = nn.LayerNorm(width)
        self.symmetric = MLP(2 * width, width, 2)
        # Without bias: a constant in the direction logit would let the loss be met by saying "both".
        self.direction = nn.Sequential(nn.Linear(width, width), nn.GELU(), nn.Linear(width, 1, bias=False))
        nn.init.normal_(self.symmetric.out.weight, std=0.02)
        with torch.no_grad():
            self.symmetric.out.bias.copy_(torch.tensor([config.initial_logit, 0.0]))

    def forward(self, e_BDDP: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Existence (symmetric), direction (antisymmetric) and confounding (symmetric) logits, each (B, D, D)."""
        with full_precision(e_BDDP):
            e = self.norm(e_BDDP.float())
            opposite = e.transpose(1, 2)
            existence, confounding = self.symmetric(torch.cat([e + opposite, e * opposite], dim=-1)).unbind(-1)
            direction = _difference(self.direction(e).squeeze(-1))
            # Equal in exact arithmetic already; products over reordered rows may differ in the last bit.
            return _mean_with_transpose(existence), direction, _mean_with_transpose(confounding)


def joint_logit(existence: Tensor, direction: Tensor) -> Tensor:
    """logit(sigmoid(existence) * sigmoid(direction)), exact in both tails."""
    present = F.logsigmoid(existence)
    probability = present + F.logsigmoid(direction)
    complement = torch.logaddexp(F.logsigmoid(-existence), present + F.logsigmoid(-direction))
    return probability - complement


def _difference(logits_BDD: Tensor) -> Tensor:
    return logits_BDD - logits_BDD.transpose(1, 2)


def _mean_with_transpose(logits_BDD: Tensor) -> Tensor:
    return 0.5 * (logits_BDD + logits_BDD.transpose(1, 2))


def _off_diagonal(like_BDD: Tensor) -> Tensor:
    return 1.0 - torch.eye(like_BDD.shape[-1], dtype=like_BDD.dtype, device=like_BDD.device)
