"""Each loss term against a hand-computed case and a gradient check."""

from __future__ import annotations

import math

import pytest
import torch
from torch import Tensor

from foundcause.errors import ConfigError
from foundcause.paper import losses
from foundcause.paper.losses import AdaptiveState, EdgeCounts, PaperObjective, PaperWeights, count_edges
from foundcause.paper.paper_network import PaperPrediction
from foundcause.training.batches import Batch, valid_pairs
from foundcause.training.objectives import objective


def sigmoid(x: float) -> float:
    return 1 / (1 + math.exp(-x))


def bce(logit: float, y: float) -> float:
    return -y * math.log(sigmoid(logit)) - (1 - y) * math.log(1 - sigmoid(logit))


@pytest.fixture
def two() -> tuple[Tensor, Tensor, Tensor]:
    """One graph 0 -> 1 with a padded third variable: logits l01 = 1, l10 = -2; padding holds large numbers."""
    logits = torch.full((1, 3, 3), 9.0, dtype=torch.float64)
    logits[0, 0, 1], logits[0, 1, 0] = 1.0, -2.0
    target = torch.zeros_like(logits)
    target[0, 0, 1] = 1
    return logits, target, valid_pairs(torch.tensor([[True, True, False]]))


def test_directed_by_hand(two: tuple[Tensor, Tensor, Tensor]) -> None:
    expected = (3.0 * bce(1.0, 0.95) + bce(-2.0, 0.05)) / 2
    assert losses.directed(*two, 3.0).item() == pytest.approx(expected, rel=1e-9)


def test_directed_smooths_unconnected_pairs_least() -> None:
    logits = torch.zeros(1, 3, 3, dtype=torch.float64)
    logits[0, 2, 0] = 1.5
    target = torch.zeros_like(logits)
    target[0, 0, 1] = 1
    pairs = valid_pairs(torch.ones(1, 3, dtype=torch.bool))
    expected = (bce(0, 0.95) + bce(0, 0.05) + 3 * bce(0, 0.005) + bce(1.5, 0.005)) / 6
    assert losses.directed(logits, target, pairs, 1.0).item() == pytest.approx(expected, rel=1e-9)


def test_asymmetry_by_hand(two: tuple[Tensor, Tensor, Tensor]) -> None:
    assert losses.asymmetry(*two).item() == pytest.approx(0.0)
    logits, target, pairs = two
    logits[0, 1, 0] = 0.4
    assert losses.asymmetry(logits, target, pairs).item() == pytest.approx(sigmoid(0.4) - 0.15, rel=1e-9)


def test_calibration_by_hand(two: tuple[Tensor, Tensor, Tensor]) -> None:
    assert losses.calibration(*two).item() == 0.0  # a gap of 3
    logits, target, pairs = two
    logits[0, 0, 1] = 5.5
    assert losses.calibration(logits, target, pairs).item() == pytest.approx((5.5 + 2 - 4) ** 2)


def test_detected_direction_by_hand(two: tuple[Tensor, Tensor, Tensor]) -> None:
    assert losses.detected_direction(*two).item() == pytest.approx(bce(3.0, 1.0), rel=1e-9)
    logits, target, pairs = two
    logits[0, 0, 1], logits[0, 1, 0] = -3.5, -4.0
    assert losses.detected_direction(logits, target, pairs).item() == 0.0  # not detected


def test_skeleton_by_hand() -> None:
    skeleton = torch.zeros(1, 3, 3, dtype=torch.float64)
    skeleton[0, 0, 1] = skeleton[0, 1, 0] = 1.2
    target = torch.zeros_like(skeleton)
    target[0, 1, 0] = 1
    pairs = valid_pairs(torch.ones(1, 3, dtype=torch.bool))
    # One adjacent pair, two others: the weight is min(2 / 1, 2) = 2.
    assert losses.skeleton(skeleton, target, pairs).item() == pytest.approx((2 * bce(1.2, 1) + 2 * bce(0, 0)) / 3)
    wide = valid_pairs(torch.ones(1, 6, dtype=torch.bool))
    target = torch.zeros(1, 6, 6, dtype=torch.float64)
    target[0, 0, 1] = 1
    expected = (2 * bce(0, 1) + 14 * bce(0, 0)) / 15  # 14 to 1, capped at 2
    assert losses.skeleton(torch.zeros_like(target), target, wide).item() == pytest.approx(expected)


def test_confounding_by_hand() -> None:
    logits = torch.zeros(2, 4, 4, dtype=torch.float64)
    logits[0, 0, 1] = logits[0, 1, 0] = 0.7
    target = torch.zeros_like(logits)
    target[0, 0, 1] = target[0, 1, 0] = 1
    variables = torch.tensor([[True] * 4, [True, True, False, False]])
    # First graph: 2 positives, 10 negatives, weight 5; second: no positive, weight 1.
    first = (2 * 5 * bce(0.7, 1) + 10 * bce(0, 0)) / 12
    expected = (first + bce(0, 0)) / 2
    assert losses.confounding(logits, target, valid_pairs(variables)).item() == pytest.approx(expected)


