"""What befalls any table, whoever made it: mistyped cells, rows that repeat, and columns that have nothing to do with
the others.

N rows, D columns. A network that never saw them takes one lost decimal point for a heavy tail, the tenth visit of a
patient for a tenth patient, and a flag that one row carries for the effect of whatever is large there.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from foundcause.simulate.settings import Mishaps

SMALLEST_FOR_BYSTANDERS = 4  # variables a task needs to hold a bystander and something to look at
_LARGEST_SHARE = 0.25  # of the columns that may be bystanders
_MOST_SLIPS = 3
_MANY_VALUES = 10  # a column with more distinct ones holds measurements, in which slips are not seen at once
_FEWEST_UNITS = 20  # different rows that a table with repeats keeps
_MOST_REPEATS = 8.0
_SLIPS = (10.0, 100.0, 1000.0, 0.1, 0.01, -1.0)  # decimal points lost or moved, a sign


def number_of_bystanders(rng: np.random.Generator, settings: Mishaps, variables: int) -> int:
    """How many of a task's columns have nothing to do with the rest."""
    if variables < SMALLEST_FOR_BYSTANDERS or not settings.bystanders or rng.random() >= settings.bystanders:
        return 0
    return int(rng.integers(1, max(int(_LARGEST_SHARE * variables), 1) + 1))


def bystander(rng: np.random.Generator, rows: int) -> tuple[np.ndarray, bool]:
    """(values (N,) of a column on its own, of at least two values; whether it is discrete)."""
    discrete = rng.random() < 0.65
    kinds = _DISCRETE if discrete else _CONTINUOUS
    values = np.asarray(kinds[int(rng.integers(len(kinds)))](rng, rows), dtype=np.float32)
    if values.min() == values.max():  # of very few rows
        values[int(rng.integers(rows))] += 1.0
    return values, discrete


def slip(rng: np.random.Generator, settings: Mishaps, values_ND: np.ndarray) -> tuple[np.ndarray, int]:
    """The table with at most three mistyped cells among its measurements, and their number."""
    if not settings.slips or rng.random() >= settings.slips:
        return values_ND, 0
    values, slips = np.array(values_ND), 0
    for _ in range(int(rng.integers(1, _MOST_SLIPS + 1))):
        row, column = int(rng.integers(len(values))), int(rng.integers(values.shape[1]))
        if len(np.unique(values_ND[:, column])) > _MANY_VALUES:
            values[row, column] *= _SLIPS[int(rng.integers(len(_SLIPS)))]
            slips += 1
    return values, slips


def repeat_rows(
    rng: np.random.Generator, settings: Mishaps, values_ND: np.ndarray, discrete_D: np.ndarray
) -> tuple[np.ndarray, int | None]:
    """The table with rows that stand in it several times, and how many different ones there are (None: as it was).

    As of patients with several visits, or of joined tables: rows repeat as they are, or some of their measurements are
    taken anew each time, with errors of their own.
    """
    rows = len(values_ND)
    if not settings.repeats or rng.random() >= settings.repeats:
        return values_ND, None
    units = max(int(rows / np.exp(rng.uniform(np.log(1.3), np.log(_MOST_REPEATS)))), min(_FEWEST_UNITS, rows))
    chosen = np.sort(rng.integers(0, units, size=rows))
    values = np.array(values_ND[chosen])
    if not (np.nanmin(values, axis=0) < np.nanmax(values, axis=0)).all():
        return values_ND, rows
    if rng.random() < 0.5:
        for place in np.flatnonzero(~discrete_D & (rng.random(values.shape[1]) < rng.random())):
            size = np.exp(rng.uniform(np.log(0.03), np.log(0.7))) * np.nanstd(values[:, place])
            values[:, place] += size * rng.standard_normal(rows)
    return values, len(np.unique(chosen))


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
