"""A program that tests start once per rank: three steps on sharded tasks; the leader saves its weights."""

from __future__ import annotations

import contextlib
import sys
import time
from pathlib import Path

import torch
from standins import PLAIN, cheap_work, options

from foundcause.model.architectures import preset
from foundcause.model.network import FoundCause
from foundcause.training.batches import collate
from foundcause.training.distributed import Team, team
from foundcause.training.objectives import objective
from foundcause.training.preparation import Prepared
from foundcause.training.run_config import TrainConfig
from foundcause.training.step import Learner
from foundcause.training.task_stream import TaskStream
from foundcause.training.workers import Workers

STEPS = 3


def config(kind: str) -> TrainConfig:
    return TrainConfig(**options(steps=STEPS, objective=kind, feature_dropout=0.0, lr=0.01, optimizer="schedule-free"))


def learner(kind: str, members: Team) -> Learner:
    import dataclasses

    network = FoundCause(dataclasses.replace(preset("TINY"), feature_dropout=0.0), seed=1)
    return Learner(network, objective(kind), config(kind), members)


def items_of(rank: int, world: int, kind: str) -> list[list[Prepared]]:
    stream = TaskStream(PLAIN, config(kind), Workers(0, work=cheap_work), rank=rank, world=world)
    return [stream.next(step).items for step in range(STEPS)]


def check_partial_gradients(members: Team) -> None:
    """A gradient of one rank reaches all; what no rank has a gradient for stays without."""
    everywhere, here, nowhere = (torch.nn.Parameter(torch.zeros(2, 3)) for _ in range(3))
    everywhere.grad = torch.full((2, 3), float(members.rank + 1))
    if members.rank == 1:
        here.grad = torch.full((2, 3), 5.0)
    members.sum_gradients([everywhere, here, nowhere])
    assert (everywhere.grad == 3).all() and here.grad is not None and (here.grad == 5).all() and nowhere.grad is None


def group_threads() -> list[str]:
    """Names of the threads of a process group, where the system tells."""
    names = []
    for thread in Path("/proc/self/task").glob("*/comm"):
        with contextlib.suppress(OSError):
            names.append(thread.read_text().strip())
    return [name for name in names if "gloo" in name]


if __name__ == "__main__":
    torch.set_num_threads(1)
    out, kind = sys.argv[1:]
    with team("cpu") as members:
        check_partial_gradients(members)
        mine = learner(kind, members)
        losses = []
        for step, items in enumerate(items_of(members.rank, members.world, kind)):
            batch = collate(items, seed=0, step=step, permute=True)
            losses.append(mine.step([batch], number=step, rate=0.01).loss)
        states = members.gather(mine.averages)
        assert states[0] == states[1], "the adaptive averages must agree on all ranks"
        if members.leads:
            torch.save({"weights": mine.network.state_dict(), "losses": losses, "adaptive": states[0]}, out)
    # A thread of the group that outlives it can abort the process while Python ends.
    deadline = time.monotonic() + 5  # the system may list a thread for a moment after it has ended
    while (left := group_threads()) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not left, f"threads of the process group are still there: {left}"
