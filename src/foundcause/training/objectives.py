"""What training minimizes: the likelihood of a graph (``shipped``), or the paper's ten terms (``paper``).

The likelihood has three factors, which are what the decoder needs as calibrated probabilities: existence of an edge,
its direction, and hidden common causes. Nothing is smoothed or rebalanced:
P(i -> j) = P(i and j adjacent) P(i before j | adjacent).

Shape letters: B tasks, D variables.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Protocol

import torch
import torch.nn.functional as F
from torch import Tensor

from foundcause.errors import ConfigError
from foundcause.training.batches import Batch

if TYPE_CHECKING:
    from foundcause.model.interface import Prediction

SumOverRanks = Callable[[Tensor], Tensor]


def alone(counts: Tensor) -> Tensor:
    """The sum over processes of a run that has one."""
    return counts


class Objective(Protocol):
    """From a prediction to (this process's share of the loss, its terms, the running averages after this step)."""

    name: str

    def __call__(
        self, prediction: Prediction, batch: Batch, averages: Mapping[str, float], total: SumOverRanks = alone
    ) -> tuple[Tensor, dict[str, Tensor], dict[str, float]]: ...


def objective(name: str, weights: Mapping[str, Any] | None = None) -> Objective:
    """Make the objective of that name, with some of its weights replaced."""
    from foundcause.paper.losses import PaperObjective, PaperWeights

    kinds: dict[str, tuple[Any, Any]] = {
        "shipped": (LikelihoodObjective, LikelihoodWeights),
        "paper": (PaperObjective, PaperWeights),
    }
    if name not in kinds:
        raise ConfigError(f"unknown objective {name!r}; choose 'shipped' or 'paper'")
    kind, constants = kinds[name]
    known = [f.name for f in fields(constants)]
    if strange := sorted(set(weights or {}) - set(known)):
        raise ConfigError(f"objective {name!r} has no weight {strange[0]!r}; known: {', '.join(known)}")
    try:
        return kind(constants(**(weights or {})))
    except TypeError as error:
        raise ConfigError(f"a weight of objective {name!r} is not a number: {error}") from None


@dataclass(frozen=True, kw_only=True)
class LikelihoodWeights:
    """Weights of the factors.

    existence: weight of the adjacency factor.
    direction: weight of the direction factor.
    confounding: weight of the factor of hidden common causes.
    adjacent: weight of an adjacent pair relative to a non-adjacent one; 1 keeps probabilities calibrated.
    """

    existence: float = 1.0
    direction: float = 1.0
    confounding: float = 0.3
    adjacent: float = 1.0

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if value < 0:
                raise ConfigError(f"loss weight {name!r} is {value}; it must not be negative")


class LikelihoodObjective:
    """Existence log-loss per graph, direction log-loss on true edges, confounding log-loss; float32."""

    name = "shipped"

    def __init__(self, weights: LikelihoodWeights | None = None) -> None:
        self.weights = weights or LikelihoodWeights()

    def __call__(
        self, prediction: Prediction, batch: Batch, averages: Mapping[str, float], total: SumOverRanks = alone
    ) -> tuple[Tensor, dict[str, Tensor], dict[str, float]]:
        """Add the weighted factors; there are no running averages."""
        w, parts = self.weights, factors(prediction, batch, adjacent_weight=self.weights.adjacent)
        graphs = torch.tensor([len(batch.variables), int(parts.has_edge.sum())], dtype=torch.float32)
        graphs = total(graphs.to(batch.variables.device)).clamp(min=1)
        terms = {
            "existence": parts.existence.sum() / graphs[0],
            "direction": parts.direction.sum() / graphs[1],
            "confounding": parts.confounding.sum() / graphs[0],
        }
        loss = (
            w.existence * terms["existence"] + w.direction * terms["direction"] + w.confounding * terms["confounding"]
        )
        return loss, terms, dict(averages)


@dataclass(frozen=True, kw_only=True)
class Factors:
    """Per-graph means (B,): log-losses of the three factors, and whether a graph has an edge at all."""

    existence: Tensor
    direction: Tensor
    confounding: Tensor
    has_edge: Tensor


def factors(prediction: Prediction, batch: Batch, *, adjacent_weight: float = 1.0) -> Factors:
    """Compute the three log-losses of each graph; the direction loss of a graph without edges is 0."""
    pairs = batch.pairs
    upper = torch.triu(pairs, 1).float()
    pair_count_B = upper.sum((1, 2)).clamp(min=1)
    edges = (batch.adjacency & pairs).float()
    adjacent = torch.maximum(edges, edges.transpose(1, 2))
    edge_count_B = edges.sum((1, 2))
    shared = batch.confounding.float()

    existence = F.binary_cross_entropy_with_logits(prediction.existence_logits.float(), adjacent, reduction="none")
    existence = existence * (1 + (adjacent_weight - 1) * adjacent) * upper
    direction = F.softplus(-prediction.direction_logits.float()) * edges
    confounding = F.binary_cross_entropy_with_logits(prediction.confounding_logits.float(), shared, reduction="none")
    return Factors(
        existence=existence.sum((1, 2)) / pair_count_B,
        direction=direction.sum((1, 2)) / edge_count_B.clamp(min=1),
        confounding=(confounding * upper).sum((1, 2)) / pair_count_B,
        has_edge=edge_count_B > 0,
    )


@torch.no_grad()
def difficulty(prediction: Prediction, batch: Batch) -> Tensor:
    """(B,) existence plus direction log-loss of each graph, by which hard tasks are kept for replay."""
    parts = factors(prediction, batch)
    return parts.existence + parts.direction
