"""Winsorised, standardised and ranked columns.

Shape letters: N rows, D variables. Columns are worked on as (D, N) where sorting or scanning is along rows.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

WINSOR = 10.0  # in units of 1.4826 mean absolute deviations
_CEILING = 1e15


def winsorise(values_ND: Tensor, observed_ND: Tensor) -> Tensor:
    """Values clipped to the mean +- 10 * 1.4826 mean absolute deviations of their column; unobserved cells 0."""
    values = torch.where(observed_ND, values_ND, 0.0)
    count = observed_ND.sum(dim=0).clamp(min=1)
    mean = values.sum(dim=0) / count
    deviation = torch.where(observed_ND, (values - mean).abs(), 0.0).sum(dim=0) / count
    reach = WINSOR * (1.4826 * deviation).clamp(min=1e-8)
    clipped = torch.minimum(torch.maximum(values, mean - reach), mean + reach).clamp(-_CEILING, _CEILING)
    return torch.where(observed_ND, clipped, 0.0)


def centre(values_ND: Tensor, observed_ND: Tensor) -> Tensor:
    """Values minus the mean of the observed cells of their column; unobserved cells 0."""
    mean = torch.where(observed_ND, values_ND, 0.0).sum(dim=0) / observed_ND.sum(dim=0).clamp(min=1)
    return torch.where(observed_ND, values_ND - mean, 0.0)


def standardise(values_ND: Tensor, observed_ND: Tensor, *, floor: float = 1e-8) -> Tensor:
    """Mean 0 and variance 1 (with n - 1) over the observed cells of each column; unobserved cells 0."""
    centred = centre(values_ND, observed_ND)
    freedom = (observed_ND.sum(dim=0) - 1).clamp(min=1)
    return centred / (centred.square().sum(dim=0) / freedom).sqrt().clamp(min=floor)


def row_order(values_ND: Tensor, observed_ND: Tensor, *, stable: bool = True) -> Tensor:
    """Rows (N, D) of each column in ascending order, unobserved cells last; ties in row order if ``stable``."""
    filled = values_ND.masked_fill(~observed_ND, torch.inf)
    # Columns become contiguous first: sorting along a strided dimension is several times slower.
    return torch.sort(filled.T.contiguous(), dim=1, stable=stable).indices.T.contiguous()


def rank_order(ranks: TiedRanks, observed_ND: Tensor) -> Tensor:
    """The same of values whose ranks are known: only columns with ties need sorting."""
    seen = observed_ND.T
    D, N = seen.shape
    order = torch.empty((D, N), dtype=torch.int64, device=seen.device)
    tied = ranks.tied.nonzero()[:, 0]
    if len(tied) < D:
        unseen = ~seen
        last = seen.sum(dim=1, keepdim=True) - 1 + unseen.cumsum(dim=1)
        place = torch.where(seen, ranks.average.T.to(torch.int64), last)
        # ranks of columns with ties may fall on one place; those columns are overwritten below
        order.scatter_(1, place, torch.arange(N, device=seen.device).expand(D, N))
    if len(tied):
        order[tied] = row_order(ranks.average[:, tied], observed_ND[:, tied]).T
    return order.T.contiguous()


def positions(order_ND: Tensor) -> Tensor:
    """Float32 position (N, D) of every row in its column's order: ranks 0, 1, ... without ties."""
    place = torch.arange(len(order_ND), dtype=torch.float32, device=order_ND.device)
    return torch.empty(order_ND.shape, dtype=torch.float32, device=order_ND.device).scatter_(
        0, order_ND, place[:, None].expand(order_ND.shape)
    )


@dataclass(frozen=True, kw_only=True)
class TiedRanks:
    """Ranks among the observed cells of each column, all (N, D) float64; unobserved cells 0.

    average: 0 .. n - 1, tied cells share the mean of their places.
    at_most: number of cells that are no larger. at_least: number of cells that are no smaller.
    tied: (D,) whether a column repeats a value.
    """

    average: Tensor
    at_most: Tensor
    at_least: Tensor
    tied: Tensor


def tied_ranks(values_ND: Tensor, observed_ND: Tensor) -> TiedRanks:
    """Ranks with ties kept as ties."""
    filled = values_ND.masked_fill(~observed_ND, torch.inf).T.contiguous()
    ascending, order = torch.sort(filled, dim=1)
    D, N = filled.shape
    place = torch.arange(N, device=filled.device)
    fresh = torch.ones_like(ascending, dtype=torch.bool)
    fresh[:, 1:] = ascending[:, 1:] != ascending[:, :-1]
    first = torch.where(fresh, place, 0).cummax(dim=1).values
    ends = torch.ones_like(fresh)
    ends[:, :-1] = fresh[:, 1:]
    last = torch.where(ends, place, N).flip(1).cummin(dim=1).values.flip(1)
    seen = observed_ND.T
    count = seen.sum(dim=1, keepdim=True)

    def in_rows(sorted_DN: Tensor) -> Tensor:
        ranks = torch.empty((D, N), dtype=torch.float64, device=filled.device).scatter_(1, order, sorted_DN.double())
        return torch.where(seen, ranks, 0.0).T.contiguous()

    return TiedRanks(
        average=in_rows((first + last) * 0.5),
        at_most=in_rows(last + 1),
        at_least=in_rows(count - first),
        tied=((~fresh) & (place < count)).any(dim=1),
    )
