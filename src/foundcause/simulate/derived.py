"""Columns that people compute from others: logarithms, squares, totals, ratios, classes, flags. N rows, D columns.

Wide real tables are full of them. Their sources are their causes, and what they share with other columns they share
through these; a network that never saw them takes them for effects or causes of whatever their sources are.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from foundcause.simulate.chance import pick
from foundcause.simulate.resolution import units
from foundcause.simulate.sanitise import LARGEST
from foundcause.simulate.settings import Mishaps
from foundcause.simulate.transforms import standard

SMALLEST_FOR_DERIVED = 3  # variables a task needs to hold two columns and one that follows from them
_LARGEST_SHARE = 0.34  # of the columns that may be derived
_ROUNDED = 0.4  # share of derived measurements that are rounded once more
_GAPS_FOLLOW = 0.8  # share of tables whose derived columns have a gap wherever a source has one
_ATTEMPTS = 8  # kinds tried before any column is cut in two
_MEASURED = 8  # distinct values from which on a column can be computed with
_MOST_CODES = 12


@dataclass(frozen=True, kw_only=True)
class Derived:
    """A column (N,) computed from those at ``sources``; NaN where one of them is."""

    values: np.ndarray
    sources: tuple[int, ...]
    discrete: bool


def number_of_derived(rng: np.random.Generator, settings: Mishaps, variables: int) -> int:
    """How many of a task's columns are computed from others."""
    if variables < SMALLEST_FOR_DERIVED or not settings.derived or rng.random() >= settings.derived:
        return 0
    return int(rng.integers(1, max(int(_LARGEST_SHARE * variables), 1) + 1))


def derive(rng: np.random.Generator, values_ND: np.ndarray, count: int) -> list[Derived]:
    """``count`` further columns; a later one may follow from an earlier one, whose place is behind the D columns."""
    columns = list(np.asarray(values_ND, dtype=np.float64).T)
    distinct = [_distinct(column) for column in columns]
    found: list[Derived] = []
    for _ in range(count):
        found.append(_one(rng, columns, np.array(distinct)))
        columns.append(found[-1].values.astype(np.float64))
        distinct.append(_distinct(columns[-1]))
    return found


def gaps_follow(rng: np.random.Generator, observed_ND: np.ndarray, sources: dict[int, tuple[int, ...]]) -> np.ndarray:
    """The mask (N, D) with gaps of sources in what is computed from them, mostly; sources by place, in order."""
    if observed_ND.all() or rng.random() >= _GAPS_FOLLOW:
        return observed_ND
    observed = observed_ND.copy()
    for place, causes in sources.items():
        observed[:, place] = observed[:, list(causes)].all(axis=1)
    return observed


def _distinct(column: np.ndarray) -> int:
    return len(np.unique(column[np.isfinite(column)]))


def _one(rng: np.random.Generator, columns: list[np.ndarray], distinct: np.ndarray) -> Derived:
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
            return Derived(values=column.astype(np.float32), sources=sources, discrete=discrete)
    source = int(rng.integers(len(columns)))
    x = columns[source].astype(np.float32)  # as the table will show it
    return Derived(values=_where(x, x >= x[np.isfinite(x)].max()), sources=(source,), discrete=True)


Made = tuple[np.ndarray, tuple[int, ...]] | None


def _logarithm(rng: np.random.Generator, columns: list[np.ndarray], distinct: np.ndarray) -> Made:
    source = _measured(rng, distinct)
    if source is None:
        return None
    x = columns[source]
    low = float(np.nanmin(x))
    if low > 0:
        return np.log(x), (source,)
    # what is zero at times is moved a little first; what may be negative has no logarithm
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


def _flag(rng: np.random.Generator, columns: list[np.ndarray], distinct: np.ndarray) -> Made:
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
    "flag": _flag,
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
