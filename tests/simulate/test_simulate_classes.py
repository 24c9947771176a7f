"""Measurements told in classes keep their order, their gaps and their labels."""

from __future__ import annotations

import dataclasses

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from foundcause.simulate.corruptions.measurement_scales import put_in_classes
from foundcause.simulate.mixture import PAPER, SHIPPED, make_task


@given(seed=st.integers(0, 10_000), rows=st.integers(20, 400), gaps=st.booleans())
def test_classes_rise_with_what_was_measured(seed: int, rows: int, gaps: bool) -> None:
    rng = np.random.default_rng(seed)
    values = rng.standard_t(2.0, (rows, 6))
    values[:, 4], values[:, 5] = rng.integers(0, 3, rows), rng.integers(0, 3, rows)
    if gaps:
        values[rng.random(values.shape) < 0.2] = np.nan
    given_discrete = np.array([False] * 4 + [True, False])
    told, discrete, changed = put_in_classes(rng, values, given_discrete)
    assert changed == (discrete & ~given_discrete).sum()
    np.testing.assert_array_equal(np.isnan(told), np.isnan(values))
    np.testing.assert_array_equal(told[:, 4:], values[:, 4:])  # codes, and what had few values
    for place in range(4):
        if not discrete[place]:
            np.testing.assert_array_equal(told[:, place], values[:, place])
            continue
        seen = ~np.isnan(values[:, place])
        order = np.argsort(values[seen, place])
        assert (np.diff(told[seen, place][order]) >= 0).all()
        assert 2 <= len(np.unique(told[seen, place])) <= 21


def test_a_quarter_of_our_tables_and_none_of_the_paper() -> None:
    assert not PAPER.corruptions
    records = [make_task(SHIPPED.only("linear_gaussian"), 4, index).record for index in range(300)]
    assert abs(np.mean(["classes" in record for record in records]) - SHIPPED.corruptions["classes"]) < 0.08


def test_labels_stay_and_pairs_are_left_alone() -> None:
    often = dataclasses.replace(SHIPPED, corruptions={"classes": 1.0})
    plain = dataclasses.replace(SHIPPED, corruptions={})
    for index in range(5):
        told, before = (make_task(mixture.only("dowhy"), 3, index) for mixture in (often, plain))
        assert told.adjacency.sum() == before.adjacency.sum() and told.confounding.sum() == before.confounding.sum()
    for component in ("pairs", "excerpts", "textbook"):
        assert "classes" not in make_task(often.only(component), 3, 0).record
