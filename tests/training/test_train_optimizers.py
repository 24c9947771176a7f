"""Optimizers, their averages and the learning-rate schedule."""

from __future__ import annotations

import math

import pytest
import torch
from standins import options
from torch import nn

from foundcause.errors import ConfigError
from foundcause.training.optimizers import Optimizer, Schedule, averaged, parameter_groups
from foundcause.training.run_config import TrainConfig


def _net() -> nn.Module:
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(8, 9), nn.LayerNorm(9), nn.Linear(9, 1))


def _learn(net: nn.Module, optimizer: Optimizer, steps: int, start: int = 0) -> list[list[torch.Tensor]]:
    seen = []
    for step in range(start, start + steps):
        x = torch.randn(16, 8, generator=torch.Generator().manual_seed(step))
        optimizer.zero_grad()
        (net(x).squeeze(-1) - x.sum(1)).square().mean().backward()
        optimizer.clip_gradients()
        optimizer.step(0.01)
        seen.append([p.detach().clone() for p in net.parameters()])
    return seen


@pytest.mark.parametrize("kind", ["adamw", "muon", "schedule-free"])
def test_averages_go_in_and_the_exact_weights_come_back(kind: str) -> None:
    net = _net()
    optimizer = Optimizer(net, TrainConfig(**options(steps=1, optimizer=kind)))
    _learn(net, optimizer, 30)
    before = [p.detach().clone() for p in net.parameters()]
    with averaged(optimizer, net):
        assert not net.training
        inside = [p.detach().clone() for p in net.parameters()]
    assert net.training
    assert any(not torch.equal(a, b) for a, b in zip(before, inside, strict=True))
    assert all(torch.equal(a, b) for a, b in zip(before, net.parameters(), strict=True))
    with pytest.raises(RuntimeError, match="boom"), averaged(optimizer, net):
        raise RuntimeError("boom")
    assert all(torch.equal(a, b) for a, b in zip(before, net.parameters(), strict=True))
    _learn(net, optimizer, 2)  # and training goes on


def test_exponential_average_by_hand() -> None:
    net = _net()
    start = [p.detach().clone() for p in net.parameters()]
    optimizer = Optimizer(net, TrainConfig(**options(steps=1, ema_decay=0.9)))
    seen = _learn(net, optimizer, 5)
    expected = start
    for t, weights in enumerate(seen, 1):
        keep = min(0.9, (1 + t) / (10 + t))
        expected = [keep * e + (1 - keep) * w for e, w in zip(expected, weights, strict=True)]
    with averaged(optimizer, net):
        for mine, theirs in zip(net.parameters(), expected, strict=True):
            assert torch.allclose(mine, theirs, atol=1e-6)


@pytest.mark.parametrize("kind", ["adamw", "muon", "schedule-free"])
def test_saved_and_continued_equals_uninterrupted(kind: str) -> None:
    config = TrainConfig(**options(steps=1, optimizer=kind))
    whole = _net()
    _learn(whole, Optimizer(whole, config), 12)
    first = _net()
    optimizer = Optimizer(first, config)
    _learn(first, optimizer, 7)
    state, weights = optimizer.state_dict(), first.state_dict()
    second = _net()
    second.load_state_dict(weights)
    continued = Optimizer(second, config)
    continued.load_state_dict(state)
    _learn(second, continued, 5, start=7)
    assert all(torch.equal(a, b) for a, b in zip(whole.parameters(), second.parameters(), strict=True))


def test_another_optimizer_is_refused_on_resume() -> None:
    net = _net()
    state = Optimizer(net, TrainConfig(**options(steps=1))).state_dict()
    other = Optimizer(net, TrainConfig(**options(steps=1, optimizer="schedule-free")))
    with pytest.raises(ConfigError, match="adamw"):
        other.load_state_dict(state)


def test_only_matrices_decay() -> None:
    groups = parameter_groups(_net(), 0.1)
    assert [g["weight_decay"] for g in groups] == [0.1, 0.0]
    assert all(p.ndim >= 2 for p in groups[0]["params"])
    assert all(p.ndim == 1 for p in groups[1]["params"])
    assert sum(len(g["params"]) for g in groups) == 6


def test_schedule_by_hand() -> None:
    schedule = Schedule(peak=1.0, floor=0.1, warmup_steps=4, decay_share=0.8, flat_share=0.2)
    assert schedule.rate(0, 0.0) == pytest.approx(0.25)
    assert schedule.rate(9, 0.1) == pytest.approx(1.0)
    assert schedule.rate(9, 0.5) == pytest.approx(0.55)
    assert schedule.rate(9, 0.35) == pytest.approx(0.1 + 0.9 * 0.5 * (1 + math.cos(math.pi / 4)))
    assert schedule.rate(9, 0.8) == pytest.approx(0.1)
    assert schedule.rate(9, 1.0) == pytest.approx(0.1)
    assert Schedule(peak=1.0, floor=0.1, decay_share=0).rate(5, 0.9) == 1.0
    with pytest.raises(ConfigError, match="min_lr"):
        Schedule(peak=0.1, floor=1.0)
