"""``read_table`` and ``TableEncoder``: source -> raw cells -> typed columns -> roles -> matrix.

Shapes: N rows, D columns.
"""

from __future__ import annotations

import dataclasses
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from foundcause.data.clock import SINCE_MIDNIGHT
from foundcause.data.columns import type_column
from foundcause.data.dates import SINCE_1970, are_shaped_like_dates
from foundcause.data.names import known_names, unique_names
from foundcause.data.numbers import guess_decimal
from foundcause.data.options import ReadOptions
from foundcause.data.roles import (
    POLICY_OF,
    RANK_OF_ROWS,
    TIME_OF_ROWS,
    Rows,
    find_excluded,
    perhaps_codes,
    reason,
    with_groups,
    with_ranks,
    with_times,
)
from foundcause.data.row_sample import Raw
from foundcause.data.sources import read_source
from foundcause.data.table import Column, Matrix, Role, Table
from foundcause.data.typed import Typed, is_text
from foundcause.data.vocabulary import is_missing
from foundcause.errors import InputError, TableError
from foundcause.findings import Finding, Fix, by_severity

MAX_COLUMNS = 20_000
_TOGETHER = 3  # findings alike about more columns become one
_TELLING = ("value", "what", "of", "why", "day_first", "unit")  # details in which findings that are alike agree
_MOST_TOTALS = 3
_LEAST_ROWS_ABOVE = 10
_TOTAL = re.compile(
    r"((grand|overall|column|sub)[- ]?)?totals?|sums?|means?|averages?|avg|summe|gesamt|somme|moyenne|suma|promedio",
    re.IGNORECASE,
)
_PAIR = re.compile(r"(\d+(?:[.,]\d+)?)\s*/\s*(\d+(?:[.,]\d+)?)")
_PAIR_SHARE, _LEAST_PAIRS, _N_HEAD = 0.95, 8, 50
_ROLES: dict[str, Role] = {"keep": "variable", "exclude": "excluded", "drop": "dropped"}


@dataclass(frozen=True, kw_only=True, eq=False)
class Reading:
    """What a ``Table`` keeps of how it was read: the matrix, typed columns by name, and columns that were split."""

    matrix: Matrix
    typed: Mapping[str, Typed]
    pairs: Mapping[str, list[str]]


def read_table(source: Any, options: ReadOptions | Mapping[str, Any] | str | None = None, **overrides: Any) -> Table:
    """Read a table from a file, a database or memory.

    Parameters
    ----------
    source : path, connection or table
        A CSV, TSV, Parquet, Feather, Excel or SQLite file, a folder of Parquet files, a database connection, a pandas
        or polars frame, an Arrow table, a NumPy array or a dict of columns. A ``Table`` comes back as it is, unless
        its frame was edited: then the changed columns are read anew.
    options : ReadOptions, mapping, str or None
        How to read it. None reads with the defaults. A string is a SQL query.
    **overrides
        Fields of ``ReadOptions`` that replace those of ``options``.

    Returns
    -------
    Table
        Typed cells in ``frame``, how each column was read in ``columns``, remarks in ``findings``.
    """
    if isinstance(options, str):
        options, overrides = None, {"sql": options, **overrides}
    if isinstance(source, Table):
        wanted = ReadOptions.of(source.options if options is None else options, **overrides)
        same = dataclasses.replace(wanted, random_state=source.options.random_state) == source.options
        return source if same and not source.edited else _reread(source, wanted)
    options = ReadOptions.of(options, **overrides)
    raw = read_source(source, options)
    cells, findings = _named_cells(raw, options)
    raw, cells, totals = _without_totals(raw, cells)
    pairs = _find_pairs(cells, options)
    cells = _with_pairs(cells, pairs)
    findings += [Finding(code="split-pairs", columns=[name], details={"into": pairs[name]}) for name in pairs]
    decimal = guess_decimal((column for column in cells.values() if is_text(column)), raw.separator)
    nominal = known_names("nominal", options.nominal, list(cells))
    typed = {
        name: type_column(name, column, nominal=name in nominal, decimal=decimal) for name, column in cells.items()
    }
    rows = Rows(positions=raw.positions, total=raw.total_rows)
    return _judged(cells, typed, rows, options, [*findings, *totals], pairs, blank_rows=raw.blank_rows)


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
        self.columns_: tuple[Column, ...] = self._table.reading.matrix.columns
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
        fitted = self._table.reading
        if isinstance(table, Table):
            if table is self._table or (table.reading is fitted and not table.edited):
                return fitted.matrix
            raw = read_source(table.frame, ReadOptions())
        else:
            raw = read_source(table, self._table.options)
        options = ReadOptions.of(self._table.options, drop=())
        cells, _ = _named_cells(raw, options)
        cells = _with_pairs(cells, {name: parts for name, parts in fitted.pairs.items() if name in cells})
        names = [column.name for column in self.columns_]
        if lacking := [name for name in names if name not in cells]:
            raise InputError(f"the table lacks columns {lacking}. Give the columns that were fitted: {names}")
        nominal = set(options.nominal)
        values = [
            type_column(name, cells[name], nominal=name in nominal, like=fitted.typed[name]).values for name in names
        ]
        return Matrix(
            values=np.column_stack(values), columns=self.columns_, positions=raw.positions, total_rows=raw.total_rows
        )


