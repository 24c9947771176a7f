"""Prepared tasks as padded tensors, which is what the network and the objectives read.

Shape letters: B tasks, N encoder rows, D variables of the largest task, F features.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace

import numpy as np
import torch
from torch import Tensor

from foundcause.training.preparation import Prepared


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
        """Copy the batch to another device."""
        if device.type == "cpu":
            return self
        return replace(self, **{f.name: getattr(self, f.name).to(device, non_blocking=True) for f in fields(self)})


def collate(items: Sequence[Prepared], *, seed: int = 0, step: int = 0, permute: bool = False) -> Batch:
    """Pad tasks to one size.

    Parameters
    ----------
    items : sequence of Prepared
        The B tasks.
    seed, step : int
        Every draw depends on these and the task's index, never on the process.
    permute : bool, default=False
        Shuffle the columns of each task.

    Returns
    -------
    Batch
    """
    B, D = len(items), max(item.variables for item in items)
    N = max(len(item.values) for item in items)
    F = items[0].statistics.shape[-1]
    values = np.zeros((B, N, D), np.float32)
    observed = np.zeros((B, N, D), bool)
    variables = np.zeros((B, D), bool)
    statistics = np.zeros((B, D, D, F), np.float32)
    adjacency = np.zeros((B, D, D), bool)
    confounding = np.zeros((B, D, D), bool)
    for b, item in enumerate(items):
        d, n = item.variables, len(item.values)
        order = np.arange(d)
        if permute:
            order = np.random.default_rng([seed, step, item.index, 0]).permutation(d)
        square = np.ix_(order, order)
        values[b, :n, :d] = item.values[:, order]
        observed[b, :n, :d] = item.observed[:, order]
        variables[b, :d] = True
        statistics[b, :d, :d] = item.statistics[square] if permute else item.statistics
        adjacency[b, :d, :d] = item.adjacency[square]
        confounding[b, :d, :d] = item.confounding[square]
    return Batch(
        values=torch.from_numpy(values),
        observed=torch.from_numpy(observed),
        variables=torch.from_numpy(variables),
        statistics=torch.from_numpy(statistics),
        adjacency=torch.from_numpy(adjacency),
        confounding=torch.from_numpy(confounding),
    )


def joined_targets(batches: Sequence[Batch]) -> Batch:
    """Join micro-batches to one batch that holds masks and true graphs only, as the objectives need them."""
    if len(batches) == 1:
        return batches[0]
    D = max(batch.variables.shape[1] for batch in batches)
    first = batches[0]
    return replace(
        first,
        values=first.values[:0, :0],
        observed=first.observed[:0, :0],
        statistics=first.statistics[:0],
        **{name: joined([getattr(batch, name) for batch in batches], D) for name in _TARGETS},
    )


_TARGETS = ("variables", "adjacency", "confounding")


def joined(tensors: Sequence[Tensor], D: int) -> Tensor:
    """Concatenate tensors of shape (B, d), (B, d, d) or (B, d, d, ...) that are padded with zeros to D variables."""
    return torch.cat([_padded(tensor, D) for tensor in tensors])


def _padded(tensor: Tensor, D: int) -> Tensor:
    missing = D - tensor.shape[1]
    if not missing:
        return tensor
    sides = 2 if tensor.ndim > 2 else 1
    padding = [0, 0] * (tensor.ndim - 1 - sides) + [0, missing] * sides
    return torch.nn.functional.pad(tensor, padding)


def valid_pairs(variables_BD: Tensor) -> Tensor:
    """(B, D, D) bool: ordered pairs of two different real variables."""
    pairs = variables_BD[:, :, None] & variables_BD[:, None, :]
    return pairs & ~torch.eye(variables_BD.shape[1], dtype=torch.bool, device=variables_BD.device)
