"""What the table, the network and the graph say about how far to trust the answer, in words.

Shapes: N rows, D columns.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from foundcause.decode.acyclic import knots
from foundcause.decode.canonical import standardised

_FEW_ROWS = 100
_COLLINEAR = 0.995
_ALSO_IN_RANKS = 0.9
_EXPLAINED = 0.9999
_HEAVY_MISSING = 0.4
_LEAST_AUTOCORRELATION = 0.25
_UNDECIDED = 0.65
_REPEATED = 0.1
_SHOWN = 5


def table_warnings(values: np.ndarray, names: Sequence[str], *, trained_variables: int) -> list[str]:
    """Warnings about the active columns: values (N, D) in the order of the source, NaN for missing."""
    found: list[str] = []
    rows, variables = values.shape
    if rows < _FEW_ROWS:
        found.append(f"there are only {rows} rows; with fewer than {_FEW_ROWS}, weak edges are missed and many guessed")
    if variables > trained_variables:
        found.append(
            f"there are {variables} columns, more than the {trained_variables} the network was trained for; "
            "the ranking of edges holds better than their probabilities"
        )
    found += _missing(values, names)
    found += _repeated_rows(values)
    if rows >= 10 and variables >= 2:
        scaled = np.nan_to_num(standardised(values))
        found += _collinear(scaled, names)
        found += _time_ordered(values, names)
    return found


def graph_warnings(
    edges: np.ndarray,
    adjacency: np.ndarray,
    names: Sequence[str],
    *,
    certain: np.ndarray | None = None,
    threshold: float | None = None,
) -> list[str]:
    """Warnings about the graph: edge probabilities and adjacency (D, D).

    certain: edges that come from knowledge. threshold: the user's own, if any.
    """
    found: list[str] = []
    if not adjacency.any() and len(names) > 1 and threshold is not None:
        found.append(f"no edge reaches the threshold of {threshold:g}; the most probable one has {edges.max():.2f}")
    elif not adjacency.any() and len(names) > 1:
        found.append("no edge is probable enough to be shown; the columns may be independent or the rows too few")
    share = edges / np.maximum(edges + edges.T, 1e-300)
    undecided = adjacency & (share < _UNDECIDED)
    if certain is not None:
        undecided &= ~certain
    pairs = [f"{names[i]} -> {names[j]}" for i, j in np.argwhere(undecided)]
    if pairs:
        found.append(
            f"the direction of {len(pairs)} edge{'s' if len(pairs) > 1 else ''} is undecided: {_list(pairs)}; "
            "background knowledge (tiers) would settle it"
        )
    return found


def _missing(values: np.ndarray, names: Sequence[str]) -> list[str]:
    share = np.isnan(values).mean(axis=0) if len(values) else np.zeros(len(names))
    heavy = [f"{names[k]!r} ({share[k]:.0%})" for k in np.argsort(-share, kind="stable") if share[k] > _HEAVY_MISSING]
    if not heavy:
        return []
    return [
        f"many cells are missing in {_list(heavy)}; if whether a cell is missing depends on its value, edges are biased"
    ]


def _repeated_rows(values: np.ndarray) -> list[str]:
    """Rows that repeat others although they hold values (two or more) that no different row holds.

    Rows of few discrete columns, or of each column's usual value, repeat by nature.
    """
    rows, variables = values.shape
    if rows < 2 or variables < 2:
        return []
    cells = np.ascontiguousarray(values + 0.0)  # one bit pattern for zero, as -0.0 + 0.0 is 0.0
    cells[np.isnan(cells)] = np.nan
    _, first, counts = np.unique(
        cells.view(np.dtype((np.void, cells.itemsize * variables))).ravel(), return_index=True, return_counts=True
    )
    own = np.zeros(len(first), dtype=int)
    for column in cells[first].T:
        _, place, holders = np.unique(column, return_inverse=True, return_counts=True)
        usual = np.argmax(np.bincount(place, weights=counts))
        own += (holders[place] == 1) & (place != usual) & ~np.isnan(column)
    repeats = counts - 1
    if repeats[own >= 2].sum() < _REPEATED * rows:
        return []
    return [
        f"{int(repeats.sum()):,} of {rows:,} rows repeat others exactly, which measurements hardly do: the table "
        f"says as much as its {len(first):,} different rows, and probabilities are too sure; remove copied rows"
    ]


def _collinear(scaled: np.ndarray, names: Sequence[str]) -> list[str]:
    """Groups of columns that nearly repeat each other, and columns that the others determine."""
    rows, variables = scaled.shape
    if variables > 500:
        return []
    correlation = scaled.T @ scaled / rows
    close = np.abs(correlation) > _COLLINEAR
    np.fill_diagonal(close, False)
    for i, j in np.argwhere(np.triu(close)):
        # A few far values that two columns share, such as codes for missing, do not make them the same.
        ranks = np.corrcoef(_ranks(scaled[:, i]), _ranks(scaled[:, j]))[0, 1]
        close[i, j] = close[j, i] = abs(ranks) > _ALSO_IN_RANKS
    found = []
    for group in knots(close):
        found.append(
            f"columns {_list([repr(names[k]) for k in group])} are nearly the same; "
            "edges among them and to others may be swapped"
        )
    if rows > 2 * variables:
        inside = {k for group in knots(close) for k in group}
        precision = np.diag(np.linalg.pinv(correlation + 1e-9 * np.eye(variables), hermitian=True))
        determined = [
            repr(names[k]) for k in range(variables) if precision[k] > 1 / (1 - _EXPLAINED) and k not in inside
        ]
        if determined:
            found.append(
                f"the other columns determine {_list(determined)} almost exactly (a sum or a ratio?); drop one"
            )
    return found


def _time_ordered(values: np.ndarray, names: Sequence[str]) -> list[str]:
    """Neighbouring rows that resemble each other: rows are then not independent."""
    rows = len(values)
    if rows < 30:
        return []
    resembling = []
    for k in range(values.shape[1]):
        column = values[:, k]
        steps = np.diff(column)
        steps = steps[~np.isnan(steps)]
        if len(steps) and ((steps >= 0).all() or (steps <= 0).all()):
            continue  # a sorted column says how the table was sorted, not that time passes
        left, right = column[:-1], column[1:]
        both = ~np.isnan(left) & ~np.isnan(right)
        if both.sum() < 30:
            continue
        left, right = _ranks(left[both]), _ranks(right[both])
        if left.std() == 0 or right.std() == 0:
            continue
        correlation = float(np.corrcoef(left, right)[0, 1])
        if abs(correlation) > max(_LEAST_AUTOCORRELATION, 4 / np.sqrt(both.sum())):
            resembling.append(repr(names[k]))
    if len(resembling) < 2 and len(resembling) < values.shape[1] / 2:
        return []
    return [
        f"neighbouring rows resemble each other in {_list(resembling)}: the rows look ordered in time (or grouped), "
        "while the method takes them as independent; common trends then look like edges or hidden common causes"
    ]


def _ranks(values: np.ndarray) -> np.ndarray:
    """Ranks with ties sharing their mean rank."""
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    return (ends - (counts - 1) / 2)[place]


def _list(items: Sequence[str]) -> str:
    return ", ".join(items[:_SHOWN]) + (f" and {len(items) - _SHOWN} more" if len(items) > _SHOWN else "")
