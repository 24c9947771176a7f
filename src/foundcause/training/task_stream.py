"""The endless stream of batches: planned from indices alone, dealt to processes by cost, prepared by workers.

The size of a task is drawn before anything else, so every process can plan the same batches without making a task.
The plan is all that a resumed run needs. It does not depend on the number of processes, and timing cannot change it.
"""

from __future__ import annotations

import itertools
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from foundcause.errors import ConfigError, TrainingError
from foundcause.simulate.tasks import drawn_shape
from foundcause.training.preparation import Job, Prepared, Recipe
from foundcause.training.run_config import TrainConfig
from foundcause.training.step_costs import Work, deal
from foundcause.training.workers import Failure, Workers

_FAILURES_ALLOWED = 20  # and at most one task in a hundred
_THINNING_ROLE = 4  # apart from the draws of preparation
_REPLAY_ROLE = 7


@dataclass(frozen=True, kw_only=True)
class PlannedBatch:
    """A batch of all processes: its size bucket, the indices of its tasks, and the plan's state after it."""

    bucket: int
    indices: list[int]
    after: dict[str, Any]


class BatchPlan:
    """Which tasks make up which batch, the same for every process."""

    def __init__(self, recipe: Recipe, config: TrainConfig) -> None:
        self._recipe, self._config = recipe, config
        self.buckets = Buckets(config)
        self.next_index = 0
        self._waiting: dict[int, list[int]] = {}

    def __iter__(self) -> Iterator[PlannedBatch]:
        while True:
            index = self.next_index
            self.next_index += 1
            variables = self.shape(index)[1]
            if not self._keeps(index, variables):
                continue
            bucket = self.buckets.of(variables)
            waiting = self._waiting.setdefault(bucket, [])
            waiting.append(index)
            size = max(self.buckets.batch_size(bucket) - self.reserved(bucket), 1)
            while len(waiting) >= size:
                indices, waiting[:] = waiting[:size], waiting[size:]
                yield PlannedBatch(bucket=bucket, indices=indices, after=self.state())

    def shape(self, index: int) -> tuple[int, int]:
        """Encoder rows (of the network that reads most) and variables of a task."""
        variables, rows = drawn_shape(self._recipe.mixture, self._recipe.seed, index)
        limit = self._recipe.encoder_rows
        return rows if limit is None else min(rows, limit), variables

    def weight(self, variables: int) -> float:
        """How many tasks of the mixture one of this size stands for."""
        return float((variables / 2) ** self._config.thinning)

    def reserved(self, bucket: int) -> int:
        """Slots of a batch that replay may fill."""
        return int(self._config.replay * self.buckets.batch_size(bucket))

    def _keeps(self, index: int, variables: int) -> bool:
        """Whether a task is learned from: one of D variables in (D / 2) ** thinning."""
        if not self._config.thinning:
            return True
        rng = np.random.default_rng([self._recipe.seed, index, _THINNING_ROLE])
        return bool(rng.random() * self.weight(variables) < 1.0)

    def state(self) -> dict[str, Any]:
        """Where the plan stands, JSON-ready."""
        waiting = {str(bucket): list(indices) for bucket, indices in self._waiting.items()}
        return {"next": self.next_index, "waiting": waiting}

    def restore(self, state: dict[str, Any]) -> None:
        """Continue from ``state``."""
        self.next_index = state["next"]
        self._waiting = {int(bucket): list(indices) for bucket, indices in state["waiting"].items()}


@dataclass(frozen=True, kw_only=True)
class Gathered:
    """The tasks of one process in one step, their bucket and weight, and the seconds it waited for them."""

    items: list[Prepared]
    bucket: int
    weight: float
    waited: float


