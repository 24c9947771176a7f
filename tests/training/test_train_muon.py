"""Muon: what its updates look like, and which parameters it leaves to AdamW."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from standins import options
from torch import nn

from foundcause.training.optimizers import Muon, MuonAndAdamW, Optimizer, is_mixing, orthogonal, parameter_groups
from foundcause.training.run_config import TrainConfig


@settings(max_examples=40, deadline=None)
@given(
    rows=st.integers(8, 40),
    columns=st.integers(8, 40),
    seed=st.integers(0, 1000),
    scale=st.sampled_from([1e-8, 1.0, 1e8]),
)
def test_updates_keep_directions_and_lose_scales(rows: int, columns: int, seed: int, scale: float) -> None:
    matrices = torch.randn(2, rows, columns, generator=torch.Generator().manual_seed(seed))
    matrices[1] *= scale
    found = orthogonal(matrices)
    left, _, right = torch.linalg.svd(matrices, full_matrices=False)
    # in the singular bases of the matrix the answer is diagonal: the same directions, other sizes
    inside = left.transpose(1, 2) @ found @ right.transpose(1, 2)
    sizes = inside.diagonal(dim1=1, dim2=2)
    assert torch.allclose(inside, torch.diag_embed(sizes), atol=2e-3)
    assert sizes.max() < 1.25
    assert sizes[:, 0].min() > 0.6
    assert torch.allclose(found[1], orthogonal(matrices[1:] / scale)[0], atol=1e-3)


def test_no_gradient_is_no_update() -> None:
    assert torch.equal(orthogonal(torch.zeros(1, 9, 8)), torch.zeros(1, 9, 8))


def test_one_step_by_hand() -> None:
    weight = nn.Parameter(torch.ones(8, 32))
    gradient = torch.randn(8, 32, generator=torch.Generator().manual_seed(1))
    weight.grad = gradient.clone()
    Muon([weight], lr=0.1, momentum=0.9, weight_decay=0.5).step()
    direction = orthogonal((0.1 + 0.9 * 0.1) * gradient[None])[0]
    assert torch.allclose(weight, torch.ones(8, 32) * 0.95 - 0.1 * 0.2 * 32**0.5 * direction, atol=1e-6)


def test_matrices_of_one_shape_do_not_mix() -> None:
    """Several at once give what each gives alone."""

    def after(count: int) -> torch.Tensor:
        weights = [nn.Parameter(torch.zeros(9, 12)) for _ in range(count)]
        for k, weight in enumerate(weights):
            weight.grad = torch.randn(9, 12, generator=torch.Generator().manual_seed(k))
        Muon(weights, lr=0.1).step()
        return weights[0].detach()

    assert torch.allclose(after(1), after(3), atol=1e-6)


def test_matrices_that_mix_are_muons_and_the_rest_is_adamws() -> None:
    net = nn.Sequential(nn.Linear(10, 12), nn.LayerNorm(12), nn.Linear(12, 2))
    both = MuonAndAdamW(parameter_groups(net, 0.1), lr=0.01, betas=(0.9, 0.99))
    muon, adamw = both.parts
    assert [p.shape for group in muon.param_groups for p in group["params"]] == [(12, 10)]
    assert len([p for group in adamw.param_groups for p in group["params"]]) == 5
    assert not is_mixing(net[2].weight)


@pytest.mark.parametrize("kind", ["adamw", "muon"])
def test_it_learns(kind: str) -> None:
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(16, 32), nn.Tanh(), nn.Linear(32, 16), nn.Tanh(), nn.Linear(16, 1))
    optimizer = Optimizer(net, TrainConfig(**options(steps=1, optimizer=kind)))
    losses = []
    for step in range(150):
        x = torch.randn(64, 16, generator=torch.Generator().manual_seed(step))
        optimizer.zero_grad()
        loss = (net(x).squeeze(-1) - x[:, 0] * x[:, 1]).square().mean()
        loss.backward()
        optimizer.clip_gradients()
        optimizer.step(0.02)
        losses.append(float(loss.detach()))
    assert sum(losses[-20:]) < 0.5 * sum(losses[:20])
