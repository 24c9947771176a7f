"""Workers, order, batches, thinning, replay and the resumable plan of the task stream."""

from __future__ import annotations

import itertools
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from standins import PLAIN, cheap_work, dying_work, failing_work, options, random_item

from foundcause.errors import ConfigError, TrainingError
from foundcause.simulate.mixture import SHIPPED, make_task
from foundcause.simulate.tasks import drawn_shape
from foundcause.training.batches import collate
from foundcause.training.preparation import Job, Prepared
from foundcause.training.run_config import TrainConfig
from foundcause.training.task_stream import BatchPlan, Buckets, Reservoir, TaskStream
from foundcause.training.workers import Failure, Workers


def _config(**changes: object) -> TrainConfig:
    return TrainConfig(**options(steps=1, **changes))


def _batches(stream: TaskStream, count: int, start: int = 0) -> list[list[int]]:
    found = []
    for step in range(start, start + count):
        gathered = stream.next(step)
        stream.reservoir.offer(gathered.bucket, gathered.items, [float(item.index % 7) for item in gathered.items])
        found.append([item.index for item in gathered.items])
    return found


def test_results_come_in_order_from_several_processes() -> None:
    with Workers(2, ahead=6, work=cheap_work) as workers:
        jobs = (Job(PLAIN, k) for k in range(23))
        assert [r.index for r in workers.ordered(jobs)] == list(range(23))
        early = workers.ordered(Job(PLAIN, k) for k in range(100))
        assert [next(early).index for _ in range(3)] == [0, 1, 2]
        # A second stream abandons the first, whose late results must not leak into it.
        assert [r.index for r in workers.ordered(Job(PLAIN, k) for k in range(50, 60))] == list(range(50, 60))
        stream = TaskStream(PLAIN, _config(), workers)
        inline = TaskStream(PLAIN, _config(), Workers(0, work=cheap_work))
        assert _batches(stream, 6) == _batches(inline, 6)


def test_failures_are_counted_and_stop_the_run_when_many() -> None:
    with Workers(0, work=failing_work) as workers:
        kinds = [type(r) for r in workers.ordered(Job(PLAIN, k) for k in range(4))]
        assert kinds == [Failure, Prepared, Prepared, Failure]
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


def test_processes_share_the_batches_that_one_process_would_learn_from() -> None:
    config = _config(batch_smallest=3, thinning=1.0)
    alone = _batches(TaskStream(PLAIN, config, Workers(0, work=cheap_work)), 20)
    shares = [_batches(TaskStream(PLAIN, config, Workers(0, work=cheap_work), rank=r, world=3), 20) for r in range(3)]
    for together, *parts in zip(alone, *shares, strict=True):
        assert all(parts)
        assert sorted(index for part in parts for index in part) == together
    with pytest.raises(ConfigError, match="batch_smallest=4"):
        TaskStream(PLAIN, config, Workers(0, work=cheap_work), world=4)


@pytest.mark.parametrize("changes", [{}, {"thinning": 1.0}, {"replay": 0.4}])
def test_a_restored_stream_goes_on_exactly(changes: dict) -> None:
    def fresh() -> TaskStream:
        return TaskStream(PLAIN, _config(**changes), Workers(0, work=cheap_work))

    whole = fresh()
    expected = _batches(whole, 40)
    first = fresh()
    assert _batches(first, 17) == expected[:17]
    second = fresh()
    second.restore([first.state()])
    assert _batches(second, 23, start=17) == expected[17:]
    assert second.state() == whole.state()


def test_more_processes_go_on_with_the_same_batches() -> None:
    config = _config(batch_smallest=2, replay=0.4)
    alone = TaskStream(PLAIN, config, Workers(0, work=cheap_work))
    _batches(alone, 11)
    state = alone.state()
    expected = _planned(alone)
    pair = [TaskStream(PLAIN, config, Workers(0, work=cheap_work), rank=rank, world=2) for rank in range(2)]
    for stream in pair:
        stream.restore([state])
    assert all(_planned(stream) == expected for stream in pair)
    assert sum(len(stream.reservoir) for stream in pair) == len(alone.reservoir)


