"""Where tables come from: a file of any kind, a database, or any of the tables that live in memory."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from foundcause.data.missing import filled_rows
from foundcause.data.names import as_text
from foundcause.data.options import ReadOptions
from foundcause.data.row_sample import Raw, sampled_rows
from foundcause.data.stores import arrow_series, read_excel, read_feather, read_parquet, read_query, read_sqlite
from foundcause.data.text_files import read_text
from foundcause.errors import InputError, TableError
from foundcause.findings import Finding

_UNNAMED_INDEX = re.compile(r"__index_level_\d+__")  # where Arrow and Parquet keep an index of pandas without a name
_READERS = {b"PAR1": read_parquet, b"ARROW1": read_feather, b"SQLite format 3\x00": read_sqlite}


def read_source(source: Any, options: ReadOptions) -> Raw:
    """Return at most ``max_rows`` rows of a source; those without any cell do not count."""
    if isinstance(source, str | os.PathLike):
        return _read_path(source, options)
    for option in ("separator", "header"):
        if (value := getattr(options, option)) is not None:
            raise InputError(f"{option}={value!r} is for text files. This {type(source).__name__} is a table already")
    if hasattr(source, "cursor"):
        return read_query(source, options)
    if options.sql is not None:
        raise InputError(f"sql is for databases. This {type(source).__name__} is a table already")
    try:
        return _read_memory(source, options)
    except TableError:
        raise
    except (ValueError, TypeError, OverflowError) as error:
        said = str(error).splitlines()[:1]
        raise TableError(f"this {type(source).__name__} cannot be read as a table: {''.join(said)}") from error


# ---- files -----------------------------------------------------------------------------------------------------------


def _read_path(source: str | os.PathLike[str], options: ReadOptions) -> Raw:
    text = os.fspath(source)
    if not text:
        raise TableError("the path of the table is empty. Give that of a CSV, Parquet, Excel or SQLite file")
    if "://" in text:
        raise TableError(f"{text!r} is an address. Download it first, foundcause never goes online")
    path = Path(source).expanduser()
    try:
        if path.is_dir():
            return read_parquet(path, options)
        with _rereadable(path) as file:
            return _read_file(file, options)
    except OSError as error:
        raise TableError(f"cannot read {str(path)!r}: {error.strerror or error}") from error


def _read_file(path: Path, options: ReadOptions) -> Raw:
    with path.open("rb") as file:
        magic = file.read(16)
    if not magic:
        raise TableError(f"{str(path)!r} is empty. Give a table with a few dozen rows")
    reader = next((reader for start, reader in _READERS.items() if magic.startswith(start)), None)
    if magic.startswith(b"PK\x03\x04") and path.suffix.lower() in (".xlsx", ".xlsm", ".xlsb", ".ods"):
        reader = read_excel
    if options.sql is not None and reader is not read_sqlite:
        raise TableError(f"{str(path)!r} is no SQLite database, so sql cannot be used")
    raw = (reader or read_text)(path, options)
    kept = [k for k, name in enumerate(raw.names) if not _UNNAMED_INDEX.fullmatch(str(name))]
    return _with_columns(raw, kept)


def _with_columns(raw: Raw, kept: list[int]) -> Raw:
    if len(kept) == len(raw.names):
        return raw
    columns, names = [raw.columns[k] for k in kept], [raw.names[k] for k in kept]
    return Raw(**{**vars(raw), "columns": columns, "names": names})


@contextmanager
def _rereadable(path: Path) -> Iterator[Path]:
    """Yield the file itself; for a pipe, such as the shell's ``<(...)``, a file that holds what comes through it."""
    if not path.is_fifo():
        yield path
        return
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / path.name
        with path.open("rb") as pipe, copy.open("wb") as file:
            shutil.copyfileobj(pipe, file)
        yield copy


# ---- tables in memory ------------------------------------------------------------------------------------------------


