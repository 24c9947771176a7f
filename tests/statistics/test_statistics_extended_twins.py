"""The remaining extended statistics against their slow twins, and the list of those that have no twin.

The features are float32 sums over a table, the twins float64: nearly all agree to 1e-5, and ``TOLERANCE`` is asked of
them. ``LOOSER`` names the few that magnify the rounding, and why.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import reference_extended as reference
import reference_extended_blocks as reference_blocks
import reference_extended_pairs as reference_pairs
from test_statistics_extended import ours, table

from foundcause.statistics.extended import EXTENDED, QUANTITIES

Columns = dict[str, np.ndarray]


TOLERANCE = 1e-4
LOOSER = {
    "line_entropy_z": 5e-4,  # n times a difference of two entropies, each rounded at 1e-7 of up to 10
    "noise_entropy_z": 5e-4,  # the same
    "grid": 1e-3,  # the log of the smallest gap between float32 values, a difference that cancels
}


def compare(found: np.ndarray, expected: dict[str, np.ndarray], tolerance: float | None = None) -> None:
    """Every quantity of a twin against the features it becomes, both ends of it, after the limits of [-8, 8]."""
    kinds = {q.name: q.kind for q in QUANTITIES}
    D = found.shape[0]
    for name, value in expected.items():
        between = np.clip(value, -8, 8)
        if kinds[name] == "size":
            targets = {name: np.full((D, D), between)}
        elif kinds[name] == "marginal":
            by_cause = np.repeat(between[:, None], D, 1)
            targets = {f"{name}_cause": by_cause, f"{name}_effect": by_cause.T}
        else:
            between = between * (1 - np.eye(D))
            directed = {f"{name}_forward": between, f"{name}_backward": between.T}
            targets = directed if kinds[name] == "directed" else {name: between}
        for feature, target in targets.items():
            actual = found[..., EXTENDED.index(feature)]
            allowed = tolerance or LOOSER.get(name, TOLERANCE)
            np.testing.assert_allclose(actual, target, atol=allowed, rtol=allowed, err_msg=feature)


def tied(rows: int, seed: int) -> np.ndarray:
    """Only columns of few values: 2, 3, 4, 7 and 10 of them, each depending on the one before."""
    rng = np.random.default_rng(seed)
    values = [rng.integers(0, 2, rows)]
    for states in (3, 4, 7, 10):
        noise = rng.integers(0, states, rows)
        values.append(np.where(rng.random(rows) < 0.5, (values[-1] * 2 + 1) % states, noise))
    return np.stack(values, 1).astype(float)


def degenerate(rows: int, seed: int) -> np.ndarray:
    """A usual table with a constant, a duplicated, an all-missing column and one of a single deviating cell."""
    values = table(rows, 6, seed)
    alone = np.zeros(rows)
    alone[rows // 2] = 1
    return np.c_[values, np.full(rows, 3.0), values[:, 0], np.full(rows, np.nan), alone]


CASES: dict[str, Callable[[], np.ndarray]] = {
    "random": lambda: table(180, 7, 0),
    "few rows": lambda: table(50, 8, 1),
    "tied": lambda: tied(190, 2),
    "missing": lambda: table(190, 7, 3, missing=0.08),
    "tied and missing": lambda: np.where(np.random.default_rng(4).random((190, 5)) < 0.1, np.nan, tied(190, 4)),
    "degenerate": lambda: degenerate(120, 5),
}

TWINS: dict[str, Callable[[Columns], dict[str, np.ndarray]]] = {
    "blocks": reference_blocks.blocks,
    "pairs": reference_pairs.pairs,
    "support": reference_pairs.support,
    "conditional moments": reference_pairs.conditional,
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("twin", TWINS)
def test_features_equal_their_twins(twin: str, case: str) -> None:
    values = CASES[case]()
    compare(ours(values).numpy(), TWINS[twin](reference.columns(values)))
