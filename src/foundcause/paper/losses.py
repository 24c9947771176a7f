"""The ten loss terms of the paper (Eq. 1; Section 3 "Final Loss Function"; Table "Auxiliary loss terms").

Shape letters: B tasks, D variables, K gated features.

``logits`` are edge logits (B, D, D), ``target`` the true adjacency, ``pairs`` the mask of valid ordered pairs. Every
term divides by a count over the whole batch; ``total`` sums that count over ranks, so that the terms of all ranks add
up to the term of the global batch. Everything is float32 (float64 passes through, for gradient checks).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Protocol

import torch
import torch.nn.functional as F
from torch import Tensor

from foundcause.errors import ConfigError
from foundcause.paper.paper_network import PaperPrediction

if TYPE_CHECKING:
    from foundcause.model.interface import Prediction

SumOverRanks = Callable[[Tensor], Tensor]
KEEP = 0.95  # the paper's exponential average: 0.95 old + 0.05 new


def alone(counts: Tensor) -> Tensor:
    """The sum over processes of a run that has one."""
    return counts


class Targets(Protocol):
    """What the objective reads of a batch: masks of variables (B, D) and pairs (B, D, D), and the true graphs."""

    @property
    def variables(self) -> Tensor: ...
    @property
    def pairs(self) -> Tensor: ...
    @property
    def adjacency(self) -> Tensor: ...
    @property
    def confounding(self) -> Tensor: ...


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


@dataclass(frozen=True, kw_only=True)
class PaperWeights:
    """Weights and constants of the paper's objective (appendix, table of losses).

    asymmetry, calibration, detected, skeleton, confounding, density, pooling: weights of the terms of those names.
    false_positive: base weight of the false-positive term, adapted by the running precision.
    acyclicity: weight of the optional spectral penalty; 0 leaves it out.
    smooth_edge, smooth_absent: smoothing of the targets of true edges (both directions) and of absent ones.
    reverse_margin: probability of the reverse direction that costs nothing.
    gap: largest difference of the two logits of a true edge that costs nothing.
    detection: a true edge counts as detected when one of its two logits exceeds this.
    false_positive_margin: probability of an absent edge that costs nothing.
    """

    asymmetry: float = 0.08
    calibration: float = 0.1
    detected: float = 0.25
    skeleton: float = 0.5
    confounding: float = 0.2
    false_positive: float = 0.15
    density: float = 0.05
    pooling: float = 0.01
    acyclicity: float = 0.0
    smooth_edge: float = 0.05
    smooth_absent: float = 0.005
    reverse_margin: float = 0.15
    gap: float = 4.0
    detection: float = -3.0
    false_positive_margin: float = 0.15

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if name != "detection" and value < 0:
                raise ConfigError(f"loss constant {name!r} is {value}; it must not be negative")


class PaperObjective:
    """The paper's total loss L (Eq. 1); holds no parameters and no state but the running averages it is handed."""

    name = "paper"

    def __init__(self, weights: PaperWeights | None = None) -> None:
        self.weights = weights or PaperWeights()

    def __call__(
        self, prediction: Prediction, batch: Targets, averages: Mapping[str, float], total: SumOverRanks = alone
    ) -> tuple[Tensor, dict[str, Tensor], dict[str, float]]:
        """(this process's share of the loss, its unweighted terms, the running averages after this step)."""
        w, pairs = self.weights, batch.pairs
        state = AdaptiveState(**averages)
        logits = _precise(prediction.edge_logits)
        target = batch.adjacency.to(logits.dtype)
        counts = count_edges(logits, batch.adjacency, pairs, batch.variables, total)
        state = state.updated(counts)
        terms = {
            "directed": directed(
                logits, target, pairs, positive_weight(counts, pairs, state.recall, total),
                smooth_edge=w.smooth_edge, smooth_absent=w.smooth_absent, total=total,
            ),
            "asymmetry": asymmetry(logits, target, pairs, margin=w.reverse_margin, total=total),
            "calibration": calibration(logits, target, pairs, gap=w.gap, total=total),
            "detected": detected_direction(logits, target, pairs, threshold=w.detection, total=total),
            "skeleton": skeleton(_precise(prediction.existence_logits), target, pairs, total=total),
            "confounding": confounding(
                _precise(prediction.confounding_logits), batch.confounding.to(logits.dtype), pairs, total=total
            ),
            "false_positive": false_positive(logits, target, pairs, margin=w.false_positive_margin, total=total),
            "density": density(logits, pairs, batch.variables, state.edges_per_node, total=total),
        }  # fmt: skip
        weights = {
            "directed": 1.0,
            "asymmetry": w.asymmetry,
            "calibration": w.calibration,
            "detected": w.detected,
            "skeleton": w.skeleton,
            "confounding": w.confounding,
            "false_positive": false_positive_weight(w.false_positive, state.precision),
            "density": w.density,
        }
        if isinstance(prediction, PaperPrediction):
            terms["pooling"] = _share(prediction.pooling_diversity, batch.variables, total)
            weights["pooling"] = w.pooling
            terms["gate"] = gate_range(_precise(prediction.gate), pairs, total=total)
            weights["gate"] = gate_weight(state.direction)
        if w.acyclicity:
            terms["acyclicity"] = acyclicity(spectral_radius(logits, pairs), total=total)
            weights["acyclicity"] = w.acyclicity
        loss = torch.stack([weights[name] * term for name, term in terms.items()]).sum()
        return loss, terms, state.as_dict()


