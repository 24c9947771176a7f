"""Triangular refinement of the pair state (Section 3, "Triangular Refinement"; Appendix "Architecture Details").

Shape letters: B tasks, D variables, P pair width.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from foundcause.model.layers import MOTIFS, contract, full_precision, valid_pairs
from foundcause.paper.attention import MultiHeadAttention, san, some_key
from foundcause.paper.config import PaperConfig


class Refinement(nn.Module):
    """The rounds of refinement of one network."""

    def __init__(self, config: PaperConfig) -> None:
        super().__init__()
        self.released = config.released
        self.rounds = nn.ModuleList(PaperRound(config) for _ in range(config.refinement_rounds))

    def forward(self, e_BDDP: Tensor, variables_BD: Tensor) -> Tensor:
        """Refine the pair state (B, D, D, P) in all rounds."""
        valid_BDD = valid_pairs(variables_BD)
        count = variables_BD.sum(1).clamp(min=1)
        if self.released:
            count = torch.full_like(count, variables_BD.shape[1])
        scale_B = count.to(e_BDDP.dtype).rsqrt()
        for step in self.rounds:
            e_BDDP = step(e_BDDP, variables_BD, valid_BDD, scale_B)
        return e_BDDP


class PaperRound(nn.Module):
    """LayerNorm, the three motifs one after another, then attention along each source's row."""

    def __init__(self, config: PaperConfig) -> None:
        super().__init__()
        width = config.pair_width
        self.norm = nn.LayerNorm(width)
        self.updates = nn.ModuleList(TriangleUpdate(motif, width, released=config.released) for motif in MOTIFS)
        self.attention_norm = nn.LayerNorm(width)
        self.attention = MultiHeadAttention(width, config.pair_heads)

    def forward(self, e_BDDP: Tensor, variables_BD: Tensor, valid_BDD: Tensor, scale_B: Tensor) -> Tensor:
        """The refined pair state (B, D, D, P), zero on the diagonal and in padding."""
        e = self.norm(e_BDDP)
        for update in self.updates:
            e = update(e, variables_BD, valid_BDD, scale_B)
        keys = None if bool(variables_BD.all()) else some_key(variables_BD)[:, None, None, None, :]
        with full_precision(e):
            y = self.attention_norm(e.float())
            e = e + self.attention(y, y, keys)
        return san(e * valid_BDD.unsqueeze(-1), 5000.0)


class TriangleUpdate(nn.Module):
    """One motif: vector gates times values, summed over the third variable (Appendix "Triangular Refinement")."""

    def __init__(self, motif: str, width: int, *, released: bool) -> None:
        super().__init__()
        self.motif = motif
        self.gate = nn.Linear(width, width)
        self.value = nn.Linear(width, width)
        self.out = nn.Linear(width, width)
        self.norm = nn.LayerNorm(width)
        if released:
            nn.init.zeros_(self.out.weight)
            nn.init.zeros_(self.out.bias)
        else:  # a zero gain starts from the identity and stays near it; a zero map behind a norm does not
            nn.init.zeros_(self.norm.weight)

    def forward(self, e_BDDP: Tensor, third_BD: Tensor, valid_BDD: Tensor, scale_B: Tensor) -> Tensor:
        """The updated pair state (B, D, D, P)."""
        with full_precision(e_BDDP):
            e = e_BDDP.float()
            gate = 0.5 * torch.tanh(self.gate(e)) + 0.5
            # k is the second index of the gate in chains and colliders, the first in forks
            third = third_BD[:, :, None, None] if self.motif == "fork" else third_BD[:, None, :, None]
            gate = gate * third * scale_B[:, None, None, None]
            mixed = contract(self.motif, gate.permute(0, 3, 1, 2), self.value(e).permute(0, 3, 1, 2))
        return e_BDDP + self.norm(self.out(mixed.permute(0, 2, 3, 1))) * valid_BDD.unsqueeze(-1)
