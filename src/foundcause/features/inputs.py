"""Checked inputs of the statistics.

Shape letters: B tasks, N rows, D variables.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from foundcause.errors import InputError

Array = Tensor | np.ndarray


@dataclass(frozen=True, kw_only=True)
class Batch:
    """values: float (B, N, D), unobserved cells finite. observed: bool (B, N, D). variables: bool (B, D).
    single: whether one table (N, D) was given."""

    values: Tensor
    observed: Tensor
    variables: Tensor
    single: bool


def checked_batch(values: Array, observed: Array | None, variables: Array | None) -> Batch:
    """Tensors of one shape, or an InputError that says what to change. Two-dimensional input is a batch of one."""
    cells = _tensor(values)
    single = cells.ndim == 2
    if single:
        cells = cells[None]
        observed = None if observed is None else _tensor(observed)[None]
        variables = None if variables is None else _tensor(variables)[None]
    if cells.ndim != 3:
        raise InputError(f"values have shape {tuple(cells.shape)}; pass (rows, variables) or (tasks, rows, variables)")
    B, N, D = cells.shape
    if N < 3:
        raise InputError(f"{N} rows are too few for pairwise statistics; pass at least 3")
    if not cells.is_floating_point():
        cells = cells.to(torch.float64)
    elif cells.dtype not in (torch.float32, torch.float64):
        cells = cells.to(torch.float32)
    seen = _mask(observed, (B, N, D), "observed", cells.device)
    real = _mask(variables, (B, D), "variables", cells.device)
    fewest = int(real.sum(dim=1).min()) if B else 2
    if fewest < 2:
        raise InputError(f"a task has {fewest} variable(s) and no pair to speak of; pass at least 2 variables")
    finite = cells.isfinite()
    wrong = seen & real[:, None] & ~finite
    if bool(wrong.any()):
        task, row, column = (int(k) for k in wrong.nonzero()[0])
        raise InputError(
            f"task {task}, row {row}, column {column} holds {float(cells[task, row, column])} but counts as observed "
            f"({int(wrong.sum())} such cells); mark missing cells False in `observed` and replace infinities"
        )
    return Batch(values=torch.where(finite, cells, 0.0), observed=seen & finite, variables=real, single=single)


def _tensor(array: Array) -> Tensor:
    return array.detach() if isinstance(array, Tensor) else torch.as_tensor(np.asarray(array))


def _mask(mask: Array | None, shape: tuple[int, ...], name: str, device: torch.device) -> Tensor:
    if mask is None:
        return torch.ones(shape, dtype=torch.bool, device=device)
    found = _tensor(mask)
    if tuple(found.shape) != shape:
        raise InputError(f"`{name}` has shape {tuple(found.shape)} but the values ask for {shape}; make them match")
    if found.dtype != torch.bool:
        if not bool(((found == 0) | (found == 1)).all()):
            raise InputError(f"`{name}` holds other numbers than 0 and 1; pass a boolean mask")
        found = found.to(torch.bool)
    return found.to(device)
