"""Missing cells, and the last guard of a task. N rows, D columns.

Cells go missing completely at random, depending on other variables, or on the hidden value. The guard then sees to it
that there are only finite numbers, enough of them in every column, and no column that shows one value.
"""

from __future__ import annotations

import numpy as np

from foundcause.simulate.draws import pick
from foundcause.simulate.settings import Missing

_MOST = 0.9  # of a column


def lose_cells(
    rng: np.random.Generator, settings: Missing, values_ND: np.ndarray
) -> tuple[np.ndarray, dict[str, object] | None]:
    """(N, D) observed mask, and what was done (None: nothing is missing)."""
    if rng.random() >= settings.chance:
        return np.ones(values_ND.shape, dtype=bool), None
    kind = pick(rng, settings.kinds)
    share = settings.cells.draw(rng)
    missing = MECHANISMS[kind](rng, values_ND, share)
    return ~missing, {"kind": kind, "share": float(share)}


def mcar(rng: np.random.Generator, values_ND: np.ndarray, share: float) -> np.ndarray:
    """(N, D) missing cells, each with the same probability."""
    return rng.random(values_ND.shape, dtype=np.float32) < share


def mar(rng: np.random.Generator, values_ND: np.ndarray, share: float) -> np.ndarray:
    """(N, D) missing cells that depend on variables which stay complete (a third or half of them).

    A spoiled column depends on one of these, or on all of them together.
    """
    variables = values_ND.shape[1]
    complete = max(1, variables // int(rng.integers(2, 4)))
    order = rng.permutation(variables)
    drivers, spoiled = order[:complete], order[complete:]
    if rng.random() < 0.5:
        driver = values_ND[:, drivers[rng.integers(complete, size=spoiled.size)]]
    else:
        driver = _standardized(values_ND[:, drivers]) @ rng.standard_normal((complete, spoiled.size))
    missing = np.zeros(values_ND.shape, dtype=bool)
    missing[:, spoiled] = _by_score(rng, driver, share * variables / spoiled.size)
    return missing


def mnar(rng: np.random.Generator, values_ND: np.ndarray, share: float) -> np.ndarray:
    """(N, D) missing cells that depend on the values they hide."""
    return _by_score(rng, values_ND, share)


def _by_score(rng: np.random.Generator, driver_ND: np.ndarray, share: float) -> np.ndarray:
    """Missing cells where the driver's value plus logistic noise is largest."""
    driver = np.nan_to_num(driver_ND, posinf=0.0, neginf=0.0)
    low, high = driver.min(axis=0), driver.max(axis=0)
    middle = driver.mean(axis=0)
    spread = np.maximum(np.abs(driver - middle).mean(axis=0), (high - low) * 1e-6 + 1e-30)
    slope = rng.uniform(0.5, 3.0, driver.shape[1]) * np.where(rng.random(driver.shape[1]) < 0.5, -1.0, 1.0)
    chance = rng.random(driver.shape, dtype=np.float32)
    score = np.clip((driver - middle) / spread, -4.0, 4.0) * slope.astype(np.float32)
    score += np.log(np.maximum(chance, 1e-7) / np.maximum(1.0 - chance, 1e-7))
    kept = max(1, round((1.0 - min(share, _MOST)) * len(score)))
    return score > np.partition(score, kept - 1, axis=0)[kept - 1]


def _standardized(values: np.ndarray) -> np.ndarray:
    values = np.nan_to_num(values.astype(np.float64), posinf=0.0, neginf=0.0)
    largest = np.abs(values).max(axis=0)
    values = values / np.where(largest > 0, largest, 1.0)
    values = values - values.mean(axis=0)
    spread = values.std(axis=0)
    return values / np.where(spread > 1e-12, spread, 1.0)


MECHANISMS = {"mcar": mcar, "mar": mar, "mnar": mnar}


LARGEST = 1e15  # beyond it a float32 column has no precision left


def enough(rows: int) -> int:
    """Observed cells every variable keeps: max(10, 0.1 N)."""
    return max(10, int(np.ceil(0.1 * rows)))


def sanitize(rng: np.random.Generator, values_ND: np.ndarray, observed_ND: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(N, D) float32 values, 0 where unobserved, and the (N, D) mask.

    Non-finite cells become missing. A column with too few observed cells, or with one value only, gets hidden cells
    back at random. Non-finite cells of a column that is still too short are drawn again
    from its finite ones.
    """
    finite = np.abs(values_ND) < LARGEST  # False for NaN too
    values = np.where(finite, values_ND, 0.0).astype(np.float32)
    observed = observed_ND & finite
    need = min(enough(len(values)), len(values))
    if observed.all():
        low, high = values.min(axis=0), values.max(axis=0)
    else:
        low = np.where(observed, values, np.inf).min(axis=0)
        high = np.where(observed, values, -np.inf).max(axis=0)
    for column in np.flatnonzero((observed.sum(axis=0) < need) | ~(low < high)):
        _mend(rng, values[:, column], observed[:, column], finite[:, column], need)
    values[~observed] = 0.0
    return values, observed


def _mend(
    rng: np.random.Generator, values_N: np.ndarray, observed_N: np.ndarray, finite_N: np.ndarray, need: int
) -> None:
    """Give cells back, in place."""
    if observed_N.any() and np.ptp(values_N[observed_N]) == 0.0:
        observed_N |= finite_N
    back = rng.permutation(np.flatnonzero(finite_N & ~observed_N))
    observed_N[back[: max(0, need - int(observed_N.sum()))]] = True
    short = need - int(observed_N.sum())
    if short > 0:
        source = values_N[finite_N]
        lost = rng.permutation(np.flatnonzero(~finite_N))[:short]
        values_N[lost] = rng.choice(source, size=lost.size) if source.size else rng.standard_normal(lost.size)
        observed_N[lost] = True
