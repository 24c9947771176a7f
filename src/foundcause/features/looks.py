"""Which rows the regressions within pairs look at: all pairs at some, the strongest pairs closely at many.

N rows, D variables, L rows of a look. Only pairs that may be joined need their direction told, and most pairs of a wide
table are not: rows are better spent on the others.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from foundcause.features.extended_columns import Columns
from foundcause.features.rows import content_subset

FEWEST_ROWS, MOST_ROWS = 200, 5_000
CELLS = 250_000
"""Rows times ordered pairs of the look at all pairs, within the bounds above."""
CLOSE_CELLS = 600_000
"""The same of the closer look at the strongest."""
PARTNERS = 6
"""Other columns with which a column is looked at closely, if they tie more, and if it is one of theirs more still."""
_WORTHWHILE = 1.25  # times the rows, less is not worth a second look


@dataclass(frozen=True, kw_only=True)
class Look:
    """rows: (L,) indices of rows. pairs: (D, D) symmetric, which are looked at; None for all."""

    rows: Tensor
    pairs: Tensor | None = None


@dataclass(frozen=True, kw_only=True)
class Sample:
    """What a look sees: x, g, mask (D, L) with mask None for complete tables, shared (D, D) rows of each pair."""

    x: Tensor
    g: Tensor
    mask: Tensor | None
    shared: Tensor
    pairs: Tensor | None


def plan_looks(columns: Columns, strength: Tensor, *, seed: int) -> list[Look]:
    """One look at all pairs and, where a table has the rows for it, a closer one at those of most ``strength``."""
    D = columns.variables
    rows = min(row_limit(D * D, CELLS), columns.rows)
    looks = [Look(rows=content_subset(columns.u, columns.observed, rows, seed=seed))]
    pairs = strongest_pairs(strength)
    more = min(row_limit(int(pairs.sum()), CLOSE_CELLS), columns.rows)
    if more >= _WORTHWHILE * rows:
        looks.append(Look(rows=content_subset(columns.u, columns.observed, more, seed=seed), pairs=pairs))
    return looks


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


def layered(
    columns: Columns, looks: Sequence[Look], measure: Callable[[Sample], dict[str, Tensor]]
) -> tuple[dict[str, Tensor], Tensor]:
    """What ``measure`` finds (D, D) for each pair in the last look at it, and the rows (D, D) it shares there."""
    found: dict[str, Tensor] = {}
    shared = torch.zeros(columns.variables, columns.variables)
    for look in looks:
        sample = _sample(columns, look)
        now = measure(sample)
        if look.pairs is None:
            found, shared = now, sample.shared
        else:
            found = {name: torch.where(look.pairs, now[name], value) for name, value in found.items()}
            shared = torch.where(look.pairs, sample.shared, shared)
    return found, shared


def _sample(columns: Columns, look: Look) -> Sample:
    mask = None if columns.complete else columns.mask[look.rows].T.contiguous()
    return Sample(
        x=columns.x[look.rows].T.contiguous(),
        g=columns.g[look.rows].T.contiguous(),
        mask=mask,
        shared=torch.full_like(columns.joint, len(look.rows)) if mask is None else mask @ mask.T,
        pairs=look.pairs,
    )
