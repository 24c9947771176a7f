"""Columns that cannot take part in a graph: constant, empty, identifiers, copies of another column.

Shapes: N rows, D columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from foundcause.data.copies import copies
from foundcause.data.naming import may_name_groups, names_cases, numbers_rows
from foundcause.data.options import ReadOptions
from foundcause.data.reading import Encoded, counted
from foundcause.errors import TableError

ROW_COUNTER = "a row counter"

_MIN_OBSERVED = 3
_MIN_ROWS_FOR_IDENTIFIER = 20
_GAPS = 1.5  # a counter of a filtered table spans at most so many times its rows
_LOG_CHANCE = -15.0
_MANY_CASES = 20  # fewer values are rather groups, such as sites, or a scale, as a party_id may be
_MANY_ROWS = 20  # of one value: so many rows share a species or a plot, hardly a case


@dataclass(frozen=True, kw_only=True)
class Finding:
    """Why a column does not take part: the policy that decides its fate, and a reason in words."""

    case: Literal["constant", "empty", "identifier", "duplicate"]
    reason: str


def find_unfit(
    names: Sequence[str], encoded: Sequence[Encoded], policies: ReadOptions, *, places: np.ndarray, total_rows: int
) -> list[Finding | None]:
    """One finding per column, None for columns that are fit by themselves or, named like identifiers, kept by policy.

    places: (N,) where the rows stood among the ``total_rows`` of the source, so that a sample still shows a counter.
    """
    findings = [
        _alone(name, column, places=places, total_rows=total_rows) for name, column in zip(names, encoded, strict=True)
    ]
    if policies.identifier == "keep":
        return [None if finding and finding.case == "identifier" else finding for finding in findings]
    return findings


def with_copies(
    names: Sequence[str], encoded: Sequence[Encoded], findings: Sequence[Finding | None]
) -> list[Finding | None]:
    """The findings, with one for each column that is fit by itself but a copy of another such column."""
    fit = [k for k, finding in enumerate(findings) if finding is None]
    found = list(findings)
    for copy, first in copies([encoded[k].values for k in fit], [names[k] for k in fit]).items():
        found[fit[copy]] = Finding(case="duplicate", reason=f"a copy of {names[fit[first]]!r}")
    return found


def refuse(name: str, finding: Finding, rows: int) -> TableError:
    """The error for a column whose policy is ``error``."""
    size = counted(rows, "row", "rows")
    return TableError(f'column {name!r} is {finding.reason} ({size}); drop it or pass {finding.case}="exclude"')


def _alone(name: str, column: Encoded, *, places: np.ndarray, total_rows: int) -> Finding | None:
    seen = ~np.isnan(column.values)
    observed = column.values[seen]
    told = [note.removeprefix(f"column {name!r}: ") for note in column.notes]  # words taken for missing may be why
    if len(observed) == 0:
        return Finding(case="empty", reason="; ".join(["without any value", *told]))
    distinct = len(np.unique(observed))
    if distinct == 1:
        return Finding(case="constant", reason="; ".join(["constant", *told]))
    if len(observed) < _MIN_OBSERVED:
        return Finding(case="empty", reason=f"observed in {counted(len(observed), 'row', 'rows')} only")
    if len(observed) < _MIN_ROWS_FOR_IDENTIFIER:
        return None
    if column.kind == "nominal" and distinct > 0.9 * len(observed):
        mark = f"column {name!r}: "
        hints = [note.removeprefix(mark) for note in column.notes if note.startswith(mark)]
        return Finding(
            case="identifier", reason="; ".join(["nearly different in every row, like a name or identifier", *hints])
        )
    if column.different == len(observed):
        return Finding(case="identifier", reason="different in every row and of more digits than any measurement")
    if counts_rows(column, places=places, total_rows=total_rows):
        return Finding(case="identifier", reason=ROW_COUNTER)
    if _are_whole(column) and distinct == len(observed) and numbers_rows(name):
        return Finding(case="identifier", reason="different in every row and named like an identifier")
    codes = column.kind == "nominal" or _are_whole(column)  # of many digits too
    if codes and distinct >= _MANY_CASES and names_cases(name) and not are_groups(name, column):
        reason = f"named like an identifier ({rows_each(distinct, len(observed))}); rows that share one are no "
        return Finding(case="identifier", reason=f"{reason}independent cases, though used as such")
    return None


def counts_rows(column: Encoded, *, places: np.ndarray, total_rows: int) -> bool:
    """Whether whole numbers count the rows, by even steps or in any order with few gaps; arguments of find_unfit."""
    seen = ~np.isnan(column.values)
    observed = column.values[seen]
    few = len(observed) < _MIN_ROWS_FOR_IDENTIFIER
    if few or not _are_whole(column) or len(np.unique(observed)) < len(observed):
        return False
    steps = np.diff(observed) / np.diff(places[seen])
    return bool((steps == steps[0]).all()) or _are_numbered(observed, total_rows)


def are_groups(name: str, column: Encoded) -> bool:
    """Whether a column named like an identifier holds groups: each of many values, as of species_id, has many rows."""
    if not (names_cases(name) and may_name_groups(name)) or not (column.kind == "nominal" or _are_whole(column)):
        return False
    observed = column.values[~np.isnan(column.values)]
    distinct = len(np.unique(observed))
    return distinct >= _MANY_CASES and len(observed) >= _MANY_ROWS * distinct


def rows_each(distinct: int, rows: int) -> str:
    """How many rows share a value, in words: '50 values, 4 rows each'."""
    each = rows / distinct
    if each < 1.5:
        return f"{distinct} different values in {rows} rows"
    return f"{distinct} values, {f'{each:.2g}' if each < 10 else f'{each:,.0f}'} rows each"


def _are_whole(column: Encoded) -> bool:
    observed = column.values[~np.isnan(column.values)]
    return column.kind in ("count", "continuous") and bool((observed == np.round(observed)).all())


def _are_numbered(different: np.ndarray, total_rows: int) -> bool:
    """Whether whole numbers that all differ number the rows in any order, perhaps with gaps where rows were left out.

    So they do when their range is hardly larger than the table and measurements in it would hardly all differ.
    """
    span = float(different.max() - different.min()) + 1
    if span > _GAPS * total_rows:
        return False
    return bool(np.log1p(-np.arange(len(different)) / span).sum() < _LOG_CHANCE)
