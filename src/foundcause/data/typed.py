"""What becomes of one column: its numbers, its kind, and how its words were read. Shapes: N rows, W different words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
import pandas as pd

from foundcause.data.table import Kind
from foundcause.findings import Finding, Fix

_SHOWN_LETTERS = 40
_SHOWN_WORDS = 4


class Style(Protocol):
    """How the words of a column became numbers: everything that was decided by looking at all of them."""

    def read(self, words: Sequence[str]) -> np.ndarray:
        """Return (W,) the number of each word, NaN for words that are written in another way."""


@dataclass(frozen=True, kw_only=True)
class Typed:
    """One column with a type.

    Parameters
    ----------
    values : ndarray of shape (N,)
        float64, NaN where a cell is missing.
    kind, encoding : str
        As in ``Column``.
    findings : tuple of Finding
        What was noticed.
    style : Style or None
        How its words were read. None if its cells were no words.
    labels : mapping of float to str
        The word behind each code, for columns of words. Empty for others.
    n_integers : int or None
        Number of different whole numbers, if float64 cannot tell them apart.
    """

    values: np.ndarray
    kind: Kind
    encoding: str = "as is"
    findings: tuple[Finding, ...] = ()
    style: Style | None = None
    labels: Mapping[float, str] = field(default_factory=dict)
    n_integers: int | None = None

    @property
    def observed(self) -> np.ndarray:
        """The values that are there."""
        return self.values[~np.isnan(self.values)]

    @property
    def holds_integers(self) -> bool:
        """Whether its cells are whole numbers, not codes of words."""
        seen = self.observed
        return self.kind in ("count", "continuous") and bool((seen == np.round(seen)).all())


@dataclass(frozen=True, kw_only=True)
class Codes:
    """A number for each word. Letter case does not matter unless it tells two words apart."""

    numbers: Mapping[str, float]

    def read(self, words: Sequence[str]) -> np.ndarray:
        found = (self.numbers.get(word, self.numbers.get(word.casefold(), np.nan)) for word in words)
        return np.fromiter(found, dtype=float, count=len(words))


def note(code: str, name: str, *, fix: str | None = None, **details: Any) -> Finding:
    """Return a finding about one column. ``fix`` is the reading option that the column's name would join."""
    remedy = Fix(section="read", option=fix, values=(name,)) if fix else None
    return Finding(code=code, columns=(name,), details=details, fix=remedy)


def is_text(column: pd.Series) -> bool:
    """Return whether the cells of a column may be words."""
    return column.dtype == object or pd.api.types.is_string_dtype(column.dtype)


def shorten(word: str) -> str:
    """Return a cell's text as it may stand in a message: on one line, and never long."""
    word = " ".join(word.split())
    return word if len(word) <= _SHOWN_LETTERS else word[: _SHOWN_LETTERS - 3] + "..."


def examples(words: Iterable[str], *, most: int = _SHOWN_WORDS) -> list[str]:
    """Return the first few words, shortened."""
    return [shorten(word) for word, _ in zip(words, range(most), strict=False)]


def first_line(error: BaseException) -> str:
    """Return what an error of a library says, without its details."""
    return str(error).strip().split("\n")[0][:300]
