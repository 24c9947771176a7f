"""Where tables come from: a file, or any of the tables that live in memory; at most ``max_rows`` rows are taken."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from foundcause.errors import TableError
from foundcause.table.files import RawFile, read_file
from foundcause.table.sample import sampled_rows


def read_source(source: Any, *, max_rows: int, seed: int, separator: str | None, header: bool | None) -> RawFile:
    """The source as a pandas frame of at most ``max_rows`` rows."""
    if isinstance(source, str | os.PathLike):
        return read_file(_place(source), max_rows=max_rows, seed=seed, separator=separator, header=header)
    try:
        held = _held(source)
        total = len(held)
        rows = sampled_rows(total, max_rows, seed)
        frame = _frame(held, rows)
    except TableError:
        raise
    except (ValueError, TypeError, OverflowError) as error:
        raise TableError(
            f"this {type(source).__name__} cannot be read as a table: {str(error).splitlines()[0]}"
        ) from error
    return RawFile(frame=frame, places=np.arange(total) if rows is None else rows, total_rows=total)


def _place(source: str | os.PathLike[str]) -> Path:
    text = os.fspath(source)
    if "://" in text:
        raise TableError(f"{text!r} is an address; download it first, foundcause never goes online")
    return Path(source).expanduser()


def _library(source: Any) -> str:
    return type(source).__module__.split(".")[0]


def _held(source: Any) -> Any:
    """The source as something that has a length and rows: a pandas or polars frame, an Arrow table or an array."""
    if isinstance(source, pd.DataFrame):
        return source
    if isinstance(source, pd.Series):
        return source.to_frame()
    if _library(source) == "polars":
        frame = source.collect() if hasattr(source, "collect") else source
        return frame if hasattr(frame, "columns") else frame.to_frame()
    if _library(source) == "pyarrow":
        return source
    if _library(source) == "torch":
        source = source.detach().cpu().numpy()
    if isinstance(source, np.ma.MaskedArray):
        source = np.ma.filled(source.astype(float), np.nan)
    if isinstance(source, np.ndarray):
        return source
    if isinstance(source, Mapping):
        return pd.DataFrame(dict(source))
    if isinstance(source, Sequence):
        if source and isinstance(source[0], Mapping):
            return pd.DataFrame(list(source))
        return np.asarray(source, dtype=None if _is_rectangular_numbers(source) else object)
    raise TableError(
        f"a {type(source).__name__} is no table; give a file path, a pandas or polars frame, or a two-dimensional array"
    )


def _frame(held: Any, rows: np.ndarray | None) -> pd.DataFrame:
    """The chosen rows, all for None."""
    if isinstance(held, pd.DataFrame):
        return held if rows is None else held.iloc[rows]
    if isinstance(held, np.ndarray):
        return _array_frame(held if rows is None else held[rows])
    if _library(held) == "polars":
        chosen = held if rows is None else held[rows]
        columns = [chosen[name].to_arrow().to_pandas() for name in chosen.columns]
        return pd.DataFrame(dict(enumerate(columns))).set_axis(list(chosen.columns), axis=1)
    chosen = held if rows is None else held.take(rows)
    columns = [chosen.column(k).to_pandas() for k in range(chosen.num_columns)]
    return pd.DataFrame(dict(enumerate(columns))).set_axis(list(chosen.schema.names), axis=1)


def _is_rectangular_numbers(rows: Sequence[Any]) -> bool:
    return all(isinstance(row, Sequence | np.ndarray) and all(isinstance(c, int | float) for c in row) for row in rows)


def _array_frame(array: np.ndarray) -> pd.DataFrame:
    if array.dtype.names is not None:
        return pd.DataFrame({name: array[name] for name in array.dtype.names})
    if array.ndim != 2:
        raise TableError(f"an array of {array.ndim} dimensions is no table; give rows x columns")
    frame = pd.DataFrame(array)
    frame.columns = pd.Index([f"x{k + 1}" for k in range(array.shape[1])], dtype=object)
    return frame
