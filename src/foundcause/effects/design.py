"""Columns of a table as blocks of a regression.

Shapes: N rows, D columns, P design columns of one block.

Numbers, booleans, dates and ordered answers are one design column, divided by its standard deviation. Unordered
categories are one indicator for each level but the most common one. Missing cells of a covariate are filled with
the mean, and an indicator of the gap joins the block.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from foundcause.errors import InputError

MAX_LEVELS = 12
_OTHER = "(other)"


@dataclass(frozen=True, kw_only=True)
class Block:
    """One column as a regression sees it.

    Parameters
    ----------
    name : str
        The column.
    values : ndarray of shape (N, P)
        Design columns without gaps: standardized numbers, or indicators of levels.
    observed : ndarray of shape (N,), bool
        Rows in which the cell is present.
    levels : tuple of str
        Level that each design column indicates. Empty for numbers.
    base : str
        Level without an indicator. Empty for numbers.
    scale : float
        Standard deviation in the column's own unit. 1 for categories.
    binary : bool
        Whether the column has two values.
    """

    name: str
    values: np.ndarray
    observed: np.ndarray
    levels: tuple[str, ...] = ()
    base: str = ""
    scale: float = 1.0
    binary: bool = False

    @property
    def covariates(self) -> np.ndarray:
        """(N, P or P + 1): the design columns, and an indicator of gaps where there are any."""
        if self.observed.all():
            return self.values
        return np.column_stack([self.values, ~self.observed])


def design_blocks(frame: pd.DataFrame) -> list[Block]:
    """Turn a typed table into blocks.

    Parameters
    ----------
    frame : DataFrame of shape (N, D)
        Typed columns, such as ``Table.frame``.

    Returns
    -------
    list of Block
        One for each column.
    """
    return [_block(str(name), frame[name]) for name in frame.columns]


def named_block(blocks: Sequence[Block], name: str) -> Block:
    """Return the block of a column, or refuse a name that does not exist."""
    for block in blocks:
        if block.name == name:
            return block
    raise InputError(f"{name!r} is not a column; choose one of {', '.join(repr(b.name) for b in blocks[:20])}")


def _block(name: str, column: pd.Series) -> Block:
    if isinstance(column.dtype, pd.CategoricalDtype) and column.cat.ordered:
        codes = column.cat.codes.to_numpy(float)
        return _numeric(name, np.where(codes < 0, np.nan, codes))
    if pd.api.types.is_datetime64_any_dtype(column):
        days = (column - column.min()).dt.total_seconds() / 86_400
        return _numeric(name, days.to_numpy(float))
    if pd.api.types.is_timedelta64_dtype(column):
        return _numeric(name, column.dt.total_seconds().to_numpy(float))
    if pd.api.types.is_numeric_dtype(column):
        return _numeric(name, column.astype("Float64").to_numpy(float, na_value=np.nan))
    return _categorical(name, column)


def _numeric(name: str, values: np.ndarray) -> Block:
    observed = np.isfinite(values)
    seen = values[observed]
    mean, scale = (float(seen.mean()), float(seen.std())) if len(seen) else (0.0, 0.0)
    binary = len(np.unique(seen)) == 2
    standardized = np.where(observed, (values - mean) / (scale or 1.0), 0.0)[:, None]
    return Block(name=name, values=standardized, observed=observed, scale=scale or 1.0, binary=binary)


def _categorical(name: str, column: pd.Series) -> Block:
    text = column.astype("string")
    observed = text.notna().to_numpy()
    counts = text.value_counts()
    kept = list(counts.index[:MAX_LEVELS])
    cells = text.where(text.isin(kept) | ~text.notna(), _OTHER)
    levels = [*kept[1:], *([_OTHER] if len(counts) > MAX_LEVELS else [])]
    values = np.column_stack(
        [(cells == level).fillna(False).to_numpy(float) for level in levels] or [np.zeros(len(text))]
    )
    base = str(kept[0]) if kept else ""
    binary = len(counts) == 2
    return Block(name=name, values=values, observed=observed, levels=tuple(map(str, levels)), base=base, binary=binary)
