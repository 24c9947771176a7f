"""``suspicions``: what a careful reader of the table would ask about, in words."""

from __future__ import annotations

import json
from collections.abc import Sequence

import numpy as np

from foundcause.far_cells import isolated_cells
from foundcause.suspicions.cells import rows_that_differ
from foundcause.suspicions.design import counts_column, design_columns, looks_long, looks_transposed
from foundcause.suspicions.functions import functions, products
from foundcause.table import Table

_SHOWN = 5
_LEAVE_OUT = "leave one of them out (drop=, --drop)"


def suspicions(table: Table) -> list[str]:
    """Warnings about cells, columns and the shape of a table; none for an ordinary one."""
    return [
        *_isolated(table),
        *_nearly_constant(table),
        *_functions(table),
        *_counts(table),
        *_shape(table),
        *_design(table),
    ]


def _isolated(table: Table) -> list[str]:
    found = []
    for k in np.flatnonzero(table.active).tolist():
        name = table.names[k]
        coded = any(note.startswith(f"column {name!r} holds ") for note in table.warnings)  # -999 is told already
        if coded or table.columns[k].kind not in ("continuous", "count"):
            continue
        cells = isolated_cells(table.values[:, k])
        if len(cells) == 0:
            continue
        shown = _joined([f"{table.values[row, k]:.10g} (row {table.places[row] + 1})" for row in cells.tolist()])
        value, such = ("the value {} lies", "a single such cell") if len(cells) == 1 else ("the values {} lie", "they")
        found.append(
            f"column {name!r}: {value.format(shown)} far from all others; "
            f"check {'it' if len(cells) == 1 else 'them'}, {such} can turn edges round"
        )
    return found


def _nearly_constant(table: Table) -> list[str]:
    rare = {}
    for k in np.flatnonzero(table.active).tolist():
        column = table.values[:, k]
        if differ := rows_that_differ(column[~np.isnan(column)]):
            rare[table.names[k]] = differ
    if not rare:
        return []
    shown = [f"{name!r} ({differ} row{'s' if differ > 1 else ''})" for name, differ in rare.items()]
    one = len(rare) == 1
    return [
        f"column{'' if one else 's'} {_listed(shown)}: all rows but so few hold the same value, and edges at "
        f"{'it rest' if one else 'them rest'} on those and are mostly invented; leave {'it' if one else 'them'} out "
        "(drop=, --drop) or add rows"
    ]


def _functions(table: Table) -> list[str]:
    """Pairs are told once for each column that others determine."""
    places = np.flatnonzero(table.active)
    values, names = table.values[:, places], [repr(table.names[k]) for k in places.tolist()]
    pairs = functions(values)
    found = [
        f"columns {names[pair.of]} and {names[pair.place]} rise or fall together without exception, as a number and "
        f"its logarithm do: what is said of one may belong to the other; {_LEAVE_OUT}"
        for pair in pairs
        if pair.twins
    ]
    makers: dict[int, list[str]] = {}
    for pair in pairs:
        if not pair.twins:
            makers.setdefault(pair.place, []).append(names[pair.of])
    for place, of in makers.items():
        found.append(
            f"column {names[place]} is a function of {_listed(of)}, each value of which goes with one value of it: "
            f"edges at them may be swapped; {_LEAVE_OUT}"
        )
    for law in products(values):
        found.append(
            f"columns {_listed([names[k] for k in law])} are a product or ratio: each is determined by the others, "
            f"and edges among them say no more than that; {_LEAVE_OUT}"
        )
    return found


def _counts(table: Table) -> list[str]:
    name = counts_column(table)
    if name is None:
        return []
    quoted = json.dumps(name, ensure_ascii=False)
    return [
        f"column {name!r} seems to count cases, for each combination of the other columns stands in one row; write a "
        f"row for each case, in pandas df.loc[df.index.repeat(df[{quoted}])].drop(columns={quoted})"
    ]


def _shape(table: Table) -> list[str]:
    found = []
    if long := looks_long(table):
        names, values = (json.dumps(name, ensure_ascii=False) for name in long)
        found.append(
            f"column {long[1]!r} seems to hold several variables, which {long[0]!r} names; give each a column of its "
            f"own, in pandas df.pivot(index=..., columns={names}, values={values})"
        )
    if looks_transposed(table):
        found.append(
            f"the columns look like cases ({table.names[1]!r}, {table.names[2]!r}, ...) and {table.names[0]!r} like "
            f"names of variables; if so, transpose the table, in pandas df.set_index({json.dumps(table.names[0])}).T"
        )
    return found


def _design(table: Table) -> list[str]:
    named = design_columns([name for name, active in zip(table.names, table.active, strict=True) if active])
    if not named:
        return []
    one = len(named) == 1
    return [
        f"column{'' if one else 's'} {_listed([repr(name) for name in named])} {'is' if one else 'are'} named "
        f"like survey weights or the design of a sample, but taken as {'a variable' if one else 'variables'} like any "
        f"other; if {'it is such, leave it' if one else 'they are such, leave them'} out (drop=, --drop)"
    ]


def _joined(items: Sequence[str]) -> str:
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} and {items[-1]}"


def _listed(items: Sequence[str]) -> str:
    return ", ".join(items[:_SHOWN]) + (f" and {len(items) - _SHOWN} more" if len(items) > _SHOWN else "")
