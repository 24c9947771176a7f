"""The factored likelihood against hand-computed graphs."""

from __future__ import annotations

import math
from types import SimpleNamespace

import pytest
import torch

from foundcause.training.batches import Batch
from foundcause.training.objectives import LikelihoodObjective, LikelihoodWeights, difficulty


def softplus(x: float) -> float:
    return math.log1p(math.exp(x))


@pytest.fixture
def case() -> tuple[SimpleNamespace, Batch]:
    """A graph 0 -> 1 among three variables, and an empty graph of two with one padded variable."""
    existence = torch.full((2, 3, 3), -1.0)
    existence[0, 0, 1] = existence[0, 1, 0] = 2.0
    direction = torch.zeros(2, 3, 3)
    direction[0, 0, 1], direction[0, 1, 0] = 0.7, -0.7
    confounding = torch.zeros(2, 3, 3)
    adjacency = torch.zeros(2, 3, 3, dtype=torch.bool)
    adjacency[0, 0, 1] = True
    shared = torch.zeros_like(adjacency)
    shared[0, 0, 2] = shared[0, 2, 0] = True
    prediction = SimpleNamespace(
        existence_logits=existence.requires_grad_(), direction_logits=direction.requires_grad_(),
        confounding_logits=confounding, edge_logits=existence + direction,
    )  # fmt: skip
    batch = Batch(
        values=torch.zeros(2, 4, 3), observed=torch.ones(2, 4, 3, dtype=torch.bool),
        variables=torch.tensor([[True, True, True], [True, True, False]]), statistics=torch.zeros(2, 3, 3, 1),
        adjacency=adjacency, confounding=shared,
    )  # fmt: skip
    return prediction, batch


def test_by_hand(case: tuple[SimpleNamespace, Batch]) -> None:
    loss, terms, _ = LikelihoodObjective()(*case, {})
    first = (softplus(-2.0) + 2 * softplus(-1.0)) / 3
    second = softplus(-1.0)
    assert terms["existence"].item() == pytest.approx((first + second) / 2, rel=1e-5)
    assert terms["direction"].item() == pytest.approx(softplus(-0.7), rel=1e-5)  # only one graph has an edge
    assert terms["confounding"].item() == pytest.approx(math.log(2), rel=1e-5)
    expected = terms["existence"] + terms["direction"] + 0.3 * terms["confounding"]
    assert loss.item() == pytest.approx(expected.item(), rel=1e-5)


def test_a_large_graph_weighs_as_much_as_a_small_one(case: tuple[SimpleNamespace, Batch]) -> None:
    prediction, batch = case
    loss, _, _ = LikelihoodObjective(LikelihoodWeights(direction=0, confounding=0))(prediction, batch, {})
    loss.backward()
    gradient = prediction.existence_logits.grad.abs()
    assert gradient[1].sum() == pytest.approx(0.5 * torch.sigmoid(torch.tensor(-1.0)).item(), rel=1e-4)
    assert gradient[1, 0, 2] == 0 and gradient[1, 2, 2] == 0  # padding


def test_adjacent_weight(case: tuple[SimpleNamespace, Batch]) -> None:
    _, terms, _ = LikelihoodObjective(LikelihoodWeights(adjacent=4.0))(*case, {})
    first = (4 * softplus(-2.0) + 2 * softplus(-1.0)) / 3
    assert terms["existence"].item() == pytest.approx((first + softplus(-1.0)) / 2, rel=1e-5)


def test_difficulty_is_per_graph(case: tuple[SimpleNamespace, Batch]) -> None:
    found = difficulty(*case)
    assert found.shape == (2,)
    assert found[1].item() == pytest.approx(softplus(-1.0), rel=1e-5)
