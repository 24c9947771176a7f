"""Measurements told on scales of their own. N rows, D columns.

Whether a table holds a speed or the time for a mile, a concentration or its logarithm, points or percentiles, is habit,
not cause. A network that only ever sees the scale on which a law is simple learns to read directions from the shapes of
single columns, and says as much of tables where shapes tell nothing.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.stats import rankdata

from foundcause.simulate.settings import Mishaps

_LEAST_VALUES = 25  # a column with fewer distinct values holds classes or counts, whose scale is given


def retell(
    rng: np.random.Generator, settings: Mishaps, values_ND: np.ndarray, discrete_D: np.ndarray
) -> tuple[np.ndarray, int | None]:
    """The table with measurements on other scales, each rising with the old, and their number (None: as it was).

    discrete_D: columns of codes or counts, which stay as they are. The shape of a new scale is drawn without regard to
    anything else; ties and gaps stay.
    """
    if not settings.scales or rng.random() >= settings.scales:
        return values_ND, None
    values, share, changed = np.array(values_ND), rng.uniform(0.4, 1.3), 0
    for place in np.flatnonzero(~discrete_D & (rng.random(len(discrete_D)) < share)):
        finite = np.isfinite(values[:, place])
        column = values[finite, place]
        if len(np.unique(column)) < _LEAST_VALUES:
            continue
        shape = np.sort(SHAPES[int(rng.integers(len(SHAPES)))](rng, len(column)))
        values[finite, place] = np.interp(rankdata(column), np.arange(1, len(column) + 1), shape)
        changed += 1
    return values, changed


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
"""What the values of a column may look like: (rng, N) to (N,)."""
