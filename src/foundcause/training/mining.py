"""Replay of hard tasks: a small reservoir per size bucket, filled by loss, emptied by use."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from foundcause.training.prepare import Prepared


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
