"""One process or many: ranks, sums over ranks, and the wrapped network. Launch many with ``torchrun``."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor, nn

from foundcause.errors import ConfigError


@dataclass(frozen=True, kw_only=True)
class Team:
    """The processes that train together.

    rank: number of this process. world: number of processes. device: where this process computes.
    """

    rank: int
    world: int
    device: torch.device

    @property
    def leads(self) -> bool:
        """Whether this process writes files and speaks."""
        return self.rank == 0

    def total(self, counts: Tensor) -> Tensor:
        """Sum over ranks, without gradient."""
        if self.world == 1:
            return counts
        summed = counts.detach().clone().to(self.device)
        dist.all_reduce(summed)
        return summed

    def agree(self, number: float) -> float:
        """The leader's number, so that every rank takes the same decision on time and budget."""
        if self.world == 1:
            return number
        shared = torch.tensor([number], dtype=torch.float64, device=self.device)
        dist.broadcast(shared, src=0)
        return float(shared.item())

    def gather(self, thing: Any) -> list[Any]:
        """The things of all ranks, in order of the rank."""
        if self.world == 1:
            return [thing]
        things: list[Any] = [None] * self.world
        dist.all_gather_object(things, thing)
        return things

    def wrap(self, network: nn.Module) -> nn.Module:
        """The network with gradients averaged over ranks."""
        if self.world == 1:
            return network
        from torch.nn.parallel import DistributedDataParallel

        devices = [self.device] if self.device.type == "cuda" else None
        # A batch may leave a part of the network without gradient (a term that is off), which DDP must expect.
        return DistributedDataParallel(network, device_ids=devices, find_unused_parameters=True)


@contextmanager
def team(device: str = "cpu") -> Iterator[Team]:
    """The team of this process: what ``torchrun`` set up, or just itself."""
    world = int(os.environ.get("WORLD_SIZE", "1"))
    if world == 1:
        yield Team(rank=0, world=1, device=_device(device, 0))
        return
    place = _device(device, int(os.environ.get("LOCAL_RANK", "0")))
    dist.init_process_group("nccl" if place.type == "cuda" else "gloo")
    try:
        yield Team(rank=dist.get_rank(), world=dist.get_world_size(), device=place)
        dist.barrier()  # a rank that tears down while another still talks to it can abort at exit
    finally:
        dist.destroy_process_group()


def _device(name: str, local_rank: int) -> torch.device:
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "cpu"
    if name == "cpu":
        return torch.device("cpu")
    if name == "cuda":
        if not torch.cuda.is_available():
            raise ConfigError("device 'cuda' was asked for, but torch sees no GPU; use --device cpu or auto")
        torch.cuda.set_device(local_rank)
        return torch.device("cuda", local_rank)
    raise ConfigError(f"unknown device {name!r}; choose cpu, cuda or auto")
