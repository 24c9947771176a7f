"""Copies of a column among those of a table: statistics of whole tables take one for all. L of D columns are none."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from foundcause.features.extended_assembly import Quantity
from foundcause.features.extended_columns import Columns


def distinct_columns(columns: Columns) -> tuple[Tensor, Tensor]:
    """(L,) columns that vary and are no copies, and (D,) for every column the first that says the same in its cells.

    Copies would be perfect causes of each other.
    """
    first = torch.arange(columns.variables)
    if columns.alike is not None:
        one, other = columns.alike.nonzero(as_tuple=True)
        copies = torch.zeros_like(columns.alike)
        copies[one, other] = (columns.x[:, one] - columns.x[:, other]).abs().amax(0) < 1e-4
        first = torch.where(copies, first, columns.variables).amin(1)
    return ((columns.distinct > 1) & (first == torch.arange(columns.variables))).nonzero()[:, 0], first


def spread_to_copies(
    quantities: Sequence[Quantity], found: dict[str, Tensor], live: Tensor, first: Tensor
) -> dict[str, Tensor]:
    """Values of all columns from those of the columns ``live``; copies have what was found for the first of them."""
    D = len(first)
    values = {}
    for q in quantities:
        whole = torch.zeros(D) if q.kind == "marginal" else torch.zeros(D, D)
        if q.name in found:
            place = (live,) if whole.dim() == 1 else (live[:, None], live)
            whole[place] = found[q.name]
            whole = whole[first] if whole.dim() == 1 else whole[first[:, None], first]
        values[q.name] = whole
    return values
