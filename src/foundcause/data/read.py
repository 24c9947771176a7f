"""``read_table``: a path, data frame or array becomes a ``Table`` of numbers. Shapes: N rows, D columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
import pandas as pd

from foundcause.data.codes import tell_codes
from foundcause.data.columns import ColumnInfo, Kind
from foundcause.data.encode import encode_column
from foundcause.data.files import NO_HEADER
from foundcause.data.footer import count_footers
from foundcause.data.names import known_names, unique_names
from foundcause.data.numbers import guess_decimal
from foundcause.data.panel import tell_units
from foundcause.data.ranks import RANK_OF_ROWS, with_ranks
from foundcause.data.reading import Encoded, Reading, is_text
from foundcause.data.roles import TIME_OF_ROWS, with_groups, with_times
from foundcause.data.screen import Finding, Policies, Policy, find_unfit, refuse, with_copies
from foundcause.data.second_header import LIKE_NAMES, without_second_headers
from foundcause.data.sources import read_source
from foundcause.data.together import joined
from foundcause.data.words import WITHOUT_ORDER
from foundcause.errors import InputError, TableError

MAX_ROWS = 20_000
MAX_COLUMNS = 20_000
WITHOUT_EDGES = "kept without edges"
_NOTES_TOGETHER = 3


@dataclass(frozen=True, kw_only=True, eq=False)
class Table:
    """A table of numbers.

    values: (N, D) float64, NaN where unobserved; never infinite.
    names: D unique column names, in the order of the source.
    columns: what each column was taken for; those with status ``isolated`` take no part in the graph. Columns with
        status ``dropped`` stand at the end and have no values.
    places: (N,) where the rows stood in the source, from 0, without those that are empty.
    total_rows: rows of the source before sampling, without those that are empty and without totals below the table.
    warnings: what a reader of the result should know about the table.
    readings: how columns of words were read, so that ``read_table`` can read other rows alike.
    """

    values: np.ndarray
    names: tuple[str, ...]
    columns: tuple[ColumnInfo, ...]
    places: np.ndarray
    total_rows: int
    warnings: tuple[str, ...]
    readings: Mapping[str, Reading] = field(default_factory=dict)

    @property
    def observed(self) -> np.ndarray:
        """(N, D) bool."""
        return ~np.isnan(self.values)

    @property
    def active(self) -> np.ndarray:
        """(D,) bool: columns that take part in the graph."""
        return np.array([column.status == "used" for column in self.columns[: len(self.names)]], dtype=bool)


def read_table(
    source: Any,
    *,
    max_rows: int = MAX_ROWS,
    seed: int = 0,
    constant: Policy = "isolate",
    empty: Policy = "isolate",
    identifier: Policy = "isolate",
    duplicate: Policy = "keep",
    separator: str | None = None,
    header: bool | None = None,
    names: Sequence[str] | None = None,
    drop: Sequence[str] = (),
    nominal: Sequence[str] = (),
    readings: Mapping[str, Reading] | None = None,
) -> Table:
    """Read a CSV, TSV or Parquet file, a pandas or polars frame, an Arrow table, a NumPy array, or a dict of columns.

    max_rows: larger tables are sampled, without replacement, by ``seed``.
    constant, empty, identifier, duplicate: what to do with such columns: ``isolate`` (keep them without edges),
        ``drop``, ``error``; for the last two also ``keep`` (use them all the same).
    separator, header: of text files, when the guess is wrong.
    names: column names, for arrays.
    drop: columns to leave out of the table.
    nominal: columns whose numbers are codes of categories without an order, such as zip codes.
    readings: ``Table.readings`` of a table read before, so that what is written here means the same numbers.
    """
    policies = Policies(constant=constant, empty=empty, identifier=identifier, duplicate=duplicate)
    if not isinstance(max_rows, int | np.integer) or max_rows < 1:
        raise InputError(f"max_rows={max_rows!r} must be a whole number of at least 1")
    raw = read_source(source, max_rows=max_rows, seed=seed, separator=separator, header=header)
    begins = len(raw.places) > 0 and raw.places[0] == 0  # a sample may lack the first row
    denied = header is False and not raw.named
    frame, stays, told = without_second_headers(
        raw.frame, begins=begins, named=raw.named or names is not None, denied=denied
    )
    nameless = names is None and not any(LIKE_NAMES in note for note in told)
    warnings = [*(note for note in raw.notes if nameless or NO_HEADER not in note), *told]
    places, total_rows = (raw.places - np.cumsum(~stays))[stays], raw.total_rows - int((~stays).sum())
    rows = len(frame)
    if frame.shape[1] == 0:
        raise TableError("the table has no columns; give a table with at least two")
    if rows == 0:
        lacking = "no cell with a value" if raw.blank_rows else "no rows"
        raise TableError(f"the table has {lacking}; give a table with at least a few dozen rows")
    if frame.shape[1] > MAX_COLUMNS:
        raise TableError(f"the table has {frame.shape[1]:,} columns; choose at most {MAX_COLUMNS:,}")
    if total_rows > rows:
        warnings.append(f"{rows:,} of {total_rows:,} rows were drawn at random (seed {seed}); max_rows sets how many")
    if names is not None and len(names) != frame.shape[1]:
        raise InputError(f"names={list(names)!r} are {len(names)} for {frame.shape[1]} columns; give one for each")
    unique = unique_names(list(names) if names is not None else list(frame.columns), warnings)
    left_out, categories = known_names("drop", drop, unique), known_names("nominal", nominal, unique)
    if left_out == set(unique):
        raise TableError("drop names every column; leave at least two in the table")
    columns = {name: frame.iloc[:, k].reset_index(drop=True) for k, name in enumerate(unique) if name not in left_out}
    unique = list(columns)
    encoded = _encode(columns, categories, raw.separator, readings or {})
    ends = places[-1] == total_rows - 1  # a sample may lack the last row
    if ends and (footers := count_footers(list(columns.values()), encoded, sums=total_rows == rows)):
        columns = {name: column.iloc[:-footers] for name, column in columns.items()}
        encoded = _encode(columns, categories, raw.separator, readings or {})
        places, total_rows = places[:-footers], total_rows - footers
        ending = "row holds" if footers == 1 else f"{footers} rows hold"
        warnings.append(f"the last {ending} totals or means of the rows above, not data; left out")
    encoded = with_times(unique, encoded, places=places, total_rows=total_rows)
    if not readings and identifier != "keep":  # what was a number in the table before stays one
        encoded = with_groups(columns, encoded)
    findings = find_unfit(unique, encoded, policies, places=places, total_rows=total_rows)
    encoded, findings = with_ranks(unique, encoded, findings)
    findings = with_copies(unique, encoded, findings)
    units = tell_units(unique, encoded, findings)
    warnings += [*_coding_notes(unique, encoded, findings), *units.values()]
    warnings += tell_codes(unique, encoded, findings, told=units)
    filled = _filled_rows(encoded, findings, policies)
    emptied = int((~filled).sum())
    if emptied:
        encoded = [replace(column, values=column.values[filled]) for column in encoded]
    if empty_rows := raw.blank_rows + emptied:
        holding = "1 row holds" if empty_rows == 1 else f"{empty_rows:,} rows hold"
        warnings.append(f"{holding} no value in any column that takes part; left out")
    if len(places) == total_rows:
        total_rows -= emptied
    return _assemble(unique, encoded, findings, policies, places[filled], total_rows, warnings)


def _encode(
    columns: Mapping[str, pd.Series], nominal: set[str], separator: str | None, readings: Mapping[str, Reading]
) -> list[Encoded]:
    decimal = guess_decimal((column for column in columns.values() if is_text(column)), separator)
    return [
        encode_column(name, column, nominal=name in nominal, decimal=decimal, reading=readings.get(name))
        for name, column in columns.items()
    ]


def _filled_rows(encoded: list[Encoded], findings: list[Finding | None], policies: Policies) -> np.ndarray:
    """(N,) bool, rows that show a column that takes part, other than their time or rank; all when no row does."""
    filled = np.zeros(len(encoded[0].values), dtype=bool)
    for column, finding in zip(encoded, findings, strict=True):
        takes_part = finding is None or getattr(policies, finding.case) == "keep"
        if takes_part and column.encoding not in (TIME_OF_ROWS, RANK_OF_ROWS):
            filled |= ~np.isnan(column.values)
    return filled if filled.any() else ~filled


def _coding_notes(names: list[str], encoded: list[Encoded], findings: list[Finding | None]) -> list[str]:
    """Notes of the columns that take part; those that say the same of many columns become one."""
    active = [(name, column) for name, column, found in zip(names, encoded, findings, strict=True) if found is None]
    nominal = [name for name, column in active if column.kind == "nominal"]
    together = len(nominal) > _NOTES_TOGETHER
    own = [(name, note) for name, column in active for note in column.notes]
    notes = joined([said for said in own if not (together and WITHOUT_ORDER in said[1])], most=_NOTES_TOGETHER)
    if together:
        notes.append(
            f"columns {', '.join(map(repr, nominal))} hold {WITHOUT_ORDER}; they are coded by how "
            "frequent they are (0 the most frequent), so the shape of their relations means little"
        )
    return notes


_STATUS: dict[str, Literal["used", "isolated", "dropped"]] = {"keep": "used", "isolate": "isolated", "drop": "dropped"}


def _assemble(
    names: list[str],
    encoded: list[Encoded],
    findings: list[Finding | None],
    policies: Policies,
    places: np.ndarray,
    total_rows: int,
    warnings: list[str],
) -> Table:
    rows = len(encoded[0].values)
    kept: list[int] = []
    columns: list[ColumnInfo] = []
    dropped: list[ColumnInfo] = []
    told: dict[str, list[str]] = {}
    for k, (name, column, finding) in enumerate(zip(names, encoded, findings, strict=True)):
        policy = getattr(policies, finding.case) if finding else "keep"
        if finding and policy == "error":
            raise refuse(name, finding, rows)
        observed = ~np.isnan(column.values)
        kind: Kind = column.kind
        if finding is not None and finding.case != "duplicate":
            kind = finding.case
        info = ColumnInfo(
            name=name,
            kind=kind,
            encoding=column.encoding,
            missing=float(1 - observed.mean()),
            distinct=len(np.unique(column.values[observed])),
            status=_STATUS[policy],
            reason="" if finding is None else finding.reason,
        )
        if finding is not None:
            verb = {
                "drop": "dropped",
                "keep": "nothing in the table tells the two apart, so edges of one may belong to the other",
            }.get(policy, WITHOUT_EDGES)
            told.setdefault(f"{finding.reason}; {verb}", []).append(name)
        if info.status == "dropped":
            dropped.append(info)
        else:
            kept.append(k)
            columns.append(info)
    for fate, which in told.items():
        shown = ", ".join(map(repr, which[:5])) + (f" and {len(which) - 5} more" if len(which) > 5 else "")
        warnings.append(f"column{'s' if len(which) > 1 else ''} {shown}: {fate}")
    values = np.column_stack([encoded[k].values for k in kept]) if kept else np.zeros((rows, 0))
    return Table(
        values=values,
        names=tuple(names[k] for k in kept),
        columns=(*columns, *dropped),
        places=places,
        total_rows=total_rows,
        warnings=tuple(dict.fromkeys(warnings)),
        readings={names[k]: reading for k in kept if (reading := encoded[k].reading) is not None},
    )
