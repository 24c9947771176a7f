"""Which columns are variables: constants, empty columns, identifiers, row counters and copies are not.

Shapes: N rows, D columns.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from foundcause.data.columns import type_column
from foundcause.data.copies import copies
from foundcause.data.naming import (
    may_name_groups,
    names_cases,
    names_codes,
    names_ranks,
    names_time,
    numbers_rows,
)
from foundcause.data.options import ReadOptions
from foundcause.data.typed import Codes, Typed, note
from foundcause.errors import TableError
from foundcause.findings import Finding, Fix

TIME_OF_ROWS = "the time of each row"
RANK_OF_ROWS = "the rank of each row"
POLICY_OF = {
    "constant-column": "constant",
    "empty-column": "empty",
    "identifier-column": "identifier",
    "row-counter": "identifier",
    "copied-column": "duplicate",
}
"""Codes of the findings that exclude a column, and the option that decides about it."""

_MIN_OBSERVED = 3
_MIN_ROWS = 20  # fewer differ in every row by chance
_FEWEST_COUNTED = 5  # rows of a counter that its name gives away
_GAPS = 1.5  # a counter of a filtered table spans at most so many times its rows
_LOG_CHANCE = -15.0
_MANY_CASES = 20  # fewer values are rather groups, such as sites, or a scale, as a party_id may be
_MANY_ROWS = 20  # of one value: so many rows share a species or a plot, hardly a case
_ROUNDING = 0.02  # of a step, as 0.0833 and 0.0834 are
_FEWEST_CODES, _MOST_CODES, _ROWS_OF_CODE = 3, 100, 5


@dataclass(frozen=True, kw_only=True)
class Rows:
    """Where the N rows stood among the ``total`` of the source, so that a sample still shows a counter."""

    positions: np.ndarray
    total: int


def with_times(names: Sequence[str], columns: Sequence[Typed], rows: Rows) -> list[Typed]:
    """Return the columns; those that count the rows, or go by even steps, and are named like a time are dates."""
    typed = list(columns)
    for k, (name, column) in enumerate(zip(names, columns, strict=True)):
        if not names_time(name):
            continue
        even = column.kind == "continuous" and _goes_evenly(column.values, rows.positions)
        if even or _counts_rows(column, rows):
            about = note("time-of-rows", name, fix="drop")
            findings = (*column.findings, about)
            typed[k] = dataclasses.replace(column, kind="date", encoding=TIME_OF_ROWS, findings=findings)
    return typed


def with_groups(cells: Mapping[str, pd.Series], columns: Sequence[Typed]) -> list[Typed]:
    """Return the columns; those named like identifiers of which each has many rows are categories."""
    typed = list(columns)
    for k, (name, column) in enumerate(zip(cells, columns, strict=True)):
        if not _are_groups(name, column):
            continue
        groups = column if column.kind == "nominal" else _as_categories(name, cells[name])
        values = len(np.unique(column.observed))
        about = note("groups", name, fix="drop", values=values, rows=len(column.observed))
        typed[k] = dataclasses.replace(groups, findings=(*groups.findings, about))
    return typed


def with_ranks(names: Sequence[str], columns: Sequence[Typed], rows: Rows) -> list[Typed]:
    """Return the columns; those that count the rows of a sorted table and are named like a rank are ranks."""
    typed = list(columns)
    for k, (name, column) in enumerate(zip(names, columns, strict=True)):
        if names_ranks(name) and column.kind != "date" and _counts_rows(column, rows):
            findings = (*column.findings, note("rank-of-rows", name, fix="drop"))
            typed[k] = dataclasses.replace(column, kind="ordinal", encoding=RANK_OF_ROWS, findings=findings)
    return typed


def find_excluded(
    names: Sequence[str], columns: Sequence[Typed], options: ReadOptions, rows: Rows
) -> list[Finding | None]:
    """Return a finding for each column that is no variable, None for the others.

    Parameters
    ----------
    names : sequence of D str
        Names of the columns.
    columns : sequence of D Typed
        What they hold.
    options : ReadOptions
        Its policies say what is excluded.
    rows : Rows
        Where the rows stood in the source.
    """
    found = [_exclude_alone(name, column, rows) for name, column in zip(names, columns, strict=True)]
    if options.identifier == "keep":
        found = [None if finding and POLICY_OF[finding.code] == "identifier" else finding for finding in found]
    fit = [k for k, finding in enumerate(found) if finding is None]
    for copy, first in copies([columns[k].values for k in fit], [names[k] for k in fit]).items():
        name, original = names[fit[copy]], names[fit[first]]
        found[fit[copy]] = note("copied-column", name, fix="drop", of=original)
    for name, finding in zip(names, found, strict=True):
        if finding and getattr(options, POLICY_OF[finding.code]) == "error":
            policy = POLICY_OF[finding.code]
            raise TableError(f'column {name!r} is {reason(finding)}. Drop it or pass {policy}="exclude"')
    return found


def reason(finding: Finding) -> str:
    """Return in a few words why a column is excluded."""
    if finding.code == "copied-column":
        return f"a copy of {finding.details['of']!r}"
    if finding.code == "empty-column" and finding.details["cells"]:
        return "nearly empty"
    words = {"constant-column": "constant", "empty-column": "without any value", "row-counter": "a row counter"}
    return words.get(finding.code, "an identifier")


def perhaps_codes(names: Sequence[str], columns: Sequence[Typed], excluded: Sequence[Finding | None]) -> list[Finding]:
    """Return a finding about variables whose names say that their whole numbers are codes of categories."""
    codes = []
    for name, column, finding in zip(names, columns, excluded, strict=True):
        distinct = len(np.unique(column.observed))
        few = _FEWEST_CODES <= distinct <= _MOST_CODES and len(column.observed) >= _ROWS_OF_CODE * distinct
        if finding is None and few and column.kind == "count" and column.encoding == "as is" and names_codes(name):
            codes.append(name)
    fix = Fix(section="read", option="nominal", values=tuple(codes))
    return [Finding(code="perhaps-codes", columns=codes, fix=fix)] if codes else []


def _exclude_alone(name: str, column: Typed, rows: Rows) -> Finding | None:
    observed = column.observed
    seen, distinct = len(observed), len(np.unique(observed))
    if distinct == 1 and seen:
        return note("constant-column", name, fix="drop")
    if seen < _MIN_OBSERVED:
        return note("empty-column", name, fix="drop", cells=seen)
    if _counts_rows(column, rows) or (numbers_rows(name) and _counts_few_rows(column)):
        return note("row-counter", name, fix="drop")
    if seen < _MIN_ROWS:
        return None
    about = {"distinct": distinct, "rows": seen}
    if column.kind == "nominal" and distinct > 0.9 * seen:
        return note("identifier-column", name, fix="drop", why="words", **about)
    if column.n_integers == seen:
        return note("identifier-column", name, fix="drop", why="digits", **about)
    if column.holds_integers and distinct == seen and numbers_rows(name):
        return note("identifier-column", name, fix="drop", why="name", **about)
    codes = column.kind == "nominal" or column.holds_integers
    if codes and distinct >= _MANY_CASES and names_cases(name) and not _are_groups(name, column):
        return note("identifier-column", name, fix="drop", why="cases", **about)
    return None


def _counts_rows(column: Typed, rows: Rows) -> bool:
    """Return whether whole numbers count the rows, by even steps or in any order with few gaps."""
    seen = ~np.isnan(column.values)
    observed = column.values[seen]
    if len(observed) < _MIN_ROWS or not column.holds_integers or len(np.unique(observed)) < len(observed):
        return False
    steps = np.diff(observed) / np.diff(rows.positions[seen])
    if (steps == steps[0]).all():
        return True
    # Numbers that all differ number the rows in any order if measurements in their range would hardly all differ.
    span = float(observed.max() - observed.min()) + 1
    if span > _GAPS * rows.total:
        return False
    return bool(np.log1p(-np.arange(len(observed)) / span).sum() < _LOG_CHANCE)


def _counts_few_rows(column: Typed) -> bool:
    """Return whether a short column holds 1, 2, 3, ... or 0, 1, 2, ..."""
    observed = column.observed
    return (
        len(column.values) >= _FEWEST_COUNTED
        and len(observed) == len(column.values)
        and observed[0] in (0, 1)
        and bool((np.diff(observed) == 1).all())
    )


def _goes_evenly(values: np.ndarray, positions: np.ndarray) -> bool:
    """Return whether numbers (N,) rise or fall by one step, as seconds since the start or 1990.25 do."""
    seen = ~np.isnan(values)
    if seen.sum() < _MIN_ROWS:
        return False
    steps = np.diff(values[seen]) / np.diff(positions[seen])
    usual = np.median(steps)
    return bool(usual != 0 and (np.abs(steps / usual - 1) < _ROUNDING).all())


def _are_groups(name: str, column: Typed) -> bool:
    """Return whether a column named like an identifier holds groups: each value, as of species_id, has many rows."""
    if not (names_cases(name) and may_name_groups(name)) or not (column.kind == "nominal" or column.holds_integers):
        return False
    distinct = len(np.unique(column.observed))
    return distinct >= _MANY_CASES and len(column.observed) >= _MANY_ROWS * distinct


def _as_categories(name: str, cells: pd.Series) -> Typed:
    """Return whole numbers as categories; other rows may hold them as '3' or, beside gaps, as '3.0'."""
    typed = type_column(name, cells, nominal=True)
    numbers = dict(typed.style.numbers) if isinstance(typed.style, Codes) else {}
    style = Codes(numbers=numbers | {f"{word}.0": code for word, code in numbers.items()})
    return dataclasses.replace(typed, style=style)
