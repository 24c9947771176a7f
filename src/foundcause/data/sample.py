"""A seeded sample of rows while they stream by, in bounded memory. Shapes: N rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np
import pandas as pd
import pyarrow as pa

from foundcause.data.arrow import to_series
from foundcause.data.blank import filled_rows

Batch = TypeVar("Batch", pa.Table, pd.DataFrame)


@dataclass(frozen=True, kw_only=True)
class Sample(Generic[Batch]):
    """Rows of a stream.

    parts: in file order. places: (N,) of the rows among the ``total`` that hold something. blank: rows that do not.
    """

    parts: list[Batch]
    places: np.ndarray
    total: int
    blank: int


def sampled_rows(total: int, max_rows: int, seed: int) -> np.ndarray | None:
    """Sorted indices of the sampled rows, or None when all rows fit."""
    if total <= max_rows:
        return None
    keys = np.random.default_rng(seed).random(total)
    return np.sort(np.argpartition(keys, max_rows - 1)[:max_rows])


def sample_stream(batches: Iterable[Batch], *, max_rows: int, seed: int) -> Sample[Batch]:
    """At most ``max_rows`` of the rows that hold something.

    Every such row gets a random key in order of appearance, and those with the smallest keys stay; so the sample
    depends on the seed and not on the batch size, and equals ``sampled_rows`` of a table that is in memory already.
    """
    rng = np.random.default_rng(seed)
    parts: list[Batch] = []
    keys: list[np.ndarray] = []
    places: list[np.ndarray] = []
    limit, held, total, blank = np.inf, 0, 0, 0
    for batch in batches:
        rows = len(batch)
        filled = filled_rows(_columns(batch), rows)
        drawn = rng.random(len(filled))
        total, blank = total + len(filled), blank + rows - len(filled)
        kept = np.flatnonzero(drawn < limit)
        if len(kept) == 0:
            continue
        parts.append(batch if len(kept) == rows else _take(batch, filled[kept]))
        keys.append(drawn[kept])
        places.append(kept + total - len(filled))
        held += len(kept)
        if held > 2 * max_rows:
            parts, keys, places, limit = _keep_smallest(parts, keys, places, max_rows)
            held = max_rows
    if held > max_rows:
        parts, keys, places, _ = _keep_smallest(parts, keys, places, max_rows)
    together = np.concatenate(places) if places else np.zeros(0, dtype=int)
    return Sample(parts=parts, places=together, total=total, blank=blank)


def _columns(batch: pa.Table | pd.DataFrame) -> Iterator[pd.Series]:
    if isinstance(batch, pa.Table):
        return (to_series(column) for column in batch.itercolumns())
    return (column for _, column in batch.items())


def _keep_smallest(
    parts: list[Batch], keys: list[np.ndarray], places: list[np.ndarray], count: int
) -> tuple[list[Batch], list[np.ndarray], list[np.ndarray], float]:
    together = np.concatenate(keys)
    limit = float(np.partition(together, count - 1)[count - 1])
    kept_parts, kept_keys, kept_places = [], [], []
    for part, part_keys, part_places in zip(parts, keys, places, strict=True):
        kept = np.flatnonzero(part_keys <= limit)
        if len(kept):
            kept_parts.append(_take(part, kept))
            kept_keys.append(part_keys[kept])
            kept_places.append(part_places[kept])
    return kept_parts, kept_keys, kept_places, limit


def _take(batch: Batch, rows: np.ndarray) -> Batch:
    return batch.take(pa.array(rows)) if isinstance(batch, pa.Table) else batch.iloc[rows]
