"""How a text file is written: its encoding, separator, header and titles, guessed from its beginning."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Protocol, TextIO

import numpy as np
import pyarrow as pa

from foundcause.errors import TableError
from foundcause.table.vocabulary import is_missing

_HEAD_BYTES = 1 << 18
_LOOKED_AT = 200  # lines that the guesses look at
_AGREEING = 0.8
_SEPARATORS = (",", ";", "\t", "|")
_NUMBER = re.compile(r"\s*[-+]?(\d+([.,]\d+)*|\.\d+)([eE][-+]?\d+)?\s*%?\s*")
_COMPRESSED = {".gz": "gzip", ".bz2": "bz2", ".zst": "zstd", ".lz4": "lz4"}


class Rows(Protocol):
    """Rows of cells, and the number of lines they took so far."""

    line_num: int

    def __iter__(self) -> Iterator[list[str]]: ...


@dataclass(frozen=True, kw_only=True)
class Dialect:
    """How a text file is written.

    encoding: codec name. separator: one character, or ``whitespace`` for runs of blanks.
    header: whether the first row names the columns. skipped: lines before it (comments, titles, blank lines).
    ragged_header: whether the header row has a cell less than the others; row_names: for it does not name the first.
    width: columns. titles: skipped titles. numeric: columns (0, 1, ...) that hold numbers.
    """

    encoding: str
    separator: str
    header: bool
    skipped: int
    width: int
    names: tuple[str, ...]
    ragged_header: bool = False
    row_names: bool = False
    titles: tuple[str, ...] = ()
    numeric: tuple[int, ...] = ()


def read_head(path: Path) -> bytes:
    """The first bytes of a file, unpacked where it is compressed."""
    compression = _COMPRESSED.get(path.suffix.lower())
    try:
        with pa.input_stream(path, compression=compression) as stream:
            return bytes(stream.read(_HEAD_BYTES))
    except (pa.ArrowException, OSError, EOFError) as error:
        raise TableError(f"cannot read {str(path)!r}: {first_line(error)}") from error


def open_text(path: Path, encoding: str) -> TextIO:
    """The lines of a file, unpacked where it is compressed; their ends are kept."""
    stream = pa.input_stream(path, compression=_COMPRESSED.get(path.suffix.lower()))
    return io.TextIOWrapper(stream, encoding=encoding, newline="")


def split_rows(lines: Iterable[str], separator: str) -> Rows:
    """The cells of each row; ``line_num`` of what comes back counts lines."""
    if separator == "whitespace":
        return csv.reader((" ".join(line.split()) + "\n" for line in lines), delimiter=" ")
    return csv.reader(lines, delimiter=separator)


def is_number(cell: str) -> bool:
    """Whether a cell looks like a number, whatever the decimal mark."""
    return _NUMBER.fullmatch(cell) is not None


def guess_encoding(head: bytes) -> str:
    """The codec of a text that begins so."""
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16"
    if head.startswith(b"\xef\xbb\xbf"):
        return "utf-8-sig"
    if b"\x00" in head:
        even, odd = head[::2].count(0), head[1::2].count(0)
        if max(even, odd) > len(head) // 5:
            return "utf-16-le" if odd > even else "utf-16-be"
        if head.count(0) > len(head) / 500:
            raise TableError("the file is not text; give a CSV, TSV or Parquet file")
    try:
        head.decode("utf-8")
    except UnicodeDecodeError as error:
        # A character cut by the end of the head is no sign of another encoding.
        if error.start < len(head) - 4:
            return "latin-1" if any(byte in head for byte in b"\x81\x8d\x8f\x90\x9d") else "cp1252"
    return "utf-8"


def guess_dialect(path: Path, encoding: str, separator: str | None, header: bool | None) -> Dialect:
    """The dialect of a file in that encoding; what ``separator`` and ``header`` say is not guessed."""
    text = read_head(path).decode(encoding, errors="replace").lstrip("\ufeff")
    lines = re.split(r"\r\n|\n|\r", text)
    if len(lines) > 1 and len(text) >= _HEAD_BYTES // 4:
        lines = lines[:-1]  # the last line may be cut
    skipped = 0
    while skipped < len(lines) - 1 and (lines[skipped].startswith("#") or not lines[skipped].strip()):
        skipped += 1
    comment = lines[skipped - 1] if skipped else ""
    if match := re.fullmatch(r"sep=(.)", lines[skipped]):  # how Excel notes the separator
        separator, skipped = separator or match[1], skipped + 1
    body = "\n".join(lines[skipped : skipped + _LOOKED_AT])
    if not body.strip():
        raise TableError(f"{str(path)!r} holds no rows; a table with a few rows is needed")
    if separator is None:
        separator = "\t" if path.suffix.lower() in (".tsv", ".tab") and "\t" in body else _guess_separator(body)
    elif len(separator) != 1 and separator != "whitespace":
        raise TableError(f"separator={separator!r} must be one character or 'whitespace'")
    rows = _parse(body, separator)
    if header is None and _names_columns(comment, rows, separator):
        skipped, header = skipped - 1, True
        rows = [_parse(comment.lstrip("# \t"), separator)[0], *rows]
    titles: list[str] = []
    while _is_title(rows, header):
        titles.append(lines[skipped].strip(" " + separator))
        skipped += 1
        while not lines[skipped].strip():
            skipped += 1
        rows = _parse("\n".join(lines[skipped : skipped + _LOOKED_AT]), separator)
    if not rows or (len(rows) == 1 and len(lines) <= skipped + 2 and header is not False and _has_header(rows)):
        raise TableError(f"{str(path)!r} holds no rows; a table with a few rows is needed")
    width = max(len(rows[0]), 1)
    short = header is not False and _lacks_a_name(rows)
    if header is None:
        header = short or _has_header(rows)
    names = [cell.strip() for cell in rows[0]] if header else [f"x{k + 1}" for k in range(width)]
    if separator == "whitespace":
        names = [name.strip("\"'") for name in names]
    row_names = False
    if short:
        width += 1
        full = [row for row in rows[1:] if len(row) == width]
        # A separator at the end of every line, or row names in the first column as R writes them.
        row_names = any(row[-1].strip() for row in full)
        names = ["", *names] if row_names else [*names, ""]
        if row_names and not _have_row_names(full, quoted=lines[skipped + 1].startswith('"')):
            blank = "blanks" if separator == "whitespace" else repr(separator)
            raise TableError(
                f"{str(path)!r}: the header has {width - 1} names and the rows have {width} cells, but the first "
                f"column holds no row names; quote cells that hold {blank} (a decimal comma?) or name every column"
            )
    return Dialect(
        encoding=encoding,
        separator=separator,
        header=header,
        skipped=skipped,
        width=width,
        names=tuple(names),
        ragged_header=short,
        row_names=row_names,
        titles=tuple(titles),
        numeric=_numeric_columns(rows[int(header) :], width),
    )


def _numeric_columns(rows: list[list[str]], width: int) -> tuple[int, ...]:
    full = [row for row in rows if len(row) == width]
    return tuple(k for k in range(width) if sum(is_number(row[k]) for row in full) > _AGREEING * len(full))


def _usual_width(rows: list[list[str]]) -> tuple[int, float]:
    """The most frequent number of cells, and the share of rows that have it."""
    widths = [len(row) for row in rows]
    usual = max(set(widths), key=lambda width: (widths.count(width), width))
    return usual, widths.count(usual) / len(widths)


def _is_title(rows: list[list[str]], header: bool | None) -> bool:
    """Whether the first row stands above the table: it has fewer cells than the others, which agree."""
    if len(rows) < 4:
        return False
    usual, share = _usual_width(rows[1:])
    filled = sum(bool(cell.strip()) for cell in rows[0])
    if filled < 2 <= usual == len(rows[1]) and all(cell.strip() for cell in rows[1]) and _has_header(rows[1:]):
        return True
    if len(rows[0]) >= usual or share < _AGREEING:
        return False
    return header is False or not _lacks_a_name(rows)


def _lacks_a_name(rows: list[list[str]]) -> bool:
    """Whether the first row is a header that names all columns but one."""
    if len(rows) < 4 or any(_NUMBER.fullmatch(cell) for cell in rows[0]):
        return False
    usual, share = _usual_width(rows[1:])
    if len(rows[0]) != usual - 1 or share < _AGREEING:
        return False
    return len(rows[1]) == usual and any(_NUMBER.fullmatch(cell) for cell in rows[1])


def _names_columns(comment: str, rows: list[list[str]], separator: str) -> bool:
    """Whether the line with a '#' above the rows is their header: a word for each of their cells."""
    if not comment.startswith("#") or not rows or _has_header(rows):
        return False
    cells = (_parse(comment.lstrip("# \t"), separator) or [[]])[0]
    usual, share = _usual_width(rows)
    return len(cells) == usual > 1 and share >= _AGREEING and not any(_NUMBER.fullmatch(cell) for cell in cells)


def _have_row_names(rows: list[list[str]], *, quoted: bool) -> bool:
    """Whether first cells name rows: all differ, and are words, quoted, or rising whole numbers.

    Digits after a zero ('05') and cells of some columns only that begin with a blank were cut off by a separator.
    """
    first = [row[0].strip("\"' ") for row in rows]
    if len(set(first)) < len(first):
        return False
    if any(re.fullmatch(r"0\d+", cell) for row in rows for cell in row[1:]):
        return False
    blank_first = {k for row in rows for k, cell in enumerate(row[1:]) if cell.startswith(" ")}
    if 0 < len(blank_first) < len(rows[0]) - 1:
        return False
    if quoted or not any(_NUMBER.fullmatch(cell) for cell in first):
        return True
    if not all(re.fullmatch(r"\d+", cell) for cell in first):
        return False
    return all(int(left) < int(right) for left, right in pairwise(first))


def _parse(body: str, separator: str) -> list[list[str]]:
    if separator == "whitespace":
        return [line.split() for line in body.split("\n") if line.strip()]
    try:
        rows = list(csv.reader(io.StringIO(body, newline=""), delimiter=separator, strict=False))
    except csv.Error:
        rows = [line.split(separator) for line in body.split("\n")]
    return [row for row in rows if row]


def _guess_separator(body: str) -> str:
    """The separator that splits most lines into the same number (over one) of cells, the first line included."""
    best, best_score = ",", (0.0, 0.0, 0)
    for separator in (*_SEPARATORS, "whitespace"):
        rows = _parse(body, separator)
        usual, share = _usual_width(rows) if rows else (0, 0.0)
        if usual < 2:
            continue
        begins = len(rows[0]) in (usual - 1, usual) and len(rows[0]) > 1
        score = (1.0 if begins else 0.5, round(share, 2), usual)
        if separator == "whitespace":
            # Blanks inside words split text by chance, so they need a perfect fit and never beat a real separator.
            perfect = begins and all(len(row) == usual for row in rows[1:])
            score = (0.1 if perfect else 0.0, 0.0, 0)
        if score > best_score:
            best, best_score = separator, score
    return best


def _has_header(rows: list[list[str]]) -> bool:
    """Whether the first row names the columns rather than holding values.

    Values: a number in the first row, or words that come back below. A lone row is a header without data.
    """
    first, body = rows[0], rows[1:]
    if any(_NUMBER.fullmatch(cell) for cell in first):
        return False
    if not body:
        return True
    columns = [[row[k] for row in body if k < len(row)] for k in range(len(first))]
    numeric_below = any(
        sum(bool(_NUMBER.fullmatch(cell)) for cell in cells) > len(cells) / 2 and not is_missing(name)
        for name, cells in zip(first, columns, strict=True)
        if cells
    )
    if numeric_below:
        return True
    returning = [name in set(cells) for name, cells in zip(first, columns, strict=True) if name.strip()]
    return not returning or bool(np.mean(returning) < 0.5)


def first_line(error: BaseException) -> str:
    """What an error of a library says, without its details."""
    return str(error).strip().split("\n")[0][:300]