def _planned(stream: TaskStream) -> list[list[int]]:
    plan = BatchPlan(stream.recipe, stream.config)
    plan.restore(stream.state()["plan"])
    return [batch.indices for batch in itertools.islice(plan, 8)]


def test_a_stream_of_the_first_format_goes_on() -> None:
    """Runs that began before batches were planned kept tasks that waited, ready batches and views of tasks."""
    old = {
        "rank": 0, "world": 1, "base": 0, "pulled": 30, "passed": 30, "failed": 1, "waiting": {"2": [[27, 0], [29, 0]]},
        "later": [], "ready": [[0, [[25, 0], [26, 0]]]], "hard": {"1": [[3, 0, 0.7, 1]]},
    }  # fmt: skip
    stream = TaskStream(PLAIN, _config(replay=0.4), Workers(0, work=cheap_work))
    stream.restore([old])
    seen = {index for batch in _batches(stream, 30) for index in batch}
    assert {25, 26, 27, 29, 30, 31} <= seen and not seen & {24, 28} and stream.failed == 1


def test_a_batch_whose_tasks_all_fail_repeats_the_last_one() -> None:
    config = _config(batch_smallest=2, batch_largest=2)
    plan = BatchPlan(PLAIN, config)
    second = list(itertools.islice(plan, 2))[1].indices

    def work(job: Job) -> Prepared:
        if job.index in second:
            raise ValueError("no such task")
        return cheap_work(job)

    stream = TaskStream(PLAIN, config, Workers(0, work=work))
    first = stream.next(0).items
    assert [item.index for item in stream.next(1).items] == [first[-1].index]


def test_replay_brings_hard_tasks_back() -> None:
    stream = TaskStream(PLAIN, _config(replay=0.4, replay_reservoir=3), Workers(0, work=cheap_work))
    keys = [key for batch in _batches(stream, 60) for key in batch]
    again = [key for key, count in Counter(keys).items() if count > 1]
    assert 0.15 < 1 - len(set(keys)) / len(keys) < 0.5
    hardness = np.mean([index % 7 for index in again])
    assert hardness > np.mean([index % 7 for index in keys]) + 0.5


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


def test_the_shape_is_drawn_before_the_task_is_made() -> None:
    for index in range(40):
        task = make_task(SHIPPED, 3, index)
        variables, rows = drawn_shape(SHIPPED, 3, index)
        assert variables == task.record["variables"] and task.values.shape[0] == rows


def test_thinned_tasks_stand_for_all_of_their_size() -> None:
    drawn = replace(PLAIN, mixture=SHIPPED)
    plan, tasks = BatchPlan(drawn, _config(thinning=1.0)), 12_000
    sizes = np.array([drawn_shape(SHIPPED, drawn.seed, index)[0] for index in range(tasks)])
    learned = np.array([plan._keeps(index, int(size)) for index, size in enumerate(sizes)])
    for low, high in ((2, 2), (3, 5), (6, 12), (13, 25), (26, 42), (43, 100)):
        here = (sizes >= low) & (sizes <= high)
        weights = sizes[here] / 2
        spread = np.sqrt(np.sum(weights - 1))  # of the sum of the weights: each is w with probability 1 / w
        assert np.sum(weights[learned[here]]) == pytest.approx(here.sum(), abs=4 * spread + 1e-9)
    assert learned[sizes == 2].all()
    assert 0.3 < learned.mean() < 0.5  # four of ten are left, mostly small ones
    assert plan.weight(30) == 15.0


def test_a_batch_weighs_what_its_tasks_stand_for() -> None:
    stream = TaskStream(PLAIN, _config(thinning=1.0), Workers(0, work=cheap_work))
    for step in range(20):
        gathered = stream.next(step)
        assert gathered.weight == pytest.approx(sum(item.variables for item in gathered.items) / 2)
    with pytest.raises(ConfigError, match="thinning"):
        _config(thinning=-0.5)
