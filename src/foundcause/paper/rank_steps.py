"""Steps of one variable's ranks along the order of another: the IGCI slope features and Chatterjee's xi.

These are the information-geometric and rank-based features of the paper's statistics (Appendix A, "Pairwise
Statistics"). A missing cell takes the value of the place before it, so that it is a step of 0 and the step after it
spans the gap. Only the missing cells are then worked on one by one.

Shape letters: N rows, D variables, C causes in hand, J columns that are walked along, E missing cells of them,
K distinct values.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch import Tensor

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
    """The release's rule: only steps between neighbors in the order of i at which both variables are observed count.

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
    """The corrected rule: rows that miss i or j are dropped from a pair's chain, and ties are respected.

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


LOG_BOUND = 10.0
LONG = 22000  # ln of fewer rows stays below the bound
_NO_STEP = 1e-9


@dataclass(frozen=True, kw_only=True)
class Steps:
    """size: (N - 1, C, J) absolute steps, 0 at missing cells and beyond the last row that has the cause.
    wide: flat places in ``size`` of steps over missing cells. log_width: the log of how many places they span."""

    size: Tensor
    wide: Tensor | None
    log_width: Tensor | None

    def log_slopes(self) -> Tensor:
        """(N - 1, C, J) log of a step over the places it spans, of a table of integers; 0 where nothing moves.

        Overwrites ``size``.
        """
        flat = self.size.view(-1)
        if self.wide is None or self.log_width is None:
            flat.clamp_(min=1.0).log_()
            return self.size
        moved = flat[self.wide] > 0.0
        flat.clamp_(min=1.0).log_()  # a step of 0 is none: ln 1
        flat[self.wide] -= self.log_width * moved
        return self.size


class Walk:
    """A table (N, J) walked along the orders of causes.

    order: (N, D) rows in the order of each cause, those that miss it last. ends: how many rows have each cause.
    observed: (N, J) cells of the table that are there, None for all.
    """

    def __init__(self, table: Tensor, observed: Tensor | None, order: Tensor, ends: list[int]) -> None:
        self.table, self.order, self.ends = table, order, ends
        self.complete = True
        if observed is None:
            return
        N, J = table.shape
        self.row, self.column = (~observed).nonzero(as_tuple=True)
        self.complete = len(self.row) == 0
        # beyond both ends of an order stands row N, where nothing is missing
        self.cell = torch.full(((N + 1) * J,), -1, device=table.device)
        self.cell[self.row * J + self.column] = torch.arange(len(self.row), device=table.device)
        D = order.shape[1]
        self.path = torch.full((D, N + 2), N, device=table.device)
        self.path[:, 1:-1] = order.T
        places = torch.arange(N, device=table.device).expand(D, -1)
        self.place = torch.empty((D, N), dtype=torch.int64, device=table.device).scatter_(1, self.path[:, 1:-1], places)

    def steps(self, causes: slice) -> Steps:
        """The steps along the orders of some causes."""
        rows = self.order[:, causes]
        N, C = rows.shape
        J = self.table.shape[1]
        along = self.table.index_select(0, rows.reshape(-1))
        wide = log_width = None
        if not self.complete:
            places, sources, wide, log_width = self._gaps(causes)
            along.view(-1)[places] = self.table.view(-1)[sources]
        along = along.view(N, C, J)
        size = (along[1:] - along[:-1]).abs_()
        for c, end in enumerate(self.ends[causes]):
            if end < N:
                size[end - 1 :, c] = 0.0
        return Steps(size=size, wide=wide, log_width=log_width)

    def _gaps(self, causes: slice) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Flat places (in N, C, J) of missing cells, flat cells of the table that they repeat, flat places of the steps
        that span some, and the log of how many places those span."""
        J, E = self.table.shape[1], len(self.row)
        path = self.path[causes]  # (C, N + 2), a place stands one further
        place = self.place[causes].index_select(1, self.row)  # (C, E)
        C = len(place)
        cause = torch.arange(C, device=place.device)[:, None]
        before = self.cell[path.gather(1, place).mul_(J).add_(self.column)]
        after = self.cell[path.gather(1, place + 2).mul_(J).add_(self.column)]
        latest = place - 1
        flat, look = latest.view(-1), torch.where(before < 0, -1, before + cause * E).view(-1)
        # runs of missing cells: each looks where the one before it looks, in strides that double
        todo = (look >= 0).nonzero()[:, 0]
        while len(todo):
            ahead = look[todo]
            flat[todo], look[todo] = flat[ahead], look[ahead]
            todo = todo[look[todo] >= 0]
        places = place.mul(C).add_(cause).mul_(J).add_(self.column)
        leading = latest < 0
        source = latest + 1
        if bool(leading.any()):
            # cells before the first seen one repeat that one, whose place is their number
            pair = cause * J + self.column
            number = torch.bincount(pair[leading], minlength=C * J).clamp_(max=self.table.shape[0] - 1)
            source = torch.where(leading, number[pair] + 1, source)
        sources = path.gather(1, source).mul_(J).add_(self.column)
        ends = torch.tensor(self.ends[causes], device=place.device)[:, None]
        spans = (after < 0) & (place + 1 < ends) & ~leading
        width = (place - latest)[spans].add_(1).to(self.table.dtype).log_()
        return places.view(-1), sources.view(-1), places[spans], width