def test_confounding_skips_graphs_without_pairs() -> None:
    logits = torch.full((2, 2, 2), 0.3, dtype=torch.float64)
    variables = torch.tensor([[True, True], [True, False]])
    found = losses.confounding(logits, torch.zeros_like(logits), valid_pairs(variables))
    assert found.item() == pytest.approx(bce(0.3, 0))


def test_false_positive_by_hand(two: tuple[Tensor, Tensor, Tensor]) -> None:
    logits, target, pairs = two
    assert losses.false_positive(logits, target, pairs).item() == pytest.approx(0.0)  # sigma(-2) = 0.12
    logits[0, 1, 0] = 0.0
    assert losses.false_positive(logits, target, pairs).item() == pytest.approx(0.35 / 2)


def test_density_by_hand(two: tuple[Tensor, Tensor, Tensor]) -> None:
    logits, _, pairs = two
    variables = torch.tensor([[True, True, False]])
    excess = sigmoid(1) + sigmoid(-2) - 2 * 3.0
    expected = math.log1p(math.exp(excess)) / 4
    assert losses.density(logits, pairs, variables, 3.0).item() == pytest.approx(expected, rel=1e-9)
    floor = losses.density(logits, pairs, variables, 2.0).item()
    assert losses.density(logits, pairs, variables, 0.5).item() == pytest.approx(floor)


def test_gate_range_by_hand(two: tuple[Tensor, Tensor, Tensor]) -> None:
    gate = torch.full((1, 3, 3, 2), 0.5, dtype=torch.float64)
    gate[0, 0, 1] = torch.tensor([0.0, 1.0])
    gate[0, 2, 2] = 1.0  # padding does not count
    assert losses.gate_range(gate, two[2]).item() == pytest.approx((0.01 + 0.01) / 2 / 2)


def test_acyclicity_by_hand() -> None:
    assert losses.acyclicity(torch.tensor([0.5, 1.6])).item() == pytest.approx(0.3)


def test_adaptive_weights_by_hand() -> None:
    pairs = valid_pairs(torch.ones(1, 5, dtype=torch.bool))  # 20 ordered pairs
    counts = EdgeCounts(true_positive=0, predicted=0, positive=2, nodes=5, oriented=0)
    assert losses.positive_weight(counts, pairs, 0.65) == pytest.approx(3.0)  # sqrt(18 / 2)
    assert losses.positive_weight(counts, pairs, 0.0) == pytest.approx(3 * 1.6)
    assert losses.positive_weight(counts, pairs, 1.0) == pytest.approx(3 * 0.4)
    none = EdgeCounts(true_positive=0, predicted=0, positive=0, nodes=5, oriented=0)
    assert losses.positive_weight(none, pairs, 0.1) == 1.0
    one = EdgeCounts(true_positive=0, predicted=0, positive=1, nodes=5, oriented=0)
    assert losses.positive_weight(one, pairs, 0.0) == 5.0  # capped
    assert losses.false_positive_weight(0.15, 0.5) == pytest.approx(0.15)
    assert losses.false_positive_weight(0.15, 0.1) == pytest.approx(0.15 * 1.9)
    assert losses.false_positive_weight(0.15, 0.9) == pytest.approx(0.15 * 0.1)
    assert losses.gate_weight(0.6) == pytest.approx(0.2)
    assert losses.gate_weight(0.1) == 0.5
    assert losses.gate_weight(0.95) == 0.0


def test_running_averages() -> None:
    logits = torch.tensor([[[0.0, 2.0], [-1.0, 0.0]], [[0.0, -1.0], [-3.0, 0.0]]])
    target = torch.tensor([[[0, 1], [0, 0]], [[0, 1], [0, 0]]])
    variables = torch.ones(2, 2, dtype=torch.bool)
    counts = count_edges(logits, target, valid_pairs(variables), variables)
    assert counts == EdgeCounts(true_positive=1, predicted=1, positive=2, nodes=4, oriented=2)
    state = AdaptiveState().updated(counts)
    assert state.recall == pytest.approx(0.95 * 0.65 + 0.05 * 0.5)
    assert state.precision == pytest.approx(0.95 * 0.5 + 0.05)
    assert state.edges_per_node == pytest.approx(0.95 * 2 + 0.05 * 0.5)
    assert state.direction == pytest.approx(0.95 * 0.5 + 0.05)
    empty = EdgeCounts(true_positive=0, predicted=0, positive=0, nodes=4, oriented=0)
    assert state.updated(empty).recall == state.recall


