"""Tables in binary files: Parquet, Feather, Excel, SQLite, and folders of Parquet files; each sampled while reading.

Nothing is decoded before its size is known, so a small file cannot fill the memory. Libraries load only when needed.
"""

from __future__ import annotations

import importlib
import sqlite3
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from foundcause.data.dialect import locate_header
from foundcause.data.missing import filled_rows
from foundcause.data.options import ReadOptions
from foundcause.data.row_sample import Raw, sample_stream
from foundcause.data.typed import examples, first_line
from foundcause.errors import TableError
from foundcause.findings import Finding

_BATCH_CELLS = 2_000_000
_BATCH_ROWS = 65_536
_MOST_BYTES = 2 << 30
_N_HEAD = 200


def library(module: str, what: str, extra: str) -> Any:
    """Import an optional library, or say how to install it."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise TableError(f"{what} needs {module.split('.')[0]}: pip install 'foundcause[{extra}]'") from error


# ---- Arrow -----------------------------------------------------------------------------------------------------------


def read_parquet(path: Path, options: ReadOptions) -> Raw:
    """Return the sampled cells of a Parquet file, or of all such files in a folder."""
    files = sorted(path.rglob("*.parquet")) if path.is_dir() else [path]
    if not files:
        raise TableError(f"{str(path)!r} is a folder without .parquet files. Give the path of a table")
    pa = library("pyarrow", "Parquet", "parquet")
    parquet = library("pyarrow.parquet", "Parquet", "parquet")
    try:
        schema = parquet.read_schema(files[0])
        flat, nested = _flat_fields(schema)
        batches = (batch for file in files for batch in _parquet_batches(parquet, file, flat))
        return _sampled_arrow(batches, [schema.field(k) for k in flat], nested, options)
    except (pa.ArrowException, OSError, ValueError) as error:
        raise TableError(f"{str(path)!r} is no readable Parquet file: {first_line(error)}") from error


def read_feather(path: Path, options: ReadOptions) -> Raw:
    """Return the sampled cells of a Feather (Arrow IPC) file."""
    pa = library("pyarrow", "Feather", "parquet")
    ipc = library("pyarrow.ipc", "Feather", "parquet")
    try:
        with pa.memory_map(str(path)) as file:
            schema = ipc.open_file(file).schema
            flat, nested = _flat_fields(schema)
            reader = ipc.open_file(file, options=ipc.IpcReadOptions(included_fields=flat))
            batches = (_bounded(path, reader.get_batch(k)) for k in range(reader.num_record_batches))
            return _sampled_arrow(batches, [schema.field(k) for k in flat], nested, options)
    except (pa.ArrowException, OSError, ValueError) as error:
        raise TableError(f"{str(path)!r} is no readable Feather file: {first_line(error)}") from error


def arrow_series(cells: Any) -> pd.Series:
    """Return the cells of an Arrow column. Python's times of day know no nanoseconds, which polars always counts in."""
    if str(cells.type) == "time64[ns]":
        cells = cells.cast("time64[us]", safe=False)
    return cells.to_pandas(date_as_object=False)


def _flat_fields(schema: Any) -> tuple[list[int], list[str]]:
    """Return the positions of columns with one value a cell, and the names of all others."""
    types = library("pyarrow.types", "Arrow", "parquet")
    nested = [k for k, field in enumerate(schema) if types.is_nested(field.type)]
    return [k for k in range(len(schema)) if k not in set(nested)], [schema.field(k).name for k in nested]


