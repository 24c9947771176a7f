"""Total effects on systems whose effects are known."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from foundcause.effects.design import design_blocks
from foundcause.effects.estimation import estimate_effect, estimate_effects
from foundcause.effects.regression import doubly_robust, linear_effect, partially_linear
from foundcause.effects.sampled import SampledGraphs
from foundcause.effects.strength import edge_strengths
from foundcause.errors import InputError


def _table(n: int = 1500, seed: int = 0) -> pd.DataFrame:
    """z → x → m → y, z → y, and a group c that moves y: the total effect of x on y is 0.8 * 0.5 = 0.4."""
    rng = np.random.default_rng(seed)
    z = rng.normal(size=n)
    x = z + rng.normal(size=n)
    m = 0.8 * x + rng.normal(size=n)
    group = rng.choice(["red", "green", "blue"], p=[0.5, 0.3, 0.2], size=n)
    y = 0.5 * m + z + 2.0 * (group == "green") + rng.normal(size=n)
    return pd.DataFrame({"z": z, "x": x, "m": m, "y": y, "group": group})


def _graphs(n: int = 40, **changes: int) -> SampledGraphs:
    directed = np.zeros((n, 5, 5), dtype=bool)
    for i, j in [(0, 1), (1, 2), (2, 3), (0, 3), (4, 3)]:
        directed[:, i, j] = True
    return SampledGraphs(
        columns=("z", "x", "m", "y", "group"), directed=directed, confounded=np.zeros((n, 5, 5), dtype=bool)
    )


def test_the_effect_is_that_of_the_system() -> None:
    effect = estimate_effect(_graphs(), design_blocks(_table()), "x", "y", standardized=False)
    assert effect.low < 0.4 < effect.high
    assert abs(effect.mean - 0.4) < 0.08
    assert effect.probability == effect.identified == 1.0
    assert effect.adjustment_sets[0][0] in {("z",), ("z", "group")}


def test_graphs_without_a_path_count_as_zero() -> None:
    graphs = _graphs()
    graphs.directed[:20, 2, 3] = False  # half of the graphs have no path from x to y
    effect = estimate_effect(graphs, design_blocks(_table()), "x", "y", standardized=False)
    assert effect.probability == 0.5
    assert effect.low <= 0 < effect.mean < 0.3


def test_hidden_causes_leave_the_effect_open() -> None:
    graphs = _graphs()
    graphs.confounded[:10, 1, 3] = graphs.confounded[:10, 3, 1] = True
    effect = estimate_effect(graphs, design_blocks(_table()), "x", "y")
    assert effect.identified == 0.75
    graphs.confounded[:, 1, 3] = graphs.confounded[:, 3, 1] = True
    assert np.isnan(estimate_effect(graphs, design_blocks(_table()), "x", "y").mean)
    graphs.directed[:30, 2, 3] = False  # no effect in most graphs does not make it zero in the others
    assert np.isnan(estimate_effect(graphs, design_blocks(_table()), "x", "y").mean)


def test_categories_are_compared_level_by_level() -> None:
    blocks = design_blocks(_table())
    green = estimate_effect(_graphs(), blocks, "group", "y", treatment_level="green", standardized=False)
    blue = estimate_effect(_graphs(), blocks, "group", "y", treatment_level="blue", standardized=False)
    assert green.low < 2.0 < green.high
    assert blue.low < 0.0 < blue.high
    with pytest.raises(InputError):
        estimate_effect(_graphs(), blocks, "group", "y", treatment_level="purple")


def test_gaps_do_not_stop_the_estimate() -> None:
    table = _table(4000)
    rng = np.random.default_rng(1)
    table["z"] = table["z"].where(rng.random(len(table)) > 0.1)
    table["x"] = table["x"].where(rng.random(len(table)) > 0.1)
    effect = estimate_effect(_graphs(), design_blocks(table), "x", "y", standardized=False)
    assert effect.rows < len(table)
    assert abs(effect.mean - 0.4) < 0.15


def test_all_effects_on_one_outcome_come_in_one_table() -> None:
    found = estimate_effects(_graphs(), design_blocks(_table()), "y")
    assert set(found["treatment"]) == {"z", "x", "m", "group"}
    assert (found["low"] <= found["effect"]).all() and (found["effect"] <= found["high"]).all()


@pytest.mark.parametrize("estimator", [partially_linear, doubly_robust])
def test_learners_remove_curved_confounding(estimator: object) -> None:
    rng = np.random.default_rng(0)
    z = rng.normal(size=2500)
    x = (rng.random(2500) < 1 / (1 + np.exp(-1.5 * np.cos(2 * z)))).astype(float)
    y = x + 2 * np.cos(2 * z) + rng.normal(size=2500)
    naive = linear_effect(x, y, z[:, None])
    found = estimator(x, y, z[:, None])  # type: ignore[operator]
    assert abs(found.value - 1.0) < 0.25 < abs(naive.value - 1.0)
    assert 0 < found.error < 0.2


def test_the_standard_error_is_that_of_repetitions() -> None:
    rng = np.random.default_rng(0)
    values, errors = [], []
    for _ in range(300):
        z = rng.normal(size=200)
        x = z + rng.normal(size=200)
        y = 0.3 * x + z + rng.normal(size=200) * (0.5 + np.abs(x))
        estimate = linear_effect(x, y, z[:, None])
        values.append(estimate.value)
        errors.append(estimate.error)
    assert abs(np.mean(errors) / np.std(values) - 1) < 0.15


def test_a_determined_cause_has_no_estimate() -> None:
    x = np.arange(20.0)
    assert np.isinf(linear_effect(x, x**2, 2 * x[:, None]).error)


def test_strengths_have_sign_and_unit() -> None:
    table = _table(4000)
    table["x"] *= 10
    blocks = design_blocks(table)
    strength, sign, in_units = edge_strengths(_graphs().directed[0], blocks)
    assert sign[0, 3] == 1 and sign[4, 3] == 0
    assert abs(in_units[1, 2] - 0.08) < 0.01
    assert 0.3 < strength[4, 3] < 1
    assert np.isnan(strength[3, 0])
