"""What a task costs, how tasks are dealt by it, and that a step keeps to its memory limit."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import torch
from standins import random_item

from foundcause.errors import ConfigError
from foundcause.model.architectures import build_network
from foundcause.model.interface import Network
from foundcause.training.batches import collate
from foundcause.training.run_config import TrainConfig
from foundcause.training.setup import model_config, recipe
from foundcause.training.step_costs import (
    Split,
    StepCosts,
    _saved_bytes,
    deal,
    measure_costs,
    padded_work,
    recomputed_blocks,
    split_batch,
)
from foundcause.training.task_stream import BatchPlan


def _work(rows: int, variables: int) -> float:
    return float(rows * (variables + 4))


@pytest.fixture(scope="module")
def network() -> Network:
    return build_network(model_config(TrainConfig(steps=1, preset="PAPER_SMALL")), seed=0)


@pytest.fixture(scope="module")
def costs(network: Network) -> StepCosts:
    return measure_costs(network)


@pytest.mark.parametrize("world", [1, 2, 3, 8])
def test_every_task_is_dealt_once_and_no_process_is_idle(world: int) -> None:
    rng = np.random.default_rng(world)
    for tasks in (world, world + 1, 24):
        shapes = [(int(rng.integers(50, 600)), int(rng.integers(20, 27))) for _ in range(tasks)]
        shares = deal(shapes, _work, world)
        assert len(shares) == world and all(shares)
        assert sorted(position for share in shares for position in share) == list(range(tasks))


def test_the_slowest_process_has_little_more_than_the_mean(network: Network, costs: StepCosts) -> None:
    """Batches of 24 tasks of PAPER for 8 processes, padding counted."""
    config = TrainConfig(steps=1, mixture="PAPER", objective="paper", replay=0.0, batch_smallest=24, batch_largest=24)
    plan = BatchPlan(recipe(config, network.config), config)
    loads = []
    for batch in itertools.islice(plan, 25):
        shapes = [plan.shape(index) for index in batch.indices]
        shares = deal(shapes, costs.work, 8)
        loads.append([_padded(shapes, share, costs) for share in shares])
    table = np.array(loads)
    assert table.max(1).sum() <= 1.15 * table.mean(1).sum()


def _padded(shapes: list[tuple[int, int]], share: list[int], costs: StepCosts) -> float:
    mine = [shapes[k] for k in share]
    return sum(padded_work([mine[k] for k in part], costs.work) for part in split_batch(mine, costs, None).parts)


def test_costs_measured_on_small_tables_hold_for_larger_ones(network: Network, costs: StepCosts) -> None:
    item = random_item(0, variables=20)
    rows = torch.randn(1, 60, 20)
    inputs = (rows, torch.ones_like(rows, dtype=torch.bool), torch.ones(1, 20, dtype=torch.bool))
    statistics = torch.from_numpy(item.statistics)[None]
    network.train()
    measured = _saved_bytes(network, (*inputs, statistics))
    assert costs.memory([(60, 20)]) / 1.15 == pytest.approx(measured, rel=0.15)
    with recomputed_blocks(network):
        few = _saved_bytes(network, (*inputs, statistics))
    assert few < 0.5 * measured
    assert costs.work(120, 20) > 1.7 * costs.work(60, 20)


def test_parts_of_a_batch_keep_to_the_limit(costs: StepCosts) -> None:
    shapes = [(60, 5), (64, 20), (30, 12), (64, 18), (20, 6)]
    assert split_batch(shapes, None, None) == Split(parts=[list(range(5))])
    one = costs.memory([(64, 20)])
    limit = costs.fixed + 1.2 * one
    split = split_batch(shapes, costs, limit)
    assert split.recompute_parts and not split.recompute_blocks
    assert sorted(k for part in split.parts for k in part) == list(range(5))
    assert all(costs.fixed + costs.memory([shapes[k] for k in part]) <= limit for part in split.parts)
    assert not split_batch(shapes, costs, costs.fixed + 9 * one).recompute_parts
    few = costs.memory([(64, 20)], recompute_blocks=True)
    assert split_batch(shapes, costs, costs.fixed + 1.1 * few).recompute_blocks
    with pytest.raises(ConfigError, match="--memory"):
        split_batch(shapes, costs, costs.fixed)


def test_a_split_step_keeps_no_more_than_was_said(network: Network, costs: StepCosts) -> None:
    """What autograd holds while the parts of a batch are computed, weights and optimizer aside."""
    items = [random_item(index, variables=12) for index in range(6)]
    room = 1.1 * costs.memory([(8, 12)] * 2)
    split = split_batch([(8, 12)] * 6, costs, costs.fixed + room)
    assert split.recompute_parts and len(split.parts) == 3
    for part in split.parts:
        batch = collate([items[k] for k in part])
        assert _saved_bytes(network, (batch.values, batch.observed, batch.variables, batch.statistics)) <= room
