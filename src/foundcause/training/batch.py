"""One batch of tasks as the network and the losses see it. Shapes: B tasks, N encoder rows, D variables, F features."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

import torch
from torch import Tensor


@dataclass(frozen=True, kw_only=True)
class Batch:
    """Padded tasks of similar size.

    values: (B, N, D) float32 encoder rows, 0 where unobserved or padded; N is 0 for a network that reads none.
    observed: (B, N, D) bool.
    variables: (B, D) bool, false for padding.
    statistics: (B, D, D, F) float32.
    adjacency: (B, D, D) bool; ``[i, j]`` means i causes j.
    confounding: (B, D, D) bool, symmetric.
    """

    values: Tensor
    observed: Tensor
    variables: Tensor
    statistics: Tensor
    adjacency: Tensor
    confounding: Tensor

    @property
    def size(self) -> int:
        """Number of tasks B."""
        return self.variables.shape[0]

    @property
    def rows(self) -> Tensor | None:
        """The encoder rows, None when the network reads none."""
        return self.values if self.values.shape[1] else None

    @property
    def pairs(self) -> Tensor:
        """(B, D, D) bool: ordered pairs of two different real variables."""
        return valid_pairs(self.variables)

    def to(self, device: torch.device) -> Batch:
        """The same batch on another device."""
        if device.type == "cpu":
            return self
        return replace(self, **{f.name: getattr(self, f.name).to(device, non_blocking=True) for f in fields(self)})


def valid_pairs(variables_BD: Tensor) -> Tensor:
    """(B, D, D) bool: ordered pairs of two different real variables."""
    pairs = variables_BD[:, :, None] & variables_BD[:, None, :]
    return pairs & ~torch.eye(variables_BD.shape[1], dtype=torch.bool, device=variables_BD.device)
