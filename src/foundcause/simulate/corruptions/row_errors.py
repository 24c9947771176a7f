"""Rows that repeat and cells that are mistyped. N rows, D columns.

A network that never saw them takes one lost decimal point for a heavy tail, and the tenth visit of a patient for a
tenth patient.
"""

from __future__ import annotations

import numpy as np

from foundcause.simulate.extension import corruption
from foundcause.simulate.task import Draft

_MOST_SLIPS = 3
_MANY_VALUES = 10  # a column with more distinct ones holds measurements, in which slips are not seen at once
_FEWEST_UNITS = 20  # different rows that a table with repeats keeps
_MOST_REPEATS = 8.0
_SLIPS = (10.0, 100.0, 1000.0, 0.1, 0.01, -1.0)  # decimal points lost or moved, a sign


@corruption("slips")
def mistype(rng: np.random.Generator, draft: Draft) -> None:
    """Mistype at most three cells of measurements."""
    draft.values, slips = slip(rng, draft.values)
    if slips:
        draft.counts["slips"] = slips


@corruption("repeats")
def repeat(rng: np.random.Generator, draft: Draft) -> None:
    """Repeat rows, so that they are fewer observations than they seem."""
    draft.values, draft.counts["units"] = repeat_rows(rng, draft.values, draft.discrete)


def slip(rng: np.random.Generator, values_ND: np.ndarray) -> tuple[np.ndarray, int]:
    """The table with at most three mistyped cells among its measurements, and their number."""
    values, slips = np.array(values_ND), 0
    for _ in range(int(rng.integers(1, _MOST_SLIPS + 1))):
        row, column = int(rng.integers(len(values))), int(rng.integers(values.shape[1]))
        if len(np.unique(values_ND[:, column])) > _MANY_VALUES:
            values[row, column] *= _SLIPS[int(rng.integers(len(_SLIPS)))]
            slips += 1
    return values, slips


def repeat_rows(rng: np.random.Generator, values_ND: np.ndarray, discrete_D: np.ndarray) -> tuple[np.ndarray, int]:
    """The table with rows that occur in it several times, and how many different ones there are.

    As of patients with several visits, or of joined tables: rows repeat as they are, or some of their measurements are
    taken anew each time, with errors of their own.
    """
    rows = len(values_ND)
    units = max(int(rows / np.exp(rng.uniform(np.log(1.3), np.log(_MOST_REPEATS)))), min(_FEWEST_UNITS, rows))
    chosen = np.sort(rng.integers(0, units, size=rows))
    values = np.array(values_ND[chosen])
    if not (np.nanmin(values, axis=0) < np.nanmax(values, axis=0)).all():
        return values_ND, rows
    if rng.random() < 0.5:
        for k in np.flatnonzero(~discrete_D & (rng.random(values.shape[1]) < rng.random())):
            size = np.exp(rng.uniform(np.log(0.03), np.log(0.7))) * np.nanstd(values[:, k])
            values[:, k] += size * rng.standard_normal(rows)
    return values, len(np.unique(chosen))
