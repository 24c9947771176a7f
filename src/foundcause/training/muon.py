"""Muon: momentum whose update of a weight matrix is made orthogonal, so that all its directions learn at one pace.

torch has one too, but works in bfloat16, which processors without it emulate a hundred times slower.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch import Tensor

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
    """Muon for the matrices that mix, AdamW for the rest; behaves as one optimiser."""

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