# ---- from cells to a table -------------------------------------------------------------------------------------------


def _named_cells(raw: Raw, options: ReadOptions) -> tuple[dict[str, pd.Series], list[Finding]]:
    """Return the columns that are not left out by their names, and what was noticed about the source."""
    rows, width = len(raw.positions), len(raw.columns)
    if width == 0:
        raise TableError("the table has no columns. Give a table with at least two")
    if rows == 0:
        lacking = "no cell with a value" if raw.blank_rows else "no rows"
        raise TableError(f"the table has {lacking}. Give a table with a few dozen rows")
    if width > MAX_COLUMNS:
        raise TableError(f"the table has {width:,} columns. Choose at most {MAX_COLUMNS:,}")
    names = raw.names if options.names is None else options.names
    if len(names) != width:
        raise InputError(f"names has {len(names)} names for {width} columns. Give one for each")
    unique, findings = unique_names(names)
    if options.names is None:
        findings = [*raw.findings, *findings]
    else:
        findings = [finding for finding in raw.findings if finding.code != "no-header"] + findings
    if raw.total_rows > rows:
        details = {"rows": rows, "total": raw.total_rows, "random_state": options.random_state or 0}
        findings.append(Finding(code="sampled-rows", details=details))
    left_out = known_names("drop", options.drop, unique)
    if left_out == set(unique):
        raise TableError("drop names every column. Leave at least two in the table")
    kept = [k for k, name in enumerate(unique) if name not in left_out]
    return {unique[k]: raw.columns[k].reset_index(drop=True) for k in kept}, findings


def _without_totals(raw: Raw, cells: dict[str, pd.Series]) -> tuple[Raw, dict[str, pd.Series], list[Finding]]:
    """Leave out rows at the end that are labeled totals in the first column of words, and no other row is."""
    labels = next((column for column in cells.values() if is_text(column)), None)
    rows = len(raw.positions)
    if labels is None or rows <= _LEAST_ROWS_ABOVE or raw.positions[-1] < raw.total_rows - 1:
        return raw, cells, []
    are_totals = [isinstance(cell, str) and bool(_TOTAL.fullmatch(cell.strip(" :.\t"))) for cell in labels]
    count = next((k for k in range(rows) if not are_totals[-1 - k]), rows)
    if not 0 < count <= _MOST_TOTALS or sum(are_totals) > count:
        return raw, cells, []
    raw = dataclasses.replace(raw, positions=raw.positions[:-count], total_rows=raw.total_rows - count)
    finding = Finding(code="total-rows", details={"rows": count, "word": str(labels.iloc[-1]).strip()})
    return raw, {name: column.iloc[:-count] for name, column in cells.items()}, [finding]


