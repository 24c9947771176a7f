"""Steps of one variable's ranks along the order of another: the IGCI slope features and Chatterjee's xi.

Shape letters: N rows, D variables, C causes in hand, K distinct values of a cause.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

TILE = 2**18
_LOG_BOUND = 10.0


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
    levels_ND: Tensor,
    ranks_ND: Tensor,
    observed_ND: Tensor | None,
    tied_D: Tensor,
    *,
    tile: int = TILE,
) -> OrderSums:
    """The mended rule: rows that miss i or j are dropped from a pair's chain, and ties are respected.

    levels: rank shares in [0, 1] with ties averaged, used for slopes; equal values of i are merged into one point at
    j's mean level, and steps at which j does not move are left out. ranks: used for the travelled distance, along
    ``order``, which places tied rows as the caller decided.
    """
    N, D = ranks_ND.shape
    # Levels stay float64: means of different runs may be equal, and a step of rounding noise is no step.
    levels, ranks = levels_ND.to(torch.float64), ranks_ND.to(torch.float32)
    together = max(1, min(D, tile // (N * D)))
    sums = ranks.new_zeros(5, D, D)
    any_ties = bool(tied_D.any())
    for start in range(0, D, together):
        causes = slice(start, min(start + together, D))
        rows = order_ND[:, causes]
        seen = None
        if observed_ND is not None:
            seen = observed_ND[rows]
            seen &= observed_ND[:, causes].gather(0, rows)[:, :, None]
        along = ranks.index_select(0, rows.reshape(-1)).view(N, -1, D)
        back, usable = _previous(along, seen)
        travel = (along[1:] - back).abs_()
        if usable is None:
            sums[2, causes], sums[3, causes] = travel.sum(dim=0), float(N - 1)
        else:
            sums[2, causes], sums[3, causes] = (travel * usable).sum(dim=0), usable.sum(dim=0).to(travel.dtype)
        if not any_ties and seen is None:
            # one distinct level per row and column: the slopes are those very steps, in units of 1 / (N - 1)
            slope = travel.log_().clamp_(-_LOG_BOUND, _LOG_BOUND) if N >= 22000 else travel.log_()
            sums[0, causes], sums[4, causes] = slope.sum(dim=0), float(N - 1)
            sums[1, causes] = slope.square_().sum(dim=0)
            continue
        for c, i in enumerate(range(causes.start, causes.stop)):
            mask = None if seen is None else seen[:, c]
            points = levels.index_select(0, rows[:, c])
            at = points[:, i]
            if tied_D[i]:
                points, at, mask = _merged(points, at, mask)
            sums[0, i], sums[1, i], sums[4, i] = _slopes(points, at, mask)
    steps, slopes = sums[3].clamp(min=1.0), sums[4].clamp(min=1.0)
    return OrderSums(slope=sums[0] / slopes, slope_square=sums[1] / slopes, travel=sums[2], steps=steps)


def _previous(along: Tensor, seen: Tensor | None) -> tuple[Tensor, Tensor | None]:
    """For rows 1 .. N - 1: the value at the latest earlier row that is seen, and whether both ends are seen."""
    if seen is None:
        return along[:-1], None
    place = torch.arange(len(along), device=along.device).view(-1, *[1] * (along.ndim - 1))
    latest = torch.where(seen, place, -1).cummax(dim=0).values[:-1]
    return along.gather(0, latest.clamp(min=0)), seen[1:] & (latest >= 0)


def _merged(points: Tensor, at: Tensor, seen: Tensor | None) -> tuple[Tensor, Tensor, Tensor | None]:
    """Means of points (N, D) over runs of equal ``at`` (N,): (K, D), the K values, and which means exist."""
    ends = torch.ones(len(at), dtype=torch.bool, device=at.device)
    ends[:-1] = at[1:] != at[:-1]
    last = ends.nonzero()[:, 0]
    weight = torch.ones_like(points) if seen is None else seen.to(points.dtype)

    def by_run(values: Tensor) -> Tensor:
        total = values.cumsum(dim=0)[last]
        total[1:] -= total[:-1].clone()
        return total

    count = by_run(weight)
    mean = by_run(points * weight) / count.clamp(min=1.0)
    return mean, at[last], None if seen is None else count > 0


def _slopes(points: Tensor, at: Tensor, seen: Tensor | None) -> tuple[Tensor, Tensor, Tensor]:
    """Sum, sum of squares (D,) and number of the log slopes between consecutive seen points that move both ways."""
    if len(at) < 2:
        zero = points.new_zeros(points.shape[1])
        return zero, zero, zero
    back, usable = _previous(points, seen)
    here, _ = _previous(at[:, None].expand_as(points), seen)
    rise = (points[1:] - back).abs()
    run = (at[1:, None] - here).abs()
    moved = (rise > 1e-9) & (run > 1e-9)
    if usable is not None:
        moved &= usable
    slope = torch.where(moved, rise.log() - run.log(), 0.0).clamp_(-_LOG_BOUND, _LOG_BOUND)
    return slope.sum(dim=0), slope.square().sum(dim=0), moved.sum(dim=0).to(points.dtype)