def _parquet_batches(parquet: Any, path: Path, flat: list[int]) -> Iterator[Any]:
    """Return the batches of a file. Text stays in dictionaries, so a long word in many rows is held once."""
    schema = parquet.read_schema(path)
    names = [schema.field(k).name for k in flat]
    text = [field.name for field in schema if _is_text(field) or str(field.type).startswith("dictionary")]
    file = parquet.ParquetFile(path, read_dictionary=text)
    leaves = [k for k in range(file.metadata.num_columns) if file.metadata.schema.column(k).path in set(names)]
    rows = max(1, min(_BATCH_ROWS, _BATCH_CELLS // max(1, len(names))))
    for group in range(file.metadata.num_row_groups):
        chunks = [file.metadata.row_group(group).column(k) for k in leaves]
        _refuse_large(path, sum(chunk.total_uncompressed_size for chunk in chunks))
        # Words that are written as differences may be far longer than their file.
        if any("DELTA_BYTE_ARRAY" in chunk.encodings for chunk in chunks):
            rows = min(rows, 256)
        for batch in file.iter_batches(batch_size=rows, row_groups=[group], columns=names):
            yield _bounded(path, batch)


def _is_text(field: Any) -> bool:
    return str(field.type) in ("string", "large_string", "binary", "large_binary")


def _bounded(path: Path, batch: Any) -> Any:
    _refuse_large(path, batch.nbytes)
    return batch


def _refuse_large(path: Path, size: int) -> None:
    if size > _MOST_BYTES:
        raise TableError(
            f"{str(path)!r}: a part of {size / 2**30:.1f} GiB must be decoded at once, and at most "
            f"{_MOST_BYTES >> 30} GiB are. Write the table in smaller row groups, or with fewer columns"
        )


def _sampled_arrow(batches: Iterator[Any], fields: list[Any], nested: list[str], options: ReadOptions) -> Raw:
    pa = library("pyarrow", "Arrow", "parquet")

    def with_filled() -> Iterator[tuple[Any, int, np.ndarray]]:
        for batch in batches:
            if batch.schema.names != [field.name for field in fields]:
                raise TableError(f"the files have different columns: {batch.schema.names[:8]}. Give them all the same")
            columns = (arrow_series(column) for column in batch.columns)
            yield batch, batch.num_rows, filled_rows(columns, batch.num_rows)

    sample = sample_stream(
        with_filled(),
        lambda batch, positions: batch.take(pa.array(positions)),
        max_rows=options.max_rows,
        seed=options.random_state or 0,
    )
    parts = [pa.Table.from_batches([part]) for part in sample.parts]
    table = pa.concat_tables(parts) if parts else pa.schema(fields).empty_table()
    # Columns are taken by position: names may stand twice, and pandas would turn some into its index.
    columns = [arrow_series(table.column(k)) for k in range(len(fields))]
    # Only the sampled words leave the dictionaries that text is read into.
    columns = [
        column.astype(object) if isinstance(column.dtype, pd.CategoricalDtype) and _is_text(field) else column
        for column, field in zip(columns, fields, strict=True)
    ]
    findings = [Finding(code="nested-columns", columns=nested)] if nested else []
    return Raw(
        columns=columns,
        names=[field.name for field in fields],
        positions=sample.positions,
        total_rows=sample.total,
        blank_rows=sample.blank,
        findings=findings,
    )


# ---- Excel -----------------------------------------------------------------------------------------------------------


def read_excel(path: Path, options: ReadOptions) -> Raw:
    """Return the sampled cells of the first sheet with a table of an Excel file."""
    with zipfile.ZipFile(path) as archive:
        _refuse_large(path, sum(entry.file_size for entry in archive.infolist()))
    calamine = library("python_calamine", "Excel", "excel")
    try:
        book = calamine.CalamineWorkbook.from_path(str(path))
        sheets = {name: book.get_sheet_by_name(name).to_python() for name in book.sheet_names}
    except Exception as error:  # the library has no common class of errors
        raise TableError(f"{str(path)!r} is no readable Excel file: {first_line(error)}") from error
    filled = {name: rows for name, rows in sheets.items() if sum(any(cell != "" for cell in row) for row in rows) > 1}
    if not filled:
        raise TableError(f"{str(path)!r} has no sheet with a table. Give a table with a few dozen rows")
    name, rows = next(iter(filled.items()))
    rows = [[_plain(cell) for cell in row] for row in rows]
    head = [["" if cell is None else str(cell) for cell in row] for row in rows[:_N_HEAD]]
    skipped, header = locate_header(head, options.header)
    findings = []
    if others := [other for other in filled if other != name]:
        findings.append(Finding(code="first-sheet", details={"sheet": name, "others": examples(others)}))
    if titles := [cell for row in head[:skipped] for cell in row if cell]:
        findings.append(Finding(code="title-lines", details={"lines": skipped, "words": examples(titles, most=3)}))
    names = rows[skipped] if header else [f"x{k + 1}" for k in range(len(rows[0]))]
    if not header:
        findings.append(Finding(code="no-header"))
    body = rows[skipped + int(header) :]
    return _sampled_rows(iter([body]), names, options, findings, named=header)


def _plain(cell: Any) -> Any:
    """Return the cell of a sheet: None for nothing, 3 for 3.0."""
    if cell == "":
        return None
    return int(cell) if isinstance(cell, float) and cell.is_integer() else cell


# ---- SQL -------------------------------------------------------------------------------------------------------------


def read_sqlite(path: Path, options: ReadOptions) -> Raw:
    """Return the sampled rows of a SQLite file: of its only table, or of a query."""
    connection = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)
    try:
        return read_query(connection, options)
    finally:
        connection.close()


def read_query(connection: Any, options: ReadOptions) -> Raw:
    """Return the sampled rows of a query on a database connection of Python."""
    query = options.sql or f'SELECT * FROM "{_only_table(connection)}"'
    cursor = connection.cursor()
    try:
        cursor.execute(query)
        if cursor.description is None:
            raise TableError("the query returns no table. Give a SELECT")
        names = [column[0] for column in cursor.description]
        rows = max(1, _BATCH_CELLS // 10 // max(1, len(names)))
        return _sampled_rows(iter(lambda: cursor.fetchmany(rows), []), names, options, [])
    except TableError:
        raise
    except Exception as error:  # every database has its own class of errors
        raise TableError(f"the query fails: {first_line(error)}") from error
    finally:
        cursor.close()


def _only_table(connection: Any) -> str:
    if not isinstance(connection, sqlite3.Connection):
        raise TableError("a database connection needs a query: read_table(connection, 'SELECT ...')")
    try:
        listed = connection.execute("SELECT name FROM sqlite_master WHERE type IN ('table', 'view')").fetchall()
    except sqlite3.Error as error:
        raise TableError(f"this is no readable SQLite database: {first_line(error)}") from error
    tables = [name for (name,) in listed if not name.startswith("sqlite_")]
    if len(tables) != 1:
        shown = f"has {len(tables)} tables ({', '.join(examples(tables))})" if tables else "has no table"
        raise TableError(f"the database {shown}. Give a query: sql='SELECT ...' (--sql)")
    return tables[0].replace('"', '""')


def _sampled_rows(
    batches: Iterator[Sequence[Any]],
    names: Sequence[Any],
    options: ReadOptions,
    findings: list[Finding],
    *,
    named: bool = True,
) -> Raw:
    def with_filled() -> Iterator[tuple[list[Any], int, np.ndarray]]:
        for rows in batches:
            filled = [k for k, row in enumerate(rows) if any(cell is not None and cell != "" for cell in row)]
            yield list(rows), len(rows), np.array(filled, dtype=int)

    sample = sample_stream(
        with_filled(),
        lambda rows, positions: [rows[k] for k in positions.tolist()],
        max_rows=options.max_rows,
        seed=options.random_state or 0,
    )
    rows = [row for part in sample.parts for row in part]
    return Raw(
        columns=[pd.Series([row[k] for row in rows], dtype=object).infer_objects() for k in range(len(names))],
        names=[name if name is not None else "" for name in names],
        positions=sample.positions,
        total_rows=sample.total,
        blank_rows=sample.blank,
        findings=findings,
        named=named,
    )