def _find_pairs(cells: Mapping[str, pd.Series], options: ReadOptions) -> dict[str, list[str]]:
    """Return the columns of two numbers, such as the blood pressure 120/80, with the names of their parts."""
    pairs = {}
    for name, column in cells.items():
        if not is_text(column) or name in options.nominal or not any("/" in str(cell) for cell in column[:_N_HEAD]):
            continue
        words = {cell.strip() for cell in column if isinstance(cell, str) and not is_missing(cell)}
        fitting = [word for word in words if _PAIR.fullmatch(word)]
        parts = [f"{name}_1", f"{name}_2"]
        if len(fitting) < max(_LEAST_PAIRS, _PAIR_SHARE * len(words)) or not set(parts).isdisjoint(cells):
            continue
        if are_shaped_like_dates(fitting).mean() < 0.5:
            pairs[name] = parts
    return pairs


def _with_pairs(cells: Mapping[str, pd.Series], pairs: Mapping[str, list[str]]) -> dict[str, pd.Series]:
    """Return the columns with those of two numbers split; cells of another form become missing."""
    split: dict[str, pd.Series] = {}
    for name, column in cells.items():
        if name not in pairs:
            split[name] = column
            continue
        matches = [_PAIR.fullmatch(cell.strip()) if isinstance(cell, str) else None for cell in column]
        for k, part in enumerate(pairs[name], start=1):
            split[part] = pd.Series([match[k] if match else None for match in matches], dtype=object)
    return split


def _judged(
    cells: Mapping[str, pd.Series],
    typed: Mapping[str, Typed],
    rows: Rows,
    options: ReadOptions,
    findings: list[Finding],
    pairs: Mapping[str, list[str]],
    *,
    blank_rows: int = 0,
) -> Table:
    """Give every typed column its role, and leave out rows that no variable has a value in."""
    names = list(typed)
    columns = with_times(names, list(typed.values()), rows)
    if options.identifier != "keep":
        columns = with_ranks(names, with_groups(cells, columns), rows)
    excluded = find_excluded(names, columns, options, rows)
    policies = ["keep" if finding is None else getattr(options, POLICY_OF[finding.code]) for finding in excluded]
    fit = [column for column, policy in zip(columns, policies, strict=True) if policy == "keep"]
    findings = list(findings)
    for column, finding in zip(columns, excluded, strict=True):
        findings += column.findings if finding is None else [finding]
    findings += perhaps_codes(names, columns, excluded)

    filled = np.zeros(len(rows.positions), dtype=bool)
    for column in fit:
        if column.encoding not in (TIME_OF_ROWS, RANK_OF_ROWS):
            filled |= ~np.isnan(column.values)
    filled = filled if filled.any() else ~filled
    emptied = int((~filled).sum())
    if blank_rows + emptied:
        findings.append(Finding(code="empty-rows", details={"rows": blank_rows + emptied}))
    total = rows.total - (emptied if len(rows.positions) == rows.total else 0)
    columns = [dataclasses.replace(column, values=column.values[filled]) for column in columns]

    described = [
        _described(name, column, finding, _ROLES[policy])
        for name, column, finding, policy in zip(names, columns, excluded, policies, strict=True)
    ]
    kept = [k for k, column in enumerate(described) if column.role != "dropped"]
    values = np.column_stack([columns[k].values for k in kept]) if kept else np.zeros((int(filled.sum()), 0))
    matrix = Matrix(
        values=values, columns=tuple(described[k] for k in kept), positions=rows.positions[filled], total_rows=total
    )
    frame = pd.DataFrame({names[k]: _typed_series(columns[k]) for k in kept})
    dropped = tuple(column for column in described if column.role == "dropped")
    return Table(
        frame=frame,
        columns=(*matrix.columns, *dropped),
        findings=by_severity(_joined(findings)),
        total_rows=total,
        options=options,
        reading=Reading(matrix=matrix, typed=dict(zip(names, columns, strict=True)), pairs=pairs),
        pristine=frame.copy(deep=False),
    )


def _described(name: str, column: Typed, finding: Finding | None, role: Role) -> Column:
    kind = column.kind
    if finding is not None and POLICY_OF[finding.code] in ("constant", "empty", "identifier"):
        kind = POLICY_OF[finding.code]  # type: ignore[assignment]
    return Column(
        name=name,
        kind=kind,
        encoding=column.encoding,
        missing=float(np.isnan(column.values).mean()),
        distinct=len(np.unique(column.observed)),
        role=role,
        reason="" if finding is None else reason(finding),
    )


