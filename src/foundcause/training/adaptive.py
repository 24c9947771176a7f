"""Running statistics that steer the paper's adaptive weights; a plain value that is saved with the run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass

import torch
from torch import Tensor

SumOverRanks = Callable[[Tensor], Tensor]
KEEP = 0.95  # the paper's exponential average: 0.95 old + 0.05 new


def alone(counts: Tensor) -> Tensor:
    """The sum over ranks of a run with one process."""
    return counts


@dataclass(frozen=True, kw_only=True)
class AdaptiveState:
    """Exponential averages over steps; they start at the paper's targets, where every factor is neutral.

    recall: share of true edges with a probability above one half.
    precision: share of true edges among those predicted so.
    edges_per_node: true edges per real variable.
    direction: share of true edges whose logit is larger than that of the reverse direction.
    """

    recall: float = 0.65
    precision: float = 0.50
    edges_per_node: float = 2.0
    direction: float = 0.5

    def updated(self, counts: EdgeCounts) -> AdaptiveState:
        """The averages after one more step; a rate with an empty denominator leaves its average as it was."""

        def blend(old: float, part: float, whole: float) -> float:
            return KEEP * old + (1 - KEEP) * part / whole if whole > 0 else old

        return AdaptiveState(
            recall=blend(self.recall, counts.true_positive, counts.positive),
            precision=blend(self.precision, counts.true_positive, counts.predicted),
            edges_per_node=blend(self.edges_per_node, counts.positive, counts.nodes),
            direction=blend(self.direction, counts.oriented, counts.positive),
        )

    def as_dict(self) -> dict[str, float]:
        """JSON-ready."""
        return asdict(self)


@dataclass(frozen=True, kw_only=True)
class EdgeCounts:
    """What one step saw over all ranks: edges hit, edges predicted, true edges, variables, edges oriented right."""

    true_positive: float
    predicted: float
    positive: float
    nodes: float
    oriented: float


@torch.no_grad()
def count_edges(
    edge_logits_BDD: Tensor, adjacency_BDD: Tensor, pairs_BDD: Tensor, variables_BD: Tensor, total: SumOverRanks = alone
) -> EdgeCounts:
    """Counts of a batch at probability one half, summed over ranks by ``total``."""
    edges = adjacency_BDD.bool() & pairs_BDD
    predicted = (edge_logits_BDD > 0) & pairs_BDD
    oriented = edges & (edge_logits_BDD > edge_logits_BDD.transpose(1, 2))
    parts = (predicted & edges, predicted, edges, variables_BD, oriented)
    sums = total(torch.stack([part.sum() for part in parts]).float()).tolist()
    return EdgeCounts(true_positive=sums[0], predicted=sums[1], positive=sums[2], nodes=sums[3], oriented=sums[4])
