"""Rows that speak of columns and not of cases: units, questions or sources below the header, the header once more.

Shapes: N rows, D columns.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

import numpy as np
import pandas as pd

from foundcause.data.blank import cell_text
from foundcause.data.dialect import is_number, tells_number
from foundcause.data.metadata_rows import count_metadata_rows
from foundcause.data.names import as_text
from foundcause.data.reading import is_text, quote, shorten

LIKE_NAMES = "looks like names of columns, not like data,"

_DENIAL = "--no-header (in Python header=False)"
_SHOWN_LETTERS = 60
_SHOWN_LABELS = 4
_LEAST_ROWS = 20
_AGREEING = 0.8
_LOG_CHANCE = float(np.log(1e-3))
_MOST_BELOW = 2  # Qualtrics writes the questions and then their identifiers below the header
_RESPONSES = ("Response", "Open-Ended Response")
_IMPORT_ID = re.compile(r"\s*\{\s*[\"']ImportId[\"']")


def without_second_headers(
    frame: pd.DataFrame, *, begins: bool, named: bool = True, denied: bool = False
) -> tuple[pd.DataFrame, np.ndarray, list[str]]:
    """The frame without such rows, which rows stay (N,) bool, and what a reader should know.

    begins: whether the first row of the source is here. Names that a merged header leaves out are taken from below it.
    named: whether there is a header at all; a list of rows, as ``csv.reader`` gives them, begins with its own.
    denied: whether the user says that there is none, so that names in the first row are no data and yet not used.
    """
    stays = np.ones(len(frame), dtype=bool)
    certain = _rows_of_survey_tools(frame)
    if (len(frame) < _LEAST_ROWS and not (certain or denied)) or frame.shape[1] < 2:
        return frame, stays, []
    notes = []
    titles = [as_text(name) for name in frame.columns]
    texts = [k for k in range(frame.shape[1]) if is_text(frame.iloc[:, k])]
    if len(texts) == frame.shape[1] and all(titles) and not all(map(is_number, titles)):
        stays = ~_repeat(frame, titles)
        if again := int((~stays).sum()):
            notes.append(f"{again} row{'s repeat' if again > 1 else ' repeats'} the header; left out")
    told_apart = named and len(set(titles)) == len(titles)  # else the row below may be a part of the header
    if begins and told_apart and not (certain or denied) and (metadata := count_metadata_rows(frame)):
        stays[:metadata] = False
        labels = [cell_text(frame.iat[k, 0]) for k in range(metadata)]
        shown = quote(labels[:_SHOWN_LABELS]) + (", ..." if metadata > _SHOWN_LABELS else "")
        notes.append(f"{metadata} rows below the header ({shown}) describe the columns and are no data; left out")
        return frame[stays].reset_index(drop=True), stays, notes
    heads = certain
    while begins and heads < _MOST_BELOW and stays[heads] and _describes(frame.iloc[heads:], texts):
        heads += 1
    stays[:heads] = False
    below = [[as_text(cell) for cell in frame.iloc[k]] for k in range(heads)]
    if below and denied:
        shown, named = _some(below.pop(0)), True
        notes.append(f"the first row ({shown}) {LIKE_NAMES} and is left out; to use them, leave out {_DENIAL}")
    if below and not (named and all(titles)) and all(below[0]) and len(set(below[0])) == len(below[0]):
        titles = below.pop(0)
        frame = frame.set_axis(titles, axis=1)
        lacking = "the header names some columns only; the row below it names all and is used instead"
        notes.append(lacking if named else f"the first row names the columns: {shorten(', '.join(map(repr, titles)))}")
    full = _with_merged(titles, below[0]) if below else titles
    joined = [_joined(*pair) for pair in zip(full, below[0], strict=True)] if below else []
    if below and len(set(full)) < len(full) == len(set(joined)):
        # As pandas writes columns of two levels; in memory they are named alike.
        frame = frame.set_axis(joined, axis=1)
        below.pop(0)
        shown = shorten(", ".join(map(repr, filter(None, joined))))
        spans = "repeats names" if full == titles else "has names that span several columns"
        notes.append(f"the header {spans}, so the row below it is joined to them: {shown}")
    if below:
        shown = _some(below[0])
        rows = f"the row below the header ({shown}) reads"
        if len(below) > 1:
            rows = f"{len(below)} rows below the header ({shown}; ...) read"
        notes.append(f"{rows} like units or questions, not like data; left out")
    return (frame[stays].reset_index(drop=True) if notes else frame), stays, notes


def _with_merged(titles: list[str], below: list[str]) -> list[str]:
    """Titles of which each that is lacking above a name is the one before it, as of cells that were merged."""
    full = list(titles)
    for k in range(1, len(full)):
        if not full[k] and below[k]:
            full[k] = full[k - 1]
    return full


def _joined(title: str, below: str) -> str:
    return " / ".join(filter(None, (title, "" if below in _RESPONSES else below)))


def _some(texts: list[str]) -> str:
    shown = ", ".join(repr(text) for text in texts if text)
    return shown if len(shown) <= _SHOWN_LETTERS else shown[: _SHOWN_LETTERS - 3] + "..."


def _repeat(frame: pd.DataFrame, titles: list[str]) -> np.ndarray:
    """(N,) whether a row holds the names of all columns."""
    same = np.ones(len(frame), dtype=bool)
    for k, title in enumerate(titles):
        cells = frame.iloc[:, k].to_numpy(dtype=object)
        same[same] = [isinstance(cell, str) and cell.strip() == title for cell in cells[same]]
        if not same.any():
            break
    return same


def _rows_of_survey_tools(frame: pd.DataFrame) -> int:
    """How many first rows end with the one in which Qualtrics names its columns once more; 0 where there is none.

    SurveyMonkey writes one row, with the word 'Response' below each question that is one column.
    """
    if (
        len(frame) > 1
        and not cell_text(frame.iat[0, 0])
        and any(cell_text(cell) in _RESPONSES for cell in frame.iloc[0])
    ):
        return 1
    for k in range(min(_MOST_BELOW, len(frame) - 1)):
        filled = [cell for cell in frame.iloc[k].tolist() if cell_text(cell)]
        if filled and all(isinstance(cell, str) and _IMPORT_ID.match(cell) for cell in filled):
            return k + 1
    return 0


def _describes(frame: pd.DataFrame, texts: list[int]) -> bool:
    """Whether words of the first row stand above numbers, or above words among which they never return."""
    first: list[Any] = frame.iloc[0].tolist()
    filled = [k for k, cell in enumerate(first) if cell_text(cell)]
    if len(filled) < 2 or any(k not in texts or not isinstance(first[k], str) for k in filled):
        return False
    if any(tells_number(first[k]) for k in filled):
        return False
    chances = [_log_chance(first[k].strip(), frame.iloc[1:, k]) for k in filled]
    speaking = [chance for chance in chances if chance is not None]
    if len(speaking) < max(2, _AGREEING * len(filled)):
        return False
    # Two words above numbers tell by themselves; rare words may come together, as a country and its code do.
    above_numbers = sum(above for _, above in speaking) > 1
    return above_numbers or (len(speaking) > 2 and sum(log for log, _ in speaking) < _LOG_CHANCE)


def _log_chance(word: str, column: pd.Series) -> tuple[float, bool] | None:
    """How surprising a word is that never returns, and whether it stands above numbers; None where it returns."""
    cells = [str(cell).strip() for cell in column if cell_text(cell)]
    count = Counter(cells)
    if len(cells) < _LEAST_ROWS / 2 or word in count:
        return None
    numbers = sum(many for cell, many in count.items() if is_number(cell))
    if numbers >= _AGREEING * len(cells):
        return float(np.log((len(cells) - numbers + 1) / (len(cells) + 1))), True
    return float(np.log((sum(many == 1 for many in count.values()) + 1) / (len(cells) + 1))), False
