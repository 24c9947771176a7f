"""How a text file is written: its encoding, marks, header and titles, guessed from its beginning."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np

from foundcause.data.cells import Marks, guess_marks, guess_separator, split_text, usual_width
from foundcause.data.headings import are_moments_in_digits, is_moment_in_digits
from foundcause.data.packed import read_head
from foundcause.data.prose import is_prose
from foundcause.data.reading import shorten
from foundcause.data.vocabulary import is_missing
from foundcause.errors import TableError

_CUT_LETTERS = 1 << 16  # a text of so many letters may be the beginning of a longer one
_LOOKED_AT = 200  # lines that the guesses look at
_AGREEING = 0.8
_MOST_TITLES = 20
_NUMBER = re.compile(r"\s*[-+]?(\d+([.,]\d+)*|\.\d+)([eE][-+]?\d+)?\s*%?\s*")


@dataclass(frozen=True, kw_only=True)
class Dialect:
    """How a text file is written.

    encoding: codec name. marks: what stands between and around cells.
    header: whether the first row names the columns. skipped: lines before it (comments, titles, blank lines).
    ragged_header: whether the header row has fewer cells than the others; row_names: for it does not name the first.
    width: columns. titles: skipped titles. numeric: columns (0, 1, ...) that hold numbers.
    """

    encoding: str
    marks: Marks
    header: bool
    skipped: int
    width: int
    names: tuple[str, ...]
    ragged_header: bool = False
    row_names: bool = False
    titles: tuple[str, ...] = ()
    numeric: tuple[int, ...] = ()


def is_number(cell: str) -> bool:
    """Whether a cell looks like a number, whatever the decimal mark."""
    return _NUMBER.fullmatch(cell) is not None


def tells_number(cell: str) -> bool:
    """Whether a cell looks like a number or the bound of one: '<0.1', '≥ 90'."""
    return is_number(cell.strip("<>=≤≥~ "))


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
    if len(lines) > 1 and len(text) >= _CUT_LETTERS:
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
        separator = "\t" if path.suffix.lower() in (".tsv", ".tab") and "\t" in body else guess_separator(body)
    elif len(separator) != 1 and separator != "whitespace":
        raise TableError(f"separator={separator!r} must be one character or 'whitespace'")
    marks = guess_marks(body, separator)
    rows = split_text(body, marks)
    if header is None and _names_columns(comment, rows, marks):
        skipped, header = skipped - 1, True
        rows = [split_text(comment.lstrip("# \t"), marks)[0], *rows]
    titles: list[str] = []
    names_above = ""
    while _is_title(rows, header):
        if title := lines[skipped].strip(" " + separator):
            titles.append(title)
        names_above = names_above or (title if _reads_like_names(rows[0]) else "")
        skipped += 1
        while not lines[skipped].strip():
            skipped += 1
        rows = split_text("\n".join(lines[skipped : skipped + _LOOKED_AT]), marks)
    if names_above and header is not False and not _header_follows(rows, header):
        raise TableError(
            f"{str(path)!r}: the line {shorten(names_above)!r} reads like a header, but the rows have {len(rows[0])} "
            f"cells; {_quote_cells(separator)}, or, if the line is a title, pass --no-header (header=False)"
        )
    if not rows or (len(rows) == 1 and len(lines) <= skipped + 2 and header is not False and _has_header(rows)):
        raise TableError(f"{str(path)!r} holds no rows; a table with a few rows is needed")
    width = max(len(rows[0]), 1)
    unnamed = 0 if header is False else _count_unnamed(rows)
    if header is None:
        header = unnamed > 0 or _has_header(rows)
    names = [cell.strip() for cell in rows[0]] if header else [f"x{k + 1}" for k in range(width)]
    if separator == "whitespace":
        names = [name.strip("\"'") for name in names]
    row_names = False
    if unnamed:
        width += unnamed
        full = [row for row in rows[1:] if len(row) == width]
        # Separators at the end of every line, or row names in the first column as R writes them.
        row_names = any(row[-1].strip() for row in full)
        names = ["", *names] if row_names else [*names, *[""] * unnamed]
        if row_names and not _have_row_names(full, quoted=lines[skipped + 1].startswith(marks.quote)):
            raise TableError(
                f"{str(path)!r}: the header has {width - 1} names and the rows have {width} cells, but the first "
                f"column holds no row names; {_quote_cells(separator)} or name every column"
            )
    return Dialect(
        encoding=encoding,
        marks=marks,
        header=header,
        skipped=skipped,
        width=width,
        names=tuple(names),
        ragged_header=unnamed > 0,
        row_names=row_names,
        titles=tuple(titles),
        numeric=_numeric_columns(rows[int(header) :], width),
    )


def _numeric_columns(rows: list[list[str]], width: int) -> tuple[int, ...]:
    full = [row for row in rows if len(row) == width]
    return tuple(k for k in range(width) if sum(is_number(row[k]) for row in full) > _AGREEING * len(full))


def _quote_cells(separator: str) -> str:
    """The remedy for cells that the separator has split."""
    return f"quote cells that hold {'blanks' if separator == 'whitespace' else repr(separator)} (a decimal comma?)"


def _is_title(rows: list[list[str]], header: bool | None) -> bool:
    """Whether the first row stands above the table: it has fewer cells than the others, which agree."""
    if len(rows) < 4:
        return False
    usual, share = usual_width(rows[1:])
    filled = sum(bool(cell.strip()) for cell in rows[0])
    logged = len(rows[0]) > usual and any(map(is_number, rows[0]))  # what a data logger tells of itself
    if (logged or is_prose(rows)) and share >= _AGREEING and _header_below(rows, usual):
        return True
    if filled < 2 <= usual == len(rows[1]) and all(cell.strip() for cell in rows[1]) and _has_header(rows[1:]):
        return True
    if filled < 2 < usual == len(rows[0]) and _stands_alone(rows):
        return True
    if len(rows[0]) >= usual or share < _AGREEING:
        return False
    return header is False or not _count_unnamed(rows)


def _stands_alone(rows: list[list[str]]) -> bool:
    """Whether the first row is blank, or a title in the first cell above a header, as spreadsheets fill it up."""
    if not any(cell.strip() for cell in rows[0]):
        return True
    below = next((k for k, row in enumerate(rows) if sum(bool(cell.strip()) for cell in row) > 1), 0)
    return bool(rows[0][0].strip() and below) and _has_header(rows[below:])


def _header_below(rows: list[list[str]], width: int) -> bool:
    """Whether one of the next rows names all columns, those of numbers among them."""
    full = (k for k in range(1, min(_MOST_TITLES, len(rows))) if len(rows[k]) == width and all(map(str.strip, rows[k])))
    return any(_names_numbers(rows[k], rows[k + 1 :]) and not is_prose(rows[k:]) for k in full)


def _names_numbers(row: list[str], body: list[list[str]]) -> bool:
    """Whether words that do not stand for missing values stand above numbers."""
    numeric = _numeric_columns(body, len(row))
    return bool(numeric) and not any(is_number(cell) or is_missing(cell) for cell in row)


def _reads_like_names(row: list[str]) -> bool:
    filled = [cell for cell in row if cell.strip()]
    return len(filled) > 1 and not any(map(is_number, filled))


def _header_follows(rows: list[list[str]], header: bool | None) -> bool:
    """Whether the table below a title has a header; where the user says so, its names may be years."""
    if header:
        return _reads_like_words(rows[0])
    return _has_header(rows)


def _count_unnamed(rows: list[list[str]]) -> int:
    """How many cells the rows have more than the header in the first: one, or any number that are empty in all."""
    if len(rows) < 4 or any(map(is_number, rows[0])):
        return 0
    usual, share = usual_width(rows[1:])
    more = usual - len(rows[0])
    if more < 1 or share < _AGREEING:
        return 0
    if len(rows[0]) > 1 and not any(cell.strip() for row in rows[1:] for cell in row[usual - more : usual]):
        return more
    return int(more == 1 and len(rows[1]) == usual and any(map(is_number, rows[1])))


def _names_columns(comment: str, rows: list[list[str]], marks: Marks) -> bool:
    """Whether the line with a '#' above the rows is their header: a word for each of their cells."""
    if not comment.startswith("#") or not rows or _has_header(rows):
        return False
    cells = (split_text(comment.lstrip("# \t"), marks) or [[]])[0]
    usual, share = usual_width(rows)
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


def _has_header(rows: list[list[str]]) -> bool:
    """Whether the first row names the columns rather than holding values.

    Values: a number in the first row, or words that come back below. A lone row is a header without data.
    """
    first, body = rows[0], rows[1:]
    if any(_NUMBER.fullmatch(cell) for cell in first) and not _are_times_beside_words(first, body):
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


def _are_times_beside_words(first: list[str], body: list[list[str]]) -> bool:
    """Whether the numbers in a row name columns: years by even steps, or dates, beside words, and none below."""
    places = [k for k, cell in enumerate(first) if is_number(cell)]
    if not are_moments_in_digits([first[k] for k in places]) or not _reads_like_words(first):
        return False
    below = [row[k].strip() for row in body for k in places if k < len(row) and row[k].strip()]
    return bool(below) and sum(map(is_moment_in_digits, below)) < len(below) / 2


def _reads_like_words(row: list[str]) -> bool:
    return any(cell.strip() and not is_number(cell) for cell in row)
