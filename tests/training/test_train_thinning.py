"""Fewer large tasks that count more: which are kept, what they weigh, and that nothing else changes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from standins import PLAIN, options, random_item, small_mixture

from foundcause.errors import ConfigError
from foundcause.simulate.mixture import SHIPPED, make_task
from foundcause.simulate.tasks import drawn_size
from foundcause.training.preparation import Job, Prepared
from foundcause.training.run_config import TrainConfig
from foundcause.training.task_stream import TaskStream, Thinning
from foundcause.training.workers import Workers

DRAWN = replace(PLAIN, mixture=SHIPPED)
FEW = replace(PLAIN, mixture=small_mixture())


def _sized_work(job: Job) -> list[Prepared]:
    """Random numbers of the size that the mixture draws."""
    size = drawn_size(job.recipe.mixture, job.recipe.seed, job.index)
    item = random_item(job.index, variables=size)
    return [replace(item, record={"variables": size})]


def _stream(rank: int = 0, world: int = 1) -> TaskStream:
    config = TrainConfig(**options(steps=1, thinning=1.0, reuse=2, reuse_delay=7))
    return TaskStream(FEW, config, Workers(0, work=_sized_work), rank=rank, world=world)


def _indices(stream: TaskStream, batches: int, start: int = 0) -> list[list[int]]:
    return [[item.index for item in stream.next(step).items] for step in range(start, start + batches)]


def test_the_size_is_known_before_the_task_is_made() -> None:
    for index in range(40):
        assert drawn_size(SHIPPED, 3, index) == make_task(SHIPPED, 3, index).record["variables"]


def test_kept_tasks_stand_for_all_of_their_size() -> None:
    thinning, tasks = Thinning(1.0), 12_000
    sizes = np.array([drawn_size(SHIPPED, DRAWN.seed, index) for index in range(tasks)])
    kept = np.array([thinning.keeps(DRAWN, index) for index in range(tasks)])
    for low, high in ((2, 2), (3, 5), (6, 12), (13, 25), (26, 42), (43, 100)):
        here = (sizes >= low) & (sizes <= high)
        weights = sizes[here] / 2
        spread = np.sqrt(np.sum(weights - 1))  # of the sum of the kept weights: each is w with probability 1 / w
        assert np.sum(weights[kept[here]]) == pytest.approx(here.sum(), abs=4 * spread + 1e-9)
    assert kept[sizes == 2].all()
    assert 0.3 < kept.mean() < 0.5  # four of ten are left, mostly small ones
    assert Thinning(1.0).weight(replace(random_item(0), record={"variables": 30})) == 15.0


def test_without_an_exponent_all_are_kept_and_weigh_one() -> None:
    assert all(Thinning(0.0).keeps(DRAWN, index) for index in range(50))
    assert Thinning(0.0).weight(random_item(0)) == 1.0
    with pytest.raises(ConfigError, match="thinning"):
        TrainConfig(steps=1, thinning=-0.5)


def test_a_thinned_stream_goes_on_exactly_and_ranks_share_nothing() -> None:
    whole = _stream()
    expected = _indices(whole, 30)
    first, second = _stream(), _stream()
    assert _indices(first, 13) == expected[:13]
    second.restore(first.state())
    assert _indices(second, 17, start=13) == expected[13:]
    assert second.state() == whole.state()
    assert whole.passed > 1.2 * whole.pulled
    seen = [{index for batch in _indices(_stream(rank, 2), 20) for index in batch} for rank in (0, 1)]
    assert {index % 2 for index in seen[0]} == {0} and {index % 2 for index in seen[1]} == {1}
    assert all(Thinning(1.0).keeps(FEW, index) for index in seen[0] | seen[1])


def test_a_batch_weighs_what_its_tasks_stand_for() -> None:
    stream = _stream()
    for step in range(20):
        gathered = stream.next(step)
        assert gathered.weight == pytest.approx(sum(item.variables for item in gathered.items) / 2)
