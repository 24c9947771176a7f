"""Optimizers whose averaged weights are the ones that are evaluated and saved."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from foundcause.errors import ConfigError
from foundcause.training.run_config import TrainConfig


class Optimizer:
    """An optimizer with averaged weights: Schedule-Free AdamW; or AdamW or Muon, with an exponential average.

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
def averaged(optimizer: Optimizer, network: nn.Module) -> Iterator[nn.Module]:
    """The network in evaluation mode with averaged weights inside; the exact training weights again outside."""
    kept = optimizer._swap_in_averages()
    was_training = network.training
    network.eval()
    try:
        yield network
    finally:
        optimizer._swap_back(kept)
        network.train(was_training)


def parameter_groups(network: nn.Module, weight_decay: float) -> list[dict[str, Any]]:
    """Two groups: matrices (and larger) with decay; biases, gains and scalars without."""
    trainable = [p for p in network.parameters() if p.requires_grad]
    matrices = [p for p in trainable if p.ndim >= 2]
    others = [p for p in trainable if p.ndim < 2]
    groups = [{"params": matrices, "weight_decay": weight_decay}, {"params": others, "weight_decay": 0.0}]
    return [group for group in groups if group["params"]]


THINNEST = 8  # matrices with a shorter side are read out rather than mixed: they are AdamW's
_QUINTIC = (3.4445, -4.7750, 2.0315)  # Keller Jordan's: steep at 0, singular values end between 0.7 and 1.2
_ITERATIONS = 5
_ADAM_RMS = 0.2  # typical size of AdamW's updates, which lets both share a learning rate and a decay


def is_mixing(parameter: Tensor) -> bool:
    """Whether a parameter is a matrix for Muon."""
    return parameter.ndim == 2 and min(parameter.shape) >= THINNEST


def orthogonal(matrices_KRC: Tensor) -> Tensor:
    """Each of K matrices with its singular values brought near 1, whatever its scale; zero stays zero."""
    tall = matrices_KRC.shape[1] > matrices_KRC.shape[2]
    x = matrices_KRC.transpose(1, 2) if tall else matrices_KRC
    x = x / x.norm(dim=(1, 2), keepdim=True).clamp(min=torch.finfo(x.dtype).tiny)
    a, b, c = _QUINTIC
    for _ in range(_ITERATIONS):
        gram = x @ x.transpose(1, 2)
        x = torch.baddbmm(x, torch.baddbmm(gram, gram, gram, beta=b, alpha=c), x, beta=a)
    return x.transpose(1, 2) if tall else x


class Muon(torch.optim.Optimizer):
    """Nesterov momentum made orthogonal, with decoupled decay; for matrices only."""

    def __init__(self, params: Iterable[Any], *, lr: float, momentum: float = 0.95, weight_decay: float = 0.0) -> None:
        super().__init__(params, {"lr": lr, "momentum": momentum, "weight_decay": weight_decay})

    @torch.no_grad()
    def step(self, closure: Callable[[], float] | None = None) -> None:  # type: ignore[override]
        """One update; matrices of one shape are made orthogonal together."""
        if closure is not None:
            raise TypeError("Muon takes no closure")
        for group in self.param_groups:
            alike: dict[torch.Size, list[Tensor]] = defaultdict(list)
            for parameter in group["params"]:
                if parameter.grad is not None:
                    alike[parameter.shape].append(parameter)
            for shape, parameters in alike.items():
                update = orthogonal(torch.stack([self._momentum(p, group["momentum"]) for p in parameters]))
                size = group["lr"] * _ADAM_RMS * max(shape) ** 0.5
                torch._foreach_mul_(parameters, 1 - group["lr"] * group["weight_decay"])
                torch._foreach_add_(parameters, list(update.unbind(0)), alpha=-size)

    def _momentum(self, parameter: Tensor, momentum: float) -> Tensor:
        assert parameter.grad is not None
        state = self.state[parameter]
        if not state:
            state["momentum"] = torch.zeros_like(parameter)
        state["momentum"].lerp_(parameter.grad, 1 - momentum)
        return parameter.grad.lerp(state["momentum"], momentum)


class MuonAndAdamW:
    """Muon for the matrices that mix, AdamW for the rest; behaves as one optimizer."""

    def __init__(self, groups: list[dict[str, Any]], *, lr: float, betas: tuple[float, float]) -> None:
        mixing = [{**group, "params": [p for p in group["params"] if is_mixing(p)]} for group in groups]
        others = [{**group, "params": [p for p in group["params"] if not is_mixing(p)]} for group in groups]
        self.parts: list[torch.optim.Optimizer] = []
        if mixing := [group for group in mixing if group["params"]]:
            self.parts.append(Muon(mixing, lr=lr))
        if others := [group for group in others if group["params"]]:
            self.parts.append(torch.optim.AdamW(others, lr=lr, betas=betas))

    @property
    def param_groups(self) -> list[dict[str, Any]]:
        """Those of both."""
        return [group for part in self.parts for group in part.param_groups]

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget the gradients."""
        for part in self.parts:
            part.zero_grad(set_to_none=set_to_none)

    def step(self) -> None:
        """One update of all parameters."""
        for part in self.parts:
            part.step()

    def state_dict(self) -> dict[str, Any]:
        """The states of both."""
        return {"parts": [part.state_dict() for part in self.parts]}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Continue from ``state_dict``."""
        for part, saved in zip(self.parts, state["parts"], strict=True):
            part.load_state_dict(saved)


@dataclass(frozen=True, kw_only=True)
class Schedule:
    """Linear warm-up times a cosine envelope.

    peak: learning rate after warm-up.
    floor: learning rate at the end of the envelope and after it.
    warmup_steps: steps of linear warm-up from 0.
    decay_share: share of the budget after which the floor is reached; 0 keeps the rate constant.
    flat_share: share of the budget before the decay begins.
    """

    peak: float
    floor: float
    warmup_steps: int = 0
    decay_share: float = 1.0
    flat_share: float = 0.0

    def __post_init__(self) -> None:
        if not 0 <= self.floor <= self.peak:
            raise ConfigError(f"learning rates must satisfy 0 <= min_lr <= lr, not {self.floor} and {self.peak}")
        if self.warmup_steps < 0 or self.decay_share < 0:
            raise ConfigError("warmup_steps and decay_share must not be negative")
        if not 0 <= self.flat_share < 1 or (self.decay_share and self.flat_share >= self.decay_share):
            raise ConfigError(f"flat_share {self.flat_share} must lie in [0, decay_share)")

    def rate(self, step: int, progress: float) -> float:
        """Learning rate of the given step (from 0) when ``progress`` (0 to 1) of the budget is used."""
        warm = min(1.0, (step + 1) / self.warmup_steps) if self.warmup_steps else 1.0
        if self.decay_share == 0:
            return self.peak * warm
        done = (progress - self.flat_share) / (self.decay_share - self.flat_share)
        cosine = 0.5 * (1 + math.cos(math.pi * min(max(done, 0.0), 1.0)))
        return (self.floor + (self.peak - self.floor) * cosine) * warm
