"""Cells without a value, and rows without any cell, such as spreadsheets leave below a table. Shapes: N rows."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from foundcause.data.vocabulary import NO_VALUE, is_blank, is_missing

_NO_VALUE = pa.array(sorted(NO_VALUE))


def cell_text(cell: Any) -> str:
    """What a cell says; empty for one that is missing or says so."""
    if cell is None or cell is pd.NA or cell is pd.NaT or (isinstance(cell, float) and np.isnan(cell)):
        return ""
    text = str(cell).strip()
    return "" if is_missing(text) else text


def filled_rows(columns: Iterable[pd.Series], rows: int) -> np.ndarray:
    """Sorted places of the rows in which some cell holds a value.

    Columns are looked at one by one, and only where all before were empty: most tables are done after the first.
    """
    blank = np.arange(rows)
    for column in columns:
        if len(blank) == 0:
            break
        blank = blank[_is_empty(column.iloc[blank])]
    return np.setdiff1d(np.arange(rows), blank, assume_unique=True)


def _is_empty(column: pd.Series) -> np.ndarray:
    """(N,) bool: cells without a value, or with a usual spelling of none."""
    if column.dtype == pd.ArrowDtype(pa.string()):
        words = pc.utf8_lower(pc.utf8_trim_whitespace(pa.array(column.array)))
        return pc.or_kleene(pc.is_null(words), pc.is_in(words, _NO_VALUE)).to_numpy(zero_copy_only=False)
    empty = column.isna().to_numpy(dtype=bool)
    if column.dtype == object or pd.api.types.is_string_dtype(column.dtype):
        empty = empty | np.fromiter((isinstance(cell, str) and is_blank(cell) for cell in column), bool, len(column))
    return empty
