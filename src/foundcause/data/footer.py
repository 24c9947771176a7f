"""Totals below a table: a last row of sums or means describes the other rows and is none of them.

Shapes: N rows.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from foundcause.data.reading import Encoded

_LABEL = re.compile(
    r"((grand|overall|column|sub)[- ]?)?totals?|sums?|means?|averages?|avg|summe|(ins)?gesamt|gesamtsumme|mittelwert"
    r"|durchschnitt|totale|somma|somme|moyenne|suma|promedio|totaal|gemiddelde",
    re.IGNORECASE,
)
_MOST_ROWS = 3
_LEAST_ROWS_ABOVE = 10
_LOG_CHANCE = float(np.log(1e-4))
_EXACT = 1e-9


def count_footers(columns: Sequence[pd.Series], encoded: Sequence[Encoded], *, sums: bool) -> int:
    """How many rows at the end are totals: labelled so, or one that holds the sums or means of all numbers above it.

    sums: whether all rows of the source are here, so that sums can be told.
    """
    rows = len(columns[0])
    words = [k for k, column in enumerate(encoded) if _holds_words(column) and not np.isnan(column.values[-1])]
    if rows <= _LEAST_ROWS_ABOVE or len(words) > 1:
        return 0
    # 'Average' on a known scale is an answer like any other.
    may_label = [column for column, code in zip(columns, encoded, strict=True) if code.kind != "ordinal"]
    labelled = max(map(_count_labels, may_label), default=0)
    return labelled or int(sums and _summarises(encoded))


def _holds_words(column: Encoded) -> bool:
    return column.kind in ("nominal", "ordinal", "date") or (column.kind == "binary" and column.encoding != "as is")


def _count_labels(column: pd.Series) -> int:
    """Labels at the end of a column that has none above."""
    count = 0
    while count < _MOST_ROWS and _is_label(column.iloc[-1 - count]):
        count += 1
    return 0 if count and any(map(_is_label, column.iloc[:-count])) else count


def _is_label(cell: Any) -> bool:
    return isinstance(cell, str) and _LABEL.fullmatch(cell.strip(" :.\t")) is not None


def _summarises(encoded: Sequence[Encoded]) -> bool:
    """Whether the last cells of numeric columns, two at least, are sums or means, and hardly by chance."""
    chances = []
    for column in encoded:
        last = column.values[-1]
        if _holds_words(column) or np.isnan(last) or _counts_rows(column.values):
            continue
        cells = column.values[:-1]
        chance = _log_chance(cells[~np.isnan(cells)], last)
        if chance is None:
            return False
        chances.append(chance)
    return len(chances) > 1 and sum(chances) < _LOG_CHANCE


def _log_chance(cells: np.ndarray, last: float) -> float | None:
    """How surprising it is that the ``last`` number is the sum or mean of the cells; None if it is not."""
    if len(cells) == 0:
        return None
    step, shown, mean = _step(cells), _step(np.array([last])), cells.mean()
    # Cells that were rounded do not add up exactly.
    near = {
        float(cells.sum()): shown / 2 + step * np.sqrt(len(cells)),
        float(mean): shown / 2 + step / np.sqrt(len(cells)),
    }
    allowed = [off for target, off in near.items() if abs(last - target) <= off + _EXACT * abs(target)]
    if not allowed:
        return None
    spread = max(float(cells.std()), abs(last - mean))
    return 0.0 if spread == 0 else min(0.0, float(np.log(2 * min(allowed) / spread)))


def _step(numbers: np.ndarray) -> float:
    """The last decimal to which numbers are written, such as 0.01."""
    largest = float(np.abs(numbers).max())
    for decimals in range(7):
        if np.allclose(np.round(numbers, decimals), numbers, rtol=0, atol=_EXACT * max(largest, 1.0)):
            return float(10.0**-decimals)
    return max(largest, 1.0) * _EXACT


def _counts_rows(values: np.ndarray) -> bool:
    steps = np.diff(values)
    return bool(steps[0] != 0 and (steps == steps[0]).all())
