"""A seeded sample of rows while they stream by, in bounded memory. Shapes: N rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from foundcause.findings import Finding


@dataclass(frozen=True, kw_only=True)
class Raw:
    """What a source holds: sampled cells, nothing read into them yet.

    columns: of (N,) cells, with their names. positions: (N,) of the rows among the ``total_rows`` that hold something.
    blank_rows: rows without any cell, which do not count. separator: of a text file.
    named: whether the source names its columns; an array does not, nor a file without a header.
    """

    columns: Sequence[pd.Series]
    names: Sequence[Any]
    positions: np.ndarray
    total_rows: int
    blank_rows: int = 0
    findings: Sequence[Finding] = ()
    separator: str | None = None
    named: bool = True


@dataclass(frozen=True, kw_only=True)
class Sample:
    """Rows of a stream.

    parts: in file order. positions: (N,) of the rows among the ``total`` that hold something. blank: rows that do not.
    """

    parts: list[Any]
    positions: np.ndarray
    total: int
    blank: int


def sampled_rows(total: int, max_rows: int, seed: int) -> np.ndarray | None:
    """Return the sorted positions of the sampled rows, or None when all rows fit."""
    if total <= max_rows:
        return None
    keys = np.random.default_rng(seed).random(total)
    return np.sort(np.argpartition(keys, max_rows - 1)[:max_rows])


def sample_stream(
    batches: Iterable[tuple[Any, int, np.ndarray]],
    take: Callable[[Any, np.ndarray], Any],
    *,
    max_rows: int,
    seed: int,
) -> Sample:
    """Return at most ``max_rows`` of the rows that hold something.

    Every such row gets a random key in order of appearance, and those with the smallest keys stay. The sample depends
    on the seed and not on the batch size, and equals ``sampled_rows`` of a table that is in memory already.

    Parameters
    ----------
    batches : iterable of (batch, int, ndarray)
        Each with its number of rows and the positions of those that hold something.
    take : callable
        ``take(batch, positions)`` returns some rows of a batch, or of what it returned before.
    max_rows, seed : int
        As in ``ReadOptions``.
    """
    rng = np.random.default_rng(seed)
    parts: list[Any] = []
    keys: list[np.ndarray] = []
    positions: list[np.ndarray] = []
    limit, held, total, blank = np.inf, 0, 0, 0

    def keep_smallest() -> float:
        together = np.concatenate(keys)
        largest = float(np.partition(together, max_rows - 1)[max_rows - 1])
        for k in reversed(range(len(parts))):
            kept = np.flatnonzero(keys[k] <= largest)
            if len(kept):
                parts[k], keys[k], positions[k] = take(parts[k], kept), keys[k][kept], positions[k][kept]
            else:
                del parts[k], keys[k], positions[k]
        return largest

    for batch, rows, filled in batches:
        drawn = rng.random(len(filled))
        total, blank = total + len(filled), blank + rows - len(filled)
        kept = np.flatnonzero(drawn < limit)
        if len(kept) == 0:
            continue
        parts.append(take(batch, filled[kept]))
        keys.append(drawn[kept])
        positions.append(kept + total - len(filled))
        held += len(kept)
        if held > 2 * max_rows:
            limit, held = keep_smallest(), max_rows
    if held > max_rows:
        keep_smallest()
    together = np.concatenate(positions) if positions else np.zeros(0, dtype=int)
    return Sample(parts=parts, positions=together, total=total, blank=blank)
