"""How a text file is written: its encoding, separator, quotes, header and titles, guessed from its beginning."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from foundcause.data.typed import shorten
from foundcause.data.vocabulary import is_missing
from foundcause.errors import TableError

HEAD_BYTES = 1 << 18

_SEPARATORS = (",", ";", "\t", "|")
_CUT_LETTERS = 1 << 16  # a text of so many letters may be the beginning of a longer one
_N_LINES = 200  # that the guesses look at
_AGREEING = 0.8
_NUMBER = re.compile(r"\s*[-+]?(\d+([.,]\d+)*|\.\d+)([eE][-+]?\d+)?\s*%?\s*")
_YEAR_OR_MONTH = re.compile(r"(?:1[5-9]|20|21)\d\d(?:0[1-9]|1[0-2])?")


@dataclass(frozen=True, kw_only=True)
class Marks:
    """What stands between and around cells.

    separator: one character, or ``whitespace`` for runs of blanks. quote: the quotation mark.
    spaced: whether blanks stand between separators and quotation marks.
    """

    separator: str
    quote: str = '"'
    spaced: bool = False

    def split(self, lines: Iterable[str]) -> Any:
        """Return a ``csv.reader`` of the lines."""
        if self.separator == "whitespace":
            return csv.reader((" ".join(line.split()) + "\n" for line in lines), delimiter=" ", quotechar=self.quote)
        return csv.reader(lines, delimiter=self.separator, quotechar=self.quote, skipinitialspace=self.spaced)


@dataclass(frozen=True, kw_only=True)
class Dialect:
    """How a text file is written.

    encoding: codec name. marks: what stands between and around cells.
    skipped: lines before the table (comments, titles, blank lines). titles: those that hold something.
    header: whether the first row names the columns. names: of all columns.
    ragged_header: whether the header row has fewer cells than the others; row_names: for it does not name the first.
    numeric: columns (0, 1, ...) that hold numbers.
    """

    encoding: str
    marks: Marks
    skipped: int
    header: bool
    names: tuple[str, ...]
    titles: tuple[str, ...] = ()
    ragged_header: bool = False
    row_names: bool = False
    numeric: tuple[int, ...] = ()


def is_number(cell: str) -> bool:
    """Return whether a cell looks like a number, whatever the decimal mark."""
    return _NUMBER.fullmatch(cell) is not None


def guess_encoding(head: bytes) -> str:
    """Return the codec of a text that begins so."""
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16"
    if head.startswith(b"\xef\xbb\xbf"):
        return "utf-8-sig"
    if b"\x00" in head:
        even, odd = head[::2].count(0), head[1::2].count(0)
        if max(even, odd) > len(head) // 5:
            return "utf-16-le" if odd > even else "utf-16-be"
        if head.count(0) > len(head) / 500:
            raise TableError("the file is not text. Give a CSV, TSV, Parquet, Feather, Excel or SQLite file")
    try:
        head.decode("utf-8")
    except UnicodeDecodeError as error:
        # A character cut by the end of the head is no sign of another encoding.
        if error.start < len(head) - 4:
            return "latin-1" if any(byte in head for byte in b"\x81\x8d\x8f\x90\x9d") else "cp1252"
    return "utf-8"


def guess_dialect(
    path: str, head: bytes, encoding: str, separator: str | None = None, header: bool | None = None
) -> Dialect:
    """Return the dialect of a file that begins so.

    Parameters
    ----------
    path : str
        Names the file in errors. ``.tsv`` and ``.tab`` files have tabs.
    head : bytes
        The first bytes.
    encoding : str
        Codec of the text.
    separator, header
        As in ``ReadOptions``. What they say is not guessed.
    """
    text = head.decode(encoding, errors="replace").lstrip("\ufeff")
    lines = re.split(r"\r\n|\n|\r", text)
    if len(lines) > 1 and len(text) >= _CUT_LETTERS:
        lines = lines[:-1]  # the last line may be cut
    skipped = 0
    while skipped < len(lines) - 1 and (lines[skipped].startswith("#") or not lines[skipped].strip()):
        skipped += 1
    comment = lines[skipped - 1] if skipped else ""
    if match := re.fullmatch(r"sep=(.)", lines[skipped]):  # how Excel notes the separator
        separator, skipped = separator or match[1], skipped + 1
    body = "\n".join(lines[skipped : skipped + _N_LINES])
    if not body.strip():
        raise TableError(f"{path!r} holds no rows. Give a table with a few dozen rows")
    if separator is None:
        separator = "\t" if path.lower().endswith((".tsv", ".tab")) and "\t" in body else guess_separator(body)
    elif len(separator) != 1 and separator != "whitespace":
        raise TableError(f"separator={separator!r} must be one character or 'whitespace'")
    marks = _guess_marks(body, separator)
    rows = _split_text(body, marks)
    if header is None and _names_columns(comment, rows, marks):
        skipped, header = skipped - 1, True
        rows = [_split_text(comment.lstrip("# \t"), marks)[0], *rows]
    titles: list[str] = []
    while _is_title(rows, header):
        title = lines[skipped].strip(" " + separator)
        _refuse_header_as_title(path, title, rows, header, separator)
        titles += [title] if title else []
        skipped += 1
        while skipped < len(lines) and not lines[skipped].strip():
            skipped += 1
        rows = _split_text("\n".join(lines[skipped : skipped + _N_LINES]), marks)
    if not rows or (len(rows) == 1 and len(lines) <= skipped + 2 and header is not False and has_header(rows)):
        raise TableError(f"{path!r} holds no rows. Give a table with a few dozen rows")
    unnamed = 0 if header is False else _count_unnamed(rows)
    if header is None:
        header = unnamed > 0 or has_header(rows)
    width = max(len(rows[0]), 1)
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
                f"{path!r}: the header has {width - 1} names and the rows have {width} cells. The first column holds "
                f"no row names. {_quote_cells(separator)}, or name every column"
            )
    return Dialect(
        encoding=encoding,
        marks=marks,
        skipped=skipped,
        header=header,
        names=tuple(names),
        titles=tuple(map(shorten, titles)),
        ragged_header=unnamed > 0,
        row_names=row_names,
        numeric=_numeric_columns(rows[int(header) :], width),
    )


def locate_header(rows: list[list[str]], header: bool | None) -> tuple[int, bool]:
    """Return how many rows stand above the table of a sheet, and whether its first row names the columns."""
    skipped = 0
    while skipped < len(rows) - 1 and _is_title(rows[skipped:], header):
        skipped += 1
    return skipped, has_header(rows[skipped:]) if header is None else header


# ---- separator and quotes --------------------------------------------------------------------------------------------


def guess_separator(body: str) -> str:
    """Return the separator that splits most lines into the same number (over one) of cells, the first included."""
    best, best_score = ",", (0.0, 0.0, 0)
    for separator in (*_SEPARATORS, "whitespace"):
        rows = _split_text(body, Marks(separator=separator))
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


def _split_text(body: str, marks: Marks) -> list[list[str]]:
    """Return the rows of a text, without empty lines."""
    if marks.separator == "whitespace":
        return [line.split() for line in body.split("\n") if line.strip()]
    try:
        rows = list(marks.split(io.StringIO(body, newline="")))
    except csv.Error:
        rows = [line.split(marks.separator) for line in body.split("\n")]
    return [row for row in rows if row]


def _usual_width(rows: list[list[str]]) -> tuple[int, float]:
    """Return the most frequent number of cells, and the share of rows that have it."""
    widths = [len(row) for row in rows]
    usual = max(set(widths), key=lambda width: (widths.count(width), width))
    return usual, widths.count(usual) / len(widths)


def _guess_marks(body: str, separator: str) -> Marks:
    """Return the quotation marks of a text: single ones when most lines have them, and perhaps blanks before them."""
    lines = [line for line in body.split("\n") if line.strip()]

    def in_most(pattern: re.Pattern[str]) -> bool:
        return sum(bool(pattern.search(line)) for line in lines) > len(lines) / 2

    # A file that also uses double marks would lose them.
    quote = '"' if '"' in body or not in_most(_quoted(separator, "'", blanks="[ ]*")) else "'"
    spaced = _quoted(separator, quote, blanks="[ ]+")
    blanks = separator != "whitespace" and bool(spaced.search(lines[0]) or in_most(spaced))
    return Marks(separator=separator, quote=quote, spaced=blanks)


def _quoted(separator: str, quote: str, *, blanks: str) -> re.Pattern[str]:
    """Return the pattern of a quoted cell after blanks."""
    between = r"\s" if separator == "whitespace" else re.escape(separator)
    return re.compile(rf"(?:^|{between}){blanks}{quote}[^{quote}]*{quote}\s*(?={between}|$)")


def _quote_cells(separator: str) -> str:
    """Return the remedy for cells that the separator has split."""
    return f"Quote cells that hold {'blanks' if separator == 'whitespace' else repr(separator)} (a decimal comma?)"


# ---- titles and headers ----------------------------------------------------------------------------------------------


def has_header(rows: list[list[str]]) -> bool:
    """Return whether the first row names the columns rather than holding values.

    Values: a number in the first row, or words that come back below. A lone row is a header without data.
    """
    first, body = rows[0], rows[1:]
    if any(map(is_number, first)) and not _are_years_beside_words(first, body):
        return False
    if not body:
        return True
    columns = [[row[k] for row in body if k < len(row)] for k in range(len(first))]
    numeric_below = any(
        sum(map(is_number, cells)) > len(cells) / 2 and not is_missing(name)
        for name, cells in zip(first, columns, strict=True)
        if cells
    )
    if numeric_below:
        return True
    returning = [name in set(cells) for name, cells in zip(first, columns, strict=True) if name.strip()]
    return not returning or bool(np.mean(returning) < 0.5)


def _are_years_beside_words(first: list[str], body: list[list[str]]) -> bool:
    """Return whether the numbers in a row name columns: years or months by even steps beside words, none below."""
    places = [k for k, cell in enumerate(first) if is_number(cell)]
    words = [first[k].strip() for k in places]
    if len(words) < 3 or not all(map(_YEAR_OR_MONTH.fullmatch, words)) or not _has_words(first):
        return False
    if len({int(right) - int(left) > 0 for left, right in pairwise(words)}) > 1 or len(set(words)) < len(words):
        return False
    below = [row[k].strip() for row in body for k in places if k < len(row) and row[k].strip()]
    return bool(below) and sum(bool(_YEAR_OR_MONTH.fullmatch(cell)) for cell in below) < len(below) / 2


def _has_words(row: list[str]) -> bool:
    return any(cell.strip() and not is_number(cell) for cell in row)


def _numeric_columns(rows: list[list[str]], width: int) -> tuple[int, ...]:
    full = [row for row in rows if len(row) == width]
    return tuple(k for k in range(width) if sum(is_number(row[k]) for row in full) > _AGREEING * len(full))


def _is_title(rows: list[list[str]], header: bool | None) -> bool:
    """Return whether the first row stands above the table: it has fewer filled cells than the others, which agree."""
    if len(rows) < 4:
        return False
    usual, share = _usual_width(rows[1:])
    filled = sum(bool(cell.strip()) for cell in rows[0])
    if filled < 2 <= usual == len(rows[1]) and all(cell.strip() for cell in rows[1]) and has_header(rows[1:]):
        return True
    if filled < 2 < usual == len(rows[0]) and _stands_alone(rows):
        return True
    if len(rows[0]) >= usual or share < _AGREEING:
        return False
    return header is False or not _count_unnamed(rows)


def _stands_alone(rows: list[list[str]]) -> bool:
    """Return whether the first row is blank, or a title in the first cell above a header, as spreadsheets fill it."""
    if not any(cell.strip() for cell in rows[0]):
        return True
    below = next((k for k, row in enumerate(rows) if sum(bool(cell.strip()) for cell in row) > 1), 0)
    return bool(rows[0][0].strip() and below) and has_header(rows[below:])


def _refuse_header_as_title(path: str, title: str, rows: list[list[str]], header: bool | None, separator: str) -> None:
    """Refuse rows that have more cells than the names above them, which is what unquoted decimal commas do."""
    names = [cell for cell in rows[0] if cell.strip()]
    below = rows[1:]
    if len(names) < 2 or any(map(is_number, names)) or header is False or not below:
        return
    if _has_words(below[0]) if header else has_header(below):
        return
    raise TableError(
        f"{path!r}: the line {shorten(title)!r} reads like a header, but the rows have {len(below[0])} cells. "
        f"{_quote_cells(separator)}. If the line is a title, pass --no-header (header=False)"
    )


def _count_unnamed(rows: list[list[str]]) -> int:
    """Return how many cells the rows have more than the header: one, or any number that are empty in all rows."""
    if len(rows) < 4 or any(map(is_number, rows[0])):
        return 0
    usual, share = _usual_width(rows[1:])
    more = usual - len(rows[0])
    if more < 1 or share < _AGREEING:
        return 0
    if len(rows[0]) > 1 and not any(cell.strip() for row in rows[1:] for cell in row[usual - more : usual]):
        return more
    return int(more == 1 and len(rows[1]) == usual and any(map(is_number, rows[1])))


def _names_columns(comment: str, rows: list[list[str]], marks: Marks) -> bool:
    """Return whether the line with a '#' above the rows is their header: a word for each of their cells."""
    if not comment.startswith("#") or not rows or has_header(rows):
        return False
    cells = (_split_text(comment.lstrip("# \t"), marks) or [[]])[0]
    usual, share = _usual_width(rows)
    return len(cells) == usual > 1 and share >= _AGREEING and not any(map(is_number, cells))


def _have_row_names(rows: list[list[str]], *, quoted: bool) -> bool:
    """Return whether first cells name rows: all differ, and are words, quoted, or rising whole numbers.

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
    if quoted or not any(map(is_number, first)):
        return True
    if not all(re.fullmatch(r"\d+", cell) for cell in first):
        return False
    return all(int(left) < int(right) for left, right in pairwise(first))
