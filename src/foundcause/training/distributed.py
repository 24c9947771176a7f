"""One process or many: ranks, and sums over ranks of numbers and gradients. Launch many with ``torchrun``."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
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

    def broadcast(self, thing: Any) -> Any:
        """The leader's thing, for every process."""
        if self.world == 1:
            return thing
        things = [thing]
        dist.broadcast_object_list(things, src=0)
        return things[0]

    def gather(self, thing: Any) -> list[Any]:
        """The things of all ranks, in order of the rank."""
        if self.world == 1:
            return [thing]
        things: list[Any] = [None] * self.world
        dist.all_gather_object(things, thing)
        return things

    def start_alike(self, network: nn.Module) -> None:
        """Give every rank the leader's parameters and buffers."""
        if self.world == 1:
            return
        for tensor in network.state_dict().values():
            dist.broadcast(tensor, src=0)

    @torch.no_grad()
    def sum_gradients(self, parameters: Sequence[nn.Parameter]) -> None:
        """Sum gradients over ranks in one message; a parameter that no rank has a gradient for stays without.

        Not DistributedDataParallel: it holds the process group, and so its threads, for as long as the network lives,
        and one that is still at work while Python ends aborts a run that has succeeded.
        """
        if self.world == 1:
            return
        present = torch.tensor([float(p.grad is not None) for p in parameters], device=self.device)
        grads = [torch.zeros_like(p) if p.grad is None else p.grad for p in parameters]
        message = torch.cat([present, *(g.flatten().float() for g in grads)])
        dist.all_reduce(message)
        present, *sums = message.split([len(grads), *(g.numel() for g in grads)])
        for parameter, anywhere, total in zip(parameters, (present > 0).tolist(), sums, strict=True):
            if anywhere:
                parameter.grad = total.view_as(parameter).to(parameter.dtype)


@contextmanager
def team(device: str = "cpu") -> Iterator[Team]:
    """The team of this process: what ``torchrun`` set up, or just itself."""
    world = int(os.environ.get("WORLD_SIZE", "1"))
    if world == 1:
        yield Team(rank=0, world=1, device=_device(device, 0))
        return
    place = _device(device, int(os.environ.get("LOCAL_RANK", "0")))
    # Its functions take the group that exists when they are defined as a default, and would hold it (and its threads,
    # see sum_gradients) for ever. torch.optim loads it, so it must be loaded before there is a group.
    import torch.distributed.nn.functional  # noqa: F401

    store, rank, world = next(iter(dist.rendezvous("env://")))
    # torchrun keeps the store when it restarts the processes, and gloo would connect to those that died
    store = dist.PrefixStore(f"restart-{os.environ.get('TORCHELASTIC_RESTART_COUNT', '0')}", store)
    dist.init_process_group("nccl" if place.type == "cuda" else "gloo", store=store, rank=rank, world_size=world)
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
