"""Findings about columns that others determine: copies, logarithms, sums, products, categories in several columns.

Shapes: N rows, D columns. NaN is a missing cell. Groups are lists of column indices.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from foundcause.data.copies import mean_ranks
from foundcause.data.one_hot import one_hot_groups
from foundcause.diagnostics.exact_relations import linear_relations, pair_correlations, usual_range
from foundcause.diagnostics.functions import Function, functions, products, twin_groups
from foundcause.diagnostics.rows_and_cells import rows_that_differ
from foundcause.findings import Finding, Fix
from foundcause.inference.acyclicity import strongly_connected

_LEAST_ROWS = 10
_MOST_COMPARED = 500
_COLLINEAR = 0.995
_ALSO_IN_RANKS = 0.9
_EXPLAINED = 0.9999
_SAME_SUM = 0.02


def relation_findings(values: np.ndarray, names: Sequence[str]) -> list[Finding]:
    """Report columns that others determine, each relation once.

    Parameters
    ----------
    values : ndarray of shape (N, D)
        Columns that take part, without exact copies: the reader reports those.
    names : sequence of str

    Returns
    -------
    list of Finding
    """
    rows, variables = values.shape
    if rows < _LEAST_ROWS or not 2 <= variables <= _MOST_COMPARED:
        return []
    exclusive, pairs = one_hot_groups(values, names), functions(values)
    twins = twin_groups(pairs, variables)
    return [
        *_linear(values, names, reported=[*exclusive, *twins]),
        *_exclusive(exclusive, names),
        *([_of_groups("monotone-copy", twins, names)] if twins else []),
        *_functions(pairs, names),
        *(_product(group, names) for group in products(values)),
    ]


def _linear(values: np.ndarray, names: Sequence[str], *, reported: Sequence[list[int]]) -> list[Finding]:
    """Near copies, sums and constant sums, without what is reported as another relation."""

    def is_new(group: list[int]) -> bool:
        return not any(set(group) <= set(other) for other in reported)

    near = [group.tolist() for group in strongly_connected(_near_copies(values))]
    found = [_of_groups("near-copy", new, names)] if (new := list(filter(is_new, near))) else []
    near_copies = {k for group in near for k in group}
    for group in filter(is_new, linear_relations(values, explained=_EXPLAINED, without=near_copies)):
        columns = [names[k] for k in group]
        if _has_constant_sum(values[:, group]):  # leaving one out does not help: the others still compete
            found.append(Finding(code="constant-sum", columns=columns))
        else:
            found.append(Finding(code="exact-relation", columns=columns, fix=_drop(columns[-1:])))
    return found


def _near_copies(values: np.ndarray) -> np.ndarray:
    """(D, D) bool, pairs of columns."""
    close = np.abs(pair_correlations(values)) > _COLLINEAR
    np.fill_diagonal(close, False)
    for i, j in np.argwhere(np.triu(close)):
        both = values[~np.isnan(values[:, [i, j]]).any(axis=1)][:, [i, j]]
        # A few outliers that two columns share, such as codes for missing, do not make them copies.
        ranks = np.corrcoef(mean_ranks(both[:, 0]), mean_ranks(both[:, 1]))[0, 1]
        # Nor does a single case that is the only one to differ among the rows that show both.
        few = len(both) < len(values) and any(rows_that_differ(column) for column in both.T)
        close[i, j] = close[j, i] = abs(ranks) > _ALSO_IN_RANKS and not few
    return close


def _has_constant_sum(values: np.ndarray) -> bool:
    """Whether two or more columns, such as shares, add up to a constant. Rounded ones nearly do."""
    complete = values[~np.isnan(values).any(axis=1)]
    if values.shape[1] < 2 or len(complete) < 2:
        return False
    complete = complete / max(np.abs(complete).max(), np.finfo(float).tiny)  # sums of huge numbers overflow
    return bool(usual_range(complete.sum(axis=1)) <= _SAME_SUM * max(map(usual_range, complete.T)))


def _exclusive(groups: Sequence[list[int]], names: Sequence[str]) -> list[Finding]:
    """Columns of 0 and 1 that exclude each other. Two may do so by nature: a man is never pregnant."""
    found = []
    for code, chosen in (
        ("one-hot-columns", [group for group in groups if len(group) > 2]),
        ("exclusive-columns", [group for group in groups if len(group) == 2]),
    ):
        if chosen:
            named = [[names[k] for k in group] for group in chosen]
            found.append(Finding(code=code, columns=_flat(named), details={"groups": named}))
    return found


def _functions(pairs: Sequence[Function], names: Sequence[str]) -> list[Finding]:
    """Columns that are functions of others, those with the same sources together."""
    sources: dict[int, tuple[int, ...]] = {}
    for pair in pairs:
        if pair.relation == "function":
            sources[pair.column] = (*sources.get(pair.column, ()), pair.of)
    groups: dict[tuple[int, ...], list[str]] = {}
    for column, of in sources.items():
        groups.setdefault(of, []).append(names[column])
    if not groups:
        return []
    details = {"groups": [{"columns": columns, "of": [names[k] for k in of]} for of, columns in groups.items()]}
    columns = _flat(groups.values())
    return [Finding(code="function-of-columns", columns=columns, details=details, fix=_drop(columns))]


def _product(group: list[int], names: Sequence[str]) -> Finding:
    columns = [names[k] for k in group]
    return Finding(code="product-of-columns", columns=columns, fix=_drop(columns[-1:]))


def _of_groups(code: str, groups: Iterable[Sequence[int]], names: Sequence[str]) -> Finding:
    """One finding about groups of equivalent columns. Its fix keeps the first of each."""
    named = [[names[k] for k in group] for group in groups]
    surplus = [name for group in named for name in group[1:]]
    return Finding(code=code, columns=_flat(named), details={"groups": named}, fix=_drop(surplus))


def _drop(columns: Sequence[str]) -> Fix:
    return Fix(section="read", option="drop", values=tuple(columns))


def _flat(groups: Iterable[Sequence[str]]) -> list[str]:
    return [name for group in groups for name in group]