def merged_slopes(
    order_ND: Tensor, average_ND: Tensor, observed_ND: Tensor | None, causes: slice
) -> tuple[Tensor, Tensor, Tensor]:
    """Sums, sums of squares and numbers (C, D) of log slopes between the distinct values of some causes.

    Equal values are one point at j's mean. Float64: means of two values may be equal, and a step of rounding noise is
    no step. The K values of all causes stand one below the other.
    """
    N, D = average_ND.shape
    average = average_ND.to(torch.float64)
    device = average.device
    count = average.new_full((D,), float(N)) if observed_ND is None else observed_ND.sum(dim=0).to(average.dtype)
    ends = count[causes].to(torch.int64)
    inside = torch.arange(N, device=device) < ends[:, None]  # (C, N)
    C = len(ends)
    rows = order_ND.T[causes][inside]
    owner = torch.arange(C, device=device)[:, None].expand(-1, N)[inside]
    at = average.view(-1)[rows * D + owner + causes.start]
    fresh = torch.ones_like(rows, dtype=torch.bool)
    fresh[1:] = (at[1:] != at[:-1]) | (owner[1:] != owner[:-1])
    run = fresh.cumsum(dim=0) - 1
    K = int(run[-1]) + 1
    if observed_ND is None:
        size = torch.bincount(run, minlength=K)[:, None].to(average.dtype)
    else:
        size = average.new_zeros(K, D).index_add_(0, run, observed_ND.to(average.dtype).index_select(0, rows))
    points = average.new_zeros(K, D).index_add_(0, run, average.index_select(0, rows)) / size.clamp(min=1.0)
    points /= (count - 1.0).clamp(min=1.0)
    owner = owner[fresh]
    level = at[fresh] / (ends[owner] - 1)
    whole = (owner[1:] == owner[:-1])[:, None]
    if observed_ND is None or bool((size > 0.0).all()):
        rise = (points[1:] - points[:-1]).abs_()
        stride = (level[1:] - level[:-1])[:, None].clamp(min=1e-12)
        moved = (rise > _NO_STEP) & whole
    else:
        latest, usable = _latest(size > 0.0)
        rise = (points[1:] - points.gather(0, latest)).abs_()
        stride = (level[1:, None] - level[latest]).clamp_(min=1e-12)
        moved = (rise > _NO_STEP) & usable & (owner[latest] == owner[1:, None])
    slope = torch.where(moved, rise, 1.0).to(torch.float32).log_().sub_(stride.to(torch.float32).log())
    slope = slope.clamp_(-LOG_BOUND, LOG_BOUND).mul_(moved)
    # index_add adds one by one, which float32 would feel over many values
    slopes, moves = slope.to(torch.float64), moved.to(torch.float64)
    total, square, number = (
        slopes.new_zeros(C, D).index_add_(0, owner[1:], part) for part in (slopes, slopes.square(), moves)
    )
    return total.to(torch.float32), square.to(torch.float32), number.to(torch.float32)


def _latest(seen: Tensor) -> tuple[Tensor, Tensor]:
    """Along dimension 0, for places 1 and up: the latest earlier True, and whether here and there are True."""
    place = torch.arange(1, len(seen) + 1, device=seen.device)[:, None]
    latest = (seen * place).cummax(dim=0).values[:-1] - 1
    usable = seen[1:] & (latest >= 0)
    return latest.clamp_(min=0), usable