def _random_case() -> tuple[Tensor, Tensor, Tensor, Tensor]:
    generator = torch.Generator().manual_seed(1)
    logits = 2 * torch.randn(2, 4, 4, dtype=torch.float64, generator=generator)
    target = torch.triu((torch.rand(2, 4, 4, generator=generator) < 0.5).double(), 1)
    variables = torch.tensor([[True] * 4, [True, True, True, False]])
    return logits.requires_grad_(), target, valid_pairs(variables), variables


TERMS = {
    "directed": lambda x, t, p, v: losses.directed(x, t, p, 2.5),
    "asymmetry": lambda x, t, p, v: losses.asymmetry(x, t, p),
    "calibration": lambda x, t, p, v: losses.calibration(x, t, p, gap=1.0),
    "detected": lambda x, t, p, v: losses.detected_direction(x, t, p),
    "skeleton": lambda x, t, p, v: losses.skeleton(x + x.transpose(1, 2), t, p),
    "confounding": lambda x, t, p, v: losses.confounding(x, torch.maximum(t, t.transpose(1, 2)), p),
    "false_positive": lambda x, t, p, v: losses.false_positive(x, t, p),
    "density": lambda x, t, p, v: losses.density(x, p, v, 2.2),
    "gate": lambda x, t, p, v: losses.gate_range(torch.sigmoid(x)[..., None], p),
    "acyclicity": lambda x, t, p, v: losses.acyclicity(x.exp().sum((1, 2))),
}


@pytest.mark.parametrize("name", TERMS)
def test_gradients(name: str) -> None:
    logits, target, pairs, variables = _random_case()
    value = TERMS[name](logits, target, pairs, variables)
    assert torch.autograd.grad(value, logits)[0].abs().sum() > 0, "the case must exercise the term"
    assert torch.autograd.gradcheck(lambda x: TERMS[name](x, target, pairs, variables), (logits,), eps=1e-6)


@pytest.mark.parametrize("name", [n for n in TERMS if n not in ("pooling", "acyclicity")])
def test_padding_has_no_say(name: str) -> None:
    logits, target, pairs, variables = _random_case()
    before = TERMS[name](logits.detach(), target, pairs, variables)
    changed = torch.where(pairs, logits.detach(), torch.tensor(7.0, dtype=torch.float64))
    assert torch.allclose(TERMS[name](changed, target, pairs, variables), before)


def _prediction_and_batch() -> tuple[PaperPrediction, Batch]:
    logits, target, _, variables = _random_case()
    logits = logits.detach().float().requires_grad_()
    prediction = PaperPrediction(
        edge_logits=logits,
        existence_logits=logits + logits.transpose(1, 2),
        direction_logits=logits - logits.transpose(1, 2),
        confounding_logits=logits * 0.5,
        pair_state=logits[..., None],
        loadings=logits,
        embeddings=logits,
        gate=torch.sigmoid(logits)[..., None],
        pooling_diversity=torch.tensor(0.3),
        base_logits=logits,
        refined_logits=None,
    )
    batch = Batch(
        values=torch.zeros(2, 3, 4), observed=torch.ones(2, 3, 4, dtype=torch.bool), variables=variables,
        statistics=torch.zeros(2, 4, 4, 1), adjacency=target.bool(), confounding=torch.zeros(2, 4, 4, dtype=torch.bool),
    )  # fmt: skip
    return prediction, batch


def test_the_whole_objective_is_the_weighted_sum() -> None:
    prediction, batch = _prediction_and_batch()
    loss, terms, state = PaperObjective()(prediction, batch, {})
    weights = {
        "directed": 1.0, "asymmetry": 0.08, "calibration": 0.1, "detected": 0.25, "skeleton": 0.5, "confounding": 0.2,
        "false_positive": losses.false_positive_weight(0.15, state["precision"]), "density": 0.05, "pooling": 0.01,
        "gate": losses.gate_weight(state["direction"]),
    }  # fmt: skip
    assert set(terms) == set(weights)
    assert loss.item() == pytest.approx(sum(weights[name] * terms[name].item() for name in weights), rel=1e-5)
    assert loss.dtype == torch.float32
    spectral, with_term, _ = PaperObjective(PaperWeights(acyclicity=2.0))(prediction, batch, {})
    expected = losses.acyclicity(losses.spectral_radius(prediction.edge_logits, batch.pairs)).item()
    assert with_term["acyclicity"].item() == pytest.approx(expected)
    assert spectral.item() == pytest.approx(loss.item() + 2.0 * expected, rel=1e-5)


def test_bad_weights_are_refused() -> None:
    with pytest.raises(ConfigError, match="asymmetry"):
        PaperWeights(asymmetry=-1)
    with pytest.raises(ConfigError, match="colour"):
        objective("paper", {"colour": 1.0})
    with pytest.raises(ConfigError, match="unknown objective"):
        objective("mse")
