"""Moments of every variable within quantile bins of every other: the conditional-variance and entropy features.

Part of the paper's statistics (Appendix A, "Pairwise Statistics").

Shape letters: N rows, D variables, C causes in hand, Q bins, G super-bins of Q / G bins each.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

BINS, GROUPS = 20, 5
TILE = 2**18


@dataclass(frozen=True, kw_only=True)
class BinFeatures:
    """[i, j]: j within bins of i, all (D, D): mean of half the log variance, variation of the variance, and variance
    over super-bins of the squared correlation."""

    entropy: Tensor
    variation: Tensor
    local_r2: Tensor


def bin_index(values_ND: Tensor, observed_ND: Tensor, order_ND: Tensor | None = None) -> Tensor:
    """Bin 0 .. 19 of every cell (N, D): how many of the column's 19 boundaries lie strictly below it.

    Boundary k is the observed value at position round(k / 20 * (max(n, 20) - 1)) of the sorted column. order: rows in
    ascending order, those that miss the column last, if the caller has it.
    """
    filled = values_ND.masked_fill(~observed_ND, torch.inf).T.contiguous()
    ascending = torch.sort(filled, dim=1).values if order_ND is None else filled.gather(1, order_ND.T)
    N = filled.shape[1]
    last = observed_ND.sum(dim=0).clamp(min=BINS) - 1
    # float32 on purpose: its rounding decides half-way positions, and official weights saw it that way
    grid = torch.linspace(0.0, 1.0, BINS + 1, device=values_ND.device, dtype=torch.float32)[1:-1]
    at = (grid * last[:, None].to(torch.float32)).round().to(torch.int64).clamp(max=N - 1)
    boundaries = ascending.gather(1, at)
    return torch.searchsorted(boundaries, filled).T.contiguous()


def bin_features(
    values_ND: Tensor, observed_ND: Tensor | None, bins_ND: Tensor, *, floor: float = 1e-8, tile: int = TILE
) -> BinFeatures:
    """Features of float32 ``values`` (roughly centered) over bins; observed_ND None means complete.

    Variances are taken around the bin means in a second pass, so that large means cost no digits.
    """
    values = values_ND.to(torch.float32)
    N, D = values.shape
    together = max(1, min(D, tile // (N * max(D, BINS))))
    mask = None if observed_ND is None else observed_ND.to(torch.float32)
    missing = None
    if observed_ND is not None:
        row, column = (~observed_ND).nonzero(as_tuple=True)
        missing = (row, column)
    # every slice of causes works in the same memory: fresh pages cost more than the arithmetic on them
    space = (values.new_empty(together, N, D), values.new_empty(2, together, BINS, N))
    parts = []
    for start in range(0, D, together):
        causes = slice(start, min(start + together, D))
        parts.append(_some_causes(values, mask, missing, bins_ND, causes, floor, space))
    entropy, variation, local_r2 = (torch.cat(part) for part in zip(*parts, strict=True))
    return BinFeatures(entropy=entropy, variation=variation, local_r2=local_r2)


def _some_causes(
    values: Tensor,
    mask: Tensor | None,
    missing: tuple[Tensor, Tensor] | None,
    bins_ND: Tensor,
    causes: slice,
    floor: float,
    space: tuple[Tensor, Tensor],
) -> tuple[Tensor, Tensor, Tensor]:
    N, D = values.shape
    bins = bins_ND.T[causes].contiguous()  # (C, N)
    C = len(bins)
    cause = values.T[causes].contiguous()
    seen = torch.ones_like(cause) if mask is None else mask.T[causes]
    member, leaning = space[1][:, :C].zero_()  # (C, Q, N) each
    member.scatter_(1, bins[:, None], seen[:, None])
    own = member.sum(dim=2)
    # The cause is centered per bin too (over its own observed cells), then corrected to each pair's shared rows.
    middle = torch.bmm(member, cause[:, :, None])[:, :, 0] / own.clamp(min=1.0)  # (C, Q)
    lean = cause - middle.gather(1, bins)
    leaning.scatter_(1, bins[:, None], (lean * seen)[:, None])
    if mask is None or missing is None:
        lean1 = values.new_zeros(C, BINS, D)
        lean2 = torch.bmm(leaning, lean[:, :, None]).expand(C, BINS, D)
        count = own[:, :, None].expand(C, BINS, D)
    else:
        count, lean1, lean2 = _over_shared_rows(lean, bins, mask, missing, causes)
    size = count.clamp(min=1.0)
    mean = (member.reshape(-1, N) @ values).view(C, BINS, D) / size
    row = bins + BINS * torch.arange(C, device=bins.device)[:, None]
    around = space[0][:C]
    torch.index_select(mean.view(-1, D), 0, row.view(-1), out=around.view(-1, D))
    torch.sub(values, around, out=around)
    if mask is not None:
        around *= mask
    product = torch.bmm(leaning, around)
    square = torch.bmm(member, around.square_())

    enough = (count >= 2.0).to(values.dtype)
    variance = (square / count.clamp(min=2.0)).clamp(min=floor)
    share = enough * count / count.sum(dim=1, keepdim=True).clamp(min=1.0)
    entropy = (share * 0.5 * variance.log()).sum(dim=1)
    typical = (share * variance).sum(dim=1, keepdim=True).clamp(min=1e-8)
    spread = (share * (variance - typical).square()).sum(dim=1).sqrt()
    variation = (spread / typical[:, 0]).nan_to_num(nan=0.0).clamp(0.0, 5.0)

    shape = (C, GROUPS, BINS // GROUPS, D)
    count, mean, size = count.reshape(shape), mean.view(shape), size.reshape(shape)
    lean1, lean2, product, square = (t.reshape(shape) for t in (lean1, lean2, product, square))
    centre = middle.view(C, GROUPS, BINS // GROUPS, 1) + lean1 / size
    members = count.sum(dim=2)
    divisor = members.clamp(min=3.0)
    mean_y = (count * mean).sum(dim=2, keepdim=True) / divisor[:, :, None]
    mean_x = (count * centre).sum(dim=2, keepdim=True) / divisor[:, :, None]
    variance_y = ((square + count * (mean - mean_y).square()).sum(dim=2) / divisor).clamp(min=1e-8)
    within_x = lean2 - lean1.square() / size
    variance_x = ((within_x + count * (centre - mean_x).square()).sum(dim=2) / divisor).clamp(min=1e-8)
    covariance = (product + count * (centre - mean_x) * (mean - mean_y)).sum(dim=2) / divisor
    r2 = (covariance / (variance_x * variance_y).sqrt().clamp(min=1e-4)).clamp(-1.0, 1.0).square()
    usable = (members >= 3.0).to(values.dtype)
    groups = usable.sum(dim=1, keepdim=True).clamp(min=1.0)
    average = (usable * r2).sum(dim=1, keepdim=True) / groups
    local_r2 = ((usable * (r2 - average).square()).sum(dim=1) / groups[:, 0]).nan_to_num(nan=0.0).clamp(0.0, 5.0)
    return entropy, variation, local_r2


def _over_shared_rows(
    lean: Tensor, bins: Tensor, mask: Tensor, missing: tuple[Tensor, Tensor], causes: slice
) -> tuple[Tensor, Tensor, Tensor]:
    """Rows, sum of lean and sum of its square (C, Q, D) over the rows of each bin that have j.

    Missing cells are few: they are taken out of the sums over all rows of a bin, in float64 as the rest may be small.
    """
    C, D = len(bins), mask.shape[1]
    row, column = missing
    place = bins + torch.arange(0, C * BINS, BINS, device=bins.device)[:, None]
    cell = place.index_select(1, row).mul_(D).add_(column).view(-1)
    seen = mask.T[causes].to(torch.float64).contiguous()
    lean = lean.to(torch.float64) * seen
    sums = []
    for part in (seen, lean, lean * lean):
        whole = part.new_zeros(C * BINS).scatter_add_(0, place.view(-1), part.view(-1))
        gone = part.new_zeros(C * BINS * D).scatter_add_(0, cell, part.index_select(1, row).view(-1))
        sums.append((whole[:, None] - gone.view(-1, D)).view(C, BINS, D).to(mask.dtype))
    return sums[0], sums[1], sums[2]
