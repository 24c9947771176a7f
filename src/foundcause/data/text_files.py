"""Delimited text of any common dialect, packed or not, sampled while reading. Memory is bounded by the sample."""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import lzma
import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import pandas as pd

from foundcause.data.dialect import HEAD_BYTES, Dialect, guess_dialect, guess_encoding, is_number
from foundcause.data.options import ReadOptions
from foundcause.data.row_sample import Raw, sample_stream
from foundcause.data.typed import examples, first_line
from foundcause.data.vocabulary import is_blank, is_missing
from foundcause.errors import TableError
from foundcause.findings import Finding

_BATCH_CELLS = 500_000
_LONGEST_LINE = 1 << 24
_OPENERS: dict[bytes, Any] = {b"\x1f\x8b": gzip.open, b"BZh": bz2.open, b"\xfd7zXZ": lzma.open}
_FOREIGN = {  # how files begin that are no delimited text, and what they are
    rb"PK\x03\x04|7z\xbc\xaf|Rar!|\x04\x22\x4d\x18|\x28\xb5\x2f\xfd": "an archive. Unpack it first",
    rb"\xd0\xcf\x11\xe0": "an old Excel file. Save it as .xlsx or CSV first",
    rb"\x93NUMPY": "a NumPy file. Load it and pass the array",
    rb"\x80[\x04\x05]\x95": "a pickle. Load it and pass the frame",
    rb"\x89HDF": "an HDF5 file. Export it as CSV first",
    rb"%PDF": "a PDF. Export the table as CSV first",
    rb"<stata_dta>|[\x66-\x73][\x01\x02]\x01\x00": "a Stata file. Load it by pandas.read_stata and pass the frame",
    rb"\$FL[23]": "an SPSS file. Load it by pandas.read_spss and pass the frame",
    rb"\x00{12}\xc2\xea\x81\x60|HEADER RECORD\*{7}": "a SAS file. Load it by pandas.read_sas and pass the frame",
    rb"(?i)\s*(%[^\n]*\n\s*)*@relation\s": "an ARFF file. Export it as CSV first",
    rb"PAR1": "compressed Parquet. Unpack it first",
    rb"(?i)\s*<(!doctype\s+)?html\b": "a web page. Export the table as CSV first",
    rb"(?i)\s*<(\?xml|!doctype|[a-z][^<>]*>\s*<)": "XML. Load it and pass the frame",
    rb"\s*(\{|\[\s*[\[{])": "JSON. Load it and pass the frame",
}
_LEAST_SWALLOWED, _LEAST_ALONE = 2, 5  # rows in a cell that free text does not hold by chance; more without numbers


def read_text(path: Path, options: ReadOptions) -> Raw:
    """Return the sampled cells of a delimited text file."""
    try:
        head = read_head(path)
    except (OSError, EOFError, lzma.LZMAError) as error:
        raise TableError(f"cannot read {str(path)!r}: {first_line(error)}") from error
    for start, what in _FOREIGN.items():
        if re.match(start, head.removeprefix(b"\xef\xbb\xbf")):
            raise TableError(f"{str(path)!r} looks like {what}")
    encoding = guess_encoding(head)
    for attempt in dict.fromkeys([encoding, "cp1252", "latin-1"]):
        dialect = guess_dialect(str(path), head, attempt, options.separator, options.header)
        try:
            return _read(path, dialect, options)
        except UnicodeError:
            continue
        except (OSError, EOFError, lzma.LZMAError) as error:
            raise TableError(f"{str(path)!r} cannot be read to its end: {first_line(error)}") from error
    raise TableError(f"{str(path)!r} is in an unknown text encoding. Save it as UTF-8")


def read_head(path: Path) -> bytes:
    """Return the first bytes of a file, unpacked where it is compressed."""
    with _open_unpacked(path) as stream:
        return stream.read(HEAD_BYTES)


def _open_unpacked(path: Path) -> BinaryIO:
    with path.open("rb") as file:
        magic = file.read(6)
    opener = next((opener for start, opener in _OPENERS.items() if magic.startswith(start)), open)
    return opener(path, "rb")


def _read(path: Path, dialect: Dialect, options: ReadOptions) -> Raw:
    width = len(dialect.names)
    reader = _Reader(path, dialect)
    with reader:
        sample = sample_stream(reader.batches(), _take, max_rows=options.max_rows, seed=options.random_state or 0)
    if reader.ragged > sample.total + sample.blank:
        raise TableError(
            f"{str(path)!r}: the first line has {width} cells (separator {dialect.marks.separator!r}), most others "
            "have another number. Check the separator, and quote cells that hold it (a decimal comma?)"
        )
    cells = np.concatenate(sample.parts) if sample.parts else np.zeros((0, width), dtype=np.dtypes.StringDType())
    # Every line ends with a separator.
    while dialect.header and width > 1 and not dialect.names[width - 1] and (cells[:, width - 1] == "").all():
        width -= 1
    columns = [pd.Series(cells[:, k].tolist(), dtype=object) for k in range(width)]
    findings = _about_file(dialect, reader.ragged)
    return Raw(
        columns=columns,
        names=list(dialect.names[:width]),
        positions=sample.positions,
        total_rows=sample.total,
        blank_rows=sample.blank,
        findings=findings,
        separator=dialect.marks.separator,
        named=dialect.header,
    )