def _read_memory(source: Any, options: ReadOptions) -> Raw:
    findings: list[Finding] = []
    named = True
    if isinstance(source, pd.Series):
        source = source.to_frame()
    if isinstance(source, pd.DataFrame):
        names: list[Any] = list(source.columns)
        columns = [source.iloc[:, k] for k in range(source.shape[1])]
        levels = [k for k, name in enumerate(source.index.names) if name is not None]
        if levels and not isinstance(source.index, pd.RangeIndex):
            called = [source.index.names[k] for k in levels]
            if options.index:
                columns += [pd.Series(source.index.get_level_values(k)) for k in levels]
                names += called
            else:
                findings.append(Finding(code="index-left-out", columns=[as_text(name) for name in called]))
    else:
        columns, names, named = _columns(source)
    kept = [k for k, name in enumerate(names) if not _UNNAMED_INDEX.fullmatch(str(name))]
    columns, names = [columns[k] for k in kept], [names[k] for k in kept]
    rows = len(columns[0]) if columns else 0
    filled = filled_rows(columns, rows)
    chosen = sampled_rows(len(filled), options.max_rows, options.random_state or 0)
    taken = filled if chosen is None else filled[chosen]
    return Raw(
        columns=columns if len(taken) == rows else [column.iloc[taken] for column in columns],
        names=names,
        positions=np.arange(len(filled)) if chosen is None else chosen,
        total_rows=len(filled),
        blank_rows=rows - len(filled),
        findings=findings,
        named=named,
    )


def _columns(source: Any) -> tuple[list[pd.Series], list[Any], bool]:
    """Return the columns of a table in memory, their names, and whether the table itself names them."""
    library = type(source).__module__.split(".")[0]
    if library == "polars" and hasattr(source, "collect"):
        source = source.collect()
    if library == "polars" and hasattr(source, "to_frame"):
        source = source.to_frame()
    if library == "polars" and hasattr(source, "get_columns"):
        return [_polars_series(column) for column in source.get_columns()], list(source.columns), True
    if library == "pyarrow" and hasattr(source, "num_columns"):
        columns = [arrow_series(source.column(k)) for k in range(source.num_columns)]
        return columns, list(source.schema.names), True
    if library == "torch" and hasattr(source, "detach"):
        source = source.detach().cpu().numpy()
    if isinstance(source, np.ma.MaskedArray):
        source = np.ma.filled(source.astype(float), np.nan)
    if isinstance(source, Mapping):
        _refuse_unequal("column", {repr(as_text(name)): cells for name, cells in source.items()})
        frame = pd.DataFrame(dict(source))
        return [frame.iloc[:, k] for k in range(frame.shape[1])], list(frame.columns), True
    if isinstance(source, Sequence) and not isinstance(source, str | bytes | np.ndarray):
        if source and isinstance(source[0], Mapping):
            frame = pd.DataFrame(list(source))
            return [frame.iloc[:, k] for k in range(frame.shape[1])], list(frame.columns), True
        _refuse_unequal("row", {str(k): cells for k, cells in enumerate(source, start=1)})
        numbers = all(
            isinstance(row, Sequence | np.ndarray) and all(isinstance(c, int | float) for c in row) for row in source
        )
        source = np.asarray(source, dtype=None if numbers else object)
    if isinstance(source, np.ndarray):
        return _array_columns(source)
    kind = type(source).__name__ if library == "builtins" else f"{type(source).__name__} of {library}"
    lazily = "Call .compute() first, or give" if hasattr(source, "compute") else "Give"
    raise TableError(f"{kind} is not a table. {lazily} a path, a pandas or polars frame, or a two-dimensional array")


def _array_columns(array: np.ndarray) -> tuple[list[pd.Series], list[Any], bool]:
    if array.dtype.names is not None:
        return [pd.Series(array[name]) for name in array.dtype.names], list(array.dtype.names), True
    if array.ndim != 2:
        raise TableError(f"an array of {array.ndim} dimensions is not a table. Give rows and columns")
    frame = pd.DataFrame(array)
    return [frame.iloc[:, k] for k in range(frame.shape[1])], [f"x{k + 1}" for k in range(frame.shape[1])], False


def _polars_series(column: Any) -> pd.Series:
    dtype = str(column.dtype)
    if column.dtype.is_numeric() and not dtype.startswith("Decimal"):
        return pd.Series(column.to_numpy())
    if dtype.startswith(("Date", "Duration")):
        return pd.Series(column.dt.cast_time_unit("us").to_numpy() if dtype != "Date" else column.to_numpy())
    return pd.Series(column.to_list(), dtype=object)


def _refuse_unequal(what: str, parts: Mapping[str, Any]) -> None:
    """Refuse rows or columns with different numbers of cells; pandas fits what has an index, and single cells."""
    lengths = {
        name: len(part)
        for name, part in parts.items()
        if isinstance(part, Sequence | np.ndarray) and not isinstance(part, str | bytes)
    }
    if len(set(lengths.values())) > 1:
        usual = max(lengths.values(), key=[*lengths.values()].count)
        odd = next(name for name, length in lengths.items() if length != usual)
        raise TableError(
            f"{what} {odd} has {lengths[odd]} cells, most others have {usual}. Give all the same number, with None "
            "where one is missing"
        )
