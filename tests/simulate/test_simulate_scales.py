"""Measurements on scales of their own: the order of rows stays, the shape of a column does not."""

from __future__ import annotations

import dataclasses

import numpy as np
from scipy.stats import rankdata, skew

from foundcause.simulate.corruptions.measurement_scales import rescale
from foundcause.simulate.mixture import PAPER, SHIPPED, make_task


def test_order_ties_and_gaps_stay_and_shapes_change() -> None:
    rng = np.random.default_rng(1)
    values = np.column_stack([rng.lognormal(size=300), rng.integers(0, 40, 300), rng.integers(0, 5, 300)]).astype(float)
    values[rng.random(300) < 0.1, 0] = np.nan
    shapes = []
    for _ in range(60):
        retold, number = rescale(rng, values, np.zeros(3, dtype=bool))
        assert number is not None and (np.isnan(retold) == np.isnan(values)).all()
        assert (retold[:, 2] == values[:, 2]).all()  # few values: classes
        assert number == (np.nan_to_num(retold) != np.nan_to_num(values)).any(axis=0).sum()
        for place in (0, 1):
            seen = ~np.isnan(values[:, place])
            before, after = values[seen, place], retold[seen, place]
            assert (rankdata(before) == rankdata(after)).all()
        shapes.append(skew(retold[:, 0], nan_policy="omit"))
    assert min(shapes) < -0.3 and max(shapes) > 0.8


def test_discrete_columns_stay_and_the_table_given_does_too() -> None:
    rng = np.random.default_rng(2)
    values = rng.standard_normal((100, 4)).astype(np.float32)
    before = values.copy()
    for _ in range(20):
        retold, _ = rescale(rng, values, np.array([True, False, True, False]))
        assert (retold[:, [0, 2]] == before[:, [0, 2]]).all()
    assert (values == before).all()


def test_shares_of_tasks() -> None:
    assert "scales" not in PAPER.corruptions
    records = [make_task(SHIPPED, 6, index).record for index in range(400)]
    share = np.mean(["scales" in record for record in records])
    assert abs(share - SHIPPED.corruptions["scales"]) < 0.07
    often = dataclasses.replace(SHIPPED, corruptions={"scales": 1.0}).only("linear_gaussian", "pairs")
    assert sum(make_task(often, 6, index).record["scales"] for index in range(30)) > 30
