"""Workers, order, batches, reuse, replay and the resumable position of the task stream."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
import torch
from standins import PLAIN, cheap_work, dying_work, failing_work, options, random_item

from foundcause.errors import TrainingError
from foundcause.training.batches import collate
from foundcause.training.preparation import Job, Prepared
from foundcause.training.run_config import TrainConfig
from foundcause.training.task_stream import Buckets, Reservoir, TaskStream
from foundcause.training.workers import Failure, Workers


def _config(**changes: object) -> TrainConfig:
    return TrainConfig(**options(steps=1, **changes))


def _batches(stream: TaskStream, count: int, start: int = 0) -> list[list[tuple[int, int]]]:
    found = []
    for step in range(start, start + count):
        gathered = stream.next(step)
        stream.reservoir.offer(gathered.bucket, gathered.items, [float(item.index % 7) for item in gathered.items])
        found.append([(item.index, item.view) for item in gathered.items])
    return found


def test_results_come_in_order_from_several_processes() -> None:
    with Workers(2, ahead=6, work=cheap_work) as workers:
        jobs = (Job(PLAIN, k) for k in range(23))
        assert [r[0].index for r in workers.ordered(jobs)] == list(range(23))
        early = workers.ordered(Job(PLAIN, k) for k in range(100))
        assert [next(early)[0].index for _ in range(3)] == [0, 1, 2]
        # A second stream abandons the first, whose late results must not leak into it.
        assert [r[0].index for r in workers.ordered(Job(PLAIN, k) for k in range(50, 60))] == list(range(50, 60))
        stream = TaskStream(PLAIN, _config(), workers)
        inline = TaskStream(PLAIN, _config(), Workers(0, work=cheap_work))
        assert _batches(stream, 6) == _batches(inline, 6)


def test_failures_are_counted_and_stop_the_run_when_many() -> None:
    with Workers(0, work=failing_work) as workers:
        kinds = [type(r) for r in workers.ordered(Job(PLAIN, k) for k in range(4))]
        assert kinds == [Failure, list, list, Failure]
        stream = TaskStream(PLAIN, _config(), workers)
        with pytest.raises(TrainingError, match="no task"):
            _batches(stream, 100)
        assert stream.failed > 20


def test_a_dead_worker_is_reported() -> None:
    told = pytest.raises(TrainingError, match=r"exit code 9.*--option ahead=")
    with Workers(1, ahead=3, work=dying_work) as workers, told:
        list(workers.ordered(Job(PLAIN, k) for k in range(10)))


def test_workers_that_nobody_closed_do_not_hold_up_the_end() -> None:
    program = (
        "from standins import PLAIN, cheap_work; from foundcause.training.preparation import Job; "
        "from foundcause.training.workers import Workers; "
        "workers = Workers(1, work=cheap_work); next(workers.ordered([Job(PLAIN, 1)]))"
    )
    subprocess.run([sys.executable, "-c", program], cwd=Path(__file__).parent, timeout=120, check=True)


def test_batches_hold_similar_sizes_within_budget() -> None:
    config = _config(batch_budget=200, batch_smallest=2, batch_largest=10, bucket_ratio=1.35)
    stream = TaskStream(PLAIN, config, Workers(0, work=cheap_work))
    for step in range(30):
        gathered = stream.next(step)
        sizes = [item.variables for item in gathered.items]
        assert max(sizes) <= max(1.35 * min(sizes), min(sizes) + 1)
        assert len(sizes) == min(max(round(200 / Buckets(config).top(gathered.bucket) ** 2), 2), 10)


def test_every_task_is_used_as_often_as_asked_and_spread_out() -> None:
    stream = TaskStream(PLAIN, _config(reuse=3, views=2, reuse_delay=10), Workers(0, work=cheap_work))
    uses = [key for batch in _batches(stream, 120) for key in batch]
    per_task = Counter(index for index, _ in uses)
    finished = [index for index in per_task if index < stream.pulled - 60]
    assert len(finished) > 50
    assert all(per_task[index] == 3 for index in finished)
    assert all({view for i, view in uses if i == index} == {0, 1} for index in finished[:20])
    positions = [k for k, (index, _) in enumerate(uses) if index == finished[5]]
    assert min(np.diff(positions)) > 3


def test_ranks_share_no_task() -> None:
    seen = [
        {index for batch in _batches(TaskStream(PLAIN, _config(), Workers(0, work=cheap_work), rank=r, world=3), 20)
         for index, _ in batch}
        for r in range(3)
    ]  # fmt: skip
    assert not seen[0] & seen[1] and not seen[1] & seen[2] and not seen[0] & seen[2]
    assert {index % 3 for index in seen[2]} == {2}


@pytest.mark.parametrize("changes", [{}, {"reuse": 3, "views": 2, "reuse_delay": 5}, {"replay": 0.4, "reuse": 2}])
def test_a_restored_stream_goes_on_exactly(changes: dict) -> None:
    def fresh() -> TaskStream:
        return TaskStream(PLAIN, _config(**changes), Workers(0, work=cheap_work))

    whole = fresh()
    expected = _batches(whole, 40)
    first = fresh()
    assert _batches(first, 17) == expected[:17]
    second = fresh()
    second.restore(first.state())
    assert _batches(second, 23, start=17) == expected[17:]
    assert second.state() == whole.state()


def test_tasks_that_have_another_size_now_leave_their_batch() -> None:
    """A simulator that changed between two sessions makes other tasks of the same indices."""
    config = _config(batch_budget=200, batch_smallest=2, batch_largest=10)
    first = TaskStream(PLAIN, config, Workers(0, work=cheap_work))
    _batches(first, 17)
    second = TaskStream(PLAIN, config, Workers(0, work=_wider_work))
    second.restore(first.state())
    for step in range(20):
        gathered = second.next(step)
        assert {second.buckets.of(item.variables) for item in gathered.items} == {gathered.bucket}


def _wider_work(job: Job) -> list[Prepared]:
    """What ``cheap_work`` makes, every third task much wider."""
    made = cheap_work(job)
    return made if job.index % 3 else [random_item(job.index, view=view, variables=40) for view in job.views]


def test_replay_brings_hard_tasks_back() -> None:
    stream = TaskStream(PLAIN, _config(replay=0.4, replay_reservoir=3), Workers(0, work=cheap_work))
    keys = [key for batch in _batches(stream, 60) for key in batch]
    again = [key for key, count in Counter(keys).items() if count > 1]
    assert 0.15 < 1 - len(set(keys)) / len(keys) < 0.5
    hardness = np.mean([index % 7 for index, _ in again])
    assert hardness > np.mean([index % 7 for index, _ in keys]) + 0.5


def test_reservoir_keeps_the_hardest_and_lets_go() -> None:
    reservoir = Reservoir(2, most_replays=1)
    items = [random_item(k) for k in range(4)]
    reservoir.offer(0, items, [1.0, 9.0, float("nan"), 5.0])
    drawn = reservoir.draw(0, 5, np.random.default_rng(0))
    assert {item.index for item in drawn} == {1, 3}
    assert reservoir.draw(1, 5, np.random.default_rng(0)) == []
    reservoir.offer(0, [], [])
    assert len(reservoir) == 0  # both were replayed once


def test_collate_pads_and_permutes() -> None:
    items = [random_item(1, variables=3), random_item(2, variables=5)]
    plain, shuffled = collate(items), collate(items, permute=True, seed=1, step=4)
    assert plain.statistics.shape == (2, 5, 5, 45)
    assert plain.variables.sum(1).tolist() == [3, 5]
    assert not plain.statistics[0, 3:].any() and not plain.observed[0, :, 3:].any()
    assert torch.equal(plain.statistics[1], torch.from_numpy(items[1].statistics))
    order = [
        next(j for j in range(5) if torch.equal(shuffled.values[1, :, k], plain.values[1, :, j])) for k in range(5)
    ]
    assert order != list(range(5)) and sorted(order) == list(range(5))
    for name in ("statistics", "adjacency", "confounding"):
        expected = getattr(plain, name)[1][order][:, order]
        assert torch.equal(getattr(shuffled, name)[1], expected)
    assert not torch.equal(collate(items, permute=True, seed=1, step=5).values, shuffled.values)
    alone = collate(items[1:], permute=True, seed=1, step=4)
    assert torch.equal(alone.values[0], shuffled.values[1])  # the draw does not depend on the batch
