"""Moments as programs count them: seconds since 1970 (Unix time), thousandths and finer, days since 1899 (Excel).

Shapes: N rows, W different words. A number alone says nothing: the column has to be named like a time.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from foundcause.data.reading import Style

_DAY = 86_400.0
_EXCEL_ZERO = 25_569.0  # 1970-01-01
_UNITS = {"seconds": 1.0, "milliseconds": 1e3, "microseconds": 1e6, "nanoseconds": 1e9}
_FIRST, _FIRST_OF_TIMES, _LAST = 3e8, 9.4e8, 4.2e9  # seconds: 1979, 2000, 2103
_FIRST_DAY, _LAST_DAY = 20_000.0, 75_000.0  # of Excel: 1954, 2105
_LEAST_VALUES = 5
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_MOMENTS = frozenset(
    ["timestamp", "timestamps", "ts", "epoch", "unix", "unixtime", "datetime", "zeitstempel", "horodatage", "posix"]
)
_DATES = frozenset(["date", "dates", "datum", "fecha"])
_TIMES = frozenset(["t", "time", "times", "zeit", "day", "created", "updated", "modified"])
_AMOUNTS = frozenset(["per", "to"])  # sales per day, paid to date; but from_date and to_date


@dataclass(frozen=True, kw_only=True)
class EpochStyle:
    """Moments as numbers.

    unit: a key of the units of Unix time, or days as Excel counts them. numbers: how they are written, if as text.
    """

    unit: str
    numbers: Style | None = None

    def read(self, words: Sequence[str]) -> np.ndarray:
        if self.numbers is not None:
            return self.days(self.numbers.read(words))
        return self.days(pd.to_numeric(pd.Series(words, dtype=object), errors="coerce").to_numpy(dtype=float))

    def days(self, numbers: np.ndarray) -> np.ndarray:
        """(N,) days since 1970-01-01."""
        return numbers - _EXCEL_ZERO if self.unit == "days" else numbers / (_UNITS[self.unit] * _DAY)


def find_epoch(name: str, seen: np.ndarray, *, numbers: Style | None = None) -> EpochStyle | None:
    """How the different numbers ``seen``, sorted, of a column tell moments; None where they tell none.

    numbers: as in ``EpochStyle``.
    """
    words = {word.casefold() for word in _WORD.findall(name)}
    if len(seen) < _LEAST_VALUES or words.isdisjoint(_MOMENTS | _DATES | _TIMES):
        return None
    if len(words) > 2 and not words.isdisjoint(_AMOUNTS):
        return None
    # How long something took is a time, too.
    first = _FIRST_OF_TIMES if words.isdisjoint(_MOMENTS | _DATES) else _FIRST
    for unit, parts in _UNITS.items():
        if seen[0] >= first * parts and seen[-1] <= _LAST * parts:
            return EpochStyle(unit=unit, numbers=numbers)
    dated = not words.isdisjoint((_MOMENTS | _DATES) - {"ts"})
    if dated and seen[0] >= _FIRST_DAY and seen[-1] <= _LAST_DAY:
        return EpochStyle(unit="days", numbers=numbers)
    return None


def tell_epoch(name: str, seen: np.ndarray, style: EpochStyle) -> str:
    """The note about numbers that are read as moments."""
    since = "1899-12-30, as Excel counts them" if style.unit == "days" else "1970-01-01 (Unix time)"
    begin = np.datetime64(round(float(style.days(seen[:1])[0]) * _DAY), "s").astype(object)
    return f"column {name!r}: {seen[0]:.15g} and the like are read as {style.unit} since {since}: {begin}"
