"""Further columns, computed from those of the scene or unrelated to them. N rows, D columns.

Wide real tables are full of logarithms, totals, ratios, classes and flags. Their sources are their causes, and what
they share with other columns they share through these.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from foundcause.simulate.corruptions.measurement_scales import units
from foundcause.simulate.corruptions.missing_cells import LARGEST
from foundcause.simulate.corruptions.paper_artifacts import standard
from foundcause.simulate.draws import pick
from foundcause.simulate.extension import Component, corruption
from foundcause.simulate.task import Column, Draft

SMALLEST_FOR_UNRELATED = 4  # variables a task needs to hold an unrelated column and something to look at
SMALLEST_FOR_DERIVED = 3  # variables a task needs to hold two columns and one that follows from them
_MOST_DERIVED = 0.34  # of the columns that may be derived
_MOST_UNRELATED = 0.25
_ROUNDED = 0.4  # share of derived measurements that are rounded once more
_GAPS_FOLLOW = 0.8  # share of tables whose derived columns have a gap wherever a source has one
_ATTEMPTS = 8  # kinds tried before any column is cut in two
_MEASURED = 8  # distinct values from which on a column can be computed with
_MOST_CODES = 12


def _number_of_derived(rng: np.random.Generator, variables: int) -> int:
    return int(rng.integers(1, max(int(_MOST_DERIVED * variables), 1) + 1))


def _number_of_unrelated(rng: np.random.Generator, variables: int) -> int:
    return int(rng.integers(1, max(int(_MOST_UNRELATED * variables), 1) + 1))


def _may_be_derived(component: Component) -> bool:
    return component.derived


@corruption("derived", reserve=_number_of_derived, smallest=SMALLEST_FOR_DERIVED, concerns=_may_be_derived)
def add_derived(rng: np.random.Generator, draft: Draft) -> None:
    """Compute columns from others, up to a third of all."""
    draft.counts["derived"] = draft.reserved["derived"]
    draft.append(derive(rng, draft.values, draft.reserved["derived"]))


@corruption("unrelated_columns", reserve=_number_of_unrelated, smallest=SMALLEST_FOR_UNRELATED)
def add_unrelated(rng: np.random.Generator, draft: Draft) -> None:
    """Add columns that are independent of the others, up to a quarter of all."""
    draft.counts["unrelated_columns"] = draft.reserved["unrelated_columns"]
    draft.append([unrelated_column(rng, len(draft.values)) for _ in range(draft.reserved["unrelated_columns"])])


def derive(rng: np.random.Generator, values_ND: np.ndarray, count: int) -> list[Column]:
    """``count`` further columns. A later one may follow from an earlier one, whose place is behind the D columns."""
    columns = list(np.asarray(values_ND, dtype=np.float64).T)
    distinct = [_distinct(column) for column in columns]
    made_columns: list[Column] = []
    for _ in range(count):
        made_columns.append(_one(rng, columns, np.array(distinct)))
        columns.append(made_columns[-1].values.astype(np.float64))
        distinct.append(_distinct(columns[-1]))
    return made_columns


def gaps_follow(rng: np.random.Generator, observed_ND: np.ndarray, sources: dict[int, tuple[int, ...]]) -> np.ndarray:
    """The mask (N, D) where columns computed from others mostly have their gaps. Sources by position."""
    if observed_ND.all() or rng.random() >= _GAPS_FOLLOW:
        return observed_ND
    observed = observed_ND.copy()
    for position, causes in sources.items():
        observed[:, position] = observed[:, list(causes)].all(axis=1)
    return observed


def _distinct(column: np.ndarray) -> int:
    return len(np.unique(column[np.isfinite(column)]))


def _one(rng: np.random.Generator, columns: list[np.ndarray], distinct: np.ndarray) -> Column:
    for _ in range(_ATTEMPTS):
        name = pick(rng, _SHARES)
        made = _KINDS[name](rng, columns, distinct)
        if made is None:
            continue
        column, sources = made
        discrete = name in ("classes", "flag")
        if not discrete and rng.random() < _ROUNDED:
            column = _rounded(rng, column)
        if _varies(column):
            return Column(values=column.astype(np.float32), sources=sources, discrete=discrete)
    source = int(rng.integers(len(columns)))
    x = columns[source].astype(np.float32)  # as the table will show it
    return Column(values=_where(x, x >= x[np.isfinite(x)].max()), sources=(source,), discrete=True)


Made = tuple[np.ndarray, tuple[int, ...]] | None


def _logarithm(rng: np.random.Generator, columns: list[np.ndarray], distinct: np.ndarray) -> Made:
    source = _measured(rng, distinct)
    if source is None:
        return None
    x = columns[source]
    low = float(np.nanmin(x))
    if low > 0:
        return np.log(x), (source,)
    # zeros are moved a little first, and negative columns have no logarithm
    return (np.log(x + np.nanstd(x) * rng.choice([0.01, 0.1, 1.0])), (source,)) if low == 0 else None


def _power(rng: np.random.Generator, columns: list[np.ndarray], distinct: np.ndarray) -> Made:
    source = _measured(rng, distinct)
    if source is None:
        return None
    x = columns[source]
    kind = int(rng.integers(4))
    if kind == 0:
        return (np.sqrt(x), (source,)) if np.nanmin(x) >= 0 else None
    if kind == 1:
        return np.square(standard(x).astype(np.float64)), (source,)
    return (np.square(x) if kind == 2 else np.abs(x) ** 3 * np.sign(x)), (source,)


def _classes(rng: np.random.Generator, columns: list[np.ndarray], distinct: np.ndarray) -> Made:
    """Groups between quantiles, or between round numbers: of equal width."""
    source = _measured(rng, distinct)
    if source is None:
        return None
    x, number = columns[source], int(rng.integers(2, 7))
    if rng.random() < 0.5:
        cuts = np.nanquantile(x, np.sort(rng.uniform(0.05, 0.95, number - 1)))
    else:
        low, high = np.nanquantile(x, [0.02, 0.98])
        cuts = np.linspace(low, high, number + 1)[1:-1]
    return _where(x, np.searchsorted(cuts, x, side="right")), (source,)


def _derived_flag(rng: np.random.Generator, columns: list[np.ndarray], distinct: np.ndarray) -> Made:
    """One code of several, or more than some limit."""
    source = int(rng.integers(len(columns)))
    x = columns[source]
    if 3 <= distinct[source] <= _MOST_CODES:
        return _where(x, x == rng.choice(x[np.isfinite(x)])), (source,)
    if distinct[source] < _MEASURED:
        return None
    return _where(x, x > np.nanquantile(x, rng.uniform(0.03, 0.97))), (source,)


def _total(rng: np.random.Generator, columns: list[np.ndarray], distinct: np.ndarray) -> Made:
    """The sum of two to five columns of a like scale, or the mean of their standard scores."""
    candidates = np.flatnonzero(distinct >= 2)
    if candidates.size < 2:
        return None
    number = int(rng.integers(2, min(5, candidates.size) + 1))
    sources = tuple(int(k) for k in rng.choice(candidates, size=number, replace=False))
    chosen = np.column_stack([columns[k] for k in sources])
    spread = np.nanstd(chosen, axis=0)
    if spread.max() > 5.0 * spread.min() or rng.random() < 0.3:
        chosen = (chosen - np.nanmean(chosen, axis=0)) / np.maximum(spread, 1e-30)
    return chosen.sum(axis=1), sources


def _difference(rng: np.random.Generator, columns: list[np.ndarray], distinct: np.ndarray) -> Made:
    if (two := _two(rng, distinct)) is None:
        return None
    x, y = (columns[k] for k in two)
    return (x - y if rng.random() < 0.7 else standard(x) - standard(y).astype(np.float64)), two


def _product(rng: np.random.Generator, columns: list[np.ndarray], distinct: np.ndarray) -> Made:
    """A product, as of interactions, where one of the two may be a flag."""
    if (two := _two(rng, distinct, least=2)) is None:
        return None
    x, y = (columns[k] for k in two)
    return (x * y if rng.random() < 0.7 else standard(x) * standard(y).astype(np.float64)), two


def _ratio(rng: np.random.Generator, columns: list[np.ndarray], distinct: np.ndarray) -> Made:
    if (two := _two(rng, distinct)) is None:
        return None
    x, y = (columns[k] for k in two)
    if not np.nanmin(y) > 0:
        return None
    share = rng.random() >= 0.7 and np.nanmin(x) >= 0
    return (x / (x + y) if share else x / y), two


def _rescaled(rng: np.random.Generator, columns: list[np.ndarray], distinct: np.ndarray) -> Made:
    """Another unit, rounded to its own digits, or ranks."""
    source = _measured(rng, distinct)
    if source is None:
        return None
    x = columns[source]
    if rng.random() < 0.3:
        _, ranks, counts = np.unique(x, return_inverse=True, return_counts=True)
        return _where(x, (np.cumsum(counts) - 0.5 * counts)[ranks.ravel()]), (source,)
    return _rounded(rng, x * np.exp(rng.normal(0.0, 1.5)) + rng.normal(0.0, 1.0) * np.nanstd(x)), (source,)


_KINDS: dict[str, Callable[[np.random.Generator, list[np.ndarray], np.ndarray], Made]] = {
    "logarithm": _logarithm,
    "power": _power,
    "classes": _classes,
    "flag": _derived_flag,
    "total": _total,
    "difference": _difference,
    "product": _product,
    "ratio": _ratio,
    "rescaled": _rescaled,
}
_SHARES = {
    "logarithm": 0.17, "power": 0.10, "classes": 0.18, "flag": 0.18, "total": 0.15,
    "difference": 0.06, "product": 0.05, "ratio": 0.06, "rescaled": 0.05,
}  # fmt: skip


def _measured(rng: np.random.Generator, distinct: np.ndarray) -> int | None:
    candidates = np.flatnonzero(distinct >= _MEASURED)
    return int(rng.choice(candidates)) if candidates.size else None


def _two(rng: np.random.Generator, distinct: np.ndarray, least: int = _MEASURED) -> tuple[int, int] | None:
    candidates = np.flatnonzero(distinct >= least)
    if candidates.size < 2:
        return None
    first, second = rng.choice(candidates, size=2, replace=False)
    return int(first), int(second)


def _where(x: np.ndarray, column: np.ndarray) -> np.ndarray:
    """The column, with the gaps of x."""
    return np.where(np.isfinite(x), column, np.nan)


def _rounded(rng: np.random.Generator, column: np.ndarray) -> np.ndarray:
    finite = np.where(np.isfinite(column), column, np.nan)
    unit = float(units(rng, finite[:, None])[0])
    rounded = np.round(column / unit) * unit if unit > 0 else column
    return rounded if _varies(rounded) else column


def _varies(column: np.ndarray) -> bool:
    """Whether its cells differ and none is so large that it would count as lost."""
    shown = column[np.isfinite(column)].astype(np.float32)
    return shown.size > 0 and bool(shown.min() < shown.max()) and float(np.abs(shown).max()) < LARGEST


def unrelated_column(rng: np.random.Generator, rows: int) -> Column:
    """A column on its own, of at least two values."""
    discrete = rng.random() < 0.65
    kinds = _DISCRETE if discrete else _CONTINUOUS
    values = np.asarray(kinds[int(rng.integers(len(kinds)))](rng, rows), dtype=np.float32)
    if values.min() == values.max():  # of very few rows
        values[int(rng.integers(rows))] += 1.0
    return Column(values=values, discrete=discrete)


def _rare(rng: np.random.Generator, rows: int) -> np.ndarray:
    """A flag that few rows carry, often a single one."""
    carriers = int(np.exp(rng.uniform(0.0, np.log(max(0.05 * rows, 4.0)))))
    values = np.zeros(rows)
    values[rng.choice(rows, size=carriers, replace=False)] = 1.0
    return values


def _rare_codes(rng: np.random.Generator, rows: int) -> np.ndarray:
    """One usual code and several rare ones."""
    return _rare(rng, rows) * rng.integers(1, 6, size=rows)


def _flag(rng: np.random.Generator, rows: int) -> np.ndarray:
    return (rng.random(rows) < rng.uniform(0.1, 0.9)).astype(float)


def _codes(rng: np.random.Generator, rows: int) -> np.ndarray:
    levels = int(rng.integers(3, 13))
    return rng.choice(levels, size=rows, p=rng.dirichlet(np.full(levels, rng.uniform(0.5, 3.0)))).astype(float)


def _count(rng: np.random.Generator, rows: int) -> np.ndarray:
    return rng.poisson(np.exp(rng.uniform(-2.0, 4.0)), size=rows).astype(float)


def _number(rng: np.random.Generator, rows: int) -> np.ndarray:
    """Numbers of rows that were shuffled since."""
    return rng.permutation(rows) + float(rng.integers(0, 10_000))


def _zeros_and_amounts(rng: np.random.Generator, rows: int) -> np.ndarray:
    return _flag(rng, rows) * rng.lognormal(0.0, rng.uniform(0.3, 1.5), size=rows)


_DISCRETE: tuple[Callable[[np.random.Generator, int], np.ndarray], ...] = (
    _rare, _rare, _rare, _rare_codes, _flag, _codes, _count, _number,
)  # fmt: skip
_CONTINUOUS: tuple[Callable[[np.random.Generator, int], np.ndarray], ...] = (
    lambda rng, rows: rng.standard_normal(rows),
    lambda rng, rows: rng.random(rows),
    lambda rng, rows: rng.lognormal(0.0, rng.uniform(0.3, 1.5), size=rows),
    lambda rng, rows: rng.standard_t(rng.uniform(2.0, 5.0), size=rows),
    lambda rng, rows: rng.gamma(rng.uniform(0.5, 5.0), size=rows),
    _zeros_and_amounts,
)
