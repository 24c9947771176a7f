"""The network of the shipped weights: statistics of ordered pairs in, logits of a graph out.

A map turns the features of each pair into a state. Rounds of reasoning over triples refine it: whether a third variable
explains a pair away, or shows its direction. A head reads existence, direction and confounding from the states of both
directions of a pair.

Shape letters: B tasks, N rows, D variables, F features, P width of a pair's state, C channels of a motif.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from foundcause.model.config import ModelConfig
from foundcause.model.interface import Network, Prediction, check_inputs
from foundcause.model.layers import (
    MASKED_LOGIT,
    MLP,
    MOTIFS,
    contract,
    difference,
    full_precision,
    mean_with_transpose,
    valid_pairs,
)
from foundcause.model.pair_features import FeatureScaling

_LARGEST_EXPONENT = 5.0  # of a weight; two of them and a hundred thirds stay far from float32's ends
_FIRST_EXPONENT = -1.0  # to start with, thirds in a small graph together weigh about as much as none


class FoundCause(Network):
    """The network of one configuration; parameters start from ``seed`` and leave the global generator alone."""

    architecture = "pairs"
    parts = ("statistics", "refinement", "direction_head")

    def __init__(self, config: ModelConfig, *, seed: int = 0, feature_names: list[str] | None = None) -> None:
        super().__init__(config, feature_names)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            self.scaling = FeatureScaling(self.features)
            self.head = FactoredHead(config)
            self.refinement = Refinement(config)
            self.direct = MLP(2 * self.features.count, config.direct_width, config.pair_width)

    def forward(
        self,
        values: Tensor | None,
        observed: Tensor | None = None,
        variables: Tensor | None = None,
        statistics: Tensor | None = None,
        *,
        seed: int = 0,
        generator: torch.Generator | None = None,
    ) -> Prediction:
        """Predict the graphs of B tables.

        Parameters
        ----------
        values : Tensor of shape (B, N, D) or None
            Cells; missing ones may hold anything finite. None is allowed where ``statistics`` are given.
        observed : Tensor of shape (B, N, D), optional
            True where a cell was observed; by default everywhere.
        variables : Tensor of shape (B, D), optional
            True for real variables, False for padding; by default all are real.
        statistics : Tensor of shape (B, D, D, F), optional
            Features of the network's set; by default they are computed here with ``seed``.
        seed : int
            Seed of the statistics.
        generator : torch.Generator, optional
            Draws feature dropout in training mode; without one nothing is dropped.
        """
        inputs = check_inputs(values, observed, variables, statistics, self, reads_rows=False)
        raw = self.statistics(inputs, seed=seed) if statistics is None else statistics
        features = self.scaling(raw.to(self.direct.out.weight))
        if "statistics" in self.off:
            features = torch.zeros_like(features)
        elif self.training and generator is not None:
            features = self.features.drop(features, self.config.feature_dropout, generator)
        states = self.direct(features)
        if "direction_head" in self.off:
            states = mean_with_transpose(states)
        if "refinement" not in self.off:
            states = self.refinement(states, inputs.variables)
        existence, direction, confounding = self.head(states)
        impossible = ~valid_pairs(inputs.variables)
        return Prediction(
            edge_logits=joint_logit(existence, direction).masked_fill(impossible, MASKED_LOGIT),
            existence_logits=existence.masked_fill(impossible, MASKED_LOGIT),
            direction_logits=direction.masked_fill(impossible, 0.0),
            confounding_logits=confounding.masked_fill(impossible, MASKED_LOGIT),
            pair_state=states,
        )


class Refinement(nn.Module):
    """The rounds of reasoning over triples of one network."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.rounds = nn.ModuleList(LeanRound(config) for _ in range(config.refinement_rounds))

    def forward(self, e_BDDP: Tensor, variables_BD: Tensor) -> Tensor:
        """Refine the states (B, D, D, P) of all pairs."""
        valid_BDD = valid_pairs(variables_BD)
        scale_B = variables_BD.sum(1).clamp(min=1).to(e_BDDP.dtype).rsqrt()
        for step in self.rounds:
            e_BDDP = step(e_BDDP, valid_BDD, scale_B)
        return e_BDDP


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
        self.thirds = WeighedThirds(config)
        self.opposite = nn.Linear(width, width, bias=False)
        self.overall = nn.Linear(width, width, bias=False)
        self.gate = nn.Linear(width, width)
        self.transition_norm = nn.LayerNorm(width)
        self.transition = MLP(width, 2 * width, width)
        for linear in (self.motifs_out, self.opposite, self.overall, self.transition.out):
            nn.init.zeros_(linear.weight)
        nn.init.zeros_(self.motifs_out.bias)
        nn.init.zeros_(self.transition.out.bias)

    def forward(self, e_BDDP: Tensor, valid_BDD: Tensor, scale_B: Tensor) -> Tensor:
        """Refine the states (B, D, D, P) once."""
        y = self.norm(e_BDDP)
        flat = y.flatten(0, 2)
        motifs = self._motifs(flat, valid_BDD, scale_B)
        out = self.motifs_out(self.motif_norm(motifs)).view_as(y)
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


class WeighedThirds(nn.Module):
    """Averages over third variables k by weights exp(l_ik + r_kj) of each motif.

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
        """What to add to the states (B, D, D, P)."""
        with full_precision(y_BDDP):
            mask = valid_BDD.to(y_BDDP).flatten()
            projected = torch.addmm(
                self.project.bias.unsqueeze(1), self.project.weight, y_BDDP.float().flatten(0, 2).t()
            )
            weights, values = projected.split(2 * self.channels)
            weights = torch.exp(_LARGEST_EXPONENT * torch.tanh(weights / _LARGEST_EXPONENT)) * mask
            left, right = weights.split(self.channels)
            left_sum, right_sum = (weights * values).split(self.channels)
            total = contract_all(left, right, valid_BDD)
            weighed = contract_all(left_sum, right, valid_BDD) + contract_all(left, right_sum, valid_BDD)
            averages = torch.cat([torch.log1p(total), weighed / (1.0 + total)]).flatten(1)
            return self.out(averages.t()).view_as(y_BDDP)


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
            direction = difference(self.direction(e).squeeze(-1))
            # Equal in exact arithmetic already; products over reordered rows may differ in the last bit.
            return mean_with_transpose(existence), direction, mean_with_transpose(confounding)


def contract_all(left: Tensor, right: Tensor, valid_BDD: Tensor) -> Tensor:
    """Contract channels-first factors (3C, B*D*D), a third of them for each motif, to (3C, B, D, D)."""
    shape = (len(MOTIFS), -1, *valid_BDD.shape[1:])
    pairs = zip(MOTIFS, left.reshape(shape).unbind(0), right.reshape(shape).unbind(0), strict=True)
    return torch.cat([contract(motif, a, b) for motif, a, b in pairs]).unflatten(0, (-1, len(valid_BDD)))


def joint_logit(existence: Tensor, direction: Tensor) -> Tensor:
    """logit(sigmoid(existence) * sigmoid(direction)), exact in both tails."""
    present = F.logsigmoid(existence)
    probability = present + F.logsigmoid(direction)
    complement = torch.logaddexp(F.logsigmoid(-existence), present + F.logsigmoid(-direction))
    return probability - complement
