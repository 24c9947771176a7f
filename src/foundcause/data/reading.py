"""What becomes of a column, and what was decided on the way, so that other rows can be read alike.

Shapes: N rows, W different words.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import pandas as pd

from foundcause.data.table import Kind

_SHOWN_LETTERS = 40


class Style(Protocol):
    """How the words of a column became numbers: everything that was decided by looking at all of them."""

    def read(self, words: Sequence[str]) -> np.ndarray:
        """(W,) the number of each word, NaN for words that are written in another way."""


@dataclass(frozen=True, kw_only=True)
class Reading:
    """How a column of one table was read, to be handed to ``read_table`` with another; kind, encoding: as there."""

    kind: Kind
    encoding: str
    style: Style


@dataclass(frozen=True, kw_only=True)
class Encoded:
    """A column as numbers.

    values: (N,) float64, NaN where unobserved.
    kind, encoding: as in ``ColumnInfo``.
    notes: sentences for the result's warnings; each names the column.
    style: how its words were read; None when its cells were no words.
    different: how many different whole numbers there were, when float64 cannot tell them apart.
    """

    values: np.ndarray
    kind: Kind
    encoding: str
    notes: tuple[str, ...] = ()
    style: Style | None = None
    different: int | None = None

    @property
    def reading(self) -> Reading | None:
        """What other rows need to be read alike, if anything was decided."""
        return None if self.style is None else Reading(kind=self.kind, encoding=self.encoding, style=self.style)


@dataclass(frozen=True, kw_only=True)
class Codes:
    """A number for each word; letter case does not matter unless it tells two words apart."""

    numbers: Mapping[str, float]

    def read(self, words: Sequence[str]) -> np.ndarray:
        found = (self.numbers.get(word, self.numbers.get(word.casefold(), np.nan)) for word in words)
        return np.fromiter(found, dtype=float, count=len(words))


def is_text(column: pd.Series) -> bool:
    """Whether the cells of a column may be words."""
    return column.dtype == object or pd.api.types.is_string_dtype(column.dtype)


def shorten(word: str) -> str:
    """A cell's text as it may stand in a message: on one line, and never long."""
    word = " ".join(word.split())
    return word if len(word) <= _SHOWN_LETTERS else word[: _SHOWN_LETTERS - 3] + "..."


def quote(words: Iterable[str]) -> str:
    """Words for a message, each in quotation marks."""
    return ", ".join(repr(shorten(word)) for word in words)


def counted(number: int, one: str, several: str) -> str:
    """The number with the words that agree with it: '1 cell is', '3 cells are'."""
    return f"{number} {one if number == 1 else several}"


def first_line(error: BaseException) -> str:
    """What an error of a library says, without its details."""
    return str(error).strip().split("\n")[0][:300]
