"""Cells that someone guarded against a spreadsheet: '="123"' and "'123" keep it from reading them. Shapes: N rows."""

from __future__ import annotations

import re

import pandas as pd

from foundcause.data.reading import counted, quote

_FORMULA = re.compile(r'="(.*)"', re.DOTALL)
_APOSTROPHE = re.compile(r"'([-+=]?[\d.,]+)")


def without_guards(name: str, texts: pd.Series) -> tuple[pd.Series, tuple[str, ...]]:
    """Cells of text (None where missing) without guards, and a note where there were some."""
    cells = texts.tolist()
    guarded = [k for k, cell in enumerate(cells) if cell and cell[0] in "='" and _bare(cell) is not None]
    if not guarded:
        return texts, ()
    shown = quote([cells[guarded[0]]])
    what = f"guarded against a spreadsheet ({shown}) and"
    said = counted(len(guarded), f"cell is {what} is", f"cells are {what} are")
    for k in guarded:
        cells[k] = _bare(cells[k])
    note = f"column {name!r}: {said} read without the guard; if these are mere codes, name the column in nominal"
    return pd.Series(cells, index=texts.index, dtype=object), (note,)


def _bare(cell: str) -> str | None:
    match = _FORMULA.fullmatch(cell) or _APOSTROPHE.fullmatch(cell)
    return match[1].strip() if match else None
