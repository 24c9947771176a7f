"""Stray quotation marks: a cell that one of them opens swallows the lines below, and the rows in them are lost."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from itertools import islice
from pathlib import Path

from foundcause.data.cells import split_rows
from foundcause.data.dialect import Dialect, is_number
from foundcause.data.packed import open_text
from foundcause.data.vocabulary import is_missing
from foundcause.errors import TableError

_NEEDED = 2  # rows in a cell that free text does not hold by chance;
_NEEDED_ALONE = 5  # with few numbers to tell rows by, more
_MOSTLY = 0.5
_REMEDY = "remove the mark, or write it twice inside a cell that is quoted"


class QuoteGuard:
    """Looks for rows inside the cells of a file: comments of several lines hold none."""

    def __init__(self, path: Path, dialect: Dialect) -> None:
        self._path, self._dialect = path, dialect
        self._needed = _NEEDED if len(dialect.numeric) > 1 else _NEEDED_ALONE
        self._swallowed: list[str] = []

    def look_at(self, texts: Iterable[str]) -> None:
        """Look at cells (or whole lines) that hold line breaks."""
        for text in texts:
            if not self._swallowed:
                lines = [line for line in text.splitlines()[1:] if line.strip()]
                rows = [line for line in lines if self._is_row(line)]
                if len(rows) >= max(self._needed, _MOSTLY * len(lines)):
                    self._swallowed = rows

    def refuse_swallowed(self) -> None:
        """Raise when a cell was found that holds rows."""
        if self._swallowed:
            raise TableError(
                f"{str(self._path)!r}: a quotation mark in line {self._opening(self._swallowed[0])} opens a cell that "
                f"swallows {len(self._swallowed):,} rows of the table; {_REMEDY}"
            )

    def refuse_endless(self) -> TableError:
        """The error for a cell that is too long to be read at all."""
        return TableError(
            f"{str(self._path)!r}: the cell that a quotation mark opens in line {self._opening(None)} never ends, or "
            f"is longer than 8 MB; {_REMEDY}"
        )

    def _is_row(self, line: str) -> bool:
        dialect, separator = self._dialect, self._dialect.marks.separator
        if dialect.width < 2 or not (separator == "whitespace" or line.count(separator) >= dialect.width - 1):
            return False
        cells = next(iter(split_rows([line], dialect.marks)))
        return len(cells) == dialect.width and all(is_number(cells[k]) or is_missing(cells[k]) for k in dialect.numeric)

    def _opening(self, swallowed: str | None) -> int:
        """The line of the file in which the row begins that holds the swallowed text, or the row of most lines."""
        dialect = self._dialect
        begins, opening, most = 1, 1, 0
        with open_text(self._path, dialect.encoding) as lines:
            rows = split_rows(islice(lines, dialect.skipped, None), dialect.marks)
            try:
                for row in rows:
                    if swallowed is not None and any(swallowed in cell.splitlines() for cell in row):
                        return dialect.skipped + begins
                    if rows.line_num - begins >= most:
                        opening, most = begins, rows.line_num - begins
                    begins = rows.line_num + 1
            except csv.Error:  # a cell is longer than the module allows
                opening = begins
        return dialect.skipped + opening