def _joined(findings: Sequence[Finding]) -> list[Finding]:
    """Return findings; more than three that differ in their columns only become one, which adds up their cells."""
    alike: dict[tuple[Any, ...], list[Finding]] = defaultdict(list)
    for finding in findings:
        alike[finding.code, *map(finding.details.get, _TELLING)].append(finding)
    joined = []
    for (code, *_), group in alike.items():
        if len(group) <= _TOGETHER or not group[0].columns:
            joined += group
            continue
        columns = [name for finding in group for name in finding.columns]
        details = {**group[0].details}
        if "cells" in details:
            details["cells"] = sum(finding.details["cells"] for finding in group)
        fix = group[0].fix and Fix(section="read", option=group[0].fix.option, values=tuple(columns))
        joined.append(Finding(code=code, columns=columns, details=details, fix=fix))
    return joined


def _typed_series(column: Typed) -> pd.Series:
    """Return the cells of a column with a type of pandas."""
    values, missing = column.values, np.isnan(column.values)
    safe = np.where(missing, 0, values)
    if column.encoding == SINCE_1970 and np.abs(safe).max(initial=0) < 3e6:
        return pd.Series(np.round(safe * 86_400e6).astype("int64").astype("datetime64[us]")).mask(missing)
    if column.encoding in (SINCE_MIDNIGHT, "seconds") and np.abs(safe).max(initial=0) < 1e11:
        seconds = safe * (60 if column.encoding == SINCE_MIDNIGHT else 1)
        return pd.Series(np.round(seconds * 1e6).astype("int64").astype("timedelta64[us]")).mask(missing)
    if column.labels:
        codes = {code: k for k, code in enumerate(sorted(column.labels))}
        # Halves of characters fit into no text type of pandas.
        order = [column.labels[code].encode(errors="replace").decode() for code in codes]
        if len(set(order)) < len(order):  # also long words that were shortened
            order = [f"{label} ({k})" for k, label in enumerate(order)]
        if {word.casefold() for word in order} in ({"false", "true"}, {"no", "yes"}):
            return pd.Series(safe == 1, dtype="boolean").mask(missing) if missing.any() else pd.Series(safe == 1)
        positions = np.where(missing, -1, [codes.get(value, -1) for value in safe])
        ordered = column.kind == "ordinal"
        return pd.Series(pd.Categorical.from_codes(positions.tolist(), pd.Index(order), ordered=ordered))
    if column.kind in ("count", "binary", "ordinal") and (safe == np.round(safe)).all():
        whole = pd.Series(safe.astype("int64"))
        return whole.astype("Int64").mask(missing) if missing.any() else whole
    return pd.Series(values)


# ---- a table that was edited -----------------------------------------------------------------------------------------


def _reread(table: Table, options: ReadOptions) -> Table:
    """Return the table with its edited columns typed anew and all roles judged anew."""
    raw = read_source(table.frame, ReadOptions.of(max_rows=options.max_rows, random_state=options.random_state))
    present = [str(name) for name in table.frame.columns]
    options = ReadOptions.of(
        options,
        names=None,
        drop=[name for name in options.drop if name in present],
        nominal=[name for name in dict.fromkeys((*table.options.nominal, *options.nominal)) if name in present],
    )
    cells, findings = _named_cells(raw, options)
    findings += [finding for finding in table.findings if not finding.columns and finding.code != "empty-rows"]
    same_rows = len(raw.positions) == len(table.pristine) and table.frame.index.equals(table.pristine.index)
    typed = {}
    for name, column in cells.items():
        known = same_rows and name in table.pristine and table.frame[name].equals(table.pristine[name])
        if known and (name in options.nominal) == (name in table.options.nominal):
            typed[name] = table.reading.typed[name]
        else:
            typed[name] = type_column(name, column, nominal=name in options.nominal)
    positions = table.reading.matrix.positions if same_rows else raw.positions
    total = table.total_rows if same_rows else raw.total_rows
    rows = Rows(positions=positions, total=total)
    return _judged(cells, typed, rows, options, findings, table.reading.pairs, blank_rows=raw.blank_rows)
