"""Columns that only look like identifiers: the time of each row, and groups of many rows. Shapes: N rows."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from foundcause.data.encode import encode_column
from foundcause.data.naming import names_time
from foundcause.data.reading import Codes, Encoded
from foundcause.data.screen import are_groups, counts_rows, rows_each

TIME_OF_ROWS = "the time of each row"

_LEAST_ROWS = 20
_ROUNDING = 0.02  # of a step, as 0.0833 and 0.0834 are


def with_times(
    names: Sequence[str], encoded: Sequence[Encoded], *, places: np.ndarray, total_rows: int
) -> list[Encoded]:
    """The columns; those that count the rows, or go by even steps, and are named like a time are dates, and say so.

    places, total_rows: as in ``find_unfit``.
    """
    found = list(encoded)
    for k, (name, column) in enumerate(zip(names, encoded, strict=True)):
        counts = names_time(name) and counts_rows(column, places=places, total_rows=total_rows)
        if counts or (names_time(name) and column.kind == "continuous" and _goes_evenly(column.values, places)):
            note = (
                f"column {name!r} is taken for {TIME_OF_ROWS}, not for a row counter, and takes part; what "
                "changes with time looks like its effect and rows of a series are no independent cases; if that is "
                "of no interest, leave it out (drop=, --drop)"
            )
            found[k] = dataclasses.replace(column, kind="date", encoding=TIME_OF_ROWS, notes=(*column.notes, note))
    return found


def _goes_evenly(values: np.ndarray, places: np.ndarray) -> bool:
    """Whether numbers (N,) rise or fall from row to row by one step, as seconds since the start or 1990.25 do."""
    seen = ~np.isnan(values)
    if seen.sum() < _LEAST_ROWS:
        return False
    steps = np.diff(values[seen]) / np.diff(places[seen])
    usual = np.median(steps)
    return bool(usual != 0 and (np.abs(steps / usual - 1) < _ROUNDING).all())


def with_groups(columns: Mapping[str, pd.Series], encoded: Sequence[Encoded]) -> list[Encoded]:
    """The columns; those named like identifiers of which each has many rows are categories, and say so."""
    found = list(encoded)
    for k, ((name, cells), column) in enumerate(zip(columns.items(), encoded, strict=True)):
        if are_groups(name, column):
            observed = column.values[~np.isnan(column.values)]
            words = column.kind == "nominal"
            note = (
                f"column {name!r} is named like an identifier, but many rows share each of its values "
                f"({rows_each(len(np.unique(observed)), len(observed))}), so it is read as groups; if these mean "
                "nothing, leave it out (drop=, --drop)"
                + ("" if words else '; identifier="keep" (--identifier keep) uses its numbers as they are')
            )
            groups = column if words else _as_categories(name, cells)
            found[k] = dataclasses.replace(groups, notes=(*groups.notes, note))
    return found


def _as_categories(name: str, cells: pd.Series) -> Encoded:
    """Whole numbers as categories; other rows may hold them as '3' or, beside gaps, as '3.0'."""
    encoded = encode_column(name, cells, nominal=True)
    numbers = dict(encoded.style.numbers) if isinstance(encoded.style, Codes) else {}
    return dataclasses.replace(
        encoded, style=Codes(numbers=numbers | {f"{word}.0": code for word, code in numbers.items()})
    )
