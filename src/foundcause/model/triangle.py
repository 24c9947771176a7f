"""Reasoning over triples of variables: the paper's refinement and a leaner one.

Shape letters: B tasks, D variables, P pair width, C motif channels.
Motifs, k the third variable: chain i -> k -> j, fork i <- k -> j, collider i -> k <- j.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from foundcause.model.config import ModelConfig
from foundcause.model.confounders import some_key, valid_pairs
from foundcause.model.layers import MLP, MultiHeadAttention, full_precision, san

MOTIFS = ("chain", "fork", "collider")
_LARGEST_EXPONENT = 5.0  # of a weight; two of them and a hundred thirds stay far from float32's ends
_FIRST_EXPONENT = -1.0  # to start with, thirds in a small graph together weigh about as much as none


def contract(motif: str, left: Tensor, right: Tensor) -> Tensor:
    """Sum over k of left and right (..., D, D): l_ik r_kj (chain), l_ki r_kj (fork) or l_ik r_jk (collider)."""
    if motif == "fork":
        left = left.transpose(-1, -2)
    elif motif == "collider":
        right = right.transpose(-1, -2)
    return left @ right


def contract_all(left: Tensor, right: Tensor, valid_BDD: Tensor) -> Tensor:
    """The motifs' sums over thirds, channels first: factors (3C, B*D*D), a third of them each, to (3C, B, D, D)."""
    shape = (len(MOTIFS), -1, *valid_BDD.shape[1:])
    pairs = zip(MOTIFS, left.reshape(shape).unbind(0), right.reshape(shape).unbind(0), strict=True)
    return torch.cat([contract(motif, a, b) for motif, a, b in pairs]).unflatten(0, (-1, len(valid_BDD)))


class TriangleUpdate(nn.Module):
    """One motif of the paper: vector gates times values, summed over the third variable."""

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


class PaperRound(nn.Module):
    """LayerNorm, the three motifs one after another, then attention along each source's row."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        width = config.pair_width
        self.norm = nn.LayerNorm(width)
        self.updates = nn.ModuleList(
            TriangleUpdate(motif, width, released=config.compatibility == "release") for motif in MOTIFS
        )
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


class WeighedThirds(nn.Module):
    """What the third variables that matter have to say: averages over k by weights exp(l_ik + r_kj) of each motif.

    A sum over many thirds drowns the one that explains a pair away. The weights factor, so that an average costs
    three products of (D, D) matrices and no (D, D, D) tensor. A constant weight of 1 stands for "no third at all".
    """

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        width, self.channels = config.pair_width, len(MOTIFS) * config.weighed_channels
        self.project = nn.Linear(width, 4 * self.channels)
        self.out = nn.Linear(2 * self.channels, width)
        nn.init.constant_(self.project.bias[: 2 * self.channels], _FIRST_EXPONENT)
        nn.init.zeros_(self.out.weight)
        nn.init.zeros_(self.out.bias)

    def forward(self, y_BDDP: Tensor, valid_BDD: Tensor) -> Tensor:
        """What to add to the pair state (B, D, D, P)."""
        with full_precision(y_BDDP):
            mask = valid_BDD.to(y_BDDP).flatten()
            projected = torch.addmm(
                self.project.bias.unsqueeze(1), self.project.weight, y_BDDP.float().flatten(0, 2).t()
            )
            weights, values = projected.split(2 * self.channels)
            weights = torch.exp(_LARGEST_EXPONENT * torch.tanh(weights / _LARGEST_EXPONENT)) * mask
            left, right = weights.split(self.channels)
            left_said, right_said = (weights * values).split(self.channels)
            total = contract_all(left, right, valid_BDD)
            said = contract_all(left_said, right, valid_BDD) + contract_all(left, right_said, valid_BDD)
            heard = torch.cat([torch.log1p(total), said / (1.0 + total)]).flatten(1)
            return self.out(heard.t()).view_as(y_BDDP)


class LeanRound(nn.Module):
    """All motifs from one projection, the opposite direction and the graph's mean; then a transition map.

    Channels come first during the contractions, so that each motif is one batch of (D, D) products.
    """

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        width, channels = config.pair_width, len(MOTIFS) * config.motif_channels
        self.channels = channels
        self.norm = nn.LayerNorm(width)
        self.project = nn.Linear(width, 3 * channels)
        self.motif_norm = nn.LayerNorm(channels)
        self.motifs_out = nn.Linear(channels, width)
        self.thirds = WeighedThirds(config) if config.weighed_channels else None
        self.opposite = nn.Linear(width, width, bias=False)
        self.overall = nn.Linear(width, width, bias=False)
        self.gate = nn.Linear(width, width)
        self.transition_norm = nn.LayerNorm(width)
        self.transition = MLP(width, 2 * width, width)
        for linear in (self.motifs_out, self.opposite, self.overall, self.transition.out):
            nn.init.zeros_(linear.weight)
        nn.init.zeros_(self.motifs_out.bias)
        nn.init.zeros_(self.transition.out.bias)

    def forward(self, e_BDDP: Tensor, variables_BD: Tensor, valid_BDD: Tensor, scale_B: Tensor) -> Tensor:
        """The refined pair state (B, D, D, P)."""
        y = self.norm(e_BDDP)
        flat = y.flatten(0, 2)
        motifs = self._motifs(flat, valid_BDD, scale_B)
        out = self.motifs_out(self.motif_norm(motifs)).view_as(y)
        if self.thirds is not None:
            out = out + self.thirds(y, valid_BDD)
        out = out + self.opposite(y).transpose(1, 2)
        share = valid_BDD.to(y) / valid_BDD.sum((1, 2), keepdim=True).clamp(min=1)
        mean_BP = torch.bmm(share.flatten(1).unsqueeze(1), y.flatten(1, 2))
        out = out + self.overall(mean_BP).unsqueeze(1)
        e = e_BDDP + torch.sigmoid(self.gate(y)) * out
        return e + self.transition(self.transition_norm(e))

    def _motifs(self, flat: Tensor, valid_BDD: Tensor, scale_B: Tensor) -> Tensor:
        """Gated contractions over real third variables other than i and j: (B*D*D, 3C)."""
        mask = valid_BDD.to(flat)
        projected = torch.addmm(self.project.bias.unsqueeze(1), self.project.weight, flat.t())
        gates, left, right = projected.split(self.channels)
        left = torch.sigmoid(gates) * left * (mask * scale_B[:, None, None]).flatten()
        right = right * mask.flatten()
        return contract_all(left, right, valid_BDD).flatten(1).t().contiguous()


class Refinement(nn.Module):
    """The rounds of refinement of one network."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        kind = PaperRound if config.refinement == "paper" else LeanRound
        self.released = config.compatibility == "release"
        self.rounds = nn.ModuleList(kind(config) for _ in range(config.refinement_rounds))

    def forward(self, e_BDDP: Tensor, variables_BD: Tensor) -> Tensor:
        """The pair state (B, D, D, P) after all rounds."""
        valid_BDD = valid_pairs(variables_BD)
        count = variables_BD.sum(1).clamp(min=1)
        if self.released:
            count = torch.full_like(count, variables_BD.shape[1])
        scale_B = count.to(e_BDDP.dtype).rsqrt()
        for step in self.rounds:
            e_BDDP = step(e_BDDP, variables_BD, valid_BDD, scale_B)
        return e_BDDP
