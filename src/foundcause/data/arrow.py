"""Columns of Arrow as pandas holds them."""

from __future__ import annotations

import pandas as pd
import pyarrow as pa


def to_series(cells: pa.Array | pa.ChunkedArray) -> pd.Series:
    """The cells of a column; Python's times of day know no nanoseconds, which polars always counts in."""
    if cells.type == pa.time64("ns"):
        cells = cells.cast(pa.time64("us"), safe=False)
    return cells.to_pandas(date_as_object=False)
