"""``read_table`` and ``TableEncoder``: a path, frame or array becomes a ``Table``, and that a ``Matrix``.

Shapes: N rows, D columns.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from foundcause.data.codes import tell_codes
from foundcause.data.encode import encode_column
from foundcause.data.files import NO_HEADER
from foundcause.data.footer import count_footers
from foundcause.data.names import as_text, known_names, unique_names
from foundcause.data.numbers import guess_decimal
from foundcause.data.options import ReadOptions
from foundcause.data.panel import tell_units
from foundcause.data.ranks import RANK_OF_ROWS, with_ranks
from foundcause.data.reading import Encoded, Reading, is_text
from foundcause.data.roles import TIME_OF_ROWS, with_groups, with_times
from foundcause.data.screen import Finding, find_unfit, refuse, with_copies
from foundcause.data.second_header import LIKE_NAMES, without_second_headers
from foundcause.data.sources import read_source
from foundcause.data.table import Column, Kind, Matrix, Role, Table
from foundcause.data.together import joined
from foundcause.data.words import WITHOUT_ORDER
from foundcause.errors import InputError, TableError
from foundcause.findings import remark

MAX_COLUMNS = 20_000
WITHOUT_EDGES = "kept without edges"
_NOTES_TOGETHER = 3


@dataclass(frozen=True, kw_only=True, eq=False)
class Numbers:
    """What reading makes of a source: the matrix, typed cells, columns that were dropped, remarks and readings."""

    matrix: Matrix
    frame: pd.DataFrame
    dropped: tuple[Column, ...]
    warnings: tuple[str, ...]
    readings: Mapping[str, Reading]


def read_table(source: Any, options: ReadOptions | None = None, **overrides: Any) -> Table:
    """Read a table from a file or from memory.

    Parameters
    ----------
    source : path or table
        A CSV, TSV or Parquet file, a pandas or polars frame, an Arrow table, a NumPy array or a dict of columns. A
        ``Table`` comes back as it is, unless its frame was edited: then its columns are judged anew.
    options : ReadOptions or None
        How to read it. None reads with the defaults.
    **overrides
        Fields of ``ReadOptions`` that replace those of ``options``.

    Returns
    -------
    Table
        The typed cells in ``frame``, how each column was read in ``columns``, remarks in ``findings``.
    """
    if isinstance(source, Table):
        if options is None and not overrides and not source.edited:
            return source
        kept = {"separator": None, "header": None, "names": None, "sql": None}
        chosen = ReadOptions.of(options or source.options, **{**kept, **overrides})
        present = [as_text(name) for name in source.frame.columns]
        lacking = {option: [n for n in getattr(chosen, option) if n in present] for option in ("drop", "nominal")}
        source, options = source.frame, ReadOptions.of(chosen, **lacking)
    else:
        options = ReadOptions.of(options, **overrides)
    read = read_numbers_of(source, options)
    return Table(
        frame=read.frame,
        columns=(*read.matrix.columns, *read.dropped),
        findings=[remark(text) for text in read.warnings],
        total_rows=read.matrix.total_rows,
        options=options,
        _read=read,
        _pristine=read.frame.copy(deep=False),
    )


class TableEncoder:
    """Turn tables into numbers, other rows like those it was fitted to.

    Attributes
    ----------
    columns_ : tuple of Column
        The columns that were fitted.
    """

    def fit(self, table: Table) -> TableEncoder:
        """Learn how the columns of a table become numbers.

        Parameters
        ----------
        table : Table
            What ``read_table`` returned, perhaps with an edited frame.

        Returns
        -------
        TableEncoder
            Itself.
        """
        self._table = read_table(table)
        self.columns_: tuple[Column, ...] = self._table._read.matrix.columns
        return self

    def transform(self, table: Any) -> Matrix:
        """Return the numbers of a table.

        Parameters
        ----------
        table : Table, or anything ``read_table`` reads
            The fitted table, or other rows with at least its columns. Their words, dates and numbers in text mean what
            they meant in the fitted table. Words that it does not have count as missing.

        Returns
        -------
        Matrix
            With the columns that were fitted.
        """
        fitted: Numbers = self._table._read
        if isinstance(table, Table) and (table is self._table or table._read is fitted) and not table.edited:
            return fitted.matrix
        options = self._table.options
        if isinstance(table, Table):
            table, options = table.frame, ReadOptions.of(options, separator=None, header=None, names=None)
        names = [column.name for column in self.columns_]
        kept = [name for name in options.nominal if name in names]
        options = ReadOptions.of(options, drop=(), nominal=kept, constant="exclude", empty="exclude")
        other = read_numbers_of(table, ReadOptions.of(options, identifier="keep", duplicate="keep"), fitted.readings)
        position = {name: k for k, name in enumerate(other.matrix.names)}
        if lacking := [name for name in names if name not in position]:
            raise InputError(f"the table lacks columns {lacking}. Give the columns that were fitted: {names}")
        return dataclasses.replace(
            other.matrix, values=other.matrix.values[:, [position[name] for name in names]], columns=self.columns_
        )


def read_numbers_of(source: Any, options: ReadOptions, readings: Mapping[str, Reading] | None = None) -> Numbers:
    """Read a source as numbers; ``readings``: of a table read before, so that what is written here means the same."""
    max_rows, seed, separator, header = options.max_rows, options.random_state or 0, options.separator, options.header
    names, drop, nominal, identifier = options.names, options.drop, options.nominal, options.identifier
    policies = options
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
    typed = {name: column.reset_index(drop=True)[filled] for name, column in columns.items()}
    return _assemble(typed, encoded, findings, policies, places[filled], total_rows, warnings)


def _encode(
    columns: Mapping[str, pd.Series], nominal: set[str], separator: str | None, readings: Mapping[str, Reading]
) -> list[Encoded]:
    decimal = guess_decimal((column for column in columns.values() if is_text(column)), separator)
    return [
        encode_column(name, column, nominal=name in nominal, decimal=decimal, reading=readings.get(name))
        for name, column in columns.items()
    ]


def _filled_rows(encoded: list[Encoded], findings: list[Finding | None], policies: ReadOptions) -> np.ndarray:
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


_ROLES: dict[str, Role] = {"keep": "variable", "exclude": "excluded", "drop": "dropped"}


def _assemble(
    cells: Mapping[str, pd.Series],
    encoded: list[Encoded],
    findings: list[Finding | None],
    policies: ReadOptions,
    places: np.ndarray,
    total_rows: int,
    warnings: list[str],
) -> Numbers:
    names, rows = list(cells), len(encoded[0].values)
    kept: list[int] = []
    columns: list[Column] = []
    dropped: list[Column] = []
    told: dict[str, list[str]] = {}
    for k, (name, column, finding) in enumerate(zip(names, encoded, findings, strict=True)):
        policy = getattr(policies, finding.case) if finding else "keep"
        if finding and policy == "error":
            raise refuse(name, finding, rows)
        observed = ~np.isnan(column.values)
        kind: Kind = column.kind
        if finding is not None and finding.case != "duplicate":
            kind = finding.case
        info = Column(
            name=name,
            kind=kind,
            encoding=column.encoding,
            missing=float(1 - observed.mean()),
            distinct=len(np.unique(column.values[observed])),
            role=_ROLES[policy],
            reason="" if finding is None else finding.reason,
        )
        if finding is not None:
            verb = {
                "drop": "dropped",
                "keep": "nothing in the table tells the two apart, so edges of one may belong to the other",
            }.get(policy, WITHOUT_EDGES)
            told.setdefault(f"{finding.reason}; {verb}", []).append(name)
        if info.role == "dropped":
            dropped.append(info)
        else:
            kept.append(k)
            columns.append(info)
    for fate, which in told.items():
        shown = ", ".join(map(repr, which[:5])) + (f" and {len(which) - 5} more" if len(which) > 5 else "")
        warnings.append(f"column{'s' if len(which) > 1 else ''} {shown}: {fate}")
    values = np.column_stack([encoded[k].values for k in kept]) if kept else np.zeros((rows, 0))
    return Numbers(
        matrix=Matrix(values=values, columns=tuple(columns), positions=places, total_rows=total_rows),
        frame=pd.DataFrame({names[k]: _typed(cells[names[k]], encoded[k]) for k in kept}),
        dropped=tuple(dropped),
        warnings=tuple(dict.fromkeys(warnings)),
        readings={names[k]: reading for k in kept if (reading := encoded[k].reading) is not None},
    )


def _typed(cells: pd.Series, column: Encoded) -> pd.Series:
    """The cells of a column as pandas' own types."""
    if column.kind == "date" and column.encoding.startswith("days since"):
        microseconds = np.where(np.isnan(column.values), 0, column.values) * 86_400e6
        moments = pd.Series(np.round(microseconds).astype("int64").astype("datetime64[us]"))
        return moments.mask(np.isnan(column.values))
    if column.kind in ("ordinal", "nominal", "binary") and is_text(cells):
        cells = cells.where(cells.isna(), cells.astype(str))
        order = cells.iloc[np.argsort(column.values, kind="stable")][~np.isnan(np.sort(column.values))].unique()
        return pd.Series(pd.Categorical(cells, categories=order, ordered=column.kind == "ordinal"))
    if column.encoding in ("as is", "seconds") and not is_text(cells):
        return cells.reset_index(drop=True)
    return pd.Series(column.values)
