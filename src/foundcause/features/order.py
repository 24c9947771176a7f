"""Steps of one variable's ranks along the order of another: the IGCI slope features and Chatterjee's xi.

Shape letters: N rows, D variables, C causes in hand, K distinct values of a cause.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch import Tensor

from foundcause.features.chains import LOG_BOUND, LONG, Walk, merged_slopes

TILE = 2**18


@dataclass(frozen=True, kw_only=True)
class OrderSums:
    """[i, j]: along the order of i, all (D, D): mean and mean square of the log slope of j against i (clipped to
    +-10), and the sum of absolute steps of j's ranks with the number of those steps."""

    slope: Tensor
    slope_square: Tensor
    travel: Tensor
    steps: Tensor


def adjacent_steps(
    order_ND: Tensor, ranks_ND: Tensor, jittered_ND: Tensor, observed_ND: Tensor | None, *, tile: int = TILE
) -> OrderSums:
    """The release's rule: only steps between neighbours in the order of i at which both variables are observed count.

    ranks: distinct positions 0, 1, ... used for slopes. jittered: those used for the travelled distance.
    """
    N, D = ranks_ND.shape
    count = ranks_ND.new_full((D,), float(N)) if observed_ND is None else observed_ND.sum(dim=0).to(ranks_ND.dtype)
    log_scale = (count - 1.0).clamp(min=1.0).log()
    same = torch.equal(ranks_ND, jittered_ND)
    together = max(1, min(D, tile // (N * D)))
    sums = ranks_ND.new_zeros(4, D, D)
    for start in range(0, D, together):
        causes = slice(start, min(start + together, D))
        rows = order_ND[:, causes]
        step = _gathered_steps(ranks_ND, rows)  # (N - 1, C, D), at least 1 because ranks are distinct
        travel = step if same else _gathered_steps(jittered_ND, rows)
        if observed_ND is None:
            sums[2, causes] = travel.sum(dim=0)
            sums[3, causes] = float(N - 1)
            slope = _log_slope(step, log_scale[causes, None] - log_scale, N)
            sums[0, causes] = slope.sum(dim=0)
            sums[1, causes] = slope.square_().sum(dim=0)
            continue
        seen = observed_ND[rows]
        seen &= observed_ND[:, causes].gather(0, rows)[:, :, None]
        usable = (seen[1:] & seen[:-1]).to(step.dtype)
        sums[2, causes] = (travel * usable).sum(dim=0)
        sums[3, causes] = usable.sum(dim=0)
        slope = _log_slope(step, log_scale[causes, None] - log_scale, N).mul_(usable)
        sums[0, causes] = slope.sum(dim=0)
        sums[1, causes] = slope.square_().sum(dim=0)
    steps = sums[3].clamp(min=1.0)
    return OrderSums(slope=sums[0] / steps, slope_square=sums[1] / steps, travel=sums[2], steps=steps)


def _gathered_steps(ranks_ND: Tensor, rows_NC: Tensor) -> Tensor:
    N, C = rows_NC.shape
    along = ranks_ND.index_select(0, rows_NC.reshape(-1)).view(N, C, -1)
    return (along[1:] - along[:-1]).abs_()


def _log_slope(step: Tensor, offset_CD: Tensor, rows: int) -> Tensor:
    """Log of the step plus the offset, clipped to +-10; overwrites step."""
    slope = step.log_().add_(offset_CD)
    # ln(rows) is the largest value there is, so that the clip is needed for long tables only
    return slope if rows < LONG else slope.clamp_(-LOG_BOUND, LOG_BOUND)


def shared_steps(
    order_ND: Tensor,
    average_ND: Tensor,
    ranks_ND: Tensor,
    observed_ND: Tensor | None,
    tied_D: Tensor,
    *,
    tile: int = TILE,
) -> OrderSums:
    """The mended rule: rows that miss i or j are dropped from a pair's chain, and ties are respected.

    average: ranks 0 .. n - 1 with ties averaged, 0 where unobserved; slopes are taken of them as shares of n - 1. Equal
    values of i are merged into one point at j's mean, and steps at which j does not move are left out. ranks: used for
    the travelled distance, along ``order``, which places tied rows as the caller decided.
    """
    ties = tied_D.tolist()
    D = len(ties)
    # columns with ties first: they, and they alone, need their average ranks beside the others
    tied = sum(ties)
    sort = [i for i in range(D) if ties[i]] + [i for i in range(D) if not ties[i]]
    order, average, ranks = order_ND[:, sort], average_ND[:, sort], ranks_ND[:, sort].to(torch.float32)
    observed = None if observed_ND is None else observed_ND[:, sort]
    sums = _sorted_steps(order, average, ranks, observed, tied, tile)
    back = torch.empty(D, dtype=torch.int64)
    back[sort] = torch.arange(D)
    slope, square, travel, steps, slopes = sums[:, back][:, :, back]
    slopes = slopes.clamp(min=1.0)
    return OrderSums(slope=slope / slopes, slope_square=square / slopes, travel=travel, steps=steps.clamp(min=1.0))


def _sorted_steps(
    order: Tensor, average: Tensor, ranks: Tensor, observed: Tensor | None, tied: int, tile: int
) -> Tensor:
    """(5, D, D) sums of slopes and their squares, travelled distance, numbers of steps and of slopes.

    The first ``tied`` columns repeat values, the others do not.
    """
    N, D = ranks.shape
    if observed is None:
        count, joint = ranks.new_full((D,), float(N)), ranks.new_full((D, D), float(N))
    else:
        mask = observed.to(torch.float32)
        count, joint = mask.sum(dim=0), mask.T @ mask
    ends = [int(n) for n in count.tolist()]
    log_scale = (count - 1.0).clamp(min=1.0).log()
    offset = log_scale[:, None] - log_scale
    sums = ranks.new_zeros(5, D, D)
    sums[3] = sums[4] = (joint - 1.0).clamp(min=0.0)

    # a column without ties travels just as its average ranks do; those of the others are doubled, to be integers
    table = torch.cat([2.0 * average[:, :tied].to(torch.float32), ranks[:, tied:], ranks[:, :tied]], dim=1)
    offset[:, :tied] -= math.log(2.0)
    seen = None if observed is None else torch.cat([observed, observed[:, :tied]], dim=1)
    walk = Walk(table, seen, order, ends)
    # a small table spends its time on calls: all its causes are walked at once, with slopes that some do not need
    small = D * table.numel() <= tile
    for causes in _slices(0 if small else tied, D, tile // table.numel()):
        steps = walk.steps(causes)
        travel = steps.size[:, :, tied:].sum(dim=0)
        sums[2, causes, tied:], sums[2, causes, :tied] = travel[:, : D - tied], travel[:, D - tied :]
        if tied:
            sums[4, causes, :tied] = (steps.size[:, :, :tied] > 0.0).sum(dim=0).to(ranks.dtype)
        number, shift = sums[4, causes], offset[causes]
        if N < LONG:
            slope = steps.log_slopes()[:, :, :D]
            total, square = slope.sum(dim=0), slope.square_().sum(dim=0)
            sums[0, causes] = total + number * shift
            sums[1, causes] = square + shift * (2.0 * total + number * shift)
        else:
            still = steps.size[:, :, :D] == 0.0
            slope = (steps.log_slopes()[:, :, :D] + shift).clamp_(-LOG_BOUND, LOG_BOUND).masked_fill_(still, 0.0)
            sums[0, causes], sums[1, causes] = slope.sum(dim=0), slope.square_().sum(dim=0)
    if tied and not small:
        walk = Walk(ranks, observed, order, ends)
        for causes in _slices(0, tied, tile // ranks.numel()):
            sums[2, causes] = walk.steps(causes).size.sum(dim=0)
    for causes in _slices(0, tied, tile // ranks.numel()):
        sums[0, causes], sums[1, causes], sums[4, causes] = merged_slopes(order, average, observed, causes)
    return sums


def _slices(start: int, stop: int, size: int) -> Iterator[slice]:
    """Successive slices of at most ``size`` places and at least one."""
    step = max(1, size)
    return (slice(first, min(first + step, stop)) for first in range(start, stop, step))