def positive_weight(counts: EdgeCounts, pairs: Tensor, recall: float, total: SumOverRanks = alone) -> float:
    """w+ of L_dir (Section 3 (a)): root of the class ratio times the recall factor, from 1 to 5; 1 without edges."""
    if counts.positive == 0:
        return 1.0
    negatives = total(pairs.sum().float()).item() - counts.positive
    factor = 1 + 2 * min(max(0.65 - recall, -0.3), 0.3)
    return min(max((negatives / counts.positive) ** 0.5 * factor, 1.0), 5.0)


def false_positive_weight(base: float, precision: float) -> float:
    """Weight lambda_fp^eff of L_fp: up when the running precision is below one half, down above."""
    return base * (1 + 3 * min(max(0.50 - precision, -0.3), 0.3))


def gate_weight(direction_accuracy: float) -> float:
    """Weight lambda_gate of L_gate: vanishes once four in five edges are oriented right."""
    return min(0.5, max(0.0, 0.8 - direction_accuracy))


def directed(
    logits: Tensor,
    target: Tensor,
    pairs: Tensor,
    weight: float,
    *,
    smooth_edge: float = 0.05,
    smooth_absent: float = 0.005,
    total: SumOverRanks = alone,
) -> Tensor:
    """L_dir (Section 3 (a)): class-balanced cross-entropy with direction-aware smoothing over valid ordered pairs."""
    reverse = target.transpose(1, 2)
    smoothed = torch.full_like(target, smooth_absent)
    smoothed = smoothed.masked_fill(reverse > 0, smooth_edge).masked_fill(target > 0, 1 - smooth_edge)
    bce = F.binary_cross_entropy_with_logits(logits, smoothed, reduction="none")
    return ((1 + (weight - 1) * target) * bce * pairs).sum() / _count(pairs, total)


def asymmetry(
    logits: Tensor, target: Tensor, pairs: Tensor, *, margin: float = 0.15, total: SumOverRanks = alone
) -> Tensor:
    """L_asym: hinge on the probability of the reverse direction of true edges."""
    edges = target * pairs
    return (edges * F.relu(torch.sigmoid(logits.transpose(1, 2)) - margin)).sum() / _count(edges, total)


def calibration(
    logits: Tensor, target: Tensor, pairs: Tensor, *, gap: float = 4.0, total: SumOverRanks = alone
) -> Tensor:
    """L_cal: squared hinge on the difference between the two logits of a true edge."""
    edges = target * pairs
    excess = F.relu((logits - logits.transpose(1, 2)).abs() - gap)
    return (edges * excess.square()).sum() / _count(edges, total)


def detected_direction(
    logits: Tensor, target: Tensor, pairs: Tensor, *, threshold: float = -3.0, total: SumOverRanks = alone
) -> Tensor:
    """L_bdir: log-loss of the direction of true edges that were detected (either logit above ``threshold``)."""
    reverse = logits.transpose(1, 2)
    active = target * pairs * ((logits > threshold) | (reverse > threshold))
    return (active * F.softplus(reverse - logits)).sum() / _count(active, total)


def skeleton(skeleton_logits: Tensor, target: Tensor, pairs: Tensor, *, total: SumOverRanks = alone) -> Tensor:
    """L_skel: cross-entropy of adjacency over unordered pairs; positives weighted by the class ratio, at most 2."""
    upper = torch.triu(pairs, 1)
    adjacent = torch.maximum(target, target.transpose(1, 2))
    positive = total((adjacent * upper).sum().float()).item()
    weight = min((total(upper.sum().float()).item() - positive) / positive, 2.0) if positive else 1.0
    bce = F.binary_cross_entropy_with_logits(skeleton_logits, adjacent, reduction="none")
    return ((1 + (weight - 1) * adjacent) * bce * upper).sum() / _count(upper, total)


