"""Optimisers whose averaged weights are the ones that are evaluated and saved."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn

from foundcause.errors import ConfigError
from foundcause.training.config import TrainConfig
from foundcause.training.muon import MuonAndAdamW


class Optimiser:
    """An optimiser with averaged weights: Schedule-Free AdamW; or AdamW or Muon, with an exponential average.

    The averages are handed out by :func:`averaged` only, which puts the training weights back bit for bit.
    """

    def __init__(self, network: nn.Module, config: TrainConfig) -> None:
        groups = parameter_groups(network, config.weight_decay)
        self.kind = config.optimizer
        self.clip = config.clip
        self.ema_decay = config.ema_decay
        self.updates = 0
        self.parameters = [p for group in groups for p in group["params"]]
        self._ema: list[Tensor] = []
        if self.kind == "schedule-free":
            from schedulefree import AdamWScheduleFree

            # Warm-up is ours: the package would restart it on every resume of a time-based schedule.
            self.inner: Any = AdamWScheduleFree(groups, lr=config.lr, betas=(config.beta1, config.beta2))
            self.inner.train()
        elif self.kind in ("adamw", "muon"):
            inner = torch.optim.AdamW if self.kind == "adamw" else MuonAndAdamW
            self.inner = inner(groups, lr=config.lr, betas=(config.beta1, config.beta2))
            self._ema = [p.detach().clone() for p in self.parameters]
        else:
            raise ConfigError(f"unknown optimizer {self.kind!r}; choose 'adamw', 'muon' or 'schedule-free'")

    def zero_grad(self) -> None:
        """Forget the gradients."""
        self.inner.zero_grad(set_to_none=True)

    def clip_gradients(self) -> float:
        """Clip to the global norm and return the norm before clipping; non-finite gradients give a non-finite norm."""
        return float(nn.utils.clip_grad_norm_(self.parameters, self.clip))

    @torch.no_grad()
    def step(self, rate: float) -> None:
        """One update with the given learning rate, and one of the average."""
        for group in self.inner.param_groups:
            group["lr"] = rate
        self.inner.step()
        self.updates += 1
        if self._ema:
            keep = min(self.ema_decay, (1 + self.updates) / (10 + self.updates))
            torch._foreach_lerp_(self._ema, [p.detach() for p in self.parameters], 1 - keep)

    def state_dict(self) -> dict[str, Any]:
        """Everything but the network's weights."""
        return {"kind": self.kind, "inner": self.inner.state_dict(), "updates": self.updates, "ema": list(self._ema)}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Continue from ``state_dict``."""
        if state["kind"] != self.kind:
            raise ConfigError(f"the run was started with optimizer {state['kind']!r}, not {self.kind!r}; keep it")
        self.inner.load_state_dict(state["inner"])
        self.updates = state["updates"]
        for mine, saved in zip(self._ema, state["ema"], strict=True):
            mine.copy_(saved)

    @torch.no_grad()
    def _swap_in_averages(self) -> list[Tensor]:
        kept = [p.detach().clone() for p in self.parameters]
        if self.kind == "schedule-free":
            self.inner.eval()
        else:
            torch._foreach_copy_(self.parameters, self._ema)
        return kept

    @torch.no_grad()
    def _swap_back(self, kept: list[Tensor]) -> None:
        if self.kind == "schedule-free":
            self.inner.train()
        # Schedule-Free moves between its sequences by interpolation, which rounds; the copies do not.
        torch._foreach_copy_(self.parameters, kept)


@contextmanager
def averaged(optimiser: Optimiser, network: nn.Module) -> Iterator[nn.Module]:
    """The network in evaluation mode with averaged weights inside; the exact training weights again outside."""
    kept = optimiser._swap_in_averages()
    was_training = network.training
    network.eval()
    try:
        yield network
    finally:
        optimiser._swap_back(kept)
        network.train(was_training)


def parameter_groups(network: nn.Module, weight_decay: float) -> list[dict[str, Any]]:
    """Two groups: matrices (and larger) with decay; biases, gains and scalars without."""
    trainable = [p for p in network.parameters() if p.requires_grad]
    matrices = [p for p in trainable if p.ndim >= 2]
    others = [p for p in trainable if p.ndim < 2]
    groups = [{"params": matrices, "weight_decay": weight_decay}, {"params": others, "weight_decay": 0.0}]
    return [group for group in groups if group["params"]]
