"""How lines of text become rows of cells: the separator and the quotation marks, guessed from some lines."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol

_SEPARATORS = (",", ";", "\t", "|")
_MOST = 0.5


class Rows(Protocol):
    """Rows of cells, and the number of lines they took so far."""

    line_num: int

    def __iter__(self) -> Iterator[list[str]]: ...


@dataclass(frozen=True, kw_only=True)
class Marks:
    """What stands between and around cells.

    separator: one character, or ``whitespace`` for runs of blanks. quote: the quotation mark.
    spaced: whether blanks stand between separators and quotation marks.
    """

    separator: str
    quote: str = '"'
    spaced: bool = False


def split_rows(lines: Iterable[str], marks: Marks) -> Rows:
    """The cells of each row; ``line_num`` of what comes back counts lines."""
    if marks.separator == "whitespace":
        return csv.reader((" ".join(line.split()) + "\n" for line in lines), delimiter=" ", quotechar=marks.quote)
    return csv.reader(lines, delimiter=marks.separator, quotechar=marks.quote, skipinitialspace=marks.spaced)


def split_text(body: str, marks: Marks) -> list[list[str]]:
    """The rows of a text, without empty lines."""
    if marks.separator == "whitespace":
        return [line.split() for line in body.split("\n") if line.strip()]
    try:
        rows = list(split_rows(io.StringIO(body, newline=""), marks))
    except csv.Error:
        rows = [line.split(marks.separator) for line in body.split("\n")]
    return [row for row in rows if row]


def usual_width(rows: list[list[str]]) -> tuple[int, float]:
    """The most frequent number of cells, and the share of rows that have it."""
    widths = [len(row) for row in rows]
    usual = max(set(widths), key=lambda width: (widths.count(width), width))
    return usual, widths.count(usual) / len(widths)


def guess_separator(body: str) -> str:
    """The separator that splits most lines into the same number (over one) of cells, the first line included."""
    best, best_score = ",", (0.0, 0.0, 0)
    for separator in (*_SEPARATORS, "whitespace"):
        rows = split_text(body, Marks(separator=separator))
        usual, share = usual_width(rows) if rows else (0, 0.0)
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


def guess_marks(body: str, separator: str) -> Marks:
    """The quotation marks of a text: single ones when most lines have them, and perhaps blanks before them."""
    lines = [line for line in body.split("\n") if line.strip()]
    # A file that also uses double marks would lose them.
    quote = '"' if '"' in body or not _in_most(lines, _quoted(separator, "'", blanks="[ ]*")) else "'"
    spaced = _quoted(separator, quote, blanks="[ ]+")
    return Marks(
        separator=separator,
        quote=quote,
        spaced=separator != "whitespace" and bool(spaced.search(lines[0]) or _in_most(lines, spaced)),
    )


def _quoted(separator: str, quote: str, *, blanks: str) -> re.Pattern[str]:
    """A quoted cell after blanks."""
    between = r"\s" if separator == "whitespace" else re.escape(separator)
    return re.compile(rf"(?:^|{between}){blanks}{quote}[^{quote}]*{quote}\s*(?={between}|$)")


def _in_most(lines: list[str], pattern: re.Pattern[str]) -> bool:
    return sum(bool(pattern.search(line)) for line in lines) > _MOST * len(lines)