def confounding(logits: Tensor, target: Tensor, pairs: Tensor, *, total: SumOverRanks = alone) -> Tensor:
    """L_conf: cross-entropy of confounded pairs, mean per graph, then over graphs; positive weight at most 5."""
    valid_B = pairs.sum((1, 2))
    positive_B = (target * pairs).sum((1, 2))
    ratio_B = (valid_B - positive_B) / positive_B.clamp(min=1)
    weight_B = torch.where(positive_B > 0, ratio_B.clamp(max=5), torch.ones_like(ratio_B))
    bce = F.binary_cross_entropy_with_logits(logits, target, reduction="none")
    weighted = ((1 + (weight_B[:, None, None] - 1) * target) * bce * pairs).sum((1, 2))
    return (weighted / valid_B.clamp(min=1)).sum() / _count(valid_B > 0, total)


def false_positive(
    logits: Tensor, target: Tensor, pairs: Tensor, *, margin: float = 0.15, total: SumOverRanks = alone
) -> Tensor:
    """L_fp: hinge on the probability of absent edges, without its adaptive weight."""
    return F.relu(torch.sigmoid(logits) * (1 - target) * pairs - margin).sum() / _count(pairs, total)


def density(
    logits: Tensor, pairs: Tensor, variables: Tensor, edges_per_node: float, *, total: SumOverRanks = alone
) -> Tensor:
    """L_den: softplus of the expected edges beyond ``max(2, edges_per_node)`` per variable, mean over graphs."""
    real_B = variables.sum(1).clamp(min=1)
    expected_B = (torch.sigmoid(logits) * pairs).sum((1, 2))
    excess_B = F.softplus(expected_B - real_B * max(2.0, edges_per_node)) / (2 * real_B)
    return excess_B.sum() / total(torch.tensor(float(len(excess_B)))).item()


def gate_range(gate_BDDK: Tensor, pairs: Tensor, *, total: SumOverRanks = alone) -> Tensor:
    """L_gate: squared distance of gate values from [0.1, 0.9], mean over valid pairs and features."""
    outside = F.relu(0.1 - gate_BDDK).square() + F.relu(gate_BDDK - 0.9).square()
    return (outside.mean(-1) * pairs).sum() / _count(pairs, total)


def acyclicity(radius_B: Tensor, *, total: SumOverRanks = alone) -> Tensor:
    """Optional hinge on the spectral radius of the predicted graph beyond 1, mean over graphs."""
    excess = F.relu(radius_B - 1).reshape(-1)
    return excess.sum() / total(torch.tensor(float(len(excess)))).item()


def spectral_radius(edge_logits_BDD: Tensor, valid_BDD: Tensor, *, seed: int = 0, iterations: int = 10) -> Tensor:
    """Estimate the spectral radius (B,) in [0, 10] of the edge probabilities (Appendix "Acyclicity").

    The optional penalty is relu(radius - 1). No gradient flows through the eigenvectors.
    """
    probabilities = torch.sigmoid(edge_logits_BDD.float()) * valid_BDD
    left, right = _power_iteration(probabilities, seed, iterations)
    radius = (left @ probabilities @ right) / (left @ right + 1e-8)
    return radius.flatten().nan_to_num(nan=0.0).clamp(0.0, 10.0)


@torch.no_grad()
def _power_iteration(probabilities: Tensor, seed: int, iterations: int) -> tuple[Tensor, Tensor]:
    """Left (B, 1, D) and right (B, D, 1) eigenvectors of the largest eigenvalue; starts depend on ``seed`` alone."""
    generator = torch.Generator().manual_seed(seed)
    tasks, variables = probabilities.shape[:2]
    start = torch.randn(2, tasks, variables, generator=generator).to(probabilities)
    left, right = start[0].unsqueeze(1), start[1].unsqueeze(2)
    for _ in range(iterations):
        left = left @ probabilities
        left = left / (left.norm(dim=2, keepdim=True) + 1e-8)
        right = probabilities @ right
        right = right / (right.norm(dim=1, keepdim=True) + 1e-8)
    return left, right


def _precise(values: Tensor) -> Tensor:
    return values.float() if values.dtype in (torch.float16, torch.bfloat16) else values


def _count(mask: Tensor, total: SumOverRanks) -> float:
    return max(total(mask.detach().sum().float()).item(), 1.0)


def _share(mean: Tensor, variables: Tensor, total: SumOverRanks) -> Tensor:
    """A rank's mean over its real variables as its share of the mean over all ranks."""
    return mean * (variables.sum().item() / _count(variables, total))
