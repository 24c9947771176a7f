"""Pieces that several networks are built of.

Shape letters: B tasks, D variables.
Motifs, with k the third variable: chain i -> k -> j, fork i <- k -> j, collider i -> k <- j.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

MASKED_LOGIT = -30.0
"""Logit of impossible pairs: the diagonal and padding."""
MOTIFS = ("chain", "fork", "collider")


class MLP(nn.Module):
    """Linear, GELU, Linear."""

    def __init__(self, inputs: int, hidden: int, outputs: int) -> None:
        super().__init__()
        self.hidden = nn.Linear(inputs, hidden)
        self.out = nn.Linear(hidden, outputs)

    def forward(self, x: Tensor) -> Tensor:
        """Map (..., inputs) to (..., outputs)."""
        return self.out(F.gelu(self.hidden(x)))


def contract(motif: str, left: Tensor, right: Tensor) -> Tensor:
    """Sum over k of left and right (..., D, D): l_ik r_kj (chain), l_ki r_kj (fork) or l_ik r_jk (collider)."""
    if motif == "fork":
        left = left.transpose(-1, -2)
    elif motif == "collider":
        right = right.transpose(-1, -2)
    return left @ right


def full_precision(like: Tensor) -> torch.autocast:
    """Switch autocast off: the float32 islands of mixed-precision training."""
    return torch.autocast(device_type=like.device.type, enabled=False)


def valid_pairs(variables_BD: Tensor) -> Tensor:
    """Mark (B, D, D) the ordered pairs of two different real variables."""
    off_diagonal = ~torch.eye(variables_BD.shape[1], dtype=torch.bool, device=variables_BD.device)
    return variables_BD.unsqueeze(2) & variables_BD.unsqueeze(1) & off_diagonal


def difference(logits_BDD: Tensor) -> Tensor:
    """Subtract the opposite direction: exactly antisymmetric."""
    return logits_BDD - logits_BDD.transpose(1, 2)


def mean_with_transpose(logits_BDD: Tensor) -> Tensor:
    """Average both directions: exactly symmetric."""
    return 0.5 * (logits_BDD + logits_BDD.transpose(1, 2))
