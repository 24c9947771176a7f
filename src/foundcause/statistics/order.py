"""Steps of one variable's ranks along the order of another: the IGCI slope features and Chatterjee's xi.

Shape letters: N rows, D variables, C causes in hand, K distinct values of a cause.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

TILE = 2**18
_LOG_BOUND = 10.0
_NO_STEP = 1e-9


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
    return slope if rows < 22000 else slope.clamp_(-_LOG_BOUND, _LOG_BOUND)


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
    N, D = ranks_ND.shape
    average, ranks = average_ND.to(torch.float32), ranks_ND.to(torch.float32)
    count = average.new_full((D,), float(N)) if observed_ND is None else observed_ND.sum(dim=0).to(average.dtype)
    log_scale = (count - 1.0).clamp(min=1.0).log()
    ties = tied_D.tolist()
    together = max(1, min(D, tile // (N * D)))
    sums = ranks.new_zeros(5, D, D)
    for start in range(0, D, together):
        causes = slice(start, min(start + together, D))
        rows = order_ND[:, causes]
        latest, usable = _chain(observed_ND, rows, causes)
        travel = _chained_steps(ranks, rows, latest)
        if usable is None:
            sums[2, causes], sums[3, causes] = travel.sum(dim=0), float(N - 1)
        else:
            sums[2, causes] = travel.mul_(usable).sum(dim=0)
            sums[3, causes] = usable.sum(dim=0)
        free = [i for i in range(causes.start, causes.stop) if not ties[i]]
        if free:
            picked = [i - start for i in free]
            rise = travel if not any(ties) else _chained_steps(average, rows[:, picked], _pick(latest, picked))
            slope, moved = _free_slopes(rise, _pick(latest, picked), _pick(usable, picked), any(ties))
            slope += log_scale[free, None] - log_scale
            if N >= 22000:  # ln(N) bounds the slopes of shorter tables
                slope.clamp_(-_LOG_BOUND, _LOG_BOUND)
            if moved is None:
                sums[4, free] = float(N - 1)
            else:
                slope *= moved
                sums[4, free] = moved.sum(dim=0)
            sums[0, free] = slope.sum(dim=0)
            sums[1, free] = slope.square_().sum(dim=0)
    for i in (i for i in range(D) if ties[i]):
        sums[0, i], sums[1, i], sums[4, i] = _merged_slopes(order_ND[:, i], average_ND, observed_ND, i)
    steps, slopes = sums[3].clamp(min=1.0), sums[4].clamp(min=1.0)
    return OrderSums(slope=sums[0] / slopes, slope_square=sums[1] / slopes, travel=sums[2], steps=steps)


def _chain(observed_ND: Tensor | None, rows_NC: Tensor, causes: slice) -> tuple[Tensor | None, Tensor | None]:
    """For places 1 .. N - 1 of each order: the latest earlier place that i and j share (N - 1, C, D), and 1 or 0
    whether this place is shared and has one. Complete data need neither."""
    if observed_ND is None:
        return None, None
    N, C = rows_NC.shape
    seen = observed_ND.index_select(0, rows_NC.reshape(-1)).view(N, C, -1)
    seen &= observed_ND[:, causes].gather(0, rows_NC)[:, :, None]
    return _latest(seen)


def _latest(seen: Tensor) -> tuple[Tensor, Tensor]:
    """Along dimension 0, for places 1 and up: the latest earlier True, and 1 or 0 whether here and there are True."""
    place = torch.arange(1, len(seen) + 1, device=seen.device).view(-1, *[1] * (seen.ndim - 1))
    latest = (seen * place).cummax(dim=0).values[:-1] - 1
    usable = (seen[1:] & (latest >= 0)).to(torch.float32)
    return latest.clamp_(min=0), usable


def _chained_steps(ranks_ND: Tensor, rows_NC: Tensor, latest: Tensor | None) -> Tensor:
    if latest is None:
        return _gathered_steps(ranks_ND, rows_NC)
    N, C = rows_NC.shape
    along = ranks_ND.index_select(0, rows_NC.reshape(-1)).view(N, C, -1)
    return along.gather(0, latest).sub_(along[1:]).abs_()


def _pick(values: Tensor | None, causes: list[int]) -> Tensor | None:
    if values is None or len(causes) == values.shape[1]:
        return values
    return values[:, causes]


def _free_slopes(
    rise: Tensor, latest: Tensor | None, usable: Tensor | None, ties: bool
) -> tuple[Tensor, Tensor | None]:
    """Log slopes (in ranks) of steps along causes without ties, and 1 or 0 which count; overwrites rise."""
    moved = usable
    if usable is not None or ties:
        moving = (rise > 0.0).to(rise.dtype)
        moved = moving if usable is None else moving * usable
        rise = torch.where(rise > 0.0, rise, 1.0)
    slope = rise.log_()
    if latest is not None:  # skipped rows make the cause's own step longer than one
        place = torch.arange(1, len(latest) + 1, device=latest.device).view(-1, 1, 1)
        slope -= (place - latest).to(slope.dtype).log_()
    return slope, moved


def _merged_slopes(
    order_N: Tensor, average_ND: Tensor, observed_ND: Tensor | None, i: int
) -> tuple[Tensor, Tensor, Tensor]:
    """Sum, sum of squares and number (D,) of log slopes between the distinct values of column i.

    Float64: means of two values may be equal, and a step of rounding noise is no step.
    """
    N, D = average_ND.shape
    average = average_ND.to(torch.float64)
    count = average.new_full((D,), float(N)) if observed_ND is None else observed_ND.sum(dim=0).to(average.dtype)
    rows = order_N[: int(count[i])]
    at = average[rows, i]
    run = torch.zeros_like(rows)
    run[1:] = (at[1:] != at[:-1]).cumsum(dim=0)
    K = int(run[-1]) + 1
    size = average.new_zeros(K, D)
    if observed_ND is None:
        size += torch.bincount(run, minlength=K)[:, None]
    else:
        size.index_add_(0, run, observed_ND.to(average.dtype)[rows])
    points = average.new_zeros(K, D).index_add_(0, run, average[rows]) / size.clamp(min=1.0)
    if K < 2:
        return points.new_zeros(D), points.new_zeros(D), points.new_zeros(D)
    points /= (count - 1.0).clamp(min=1.0)
    level = average.new_zeros(K).index_copy_(0, run, at) / (count[i] - 1.0)
    if observed_ND is None:
        rise = (points[1:] - points[:-1]).abs_()
        stride = (level[1:] - level[:-1])[:, None]
        moved = rise > _NO_STEP
    else:
        latest, usable = _latest(size > 0.0)
        rise = (points[1:] - points.gather(0, latest)).abs_()
        stride = level[1:, None] - level[latest]
        moved = (rise > _NO_STEP) & (usable > 0.0)
    slope = torch.where(moved, rise, 1.0).to(torch.float32).log_().sub_(stride.to(torch.float32).log())
    slope = slope.clamp_(-_LOG_BOUND, _LOG_BOUND).mul_(moved)
    return slope.sum(dim=0), slope.square_().sum(dim=0), moved.sum(dim=0)
