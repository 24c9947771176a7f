"""Tables in files: delimited text of any common dialect and Parquet, sampled while reading."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pa_parquet

from foundcause.data.arrow import to_series
from foundcause.data.cells import split_rows
from foundcause.data.dialect import Dialect, guess_dialect, guess_encoding
from foundcause.data.packed import open_text, open_unpacked, read_head
from foundcause.data.quotes import QuoteGuard
from foundcause.data.reading import counted, first_line, quote
from foundcause.data.sample import sample_stream
from foundcause.data.second_table import tell_second_table
from foundcause.errors import TableError

NO_HEADER = "the file has no header row"

_BLOCK_BYTES = 1 << 23
_BATCH_CELLS = 2_000_000
_FOREIGN = {  # how files begin that are no delimited text, and what they are
    rb"PK\x03\x04": "a spreadsheet or archive",
    rb"\xd0\xcf\x11\xe0": "a spreadsheet",
    rb"ARROW1": "a Feather file",
    rb"\x93NUMPY": "a NumPy file; load it and pass the array, or",
    rb"\x80[\x04\x05]\x95": "a pickle; load it and pass the frame, or",
    rb"SQLite f": "a database",
    rb"\x89HDF": "an HDF5 file",
    rb"%PDF": "a PDF",
    rb"<stata_dta>|[\x66-\x73][\x01\x02]\x01\x00": "a Stata file; load it by pandas.read_stata and pass the frame, or",
    rb"\$FL[23]": "an SPSS file; load it by pandas.read_spss and pass the frame, or",
    rb"\x00{12}\xc2\xea\x81\x60|HEADER RECORD\*{7}": "a SAS file; load it by pandas.read_sas and pass the frame, or",
    rb"(?i)\s*(%[^\n]*\n\s*)*@relation\s": "an ARFF file",
    rb"PAR1": "compressed Parquet; unpack it, or",
    rb"\xfd7zXZ|7z\xbc\xaf|Rar!|\x04\x22\x4d\x18": "a compressed file; unpack it, or",
    rb"(?i)\s*<(!doctype\s+)?html\b": "a web page",
    rb"(?i)\s*<(\?xml|!doctype|[a-z][^<>]*>\s*<)": "XML; load it and pass the frame, or",
    rb"\s*(\{|\[\s*[\[{])": "JSON; load it and pass the frame, or",
}


@dataclass(frozen=True, kw_only=True)
class RawFile:
    """Sampled cells of a file: a frame, where its rows stood among how many, what was noticed, and its separator.

    blank_rows: rows without any cell, which do not count.
    named: whether the source names its columns; an array does not, nor a file without a header, but its first row may.
    """

    frame: pd.DataFrame
    places: np.ndarray
    total_rows: int
    blank_rows: int = 0
    notes: tuple[str, ...] = ()
    separator: str | None = None
    named: bool = True


def read_file(path: Path, *, max_rows: int, seed: int, separator: str | None, header: bool | None) -> RawFile:
    """Read a CSV, TSV or Parquet file, keeping at most ``max_rows`` rows."""
    try:
        if path.is_dir():
            raise TableError(f"{str(path)!r} is a folder; give the path of a CSV, TSV or Parquet file")
        with path.open("rb") as file:
            magic = file.read(4)
    except OSError as error:
        raise TableError(f"cannot read {str(path)!r}: {error.strerror or error}") from error
    if not magic:
        raise TableError(f"{str(path)!r} is empty; a table with a few rows is needed")
    if magic == b"PAR1":
        return _read_parquet(path, max_rows=max_rows, seed=seed)
    head = read_head(path).removeprefix(b"\xef\xbb\xbf")
    for start, what in _FOREIGN.items():
        if re.match(start, head):
            raise TableError(f"{str(path)!r} looks like {what}{'' if ';' in what else ';'} export it as CSV first")
    return _read_text(path, max_rows=max_rows, seed=seed, separator=separator, header=header)


def _read_parquet(path: Path, *, max_rows: int, seed: int) -> RawFile:
    try:
        file = pa_parquet.ParquetFile(path)
        batches = (pa.Table.from_batches([batch]) for batch in file.iter_batches(batch_size=65_536))
        sample = sample_stream(batches, max_rows=max_rows, seed=seed)
        table = pa.concat_tables(sample.parts) if sample.parts else file.schema_arrow.empty_table()
        # Names are kept aside: pandas metadata may turn a column into the index.
        columns = {k: to_series(table.column(k)) for k in range(table.num_columns)}
    except (pa.ArrowException, OSError, ValueError) as error:
        raise TableError(f"{str(path)!r} is no readable Parquet file: {first_line(error)}") from error
    frame = pd.DataFrame(columns)
    frame.columns = pd.Index(table.column_names, dtype=object)
    return RawFile(frame=frame, places=sample.places, total_rows=sample.total, blank_rows=sample.blank)


def _read_text(path: Path, *, max_rows: int, seed: int, separator: str | None, header: bool | None) -> RawFile:
    notes: list[str] = []
    encoding = guess_encoding(read_head(path))
    for attempt in dict.fromkeys([encoding, "cp1252", "latin-1"]):
        dialect = guess_dialect(path, attempt, separator, header)
        guard, skipped_lines = QuoteGuard(path, dialect), [0]
        try:
            reader = _read_slowly if dialect.marks.separator == "whitespace" or dialect.marks.spaced else _read_fast
            batches = reader(path, dialect, guard, skipped_lines)
            sample = sample_stream(batches, max_rows=max_rows, seed=seed)
            break
        except TableError:
            raise
        except UnicodeError:
            continue
        except (pa.ArrowException, ValueError, csv.Error, OSError) as error:
            if "utf8" in str(error).lower().replace("-", "") and attempt != "latin-1":
                continue
            reason = first_line(error)
            if "straddling" in reason or "field limit" in reason:
                raise guard.refuse_endless() from error
            raise TableError(f"{str(path)!r} cannot be read as delimited text: {reason}") from error
    else:
        raise TableError(f"{str(path)!r} is in an unknown text encoding; save it as UTF-8")
    if attempt in ("cp1252", "latin-1"):
        called = {"cp1252": "Windows-1252", "latin-1": "Latin-1"}[attempt]
        notes.append(f"the file is not UTF-8; it was read as {called}, check letters with accents")
    separator = dialect.marks.separator
    if skipped_lines[0] > sample.total + sample.blank:
        raise TableError(
            f"{str(path)!r}: the first line has {dialect.width} cells (separator {separator!r}), most others have "
            "another number; check the separator, and quote cells that hold it (a decimal comma?)"
        )
    if dialect.titles:
        above = counted(len(dialect.titles), "line above the table was", "lines above the table were")
        notes.append(f"{above} skipped: {quote(dialect.titles[:3])}")
    if skipped_lines[0]:
        lines, were = ("line", "was") if skipped_lines[0] == 1 else ("lines", "were")
        notes.append(f"{skipped_lines[0]} {lines} had another number of cells than the first and {were} skipped")
    notes += tell_second_table(path, dialect)
    if not dialect.header:
        remedy = " (if its first line names them, pass --header, in Python header=True)" if header is None else ""
        notes.append(f"{NO_HEADER}; its columns are named x1, x2, ...{remedy}")
    if dialect.row_names:
        notes.append("the header has a name less than the rows have cells; the first column is taken for row names")
    parts = sample.parts
    frame = pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=range(dialect.width))
    frame.columns = pd.Index(dialect.names, dtype=object)
    while dialect.header and not frame.columns[-1] and frame.shape[1] > 1 and (frame.iloc[:, -1] == "").all():
        frame = frame.iloc[:, :-1]  # every line ends with a separator
    return RawFile(
        frame=frame,
        places=sample.places,
        total_rows=sample.total,
        blank_rows=sample.blank,
        notes=tuple(notes),
        separator=separator,
        named=dialect.header,
    )


def _read_fast(path: Path, dialect: Dialect, guard: QuoteGuard, skipped: list[int]) -> Iterator[pd.DataFrame]:
    """Arrow knows neither runs of blanks nor blanks before quotation marks."""

    def skip(row: pa_csv.InvalidRow) -> str:
        skipped[0] += 1
        guard.look_at([row.text])
        return "skip"

    columns = [f"c{k}" for k in range(dialect.width)]
    with pa_csv.open_csv(
        open_unpacked(path),
        read_options=pa_csv.ReadOptions(
            column_names=columns,
            skip_rows=dialect.skipped + int(dialect.ragged_header),
            skip_rows_after_names=int(dialect.header and not dialect.ragged_header),
            encoding=dialect.encoding,
            block_size=_BLOCK_BYTES,
        ),
        parse_options=pa_csv.ParseOptions(
            delimiter=dialect.marks.separator,
            quote_char=dialect.marks.quote,
            newlines_in_values=True,
            invalid_row_handler=skip,
            ignore_empty_lines=dialect.width > 1,
        ),
        convert_options=pa_csv.ConvertOptions(
            column_types=dict.fromkeys(columns, pa.string()), strings_can_be_null=False
        ),
    ) as reader:
        # Columns stay Arrow arrays until the sample is drawn: Python text at 60 bytes a cell would break the bound.
        for batch in reader:
            for name in columns:
                guard.look_at(_broken_cells(batch.column(name)))
            guard.refuse_swallowed()
            yield pd.DataFrame({name: pd.array(batch.column(name), dtype=_ARROW_TEXT) for name in columns})
    guard.refuse_swallowed()


def _broken_cells(cells: pa.StringArray) -> list[str]:
    """The cells that hold line breaks; most columns have none, and one look at all their letters tells."""
    letters = cells.buffers()[2]
    held = b"" if letters is None else letters.to_pybytes()
    if b"\n" not in held and b"\r" not in held:
        return []
    return [cell for cell in cells.to_pylist() if "\n" in cell or "\r" in cell]


def _read_slowly(path: Path, dialect: Dialect, guard: QuoteGuard, skipped: list[int]) -> Iterator[pd.DataFrame]:
    with open_text(path, dialect.encoding) as lines:
        body = islice(lines, dialect.skipped + int(dialect.header), None)
        rows = iter(split_rows(body, dialect.marks))
        while batch := list(islice(rows, max(1, _BATCH_CELLS // dialect.width))):
            full = [row for row in batch if len(row) == dialect.width]
            skipped[0] += sum(len(row) != dialect.width for row in batch if any(row))
            guard.look_at(cell for row in batch for cell in row if "\n" in cell or "\r" in cell)
            guard.refuse_swallowed()
            yield pd.DataFrame(full, columns=range(dialect.width), dtype=object).astype(_ARROW_TEXT)


_ARROW_TEXT = pd.ArrowDtype(pa.string())
