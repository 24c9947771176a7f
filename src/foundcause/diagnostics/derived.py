"""Columns that are computed from others, in words: groups of ages, logarithms, products. Shapes: N rows, D columns."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from foundcause.data.table import Column
from foundcause.diagnostics.functions import Function, functions, products, twin_groups
from foundcause.diagnostics.wording import grouped, listed, together

_LEAVE_OUT = "leave one of them out (drop=, --drop)"
_LEAVE_OUT_EACH = "leave one of each out (drop=, --drop)"


def derived_warnings(values: np.ndarray, columns: Sequence[Column]) -> list[str]:
    """Warnings about columns of (N, D) values that others determine; relations of one kind are told at once."""
    names = [column.name for column in columns]
    pairs = functions(values)
    return [
        *_twins(pairs, names),
        *_functions([pair for pair in pairs if pair.relation == "function"], names),
        *_products(products(values), names),
    ]


def _twins(pairs: Sequence[Function], names: Sequence[str]) -> list[str]:
    groups = [together([names[k] for k in group]) for group in twin_groups(pairs, len(names))]
    why = "as a number and its logarithm do"
    blurred = "what is said of one may belong to the other"
    if len(groups) == 1:
        return [f"columns {groups[0]} rise or fall together without exception, {why}: {blurred}; {_LEAVE_OUT}"]
    if groups:
        return [
            f"some columns rise or fall together without exception, {why} ({grouped(groups)}): {blurred}; "
            f"{_LEAVE_OUT_EACH}"
        ]
    return []


def _functions(pairs: Sequence[Function], names: Sequence[str]) -> list[str]:
    """Columns with the same makers are told together."""
    makers: dict[int, tuple[int, ...]] = {}
    for pair in pairs:
        makers[pair.place] = (*makers.get(pair.place, ()), pair.of)
    made: dict[tuple[int, ...], list[str]] = {}
    for place, of in makers.items():
        made.setdefault(of, []).append(names[place])
    swapped = "edges at them may be swapped"
    if len(made) == 1:
        ((of, places),) = made.items()
        sources = listed([repr(names[k]) for k in of])
        one = len(places) == 1
        return [
            f"column{'' if one else 's'} {together(places)} {'is a function' if one else 'are functions'} of "
            f"{sources}, each value of which goes with one value of {'it' if one else 'them'}: {swapped}; {_LEAVE_OUT}"
        ]
    if made:
        groups = [f"{together(places)} of {listed([repr(names[k]) for k in of])}" for of, places in made.items()]
        return [
            f"some columns are functions of others, each value of which goes with one value of them "
            f"({grouped(groups)}): {swapped}; {_LEAVE_OUT_EACH}"
        ]
    return []


def _products(laws: Sequence[list[int]], names: Sequence[str]) -> list[str]:
    return [
        f"columns {listed([repr(names[k]) for k in law])} are a product or ratio: each is determined by the others, "
        f"and edges among them say no more than that; {_LEAVE_OUT}"
        for law in laws
    ]
