"""Which rows a statistic reads: samples chosen by what rows hold, and a closer look at the strongest pairs.

Only pairs that may be adjacent need a direction, and most pairs of a wide table are not. Regressions within pairs read
all pairs at a few rows and the strongest pairs at many.

N rows, D variables, L rows of a sample.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from foundcause.errors import InputError

if TYPE_CHECKING:
    from foundcause.features.standardize import Columns

FEWEST_ROWS, MOST_ROWS = 200, 5_000
CELLS = 250_000
"""Rows times ordered pairs of the sample for all pairs, within the bounds above."""
CLOSE_CELLS = 600_000
"""The same of the sample for the strongest."""
PARTNERS = 6
"""Strongest partners of a column whose pairs are read at more rows; more if they tie or if it is one of theirs."""
_LEAST_GROWTH = 1.25  # times the rows; less is not worth a second sample


@dataclass(frozen=True, kw_only=True)
class RowSample:
    """rows: (L,) indices of rows. pairs: (D, D) symmetric, which are judged by these rows; None for all."""

    rows: Tensor
    pairs: Tensor | None = None


@dataclass(frozen=True, kw_only=True)
class SampledColumns:
    """x, g, mask: (D, L) at the rows of a sample, mask None for complete tables. shared: (D, D) rows of each pair."""

    x: Tensor
    g: Tensor
    mask: Tensor | None
    shared: Tensor
    pairs: Tensor | None


def plan_row_samples(columns: Columns, strength: Tensor, *, seed: int) -> list[RowSample]:
    """One sample for all pairs and, where a table has the rows for it, a larger one for those of most ``strength``."""
    D = columns.variables
    rows = min(row_limit(D * D, CELLS), columns.rows)
    samples = [RowSample(rows=content_subset(columns.u, columns.observed, rows, seed=seed))]
    pairs = strongest_pairs(strength)
    more = min(row_limit(int(pairs.sum()), CLOSE_CELLS), columns.rows)
    if more >= _LEAST_GROWTH * rows:
        samples.append(RowSample(rows=content_subset(columns.u, columns.observed, more, seed=seed), pairs=pairs))
    return samples


def row_limit(pairs: int, cells: int) -> int:
    """Most rows that so many ordered pairs are judged by; few pairs can afford more."""
    return min(max(cells // max(pairs, 1), FEWEST_ROWS), MOST_ROWS)


def strongest_pairs(strength: Tensor) -> Tensor:
    """(D, D) pairs of which one is among the ``PARTNERS`` strongest of the other by a symmetric ``strength`` >= 0."""
    D = len(strength)
    ranked = strength.clone().fill_diagonal_(-1.0)
    last = ranked.topk(min(PARTNERS, D - 1), dim=1).values[:, -1:]
    # columns that tie with the last are all in, so that their order decides nothing
    chosen = (ranked >= last) & ~torch.eye(D, dtype=torch.bool)
    return chosen | chosen.T


def measure_in_samples(
    columns: Columns, samples: Sequence[RowSample], measure: Callable[[SampledColumns], dict[str, Tensor]]
) -> tuple[dict[str, Tensor], Tensor]:
    """What ``measure`` finds (D, D) for each pair in its last sample, and the rows (D, D) it shares there."""
    found: dict[str, Tensor] = {}
    shared = torch.zeros(columns.variables, columns.variables)
    for sample in samples:
        part = _sampled(columns, sample)
        now = measure(part)
        if sample.pairs is None:
            found, shared = now, part.shared
        else:
            found = {name: torch.where(sample.pairs, now[name], value) for name, value in found.items()}
            shared = torch.where(sample.pairs, part.shared, shared)
    return found, shared


def _sampled(columns: Columns, sample: RowSample) -> SampledColumns:
    mask = None if columns.complete else columns.mask[sample.rows].T.contiguous()
    return SampledColumns(
        x=columns.x[sample.rows].T.contiguous(),
        g=columns.g[sample.rows].T.contiguous(),
        mask=mask,
        shared=torch.full_like(columns.joint, len(sample.rows)) if mask is None else mask @ mask.T,
        pairs=sample.pairs,
    )


_UNOBSERVED = 0x5BD1E995  # stands for a missing cell; any fixed number that is no common float works


def content_keys(values: Tensor, observed: Tensor | None, seed: int = 0) -> Tensor:
    """One int64 key (N,) per row of values (N, D): a seeded hash of the row's cells.

    Permuting rows permutes the keys; permuting columns leaves them as they are. A plain sum of cell hashes could not
    tell (0, 1) from (1, 0), so cells are first salted with a signature of their column, which in turn sums over the
    rows: two rounds of color refinement. Equal rows have equal keys.
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
        raise InputError(f"a sample of {rows} rows is empty; ask for at least one")
    if len(values) <= rows:
        return torch.arange(len(values), device=values.device)
    return torch.argsort(content_keys(values, observed, seed), stable=True)[:rows]


def _mix(bits: Tensor) -> Tensor:
    """A bijective scramble of int64 (two multiply-and-fold steps, wrapping round)."""
    bits = (bits ^ (bits >> 32)) * -0x61C8864680B583EB
    bits = (bits ^ (bits >> 29)) * -0x4B47D0C5B5A5B7E3
    return bits ^ (bits >> 32)
