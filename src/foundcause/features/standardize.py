"""Columns made ready for the statistics: robust values, ranks, normal scores and bins.

N rows, D variables, K bins. Everything is free of a column's scale and shift, and ties are treated as blocks, so no
result depends on the order of the rows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, TypeVar

import torch
from torch import Tensor

from foundcause.features.row_samples import content_subset

BINS = 10
"""Most bins of a column; columns with no more distinct values are binned by value."""

FEWEST = 3
"""Fewest joint rows a pair is judged by; all features of a pair seen together less often are 0."""

ROW_LIMIT = 10_000
"""Most rows the statistics look at."""

WINSOR_SPREADS = 8.0
"""Values further than this many robust standard deviations from the median are pulled in."""


@dataclass(frozen=True, kw_only=True)
class Columns:
    """A table as the statistics see it; unobserved cells are 0 everywhere.

    observed: (N, D) bool.
    complete: no cell is missing.
    x: (N, D) winsorized values, mean 0 and variance 1 on observed cells (0 for a constant column).
    r: (N, D) average ranks, standardized.
    g: (N, D) normal scores of the average ranks, standardized.
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
    def together(self) -> Tensor:
        """(D, D) bool, pairs seen in at least :data:`FEWEST` rows: of others nothing can be said."""
        if self.complete:
            return torch.full((self.variables, self.variables), self.rows >= FEWEST)
        return self.joint >= FEWEST

    @cached_property
    def alike(self) -> Tensor | None:
        """(D, D) bool, pairs of columns with the same ranks in the same rows; None when no two columns have."""
        # unobserved cells have rank 0 and observed ones more, so the ranks tell which cells are seen as well
        cells = self.u.view(torch.int32).long() * _row_salt(self.rows)
        key = cells.sum(0)
        equal = key[:, None] == key[None, :]
        return equal if int(equal.sum()) > self.variables else None

    @cached_property
    def onehot(self) -> Tensor:
        """(N, D * K) float32 bin membership; all zero where unobserved."""
        N, D = self.codes.shape
        out_NDK = torch.zeros(N, D, BINS)
        out_NDK.scatter_(2, self.codes.clamp_min(0)[:, :, None], self.mask[:, :, None])
        return out_NDK.view(N, D * BINS)


Shared = TypeVar("Shared")


class TableState:
    """One table with what several statistics share, each computed when it is first asked for.

    columns: the table standardized. n_rows: rows of the whole table, of which ``columns`` may hold fewer. seed: of row
    samples.
    """

    def __init__(self, columns: Columns, *, n_rows: int, seed: int = 0) -> None:
        self.columns, self.n_rows, self.seed = columns, n_rows, seed
        self._shared: dict[Callable[[TableState], Any], Any] = {}

    def get(self, function: Callable[[TableState], Shared]) -> Shared:
        """What ``function`` makes of this table."""
        if function not in self._shared:
            self._shared[function] = function(self)
        return self._shared[function]

    def put(self, function: Callable[[TableState], Shared], value: Shared) -> None:
        """Use ``value`` for what ``function`` would make of this table."""
        self._shared[function] = value


@lru_cache(maxsize=8)
def _row_salt(rows: int) -> Tensor:
    """(N, 1) odd factors that make a sum over the rows a hash (multiply-shift, wrapping round)."""
    steps = torch.arange(1, rows + 1)[:, None] * -0x61C8864680B583EB
    return (steps ^ (steps >> 29)) * -0x4B47D0C5B5A5B7E3 | 1


