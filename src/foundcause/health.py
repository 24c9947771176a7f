"""What the table, the network and the graph say about how far to trust the answer, in words.

Shapes: N rows, D columns.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

import numpy as np

from foundcause.decode.acyclic import knots
from foundcause.decode.canonical import standardised
from foundcause.evidence import FEW_TOGETHER, hardly_together, rows_together
from foundcause.laws import linear_laws, usual_range
from foundcause.neighbours import alike_in_neighbours, mean_ranks
from foundcause.one_hot import one_hot_groups

_FEW_ROWS = 100
_COLLINEAR = 0.995
_ALSO_IN_RANKS = 0.9
_EXPLAINED = 0.9999
_SAME_SUM = 0.02
_MOST_COMPARED = 500
_HEAVY_MISSING = 0.4
_UNDECIDED = 0.65
_REPEATED = 0.1
_MOSTLY_WRONG = 0.4
_FEW_EDGES = 4
_SHOWN = 5
_BORN_WITH = re.compile(
    r"((patient|person|subject|child|mother|father|customer|employee|respondent)s?'?[\s_.-])?"
    r"(age|sex|gender|race|ethnicity|birth[\s_-]?(date|day|year)|(date|year)[\s_-]of[\s_-]birth|dob|yob"
    r"|alter|geschlecht|geburts(jahr|datum)|âge|sexe|edad|sexo|età|sesso|leeftijd|geslacht|idade)([\s_.-](years?|yrs|y))?",
    re.IGNORECASE,
)


def table_warnings(
    values: np.ndarray, names: Sequence[str], *, trained_variables: int, dates: Collection[str] = ()
) -> list[str]:
    """Warnings about the active columns: values (N, D) in the order of the source, NaN for missing.

    dates: columns that hold dates; a table sorted by one of them is ordered in time.
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
    found += _missing(values, names)
    found += _apart(values, names)
    found += _repeated_rows(values)
    if rows >= 10 and variables >= 2:
        categories = one_hot_groups(values, names) if variables <= _MOST_COMPARED else []
        found += [_one_variable([names[k] for k in group]) for group in categories]
        found += _collinear(values, names, told=categories)
        found += _time_ordered(values, names, dates)
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
) -> list[str]:
    """Warnings about the graph: edge probabilities and adjacency (D, D) bool.

    threshold: what edges had to exceed; given: whether the user chose it. active: places of columns that took part.
    certain, excluded: (D, D) bool, edges that knowledge requires and forbids.
    contradicting: (D, D) bool, edges left out because together with others they contradict knowledge.
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
            f"left out although probable: {_list(pairs)}; with the edges shown, a later tier would cause an earlier "
            "one or a required path close a cycle. Tiers for more columns would tell which of the edges is wrong"
        )
    guessed = edges[adjacency if certain is None else adjacency & ~certain]
    if len(guessed) >= _FEW_EDGES and not given and guessed.mean() < _MOSTLY_WRONG:
        found.append(
            f"of the {len(guessed)} edges shown only about {guessed.sum():.0f} are expected to be true: the table says "
            "little about its graph. Look at the most probable ones, or set a higher threshold"
        )
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
    return found + _caused_though_given(adjacency if certain is None else adjacency & ~certain, names)


def _caused_though_given(guessed: np.ndarray, names: Sequence[str]) -> list[str]:
    """A hint when something is shown to cause what people are born with."""
    born = [repr(names[k]) for k in np.flatnonzero(guessed.any(axis=0)).tolist() if _BORN_WITH.fullmatch(names[k])]
    if not born:
        return []
    return [
        f"the graph has causes of {_list(born)}, which people are born with; if nothing in the table can cause it, say "
        "so (roots, --root), and other edges gain too"
    ]


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


def _missing(values: np.ndarray, names: Sequence[str]) -> list[str]:
    share = np.isnan(values).mean(axis=0) if len(values) else np.zeros(len(names))
    heavy = [f"{names[k]!r} ({share[k]:.0%})" for k in np.argsort(-share, kind="stable") if share[k] > _HEAVY_MISSING]
    if not heavy:
        return []
    return [
        f"many cells are missing in {_list(heavy)}; if whether a cell is missing depends on its value, edges are biased"
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
            said = _list([f"{names[i]!r} and {names[j]!r}" for i, j in np.argwhere(pairs)])
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


def _one_variable(categories: Sequence[str]) -> str:
    never = f"columns {_list([repr(name) for name in categories])} are never 1 in the same row"
    if len(categories) == 2:  # a man is never pregnant, and these are two variables
        return (
            f"{never}; if they are categories of one variable, an edge says no more than that: put them into one column"
        )
    return (
        f"{never}: they look like the categories of one variable, and edges among them say no more than that; "
        "put them into one column"
    )


def _collinear(values: np.ndarray, names: Sequence[str], *, told: Sequence[list[int]]) -> list[str]:
    """Groups of columns that nearly repeat each other, and columns that the others determine.

    told: groups of columns whose relation is told already.
    """
    rows, variables = values.shape
    if variables > _MOST_COMPARED:
        return []
    scaled = np.nan_to_num(standardised(values))
    correlation = scaled.T @ scaled / rows
    close = np.abs(correlation) > _COLLINEAR
    np.fill_diagonal(close, False)
    for i, j in np.argwhere(np.triu(close)):
        # A few far values that two columns share, such as codes for missing, do not make them the same.
        ranks = np.corrcoef(mean_ranks(scaled[:, i]), mean_ranks(scaled[:, j]))[0, 1]
        close[i, j] = close[j, i] = abs(ranks) > _ALSO_IN_RANKS
    found = []
    for group in knots(close):
        if any(set(group.tolist()) <= set(known) for known in told):
            continue
        found.append(
            f"columns {_list([repr(names[k]) for k in group])} are nearly the same; "
            "edges among them and to others may be swapped"
        )
    if rows > 2 * variables:
        inside = {k for group in knots(close) for k in group}
        for places in linear_laws(scaled, explained=_EXPLAINED, apart=inside):
            columns = _list([repr(names[k]) for k in places])
            if any(set(places) <= set(known) for known in told):
                continue
            if _same_sum(values[:, places]):
                found.append(
                    f"columns {columns} add up to the same in every row: where one is larger, others must be smaller, "
                    "so edges among them are forced by the sum, also without one of them"
                )
            else:
                found.append(f"the other columns determine {columns} almost exactly (a sum or a ratio?); drop one")
    return found


def _same_sum(values: np.ndarray) -> bool:
    """Whether two or more columns, such as shares, add up to a constant; rounded ones do so nearly."""
    whole = values[~np.isnan(values).any(axis=1)]
    if values.shape[1] < 2 or len(whole) < 2:
        return False
    whole = whole / max(np.abs(whole).max(), np.finfo(float).tiny)  # sums of huge numbers overflow
    return bool(usual_range(whole.sum(axis=1)) <= _SAME_SUM * max(map(usual_range, whole.T)))


def _time_ordered(values: np.ndarray, names: Sequence[str], dates: Collection[str]) -> list[str]:
    """Neighbouring rows that resemble each other: rows are then not independent."""
    timed = [k for k, name in enumerate(names) if name in dates]
    alike = [repr(names[k]) for k in alike_in_neighbours(values, dates=timed)]
    if len(alike) < 2 and len(alike) < values.shape[1] / 2:
        return []
    return [
        f"neighbouring rows resemble each other in {_list(alike)}: the rows look ordered in time (or grouped), "
        "while the method takes them as independent; common trends then look like edges or hidden common causes"
    ]


def _list(items: Sequence[str]) -> str:
    return ", ".join(items[:_SHOWN]) + (f" and {len(items) - _SHOWN} more" if len(items) > _SHOWN else "")