def _about_file(dialect: Dialect, ragged: int) -> list[Finding]:
    findings = []
    if dialect.encoding in ("cp1252", "latin-1"):
        findings.append(Finding(code="other-encoding", details={"encoding": dialect.encoding}))
    if dialect.titles:
        shown = examples(dialect.titles, most=3)
        findings.append(Finding(code="title-lines", details={"lines": len(dialect.titles), "words": shown}))
    if ragged:
        findings.append(Finding(code="ragged-rows", details={"rows": ragged}))
    if not dialect.header:
        findings.append(Finding(code="no-header"))
    if dialect.row_names:
        findings.append(Finding(code="row-names"))
    return findings


def _take(rows: Any, positions: np.ndarray) -> np.ndarray:
    """Return some rows as compact text: Python's own needs 60 bytes a cell."""
    chosen = rows[positions] if isinstance(rows, np.ndarray) else [rows[k] for k in positions.tolist()]
    return np.array(chosen, dtype=np.dtypes.StringDType())


class _Reader:
    """The rows of a file in batches; counts rows of another width and refuses what would not fit into memory."""

    def __init__(self, path: Path, dialect: Dialect) -> None:
        self._path, self._dialect, self.ragged = path, dialect, 0

    def __enter__(self) -> _Reader:
        self._file = io.TextIOWrapper(_open_unpacked(self._path), encoding=self._dialect.encoding, newline="")
        return self

    def __exit__(self, *error: object) -> None:
        self._file.close()

    def batches(self) -> Iterator[tuple[list[list[str]], int, np.ndarray]]:
        dialect, width = self._dialect, len(self._dialect.names)
        rows = dialect.marks.split(self._lines())
        batch: list[list[str]] = []
        begins, pending = 1, int(dialect.header)
        try:
            for row in rows:
                if rows.line_num > begins and any("\n" in cell or "\r" in cell for cell in row):
                    self._refuse_swallowed(row, begins)
                begins = rows.line_num + 1
                if pending:
                    pending -= bool(row)
                elif len(row) == width and row != [""]:
                    batch.append(row)
                    if len(batch) * width >= _BATCH_CELLS:
                        yield self._filled(batch)
                        batch = []
                elif any(row) or len(row) > 1:
                    self.ragged += any(row)
                elif width == 1:
                    batch.append([""])
        except csv.Error as error:
            raise TableError(
                f"{str(self._path)!r}: the cell that begins in line {dialect.skipped + begins} is longer than "
                f"{csv.field_size_limit():,} characters. If a quotation mark opens it, remove the mark or close it"
            ) from error
        if batch:
            yield self._filled(batch)

    def _lines(self) -> Iterator[str]:
        number = 0
        while line := self._file.readline(_LONGEST_LINE):
            number += 1
            if len(line) == _LONGEST_LINE:
                raise TableError(
                    f"{str(self._path)!r}: line {number} is longer than {_LONGEST_LINE:,} characters. "
                    "A table has at most 20,000 columns. Check that its rows end with line breaks"
                )
            if number > self._dialect.skipped:
                yield line

    @staticmethod
    def _filled(batch: list[list[str]]) -> tuple[list[list[str]], int, np.ndarray]:
        filled = [k for k, row in enumerate(batch) if not all(map(is_blank, row))]
        return batch, len(batch), np.array(filled, dtype=int)

    def _refuse_swallowed(self, row: list[str], begins: int) -> None:
        """Refuse a cell that a stray quotation mark opens, so that it swallows the rows below."""
        dialect, width = self._dialect, len(self._dialect.names)
        if width < 2:
            return
        for cell in row:
            lines = [line for line in cell.splitlines()[1:] if line.strip()]
            inside: list[list[str]] = [next(iter(dialect.marks.split([line])), []) for line in islice(lines, 1000)]
            like_rows = sum(
                len(cells) == width and all(is_number(cells[k]) or is_missing(cells[k]) for k in dialect.numeric)
                for cells in inside
            )
            least = _LEAST_SWALLOWED if len(dialect.numeric) > 1 else _LEAST_ALONE
            if like_rows >= max(least, len(inside) / 2):
                raise TableError(
                    f"{str(self._path)!r}: a quotation mark in line {dialect.skipped + begins} opens a cell that "
                    f"swallows {like_rows:,} rows. Remove the mark, or write it twice inside a quoted cell"
                )
