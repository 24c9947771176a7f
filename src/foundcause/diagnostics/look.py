"""``suspicions``: what a careful reader of the table would ask about, in words."""

from __future__ import annotations

import json

import numpy as np

from foundcause.data import Matrix
from foundcause.data.copies import first_of_copies
from foundcause.data.numeric import codes_for_missing
from foundcause.diagnostics.categories import category_warnings
from foundcause.diagnostics.cells import rows_that_differ
from foundcause.diagnostics.derived import derived_warnings
from foundcause.diagnostics.design import counts_column, design_columns, looks_long, looks_transposed
from foundcause.diagnostics.time_across import time_across_warnings
from foundcause.diagnostics.time_steps import time_step_warnings
from foundcause.diagnostics.wording import joined, listed
from foundcause.inference.far_cells import isolated_cells


def suspicions(table: Matrix) -> list[str]:
    """Warnings about cells, columns and the shape of a table; none for an ordinary one.

    Copies of a column are told where the table is read, and nothing is said of a copy that is said of the first.
    """
    active = np.flatnonzero(table.active).tolist()
    part = [active[k] for k in first_of_copies(table.values[:, active], [table.names[k] for k in active])]
    values, columns = table.values[:, part], [table.columns[k] for k in part]
    return [
        *_isolated(table, part),
        *_nearly_constant(table, part),
        *category_warnings(values, columns),
        *derived_warnings(values, columns),
        *_counts(table),
        *_shape(table),
        *time_step_warnings(table),
        *_design(table),
    ]


def _isolated(table: Matrix, part: list[int]) -> list[str]:
    found = []
    for k in part:
        name = table.names[k]
        coded = codes_for_missing(table.values[:, k])  # -999 is told where the table is read
        if coded or table.columns[k].kind not in ("continuous", "count"):
            continue
        cells = isolated_cells(table.values[:, k])
        if len(cells) == 0:
            continue
        shown = joined([f"{table.values[row, k]:.10g} (row {table.positions[row] + 1})" for row in cells.tolist()])
        value, such = ("the value {} lies", "a single such cell") if len(cells) == 1 else ("the values {} lie", "they")
        found.append(
            f"column {name!r}: {value.format(shown)} far from all others; "
            f"check {'it' if len(cells) == 1 else 'them'}, {such} can turn edges round"
        )
    return found


def _nearly_constant(table: Matrix, part: list[int]) -> list[str]:
    rare = {}
    for k in part:
        column = table.values[:, k]
        if differ := rows_that_differ(column[~np.isnan(column)]):
            rare[table.names[k]] = differ
    if not rare:
        return []
    shown = [f"{name!r} ({differ} row{'s' if differ > 1 else ''})" for name, differ in rare.items()]
    one = len(rare) == 1
    return [
        f"column{'' if one else 's'} {listed(shown)}: all rows but so few hold the same value, and edges at "
        f"{'it rest' if one else 'them rest'} on those and are mostly invented; leave {'it' if one else 'them'} out "
        "(drop=, --drop) or add rows"
    ]


def _counts(table: Matrix) -> list[str]:
    name = counts_column(table)
    if name is None:
        return []
    quoted = json.dumps(name, ensure_ascii=False)
    return [
        f"column {name!r} seems to count cases, for each combination of the other columns stands in one row; write a "
        f"row for each case, in pandas df.loc[df.index.repeat(df[{quoted}])].drop(columns={quoted})"
    ]


def _shape(table: Matrix) -> list[str]:
    found = []
    if long := looks_long(table):
        names, values = (json.dumps(name, ensure_ascii=False) for name in long)
        found.append(
            f"column {long[1]!r} seems to hold several variables, which {long[0]!r} names; give each a column of its "
            f"own, in pandas df.pivot(index=..., columns={names}, values={values})"
        )
    found += time_across_warnings(table)
    if looks_transposed(table):
        found.append(
            f"the columns look like cases ({table.names[1]!r}, {table.names[2]!r}, ...) and {table.names[0]!r} like "
            f"names of variables; if so, transpose the table, in pandas df.set_index({json.dumps(table.names[0])}).T"
        )
    return found


def _design(table: Matrix) -> list[str]:
    part = np.flatnonzero(table.active).tolist()
    named = design_columns([table.names[k] for k in part], table.values[:, part])
    if not named:
        return []
    one = len(named) == 1
    return [
        f"column{'' if one else 's'} {listed([repr(name) for name in named])} {'is' if one else 'are'} named "
        f"like survey weights or the design of a sample, but taken as {'a variable' if one else 'variables'} like any "
        f"other; if {'it is such, leave it' if one else 'they are such, leave them'} out (drop=, --drop)"
    ]
