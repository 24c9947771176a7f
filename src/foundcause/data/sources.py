"""Where tables come from: a file, or any of the tables that live in memory; at most ``max_rows`` rows are taken."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from foundcause.data.arrow import to_series
from foundcause.data.blank import filled_rows
from foundcause.data.files import RawFile, read_file
from foundcause.data.names import as_text
from foundcause.data.reading import counted
from foundcause.data.sample import sampled_rows
from foundcause.errors import InputError, TableError

_UNNAMED_INDEX = re.compile(r"__index_level_\d+__")


def read_source(source: Any, *, max_rows: int, seed: int, separator: str | None, header: bool | None) -> RawFile:
    """The source as a pandas frame of at most ``max_rows`` rows; those without any cell do not count."""
    if isinstance(source, str | os.PathLike):
        with _rereadable(_place(source)) as place:
            raw = read_file(place, max_rows=max_rows, seed=seed, separator=separator, header=header)
            return replace(raw, frame=_without_unnamed_index(raw.frame))
    for option, value in (("separator", separator), ("header", header)):
        if value is not None:
            raise InputError(f"{option}={value!r} is for text files; this {type(source).__name__} is a table already")
    try:
        held = _held(source)
        notes: tuple[str, ...] = ()
        if isinstance(source, pd.DataFrame | pd.Series):
            held, notes = _with_named_index(held)
        filled = filled_rows(_columns(held), len(held))
        chosen = sampled_rows(len(filled), max_rows, seed)
        rows = filled if chosen is None else filled[chosen]
        frame = _frame(held, None if len(rows) == len(held) else rows)
    except TableError:
        raise
    except (ValueError, TypeError, OverflowError) as error:
        raise TableError(
            f"this {type(source).__name__} cannot be read as a table: {str(error).splitlines()[0]}"
        ) from error
    places = np.arange(len(filled)) if chosen is None else chosen
    return RawFile(
        frame=_without_unnamed_index(frame),
        places=places,
        total_rows=len(filled),
        blank_rows=len(held) - len(filled),
        notes=notes,
        named=not isinstance(held, np.ndarray) or held.dtype.names is not None,
    )


def _with_named_index(frame: pd.DataFrame) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """The frame with the named levels of its index as columns, as Parquet would hold them, and a note if there are any.

    After ``set_index`` or ``groupby`` they are variables like the others; an index that counts the rows is none.
    """
    index = frame.index
    named = [k for k, name in enumerate(index.names) if name is not None]
    if isinstance(index, pd.RangeIndex) or not named:
        return frame, ()
    levels = [pd.Series(index.get_level_values(k), index=index) for k in named]
    names = [index.names[k] for k in named]
    columns = [*frame.columns, *names]  # apart, so that levels may be called like columns, or those have levels too
    joined = pd.concat([frame.set_axis(range(frame.shape[1]), axis=1), *levels], axis=1)
    joined.columns = pd.Index(columns, dtype=object, tupleize_cols=False)
    which = ", ".join(repr(as_text(name)) for name in names)
    used = "is used as a column like any other" if len(named) == 1 else "are used as columns like any others"
    return joined, (f"the index {which} of the frame {used}; df.reset_index(drop=True) leaves it out",)


def _without_unnamed_index(frame: pd.DataFrame) -> pd.DataFrame:
    """The frame without the columns in which Arrow and Parquet keep an index of pandas that has no name."""
    kept = [not _UNNAMED_INDEX.fullmatch(str(name)) for name in frame.columns]
    return frame if all(kept) else frame.loc[:, kept]


@contextmanager
def _rereadable(path: Path) -> Iterator[Path]:
    """The file itself; for a pipe, such as the shell's ``<(...)``, a file that holds what comes through it."""
    if not path.is_fifo():
        yield path
        return
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / path.name
        try:
            with path.open("rb") as pipe, copy.open("wb") as file:
                shutil.copyfileobj(pipe, file)
            yield copy
        except TableError as error:
            raise TableError(str(error).replace(repr(str(copy)), repr(str(path)))) from error


def _place(source: str | os.PathLike[str]) -> Path:
    text = os.fspath(source)
    if not text:
        raise TableError("the path of the table is empty; give that of a CSV, TSV or Parquet file")
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
    if _library(source) == "polars" and (hasattr(source, "collect") or hasattr(source, "to_frame")):
        return source.collect() if hasattr(source, "collect") else source.to_frame()
    if _library(source) == "polars" and hasattr(source, "columns"):
        return source
    if _library(source) == "pyarrow" and hasattr(source, "num_columns"):
        return source
    if _library(source) == "torch" and hasattr(source, "detach"):
        source = source.detach().cpu().numpy()
    if isinstance(source, np.ma.MaskedArray):
        source = np.ma.filled(source.astype(float), np.nan)
    if isinstance(source, np.ndarray):
        return source
    if isinstance(source, Mapping):
        _refuse_unequal("column", {repr(as_text(name)): cells for name, cells in source.items()})
        return pd.DataFrame(dict(source))
    if isinstance(source, Sequence) and not isinstance(source, bytes):
        if source and isinstance(source[0], Mapping):
            return pd.DataFrame(list(source))
        _refuse_unequal("row", {str(k): cells for k, cells in enumerate(source, start=1)})
        return np.asarray(source, dtype=None if _is_rectangular_numbers(source) else object)
    kind = type(source).__name__ if _library(source) == "builtins" else f"{type(source).__name__} of {_library(source)}"
    lazily = "call .compute() first, or " if hasattr(source, "compute") else ""
    raise TableError(
        f"a {kind} is no table; {lazily}give a file path, a pandas or polars frame, or a two-dimensional array"
    )


def _refuse_unequal(what: str, parts: Mapping[str, Any]) -> None:
    """Rows or columns with different numbers of cells are no table; pandas fits what has an index, and single cells."""
    lengths = {
        name: len(part)
        for name, part in parts.items()
        if isinstance(part, Sequence | np.ndarray) and not isinstance(part, str | bytes)
    }
    if len(set(lengths.values())) > 1:
        usual = max(lengths.values(), key=[*lengths.values()].count)
        odd = next(name for name, length in lengths.items() if length != usual)
        raise TableError(
            f"{what} {odd} has {counted(lengths[odd], 'cell', 'cells')}, most others have {usual}; give all as many, "
            "with None where one is missing"
        )


def _frame(held: Any, rows: np.ndarray | None) -> pd.DataFrame:
    """The chosen rows, all for None."""
    if isinstance(held, pd.DataFrame):
        return held if rows is None else held.iloc[rows]
    if isinstance(held, np.ndarray):
        return _array_frame(held if rows is None else held[rows])
    if _library(held) == "polars":
        chosen, names = held if rows is None else held[rows], held.columns
    else:
        chosen, names = held if rows is None else held.take(rows), held.schema.names
    return pd.DataFrame(dict(enumerate(_columns(chosen)))).set_axis(list(names), axis=1)


def _columns(held: Any) -> Iterator[pd.Series]:
    """The columns, made one by one."""
    if isinstance(held, np.ndarray):
        held = _array_frame(held)
    if isinstance(held, pd.DataFrame):
        return (held.iloc[:, k] for k in range(held.shape[1]))
    if _library(held) == "polars":
        return (to_series(held[name].to_arrow()) for name in held.columns)
    return (to_series(held.column(k)) for k in range(held.num_columns))


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
