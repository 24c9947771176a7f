"""Columns of two values that exclude each other, as the categories of one variable do. Shapes: N rows, D columns."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from foundcause.data.one_hot import one_hot_groups
from foundcause.data.table import Column
from foundcause.diagnostics.wording import grouped, joined, listed

_MOST_COMPARED = 500
_LEAST_ROWS = 10
_SECOND_WORD = re.compile(r".*=0, (.*)=1", re.DOTALL)


def category_warnings(values: np.ndarray, columns: Sequence[Column]) -> list[str]:
    """Warnings about columns of (N, D) values that are never 1, or what their words were coded as, in the same row."""
    rows, variables = values.shape
    if rows < _LEAST_ROWS or not 2 <= variables <= _MOST_COMPARED:
        return []
    groups = [[columns[k] for k in group] for group in one_hot_groups(values, [column.name for column in columns])]
    two = [group for group in groups if len(group) == 2]  # a man is never pregnant, and these are two variables
    more = [group for group in groups if len(group) > 2]
    found = []
    if two:
        found.append(
            f"{_never(two)}; if they are categories of one variable, an edge says no more than that: put them into one "
            "column"
        )
    if more:
        look = "they look like the categories of one variable, and edges among them say no more than that; put them"
        if len(more) > 1:
            look = "each group looks like the categories of one variable, and edges in it say no more than that; put it"
        found.append(f"{_never(more)}: {look} into one column")
    return found


def _never(groups: Sequence[list[Column]]) -> str:
    """Which columns exclude each other; 1 may be our code of a word, which is told instead."""
    coded = any(_word(column) for group in groups for column in group)
    never = "never hold these values in the same row" if coded else "are never 1 in the same row"
    if len(groups) == 1:
        return f"columns {listed([_named(column, coded) for column in groups[0]])} {never}"
    said = [joined([_named(column, coded) for column in group]) for group in groups]
    return f"some columns {never} ({grouped(said)})"


def _named(column: Column, coded: bool) -> str:
    return f"{column.name!r} ({_word(column) or '1'})" if coded else repr(column.name)


def _word(column: Column) -> str | None:
    """The word in quotation marks that was coded as 1, if any was."""
    match = _SECOND_WORD.fullmatch(column.encoding)
    return None if match is None else repr(match[1])