class TaskStream:
    """The prepared batches of one process.

    Parameters
    ----------
    recipe : Recipe
        How tasks are made.
    config : TrainConfig
        Batch sizes, thinning and replay.
    workers : Workers
        Who prepares the tasks.
    rank, world : int
        This process and the number of processes.
    work : callable, optional
        Cost of a task from its rows and variables, by which batches are dealt.
    """

    def __init__(
        self, recipe: Recipe, config: TrainConfig, workers: Workers, *, rank: int = 0, world: int = 1,
        work: Work | None = None,
    ) -> None:  # fmt: skip
        if config.batch_smallest < world:
            raise ConfigError(
                f"batch_smallest {config.batch_smallest} is below the {world} processes; every one needs a task of "
                f"each batch: --option batch_smallest={world}"
            )
        self.recipe, self.config = recipe, config
        self.rank, self.world = rank, world
        self.plan = BatchPlan(recipe, config)
        self.reservoir = Reservoir(config.replay_reservoir if config.replay else 0)
        self.pulled = self.failed = 0
        self.seconds = np.zeros(2)  # simulation and statistics, summed over tasks
        self._work = work or (lambda rows, variables: float(variables**2))
        self._workers = workers
        self._planned: deque[tuple[PlannedBatch, int]] = deque()
        self._after = self.plan.state()
        self._source: Iterator[Prepared | Failure] | None = None
        self._last: Prepared | None = None

    def next(self, step: int) -> Gathered:
        """Wait for the tasks of this process in the next batch."""
        if self._source is None:
            self._source = self._workers.ordered(self._jobs())
        started = time.perf_counter()
        items: list[Prepared] = []
        result = self._pull()
        batch, count = self._planned.popleft()  # planned before its first task was handed out
        for position in range(count):
            if position:
                result = self._pull()
            if isinstance(result, Failure):
                self._note(result)
            else:
                items.append(result)
                self.seconds += result.seconds
        waited = time.perf_counter() - started
        self._after = batch.after
        if not items:  # all of them failed: every process needs something to learn from
            if self._last is None:
                raise TrainingError(
                    f"no task of the first batch could be made; task {batch.indices[0]} was one of them"
                )
            items = [self._last]
        self._last = items[-1]
        items = items + self._replayed(batch.bucket, step)
        weight = sum(self.plan.weight(item.record.get("variables", item.variables)) for item in items)
        return Gathered(items=items, bucket=batch.bucket, weight=weight, waited=waited)

    def state(self) -> dict[str, Any]:
        """Where the stream stands, JSON-ready; only the hard tasks differ between processes."""
        counts = {"pulled": self.pulled, "failed": self.failed}
        return {"plan": self._after, "hard": self.reservoir.state(), **counts}

    def restore(self, states: Sequence[dict[str, Any]]) -> None:
        """Continue from the states of all processes, which may have been more or fewer than now."""
        first = states[0]
        self.plan.restore(first["plan"] if "plan" in first else _plan_of_old_states(states, self.plan))
        self._after = self.plan.state()
        same = len(states) == self.world
        mine = states[self.rank] if same else first
        self.pulled, self.failed = mine["pulled"], mine["failed"]
        hard = [mine["hard"]] if same else [state["hard"] for state in states]
        self.reservoir.restore(hard, self._rebuilt, keep=lambda index: same or index % self.world == self.rank)
        self._source = None
        self._planned.clear()

    def _jobs(self) -> Iterator[Job]:
        for batch in self.plan:
            if self.world == 1:
                mine = batch.indices
            else:
                shapes = [self.plan.shape(index) for index in batch.indices]
                mine = [batch.indices[position] for position in deal(shapes, self._work, self.world)[self.rank]]
            self._planned.append((batch, len(mine)))
            yield from (Job(self.recipe, index) for index in mine)

    def _pull(self) -> Prepared | Failure:
        assert self._source is not None
        result = next(self._source, None)
        if result is None:
            raise TrainingError("the task stream ended; its workers were closed")
        self.pulled += 1
        return result

    def _rebuilt(self, indices: Sequence[int]) -> dict[int, Prepared]:
        results = self._workers.ordered(Job(self.recipe, index) for index in sorted(indices))
        return {item.index: item for item in results if not isinstance(item, Failure)}

    def _replayed(self, bucket: int, step: int) -> list[Prepared]:
        if not self.config.replay:
            return []
        rng = np.random.default_rng([self.config.seed, step, self.rank, _REPLAY_ROLE])
        wanted = self.config.replay * self.plan.buckets.batch_size(bucket) / self.world
        count = int(wanted) + int(rng.random() < wanted % 1)
        return self.reservoir.draw(bucket, count, rng)

    def _note(self, failure: Failure) -> None:
        self.failed += 1
        if self.failed > max(_FAILURES_ALLOWED, self.pulled / 100):
            raise TrainingError(
                f"{self.failed} of {self.pulled} tasks could not be made; the last one, task {failure.index} "
                f"of seed {self.recipe.seed}, failed with:\n{failure.text}"
            )