def prepare(values_ND: Tensor, observed_ND: Tensor) -> Columns:
    """Columns of one table: (N, D) values and a bool mask; non-finite cells count as unobserved."""
    # sorting and scanning run along the last axis, where they are fastest
    values = values_ND.T.double().contiguous()
    observed = observed_ND.T.bool() & torch.isfinite(values)
    values = torch.where(observed, values, 0.0).clamp_(-1e150, 1e150)
    D, N = values.shape
    count = observed.sum(1, keepdim=True)
    complete = bool(observed.all())

    ascending, order = (values if complete else torch.where(observed, values, torch.inf)).sort(dim=1)
    fresh = torch.ones_like(observed)
    fresh[:, 1:] = ascending[:, 1:] != ascending[:, :-1]
    position = torch.arange(N)
    first = torch.where(fresh, position, 0).cummax(1).values
    dense_ascending = fresh.cumsum(1).sub_(1)
    distinct = (fresh & (position < count)).sum(1, keepdim=True)
    # a tie block ends where the next one starts: block sizes give the middle of every block
    block_size = torch.zeros(D, N, dtype=torch.float64).scatter_add_(
        1, dense_ascending, torch.ones(D, N, dtype=torch.float64)
    )
    middle = first + block_size.gather(1, dense_ascending) * 0.5

    u = torch.empty_like(values).scatter_(1, order, middle / count.clamp_min(1))
    dense = torch.empty_like(order).scatter_(1, order, dense_ascending)
    by_quantile = (count / 5).sqrt().floor().clamp(3, BINS).long()
    by_value = distinct <= BINS
    states = torch.where(by_value, distinct, by_quantile).clamp_min(1)
    codes = torch.where(by_value, dense, torch.minimum((u * states).long(), states - 1))

    x, ascending_x = _robust(values, observed, ascending, count)
    score = torch.special.ndtri(torch.where(observed, u, 0.5).clamp_(1e-9, 1 - 1e-9))

    def by_row(table_DN: Tensor) -> Tensor:
        return table_DN.T.contiguous()

    return Columns(
        observed=by_row(observed),
        complete=complete,
        x=by_row(x.float()),
        r=by_row(_standardize(u, observed, count)[0].float()),
        g=by_row(_standardize(score, observed, count)[0].float()),
        u=by_row(torch.where(observed, u, 0.0).float()),
        codes=by_row(torch.where(observed, codes, -1)),
        states=states[:, 0],
        distinct=distinct[:, 0],
        sorted_x=by_row(ascending_x.float()),
    )


def prepare_few(values_ND: Tensor, observed_ND: Tensor, *, seed: int = 0) -> Columns:
    """Columns of at most :data:`ROW_LIMIT` rows, chosen by content and ``seed``."""
    columns = prepare(values_ND, observed_ND)
    if columns.rows <= ROW_LIMIT:
        return columns
    # chosen by ranks, so that the choice does not depend on a column's scale either
    kept = content_subset(columns.u, columns.observed, ROW_LIMIT, seed=seed)
    return prepare(values_ND[kept], observed_ND[kept])


def _robust(values: Tensor, observed: Tensor, ascending: Tensor, count: Tensor) -> tuple[Tensor, Tensor]:
    """Winsorized standardized values (D, N), 0 where unobserved, and the same in increasing order."""
    N = values.shape[1]
    top = (count - 1).clamp_min(0)
    # quantiles are means of the two neighbouring order statistics, so that mirroring a column mirrors them
    level = top * torch.tensor([0.25, 0.5, 0.75], dtype=torch.float64)
    quartiles = (ascending.gather(1, level.floor().long()) + ascending.gather(1, level.ceil().long())) / 2
    quartiles = torch.where(torch.isfinite(quartiles), quartiles, 0.0)
    median = quartiles[:, 1:2]
    spread = (quartiles[:, 2:] - quartiles[:, :1]) / 1.349
    centered = torch.where(observed, values - median, 0.0)
    # half of all values equal: the quartiles say nothing, the mean deviation does
    mean_deviation = 1.2533 * centered.abs().sum(1, keepdim=True) / count.clamp_min(1)
    limit = WINSOR_SPREADS * torch.where(spread > 1e-9 * mean_deviation, spread, mean_deviation)
    scale = torch.where(limit > 0, limit, 1.0)
    clipped = torch.maximum(torch.minimum(centered, limit), -limit).div_(scale)
    x, mean, deviation = _standardize(clipped, observed, count)
    ordered = torch.maximum(torch.minimum(ascending - median, limit), -limit).div_(scale)
    ordered = ordered.sub_(mean).div_(deviation)
    ordered = torch.where(torch.arange(N) < count, ordered, ordered.gather(1, top))
    return x, torch.nan_to_num_(ordered)


def _standardize(values: Tensor, observed: Tensor, count: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Mean 0 and variance 1 on observed cells, 0 elsewhere and for constant columns; also mean and deviation."""
    n = count.clamp_min(1)
    mean = torch.where(observed, values, 0.0).sum(1, keepdim=True) / n
    centered = torch.where(observed, values - mean, 0.0)
    deviation = (centered.square().sum(1, keepdim=True) / n).sqrt()
    constant = deviation < 1e-9
    deviation = torch.where(constant, 1.0, deviation)
    return torch.where(constant, 0.0, centered / deviation), mean, deviation
