"""Missing cells: completely at random, depending on other variables, or on the hidden value. N rows, D columns."""

from __future__ import annotations

import numpy as np

from foundcause.simulate.chance import pick
from foundcause.simulate.settings import Missing

_MOST = 0.9  # of a column


def spoil(
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
        driver = _standardised(values_ND[:, drivers]) @ rng.standard_normal((complete, spoiled.size))
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


def _standardised(values: np.ndarray) -> np.ndarray:
    values = np.nan_to_num(values.astype(np.float64), posinf=0.0, neginf=0.0)
    largest = np.abs(values).max(axis=0)
    values = values / np.where(largest > 0, largest, 1.0)
    values = values - values.mean(axis=0)
    spread = values.std(axis=0)
    return values / np.where(spread > 1e-12, spread, 1.0)


MECHANISMS = {"mcar": mcar, "mar": mar, "mnar": mnar}