class Buckets:
    """Sizes that share a batch, and how many tasks a batch of each holds."""

    def __init__(self, config: TrainConfig) -> None:
        self._config = config
        self._tops = [2]
        while self._tops[-1] < 100_000:
            self._tops.append(max(self._tops[-1] + 1, int(self._tops[-1] * config.bucket_ratio)))

    def of(self, variables: int) -> int:
        """Number of the bucket for D variables."""
        return int(np.searchsorted(self._tops, variables))

    def top(self, bucket: int) -> int:
        """Largest D in the bucket."""
        return self._tops[bucket]

    def batch_size(self, bucket: int) -> int:
        """Tasks of a batch over all processes: the budget over D squared, within the bounds."""
        c = self._config
        return int(min(max(round(c.batch_budget / self.top(bucket) ** 2), c.batch_smallest), c.batch_largest))


@dataclass(frozen=True, kw_only=True)
class Hard:
    """A task kept for replay, its loss when last used, and how often it was replayed."""

    item: Prepared
    loss: float
    replays: int = 0


class Reservoir:
    """The hardest recent tasks of each bucket.

    Losses fade at each offer, so that a task stays because it is hard now and not because all were hard once. A task
    leaves after ``most_replays`` replays, so that wrong or unlearnable ones do not stay.
    """

    def __init__(self, capacity: int, *, fade: float = 0.97, most_replays: int = 3) -> None:
        self.capacity, self.fade, self.most_replays = capacity, fade, most_replays
        self._hard: dict[int, list[Hard]] = {}

    def __len__(self) -> int:
        return sum(len(hard) for hard in self._hard.values())

    def offer(self, bucket: int, items: Sequence[Prepared], losses: Sequence[float]) -> None:
        """Note the losses of a batch; the hardest of old and new stay."""
        if not self.capacity:
            return
        hard = {entry.item.index: replace(entry, loss=entry.loss * self.fade) for entry in self._hard.get(bucket, [])}
        for item, loss in zip(items, losses, strict=True):
            if np.isfinite(loss):
                old = hard.get(item.index)
                hard[item.index] = replace(old, loss=loss) if old else Hard(item=item, loss=loss)
        alive = [entry for entry in hard.values() if entry.replays < self.most_replays]
        self._hard[bucket] = sorted(alive, key=lambda entry: (-entry.loss, entry.item.index))[: self.capacity]

    def draw(self, bucket: int, count: int, rng: np.random.Generator) -> list[Prepared]:
        """Draw up to ``count`` different hard tasks of the bucket, and count them as replayed."""
        hard = self._hard.get(bucket, [])
        chosen = rng.choice(len(hard), size=min(count, len(hard)), replace=False) if hard else ()
        for k in chosen:
            hard[k] = replace(hard[k], replays=hard[k].replays + 1)
        return [hard[k].item for k in chosen]

    def state(self) -> dict[str, list[list[Any]]]:
        """Which tasks are kept, JSON-ready."""
        return {
            str(bucket): [[entry.item.index, entry.loss, entry.replays] for entry in hard]
            for bucket, hard in self._hard.items()
        }

    def restore(
        self,
        states: Sequence[dict[str, list[list[Any]]]],
        rebuild: Callable[[Sequence[int]], dict[int, Prepared]],
        keep: Callable[[int], bool] = lambda index: True,
    ) -> None:
        """Continue from the states of one or more reservoirs; the tasks are made again."""
        entries = [
            (int(bucket), entry[0], entry[-2], entry[-1])  # older states also name a view of the task
            for state in states
            for bucket, hard in state.items()
            for entry in hard
            if keep(entry[0])
        ]
        items = rebuild(sorted({index for _, index, _, _ in entries})) if entries else {}
        self._hard = {
            bucket: [
                Hard(item=items[index], loss=loss, replays=replays)
                for _, index, loss, replays in group
                if index in items
            ]
            for bucket, group in itertools.groupby(sorted(entries, key=lambda entry: entry[0]), lambda entry: entry[0])
        }


def _plan_of_old_states(states: Sequence[dict[str, Any]], plan: BatchPlan) -> dict[str, Any]:
    """Convert streams of the first format, in which every process gathered batches of its own."""
    reached = max(state["base"] + state["world"] * state.get("passed", state["pulled"]) for state in states)
    pending = [index for state in states for items in state["waiting"].values() for index, _ in items]
    pending += [index for state in states for _, items in state["ready"] for index, _ in items]
    waiting: dict[str, list[int]] = {}
    for index in sorted(pending):
        waiting.setdefault(str(plan.buckets.of(plan.shape(index)[1])), []).append(index)
    return {"next": reached, "waiting": waiting}
