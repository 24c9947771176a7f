"""What the table, the network and the graph say about how far to trust the answer, in words.

Shapes: N rows, D columns.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from foundcause.data.copies import first_of_copies
from foundcause.data.one_hot import one_hot_groups
from foundcause.diagnostics.backward import backward_warnings
from foundcause.diagnostics.given import given_warnings
from foundcause.diagnostics.linear import linear_warnings
from foundcause.diagnostics.wording import listed
from foundcause.features.series import autocorrelated_columns
from foundcause.report.evidence import FEW_TOGETHER, hardly_together, rows_together

_FEW_ROWS = 100
_MOST_COMPARED = 500
_SOME_MISSING, _HEAVY_MISSING = 0.1, 0.4
_UNDECIDED = 0.65
_REPEATED = 0.1
_MOSTLY_WRONG = 0.4
_FEW_EDGES = 4
_DRIFTING = 10  # times as many rows as they are worth


def table_warnings(
    values: np.ndarray,
    names: Sequence[str],
    *,
    trained_variables: int,
    dates: Collection[str] = (),
    worth: int | None = None,
    order: int = 0,
    fills_gaps: bool | None = None,
) -> list[str]:
    """Warnings about the active columns: values (N, D) in the order of the source, NaN for missing.

    dates: columns that hold dates; a table sorted by one of them is ordered in time.
    worth: as how many independent rows the table is read (``foundcause.features.series``); None for all of them.
    order: how the order of the rows of a series is read: +1 the first row is the oldest, -1 the last, 0 not at all.
    fills_gaps: whether most passes fill gaps from similar rows; None when that is not known.

    Copies of a column are told where the table is read, and nothing is said of a copy that is said of the first.
    """
    found: list[str] = []
    rows, variables = values.shape
    if rows < _FEW_ROWS:
        found.append(f"there are only {rows} rows; with fewer than {_FEW_ROWS}, weak edges are missed and many guessed")
    if variables > trained_variables:
        found.append(
            f"there are {variables} columns, more than the {trained_variables} the network was trained for; "
            "the ranking of edges holds better than their probabilities"
        )
    found += _missing(values, names, fills_gaps)
    first = first_of_copies(values, names)
    values, names = values[:, first], [names[k] for k in first]
    found += _apart(values, names)
    found += _repeated_rows(values)
    if rows >= 10 and 2 <= variables <= _MOST_COMPARED:
        found += linear_warnings(values, names, told=one_hot_groups(values, names))
    if rows >= 10 and variables >= 2:
        found += _time_ordered(values, names, dates, rows if worth is None else worth, order)
    return found


def graph_warnings(
    edges: np.ndarray,
    adjacency: np.ndarray,
    names: Sequence[str],
    *,
    threshold: float,
    given: bool = False,
    active: np.ndarray | None = None,
    certain: np.ndarray | None = None,
    excluded: np.ndarray | None = None,
    contradicting: np.ndarray | None = None,
    levels: Sequence[int] | None = None,
) -> list[str]:
    """Warnings about the graph: edge probabilities and adjacency (D, D) bool.

    threshold: what edges had to exceed; given: whether the user chose it. active: places of columns that took part.
    certain, excluded: (D, D) bool, edges that knowledge requires and forbids.
    contradicting: (D, D) bool, edges left out because together with others they contradict knowledge.
    levels: how many different values each column has; None when that is not known.
    """
    found: list[str] = []
    part = np.arange(len(names)) if active is None else active
    if not adjacency.any() and len(part) > 1:
        inside = np.ix_(part, part)
        forbidden = None if excluded is None else excluded[inside]
        some = [names[k] for k in part.tolist()]
        found.append(_why_empty(edges[inside], some, threshold=threshold, given=given, excluded=forbidden))
    if contradicting is not None and contradicting.any():
        pairs = [f"{names[i]} -> {names[j]}" for i, j in np.argwhere(contradicting)]
        found.append(
            f"left out although probable: {listed(pairs)}; with the edges shown, a later tier would cause an earlier "
            "one or a required path close a cycle. Tiers for more columns would tell which of the edges is wrong"
        )
    shown = adjacency if certain is None else adjacency & ~certain
    guessed = edges[shown]
    if len(guessed) >= _FEW_EDGES and guessed.mean() < _MOSTLY_WRONG:
        true = round(float(guessed.sum()))
        expected = {0: "hardly one is", 1: "only about one is"}.get(true, f"only about {true} are")
        why = f"the threshold of {threshold:g} is low" if given else "the table says little about its graph"
        found.append(
            f"of the {len(guessed)} edges shown {expected} expected to be true: {why}. Look at the most probable ones, "
            "or set a higher threshold"
        )
    share = edges / np.maximum(edges + edges.T, 1e-300)
    undecided = adjacency & (share < _UNDECIDED)
    if certain is not None:
        undecided &= ~certain
    pairs = [f"{names[i]} -> {names[j]}" for i, j in np.argwhere(undecided)]
    if pairs:
        found.append(
            f"the direction of {len(pairs)} edge{'s' if len(pairs) > 1 else ''} is undecided: {listed(pairs)}; "
            "background knowledge (tiers) would settle it"
        )
    return [*found, *given_warnings(shown, names, levels=levels), *backward_warnings(shown, names)]


def _why_empty(
    edges: np.ndarray, names: Sequence[str], *, threshold: float, given: bool, excluded: np.ndarray | None
) -> str:
    """Why no edge is shown."""
    forbidden = np.eye(len(names), dtype=bool) if excluded is None else excluded | np.eye(len(names), dtype=bool)
    if forbidden.all():
        return "no edge is shown because your knowledge forbids every one"
    i, j = divmod(int(np.argmax(edges)), len(names))
    if edges[i, j] > threshold:
        return (
            f"no edge is shown: the most probable one, {names[i]} -> {names[j]} ({edges[i, j]:.2f}), stood in fewer "
            "than half of the passes, so it depends on which rows are looked at; more rows would help"
        )
    if given:
        exact = str(float(edges[i, j]))
        best = next((text for digits in range(2, 9) if float(text := f"{edges[i, j]:.{digits}f}") < threshold), exact)
        return f"no edge exceeds the threshold of {threshold:g}; the most probable one has {best}"
    if (forbidden & forbidden.T & ~np.eye(len(names), dtype=bool)).any():
        return "no edge that your knowledge allows is probable enough to be shown"
    return "no edge is probable enough to be shown; the columns may be independent or the rows too few"


def _missing(values: np.ndarray, names: Sequence[str], fills_gaps: bool | None) -> list[str]:
    share = np.isnan(values).mean(axis=0) if len(values) else np.zeros(len(names))
    gappy = [k for k in np.argsort(-share, kind="stable").tolist() if share[k] > _SOME_MISSING]
    if not gappy:
        return []
    one = len(gappy) == 1
    shown = listed([f"{names[k]!r} ({share[k]:.0%})" for k in gappy])
    where = shown if one else f"{len(gappy)} columns, {shown}"
    done = "" if fills_gaps is None else "each pair is judged by the rows that show both, and "
    if fills_gaps:
        done = "gaps were filled from similar rows in most passes, and "
    biased = "; if whether a cell is missing depends on its value, they are biased"
    return [
        f"more than a tenth of the cells is missing in {where}: {done}edges at {'it' if one else 'them'} are less "
        f"certain{biased if share.max() > _HEAVY_MISSING else ''}"
    ]


def _apart(values: np.ndarray, names: Sequence[str]) -> list[str]:
    """Pairs of columns that are never, or hardly ever, observed in the same row."""
    if not np.isnan(values).any():
        return []
    together = rows_together(values)
    rare = np.triu(hardly_together(together, len(values)), 1)
    rest = "what is said of them rests on the other columns"
    if len(names) == 2:
        rest = "the table cannot say how they are related"
    found = []
    for pairs, how in (
        (rare & (together == 0), "never observed together"),
        (rare & (together > 0), f"observed together in fewer than {FEW_TOGETHER} rows"),
    ):
        if pairs.any():
            said = listed([f"{names[i]!r} and {names[j]!r}" for i, j in np.argwhere(pairs)])
            found.append(f"{said} are {how}: {rest}")
    return found


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


def _time_ordered(
    values: np.ndarray, names: Sequence[str], dates: Collection[str], worth: int, order: int
) -> list[str]:
    """Neighbouring rows that resemble each other: rows are then not independent."""
    rows = len(values)
    read_as = f"the {rows:,} rows are read as {worth:,}, which is about what they are worth"
    if order:
        read_as += f", and their order is taken for time, the {'first' if order > 0 else 'last'} row being the oldest"
    elif rows > _DRIFTING * worth:
        read_as += " (they drift: changes from row to row may tell more)"
    timed = [k for k, name in enumerate(names) if name in dates]
    alike = [repr(names[k]) for k in autocorrelated_columns(values, dates=timed)]
    if len(alike) < 2 and len(alike) < values.shape[1] / 2:
        if worth == rows:
            return []
        return [f"neighbouring rows resemble each other, as if ordered in time (or grouped): {read_as}"]
    return [
        f"neighbouring rows resemble each other in {listed(alike)}: the rows look ordered in time (or grouped), "
        "while the method takes them as independent"
        + (f", so {read_as}" if worth < rows else "")
        + "; common trends may still look like edges or hidden common causes"
    ]
