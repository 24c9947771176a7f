"""Rows below the header in which offices of statistics describe each column: its code, unit, source and release.

Shapes: N rows, D columns.
"""

from __future__ import annotations

import pandas as pd

from foundcause.data.blank import cell_text
from foundcause.data.dialect import is_number, tells_number

_MOST_ROWS = 25
_FEWEST_ROWS = 2
_FEWEST_BELOW = 10
_LOOKED_AT = 500  # rows below
_MOSTLY = 0.8
_LABELS = frozenset(  # in the first cell: of the ONS, the banks of Australia and England, the ABS, FRED
    [
        *("title", "cdid", "source dataset id", "preunit", "pre unit", "unit", "units", "release date", "next release"),
        *("important notes", "notes", "note", "description", "frequency", "type", "source", "sources", "publication"),
        *("publication date", "series id", "series code", "series name", "series title", "series key", "mnemonic"),
        *("series type", "data type", "series start", "series end", "seasonal adjustment", "last updated", "dataset"),
        *("multiplier", "scale", "base period", "base year", "currency", "decimals", "collection month", "no. obs"),
        *("no. of observations", "einheit", "quelle", "bezeichnung", "unité", "libellé", "idbank"),
    ]
)
_OF_NUMBERS = frozenset(  # labels of rows that may hold numbers
    ["decimals", "collection month", "no. obs", "no. of observations", "multiplier", "scale", "base year", "idbank"]
)


def count_metadata_rows(frame: pd.DataFrame) -> int:
    """How many first rows, two or more, describe the columns: labels, and words above numbers; 0 where none do.

    A label is known, or has no digits where the first cells below, such as dates, have.
    """
    most = max(0, min(_MOST_ROWS, len(frame) - _FEWEST_BELOW))
    dated = _have_digits(_texts(frame.iloc[most : most + _LOOKED_AT, 0]))
    head: list[list[str]] = []
    for k in range(most):
        row = [cell_text(cell) for cell in frame.iloc[k]]
        if not _describes(row, dated=dated):
            break
        head.append(row)
    rows = len(head)
    if rows < _FEWEST_ROWS:
        return 0
    below = [_texts(frame.iloc[rows : rows + _LOOKED_AT, k]) for k in range(frame.shape[1])]
    numeric = [k for k in range(1, len(below)) if _are_numbers(below[k])]
    filled = sum(bool(row[k]) for row in head for k in numeric)
    if filled < 2 or 2 * len(numeric) < len(below) - 1:
        return 0
    # What comes back is a case: a word of its group, or one for a measurement that failed.
    told = [{_label(row[k]) for row in head if not is_number(row[k])} - {""} for k in range(len(below))]
    return 0 if any(words & set(map(_label, texts)) for words, texts in zip(told, below, strict=True)) else rows


def _describes(row: list[str], *, dated: bool) -> bool:
    label = _label(row[0])
    if label in _OF_NUMBERS:
        return True
    known = label in _LABELS or (dated and bool(label) and not any(map(str.isdigit, label)))
    return known and not any(tells_number(cell) for cell in row[1:])


def _have_digits(texts: list[str]) -> bool:
    return bool(texts) and sum(any(map(str.isdigit, text)) for text in texts) >= _MOSTLY * len(texts)


def _are_numbers(texts: list[str]) -> bool:
    return bool(texts) and sum(map(is_number, texts)) >= _MOSTLY * len(texts)


def _texts(cells: pd.Series) -> list[str]:
    return [text for text in map(cell_text, cells) if text]


def _label(text: str) -> str:
    return text.casefold().strip(" :.")
