"""A second table in a file: below a blank line, words stand above numbers once more."""

from __future__ import annotations

import re
from pathlib import Path

from foundcause.data.cells import split_text
from foundcause.data.dialect import Dialect, is_number, tells_number
from foundcause.data.packed import read_head
from foundcause.data.reading import shorten
from foundcause.data.vocabulary import is_missing

_ROWS_BELOW = 3


def tell_second_table(path: Path, dialect: Dialect) -> list[str]:
    """A warning with the line where a second header seems to stand; only the beginning of the file is looked at."""
    text = read_head(path).decode(dialect.encoding, errors="replace").lstrip("\ufeff")
    lines = re.split(r"\r\n|\n|\r", text)
    between = " \t" + (dialect.marks.separator if len(dialect.marks.separator) == 1 else "")
    above: set[tuple[int, str]] = set()
    quotes, looked_at = 0, dialect.skipped + 1
    for k in range(dialect.skipped + 1, len(lines) - 1 - _ROWS_BELOW):
        block = lines[k + 1 : k + 2 + _ROWS_BELOW]
        if lines[k].strip(between) or not all(line.strip(between) for line in block):
            continue
        head, *below = split_text("\n".join(block), dialect.marks) or [[]]
        if tuple(cell.strip() for cell in head) == dialect.names or not _names(head, below):
            continue
        more, looked_at = "\n".join(lines[looked_at:k]), k
        quotes += more.count(dialect.marks.quote)
        above.update(cell for row in split_text(more, dialect.marks) for cell in enumerate(row))
        # Else the blank line stands in a cell of several paragraphs, or the words are values as they are above.
        if quotes % 2 == 0 and above.isdisjoint(enumerate(head)):
            return [
                f"a second table may begin in line {k + 2} ({shorten(lines[k + 1])!r}), below a blank line; put each "
                "table into a file of its own"
            ]
    return []


def _names(head: list[str], below: list[list[str]]) -> bool:
    """Whether the cells may name columns: different words, and some stand above numbers in every row below."""
    if len(head) < 2 or len(set(head)) < len(head) or len(below) < _ROWS_BELOW:
        return False
    if any(is_missing(cell) or tells_number(cell) for cell in head):
        return False
    if any(len(row) != len(head) for row in below):
        return False
    return any(all(is_number(row[k]) for row in below) for k in range(len(head)))
