"""Orders and subsets of rows that depend on what the rows hold, never on where they stand.

Shape letters: N rows, D variables.
"""

from __future__ import annotations

import torch
from torch import Tensor

from foundcause.errors import InputError

_UNOBSERVED = 0x5BD1E995  # stands for a cell nobody saw; any fixed number that is no common float works


def content_keys(values: Tensor, observed: Tensor | None, seed: int = 0) -> Tensor:
    """One int64 key (N,) per row of values (N, D): a seeded hash of the row's cells.

    Permuting rows permutes the keys; permuting columns leaves them as they are. A plain sum of cell hashes could not
    tell (0, 1) from (1, 0), so cells are first salted with a signature of their column, which in turn sums over the
    rows: two rounds of colour refinement. Equal rows have equal keys.
    """
    cells = (values.to(torch.float32) + 0.0).view(torch.int32).to(torch.int64)  # + 0.0 merges the two zeros
    if observed is not None:
        cells = torch.where(observed, cells, _UNOBSERVED)
    cells = _mix(cells + _mix(torch.tensor(seed, dtype=torch.int64, device=cells.device)))
    rows = _mix(cells.sum(dim=1, keepdim=True))
    columns = _mix(_mix(cells + rows).sum(dim=0, keepdim=True))
    return _mix(_mix(cells + columns).sum(dim=1))


def content_subset(values: Tensor, observed: Tensor | None, rows: int, seed: int = 0) -> Tensor:
    """Indices (at most ``rows`` of N) of a seeded pseudo-random subset of the rows of values (N, D).

    The rows chosen are the same whatever the order of rows or columns; all N rows, in place, when they are few enough.
    """
    if rows < 1:
        raise InputError(f"a subset of {rows} rows holds nothing; ask for at least one")
    if len(values) <= rows:
        return torch.arange(len(values), device=values.device)
    return torch.argsort(content_keys(values, observed, seed), stable=True)[:rows]


def _mix(bits: Tensor) -> Tensor:
    """A bijective scramble of int64 (two multiply-and-fold steps, wrapping round)."""
    bits = (bits ^ (bits >> 32)) * -0x61C8864680B583EB
    bits = (bits ^ (bits >> 29)) * -0x4B47D0C5B5A5B7E3
    return bits ^ (bits >> 32)
