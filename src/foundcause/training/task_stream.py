"""The endless stream of batches: tasks in index order, gathered by size, in an order that timing cannot change.

The whole state is a list of task indices: the next one, and those that wait in a bucket, for their next use, or in
the replay reservoir. A resumed run rebuilds these tasks (each is a pure function of seed and index) and goes on as if
nothing had happened.
"""

from __future__ import annotations

import itertools
import time
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from foundcause.errors import TrainingError
from foundcause.simulate.tasks import drawn_size
from foundcause.training.preparation import Job, Prepared, Recipe, jobs
from foundcause.training.run_config import TrainConfig
from foundcause.training.workers import Failure, Workers

_FAILURES_ALLOWED = 20  # and at most one task in a hundred


@dataclass(frozen=True, kw_only=True)
class Gathered:
    """The tasks of one batch, the bucket they come from, their weight, and the seconds the trainer waited for them."""

    items: list[Prepared]
    bucket: int
    weight: float
    waited: float


class TaskStream:
    """Batches of one rank; ``state`` and ``restore`` make it resumable."""

    def __init__(
        self, recipe: Recipe, config: TrainConfig, workers: Workers, *, rank: int = 0, world: int = 1, base: int = 0
    ) -> None:
        self.recipe = recipe
        self.config = config
        self.rank, self.world, self.base = rank, world, base
        self.buckets = Buckets(config)
        self.reservoir = Reservoir(config.replay_reservoir if config.replay else 0)
        self.thinning = Thinning(config.thinning)
        self.pulled = 0
        self.passed = 0  # indices of this rank, those that were thinned out among them
        self.failed = 0
        self.seconds = np.zeros(2)  # simulation and statistics, summed over tasks
        self._workers = workers
        self._waiting: dict[int, list[Prepared]] = {}
        self._later: deque[tuple[int, Prepared]] = deque()
        self._ready: deque[tuple[int, list[Prepared]]] = deque()
        self._source: Iterator[list[Prepared] | Failure] | None = None

    def next(self, step: int) -> Gathered:
        """The next batch; pulls tasks in index order until a bucket is full."""
        waited = 0.0
        while not self._ready:
            started = time.perf_counter()
            result = self._pull()
            waited += time.perf_counter() - started
            self.pulled += 1
            index = result.index if isinstance(result, Failure) else result[0].index
            self.passed = (index - self.base - self.rank) // self.world + 1
            while self._later and self._later[0][0] <= self.pulled:
                self._place(self._later.popleft()[1])
            if isinstance(result, Failure):
                self._note(result)
                continue
            first, *others = (result[use % len(result)] for use in range(self.config.reuse))
            self._place(first)
            self._later.extend((self.pulled + k * self.config.reuse_delay, item) for k, item in enumerate(others, 1))
            if self.config.reuse > 2:
                self._later = deque(sorted(self._later, key=lambda entry: entry[0]))
            self.seconds += np.sum([item.seconds for item in result], axis=0)
        bucket, items = self._ready.popleft()
        items = items + self._replayed(bucket, len(items), step)
        weight = sum(self.thinning.weight(item) for item in items)
        return Gathered(items=items, bucket=bucket, weight=weight, waited=waited)

    def state(self) -> dict[str, Any]:
        """Where the stream stands, JSON-ready."""
        return {
            "rank": self.rank,
            "world": self.world,
            "base": self.base,
            "pulled": self.pulled,
            "passed": self.passed,
            "failed": self.failed,
            "waiting": {str(bucket): _keys(items) for bucket, items in self._waiting.items()},
            "later": [[due, item.index, item.view] for due, item in self._later],
            "ready": [[bucket, _keys(items)] for bucket, items in self._ready],
            "hard": self.reservoir.state(),
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Continue from ``state``; pending tasks are rebuilt from their indices."""
        self.base, self.pulled, self.failed = state["base"], state["pulled"], state["failed"]
        self.passed = state.get("passed", self.pulled)  # states from before tasks could be thinned out
        keys = [tuple(key) for pending in state["waiting"].values() for key in pending]
        keys += [(index, view) for _, index, view in state["later"]]
        keys += [tuple(key) for _, pending in state["ready"] for key in pending]
        keys += [(index, view) for kept in state["hard"].values() for index, view, *_ in kept]
        items: dict[tuple[int, int], Prepared] = {}
        for result in self._workers.ordered(jobs(self.recipe, keys)):
            if isinstance(result, Failure):
                raise TrainingError(f"task {result.index} could be made before but not again:\n{result.text}")
            items.update({(item.index, item.view): item for item in result})
        self._waiting = {
            int(bucket): self._fitting(int(bucket), kept, items) for bucket, kept in state["waiting"].items()
        }
        self._later = deque((due, items[index, view]) for due, index, view in state["later"])
        ready = ((bucket, self._fitting(bucket, kept, items)) for bucket, kept in state["ready"])
        self._ready = deque((bucket, fitting) for bucket, fitting in ready if fitting)
        self.reservoir.restore(state["hard"], items)
        self._source = None

    def _fitting(self, bucket: int, keys: list[list[int]], items: dict[tuple[int, int], Prepared]) -> list[Prepared]:
        """Tasks of a bucket that still have its size: where the simulator has changed since, a batch of pairs could
        otherwise come back as one of wide tables, which no memory holds."""
        found = (items[index, view] for index, view in keys)
        return [item for item in found if self.buckets.of(item.variables) == bucket]

    def _pull(self) -> list[Prepared] | Failure:
        if self._source is None:
            views = tuple(range(self.config.views))
            start = self.base + self.rank + self.world * self.passed
            indices = (i for i in itertools.count(start, self.world) if self.thinning.keeps(self.recipe, i))
            self._source = self._workers.ordered(Job(self.recipe, index, views) for index in indices)
        result = next(self._source, None)
        if result is None:
            raise TrainingError("the task stream ended; its workers were closed")
        return result

    def _place(self, item: Prepared) -> None:
        bucket = self.buckets.of(item.variables)
        waiting = self._waiting.setdefault(bucket, [])
        waiting.append(item)
        if len(waiting) + self._reserved(bucket) >= self.buckets.batch_size(bucket):
            self._ready.append((bucket, self._waiting.pop(bucket)))

    def _reserved(self, bucket: int) -> int:
        """Slots of a batch that replay may fill."""
        return int(self.config.replay * self.buckets.batch_size(bucket))

    def _replayed(self, bucket: int, fresh: int, step: int) -> list[Prepared]:
        if not self.config.replay:
            return []
        rng = np.random.default_rng([self.config.seed, step, self.rank, 7])
        wanted = self.config.replay * self.buckets.batch_size(bucket)
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
        """Tasks per batch: budget over D squared, within the bounds."""
        c = self._config
        return int(min(max(round(c.batch_budget / self.top(bucket) ** 2), c.batch_smallest), c.batch_largest))


def _keys(items: list[Prepared]) -> list[list[int]]:
    return [[item.index, item.view] for item in items]


@dataclass(frozen=True, kw_only=True)
class Hard:
    """A task kept for replay: the item, its loss when last seen, and how often it was replayed."""

    item: Prepared
    loss: float
    replays: int = 0


class Reservoir:
    """The hardest recent tasks of each bucket.

    Losses fade at each look, so that a task stays for being hard now, not for having been hard when all were; a task
    leaves after ``most_replays`` replays, so that wrong or unlearnable ones do not stay for good.
    """

    def __init__(self, capacity: int, *, fade: float = 0.97, most_replays: int = 3) -> None:
        self.capacity = capacity
        self.fade = fade
        self.most_replays = most_replays
        self._hard: dict[int, list[Hard]] = {}

    def __len__(self) -> int:
        return sum(len(kept) for kept in self._hard.values())

    def offer(self, bucket: int, items: Sequence[Prepared], losses: Sequence[float]) -> None:
        """Note the losses of a batch; the hardest of old and new stay."""
        if not self.capacity:
            return
        kept = {(h.item.index, h.item.view): replace(h, loss=h.loss * self.fade) for h in self._hard.get(bucket, [])}
        for item, loss in zip(items, losses, strict=True):
            if not np.isfinite(loss):
                continue
            old = kept.get((item.index, item.view))
            kept[item.index, item.view] = replace(old, loss=loss) if old else Hard(item=item, loss=loss)
        alive = [h for h in kept.values() if h.replays < self.most_replays]
        self._hard[bucket] = sorted(alive, key=lambda h: (-h.loss, h.item.index, h.item.view))[: self.capacity]

    def draw(self, bucket: int, count: int, rng: np.random.Generator) -> list[Prepared]:
        """Up to ``count`` different hard tasks of the bucket, counted as replayed."""
        kept = self._hard.get(bucket, [])
        chosen = rng.choice(len(kept), size=min(count, len(kept)), replace=False) if kept else ()
        for k in chosen:
            kept[k] = replace(kept[k], replays=kept[k].replays + 1)
        return [kept[k].item for k in chosen]

    def state(self) -> dict[str, list[list[Any]]]:
        """Which tasks are kept, JSON-ready; the tasks themselves are rebuilt from their indices."""
        return {
            str(bucket): [[h.item.index, h.item.view, h.loss, h.replays] for h in kept]
            for bucket, kept in self._hard.items()
        }

    def restore(self, state: dict[str, list[list[Any]]], items: dict[tuple[int, int], Prepared]) -> None:
        """Continue from ``state`` with the rebuilt items."""
        self._hard = {
            int(bucket): [
                Hard(item=items[index, view], loss=loss, replays=replays)
                for index, view, loss, replays in kept
                if (index, view) in items
            ]
            for bucket, kept in state.items()
        }


_KEEP_ROLE = 4  # apart from the draws of train.prepare


@dataclass(frozen=True)
class Thinning:
    """Tasks of D variables are kept (2 / D) ** exponent as often as the mixture draws them, and weigh the inverse."""

    exponent: float

    def keeps(self, recipe: Recipe, index: int) -> bool:
        """Whether a task is learned from; known from its drawn size, before it is simulated."""
        if not self.exponent:
            return True
        weight = self._weight(drawn_size(recipe.mixture, recipe.seed, index))
        return bool(np.random.default_rng([recipe.seed, index, _KEEP_ROLE]).random() * weight < 1.0)

    def weight(self, item: Prepared) -> float:
        """How many tasks of the mixture this one stands for."""
        return self._weight(item.record["variables"]) if self.exponent else 1.0

    def _weight(self, variables: int) -> float:
        return float((variables / 2) ** self.exponent)
