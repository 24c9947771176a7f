"""How measurements are written down: on scales of their own, in classes, rounded, with floors. N rows, D columns.

Whether a table holds a speed or the time for a mile, a concentration or its logarithm, is habit, not cause. A network
that only ever sees the scale on which a law is simple reads directions from the shapes of single columns. Hardly any
real column is free of ties either: people count, instruments have digits, and detection has a limit.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.stats import rankdata

from foundcause.simulate.corruptions.paper_artifacts import detect_discrete
from foundcause.simulate.extension import Component, corruption
from foundcause.simulate.settings import Resolution
from foundcause.simulate.task import Draft

_LEAST_SCALED = 25  # a column with fewer distinct values holds classes or counts, whose scale is given
_SHARE = (0.1, 0.8)  # of the measurements of a table that are put in classes
_LEAST_CLASSED = 16  # a column with fewer distinct ones holds classes already
_FEWEST_ROWS = 2  # outside the largest class
LEVELS = ((3.0, 15.0, 0.12), (15.0, 250.0, 0.4), (100.0, 5e4, 0.48))
"""Units within five standard deviations (from, to, share): few classes, whole numbers, the digits of an instrument."""
_ALIKE = 0.4  # share of columns that are written like the first one of their table
_ROUNDED = 0.92  # share of the columns of a table that is rounded at all
_DEEPEST = 0.6  # share of the rows that lie on a floor, at most


def _not_written_yet(component: Component) -> bool:
    return not component.as_written


@corruption("scales")
def scales(rng: np.random.Generator, draft: Draft) -> None:
    """Put measurements on scales of their own."""
    draft.values, draft.counts["scales"] = rescale(rng, draft.values, draft.discrete)


@corruption("classes", concerns=_not_written_yet)
def classes(rng: np.random.Generator, draft: Draft) -> None:
    """Put measurements in classes: over a limit or not, brackets, steps. What was measured goes on to cause."""
    draft.values, draft.discrete, draft.counts["classes"] = put_in_classes(rng, draft.values, draft.discrete)


@corruption("resolution", always=True)
def resolution(rng: np.random.Generator, draft: Draft) -> None:
    """Round measurements and give some a floor. Columns that come as written only where their scale is new."""
    if draft.counts.get("scales") or not draft.component.as_written:
        draft.values, names = write_down(rng, draft.mixture.resolution, draft.values, draft.discrete)
        draft.applied = draft.applied + names


def rescale(rng: np.random.Generator, values_ND: np.ndarray, discrete_D: np.ndarray) -> tuple[np.ndarray, int]:
    """The table with measurements on other scales, each rising with the old, and their number.

    discrete_D: columns of codes or counts, which stay as they are. The shape of a new scale is drawn without regard to
    anything else. Ties and gaps stay.
    """
    values, share, changed = np.array(values_ND), rng.uniform(0.4, 1.3), 0
    for k in np.flatnonzero(~discrete_D & (rng.random(len(discrete_D)) < share)):
        finite = np.isfinite(values[:, k])
        column = values[finite, k]
        if len(np.unique(column)) < _LEAST_SCALED:
            continue
        shape = np.sort(SHAPES[int(rng.integers(len(SHAPES)))](rng, len(column)))
        values[finite, k] = _at_ranks(shape, rankdata(column))
        changed += 1
    return values, changed


def _at_ranks(sorted_N: np.ndarray, ranks: np.ndarray) -> np.ndarray:
    """Values at ranks from 1 to N. Half ranks, of ties, lie between two."""
    below = ranks.astype(int)
    values = sorted_N[below - 1]
    tied = np.flatnonzero(below < ranks)
    if tied.size:
        values[tied] = np.interp(ranks[tied], np.arange(1, len(sorted_N) + 1), sorted_N)
    return values


def _humps(rng: np.random.Generator, rows: int) -> np.ndarray:
    """Two or three groups."""
    number = int(rng.integers(2, 4))
    group = rng.choice(number, size=rows, p=rng.dirichlet(np.full(number, 3.0)))
    middles, widths = rng.normal(0.0, 2.0, number), np.exp(rng.normal(0.0, 0.4, number))
    return middles[group] + widths[group] * rng.standard_normal(rows)


def _form(rng: np.random.Generator, low: float, high: float) -> float:
    return float(np.exp(rng.uniform(np.log(low), np.log(high))))


SHAPES: tuple[Callable[[np.random.Generator, int], np.ndarray], ...] = (
    lambda rng, rows: rng.standard_normal(rows),
    lambda rng, rows: rng.random(rows),
    lambda rng, rows: rng.gamma(_form(rng, 0.6, 8.0), size=rows),
    lambda rng, rows: -rng.gamma(_form(rng, 0.6, 8.0), size=rows),
    lambda rng, rows: rng.lognormal(0.0, rng.uniform(0.3, 1.3), size=rows),
    lambda rng, rows: rng.beta(_form(rng, 0.5, 5.0), _form(rng, 0.5, 5.0), size=rows),
    lambda rng, rows: rng.standard_t(rng.uniform(3.0, 10.0), size=rows),
    _humps,
)
"""Distributions of a column: (rng, N) to (N,)."""


def put_in_classes(
    rng: np.random.Generator, values_ND: np.ndarray, discrete_D: np.ndarray
) -> tuple[np.ndarray, np.ndarray, int]:
    """The table, which columns are discrete now (D,), and how many were put in classes."""
    values, discrete, changed = np.array(values_ND), discrete_D.copy(), 0
    for k in np.flatnonzero(~discrete_D & (rng.random(len(discrete_D)) < rng.uniform(*_SHARE))):
        finite = np.isfinite(values[:, k])
        column = values[finite, k]
        if len(np.unique(column)) < _LEAST_CLASSED:
            continue
        codes = _KINDS[int(rng.choice(len(_KINDS), p=_OFTEN))](rng, column)
        if len(codes) - np.unique(codes, return_counts=True)[1].max() >= _FEWEST_ROWS:
            values[finite, k], discrete[k] = codes, True
            changed += 1
    return values, discrete, changed


def _limit(rng: np.random.Generator, column_N: np.ndarray) -> np.ndarray:
    """Whether it lies above a limit, which few may pass."""
    return (column_N > np.quantile(column_N, rng.beta(1.3, 1.3))).astype(float)


def _brackets(rng: np.random.Generator, column_N: np.ndarray) -> np.ndarray:
    """3 to 9 classes of uneven numbers of rows."""
    shares = np.cumsum(rng.dirichlet(np.full(int(rng.integers(3, 10)), 3.0)))[:-1]
    return np.searchsorted(np.quantile(column_N, shares), column_N).astype(float)


def _steps(rng: np.random.Generator, column_N: np.ndarray) -> np.ndarray:
    """Classes as wide as each other, the outer ones open: 4 to 20 within the usual range."""
    low, high = np.quantile(column_N, [0.02, 0.98])
    unit = max(high - low, 1e-30) / rng.integers(4, 21)
    return np.floor((np.clip(column_N, low, high) - low) / unit)


_KINDS = (_limit, _brackets, _steps)
_OFTEN = (0.4, 0.3, 0.3)


def write_down(
    rng: np.random.Generator, settings: Resolution, values_ND: np.ndarray, discrete_D: np.ndarray
) -> tuple[np.ndarray, list[str]]:
    """The table with columns in whole units and some with a floor, and the names of what was done.

    discrete_D: columns of codes or counts, which stay as they are, as do columns of whole numbers. A change that would
    leave a column constant is not made.
    """
    if not (settings.rounding or settings.floors):
        return values_ND, []
    rounding, floors = rng.random() < settings.rounding, rng.random() < settings.floors
    free_D = np.flatnonzero(~(discrete_D | detect_discrete(values_ND)))
    if not (rounding or floors) or free_D.size == 0:
        return values_ND, []
    values = np.array(values_ND)
    if floors:
        for k in free_D[rng.random(free_D.size) < settings.floor_share]:
            _keep(values, int(k), floored(rng, values[:, k]))
    if rounding:
        unit = units(rng, values[:, free_D])
        for k, one in zip(free_D, unit, strict=True):
            if one > 0:
                _keep(values, int(k), np.round(values[:, k] / one) * one)
    return values, ["floors"] * floors + ["resolution"] * rounding


def units(rng: np.random.Generator, values_ND: np.ndarray) -> np.ndarray:
    """(D,) the unit of each column, 0 for one that is not rounded. A table of counts has more of them."""
    columns = values_ND.shape[1]
    lows, highs, shares = np.array(LEVELS).T
    kinds = rng.choice(np.arange(len(LEVELS)), size=columns, p=shares)
    kinds = np.where(rng.random(columns) < _ALIKE, kinds[0], kinds)
    low, high = np.log(lows[kinds]), np.log(highs[kinds])
    unit = 5.0 * np.nanstd(values_ND, axis=0) / np.exp(rng.uniform(low, high))
    return np.where((rng.random(columns) < _ROUNDED) & np.isfinite(unit), unit, 0.0)


def floored(rng: np.random.Generator, column_N: np.ndarray) -> np.ndarray:
    """(N,) values cut from below: none, not at all, below the limit of detection."""
    return np.maximum(column_N, np.nanquantile(column_N, _DEEPEST * rng.random() ** 1.5))


def _keep(values_ND: np.ndarray, k: int, changed_N: np.ndarray) -> None:
    if np.nanmin(changed_N) < np.nanmax(changed_N):
        values_ND[:, k] = changed_N
