"""Columns made ready for the extended statistics: robust values, ranks, normal scores and bins.

N rows, D variables, K bins. Everything is free of a column's scale and shift, and ties are treated as blocks, so no
result depends on the order of the rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import torch
from torch import Tensor

BINS = 10
"""Most bins of a column; columns with no more distinct values are binned by value."""

WINSOR_SPREADS = 8.0
"""Values further than this many robust standard deviations from the median are pulled in."""


@dataclass(frozen=True, kw_only=True)
class Columns:
    """A table as the extended statistics see it; unobserved cells are 0 everywhere.

    observed: (N, D) bool.
    complete: no cell is missing.
    x: (N, D) winsorised values, mean 0 and variance 1 on observed cells (0 for a constant column).
    r: (N, D) average ranks, standardised.
    g: (N, D) normal scores of the average ranks, standardised.
    u: (N, D) average ranks on (0, 1).
    codes: (N, D) int64 bin of each cell, -1 where unobserved.
    states: (D,) number of bins in use by design (values or quantiles).
    distinct: (D,) number of distinct values.
    sorted_x: (N, D) the values of x in increasing order, the last one repeated after the observed ones.
    """

    observed: Tensor
    complete: bool
    x: Tensor
    r: Tensor
    g: Tensor
    u: Tensor
    codes: Tensor
    states: Tensor
    distinct: Tensor
    sorted_x: Tensor

    @property
    def rows(self) -> int:
        return self.x.shape[0]

    @property
    def variables(self) -> int:
        return self.x.shape[1]

    @cached_property
    def mask(self) -> Tensor:
        """(N, D) float32, 1 where observed."""
        return self.observed.float()

    @cached_property
    def counts(self) -> Tensor:
        """(D,) observed cells of each column, at least 1."""
        return self.mask.sum(0).clamp_min(1.0)

    @cached_property
    def joint(self) -> Tensor:
        """(D, D) jointly observed rows of each pair, at least 1."""
        if self.complete:
            return torch.full((self.variables, self.variables), float(max(self.rows, 1)))
        return (self.mask.T @ self.mask).clamp_min(1.0)

    @cached_property
    def discrete(self) -> Tensor:
        """(D,) bool, columns whose bins are their values."""
        return self.distinct <= BINS

    @cached_property
    def onehot(self) -> Tensor:
        """(N, D * K) float32 bin membership; all zero where unobserved."""
        N, D = self.codes.shape
        out_NDK = torch.zeros(N, D, BINS)
        out_NDK.scatter_(2, self.codes.clamp_min(0)[:, :, None], self.mask[:, :, None])
        return out_NDK.view(N, D * BINS)


def prepare(values_ND: Tensor, observed_ND: Tensor) -> Columns:
    """Columns of one table: (N, D) values and a bool mask; non-finite cells count as unobserved."""
    values = values_ND.double()
    observed = observed_ND.bool() & torch.isfinite(values)
    values = torch.where(observed, values, 0.0).clamp(-1e150, 1e150)
    N, D = values.shape
    count_D = observed.sum(0)
    complete = bool(observed.all())

    sorted_ND, order_ND = torch.where(observed, values, torch.inf).sort(dim=0)
    fresh_ND = torch.ones_like(sorted_ND, dtype=torch.bool)
    fresh_ND[1:] = sorted_ND[1:] != sorted_ND[:-1]
    position_N1 = torch.arange(N)[:, None]
    first_ND = torch.where(fresh_ND, position_N1, 0).cummax(0).values
    ends_ND = torch.ones_like(fresh_ND)
    ends_ND[:-1] = fresh_ND[1:]
    last_ND = torch.where(ends_ND, position_N1, N).flip(0).cummin(0).values.flip(0)
    present_ND = position_N1 < count_D
    dense_sorted_ND = fresh_ND.cumsum(0) - 1
    distinct_D = (fresh_ND & present_ND).sum(0)

    middle_ND = torch.empty(N, D, dtype=torch.float64)
    middle_ND.scatter_(0, order_ND, (first_ND + last_ND + 1).double() * 0.5)
    u_ND = middle_ND / count_D.clamp_min(1)
    dense_ND = torch.empty_like(dense_sorted_ND).scatter_(0, order_ND, dense_sorted_ND)

    by_quantile_D = (count_D / 5).sqrt().floor().clamp(3, BINS).long()
    states_D = torch.where(distinct_D <= BINS, distinct_D, by_quantile_D).clamp_min(1)
    quantile_ND = torch.minimum((u_ND * states_D).long(), states_D - 1)
    codes_ND = torch.where(distinct_D <= BINS, dense_ND, quantile_ND)

    safe_u_ND = torch.where(observed, u_ND, 0.5).clamp(1e-9, 1 - 1e-9)
    robust_ND, sorted_x_ND = _robust(values, observed, sorted_ND, count_D)
    return Columns(
        observed=observed,
        complete=complete,
        x=robust_ND,
        r=_standardise(u_ND, observed, count_D)[0].float(),
        g=_standardise(torch.special.ndtri(safe_u_ND), observed, count_D)[0].float(),
        u=torch.where(observed, u_ND, 0.0).float(),
        codes=torch.where(observed, codes_ND, -1),
        states=states_D,
        distinct=distinct_D,
        sorted_x=sorted_x_ND,
    )


def _robust(values: Tensor, observed: Tensor, sorted_ND: Tensor, count_D: Tensor) -> tuple[Tensor, Tensor]:
    """Winsorised standardised values (0 where unobserved), and the same in increasing order."""
    N = values.shape[0]
    top_D = (count_D - 1).clamp_min(0)

    def quantile(level: float) -> Tensor:
        # the mean of the two neighbouring order statistics, so that mirroring a column mirrors its quantiles
        low = (top_D * level).floor().long()
        high = (top_D * level).ceil().long()
        picked = sorted_ND.gather(0, torch.stack([low, high])).mean(0)
        return torch.where(torch.isfinite(picked), picked, 0.0)

    median_D = quantile(0.5)
    spread_D = (quantile(0.75) - quantile(0.25)) / 1.349
    centred = torch.where(observed, values - median_D, 0.0)
    # half of all values equal: the quartiles say nothing, the mean deviation does
    mean_deviation_D = 1.2533 * centred.abs().sum(0) / count_D.clamp_min(1)
    limit_D = WINSOR_SPREADS * torch.where(spread_D > 1e-9 * mean_deviation_D, spread_D, mean_deviation_D)
    clipped = torch.maximum(torch.minimum(centred, limit_D), -limit_D)
    scale_D = torch.where(limit_D > 0, limit_D, 1.0)
    x, mean_D, deviation_D = _standardise(clipped / scale_D, observed, count_D)
    ordered = torch.maximum(torch.minimum(sorted_ND - median_D, limit_D), -limit_D) / scale_D
    ordered = (ordered - mean_D) / deviation_D
    last_D = ordered.gather(0, top_D[None].clamp_max(N - 1))
    ordered = torch.where(torch.arange(N)[:, None] < count_D, ordered, last_D)
    return x.float(), torch.nan_to_num(ordered).float()


def _standardise(values: Tensor, observed: Tensor, count_D: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Mean 0 and variance 1 on observed cells, 0 elsewhere and for constant columns; also mean and deviation."""
    n_D = count_D.clamp_min(1)
    mean_D = torch.where(observed, values, 0.0).sum(0) / n_D
    centred = torch.where(observed, values - mean_D, 0.0)
    deviation_D = (centred.square().sum(0) / n_D).sqrt()
    constant_D = deviation_D < 1e-9
    deviation_D = torch.where(constant_D, 1.0, deviation_D)
    return torch.where(constant_D, 0.0, centred / deviation_D), mean_D, deviation_D
