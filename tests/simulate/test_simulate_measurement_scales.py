"""Measurements on scales of their own, in classes, rounded and with floors."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import rankdata, skew

from foundcause.simulate.components.pair_families import recorded
from foundcause.simulate.corruptions.measurement_scales import floored, put_in_classes, rescale, units, write_down
from foundcause.simulate.mixture import PAPER, SHIPPED, make_task
from foundcause.simulate.settings import Resolution

ALWAYS = Resolution(rounding=1.0, floors=1.0, floor_share=0.5)


def _table(seed: int, rows: int = 400, columns: int = 6) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(rows, columns)) * 10.0 ** np.arange(-3, columns - 3)


def test_columns_come_in_whole_units_and_few_keep_all_their_digits() -> None:
    distinct = []
    for seed in range(60):
        rng, table = np.random.default_rng(seed), _table(seed)
        written, names = write_down(rng, Resolution(rounding=1.0), table, np.zeros(6, dtype=bool))
        assert names == ["resolution"] and written.shape == table.shape
        shares = [len(np.unique(column)) / len(column) for column in written.T]
        distinct.extend(shares)
        assert (np.abs(written - table).max(axis=0) <= 0.84 * table.std(axis=0)).all()  # half of the coarsest unit
    assert np.mean(np.array(distinct) == 1.0) < 0.3
    assert np.mean(np.array(distinct) < 0.1) > 0.1


def test_a_unit_divides_every_value() -> None:
    rng, table = np.random.default_rng(0), _table(1)
    unit = units(rng, table)
    rounded = np.round(table[:, unit > 0] / unit[unit > 0])
    assert np.allclose(rounded, np.round(rounded)) and (unit >= 0).all()


def test_a_floor_is_the_smallest_value_and_leaves_the_rest() -> None:
    rng = np.random.default_rng(3)
    for _ in range(50):
        column = rng.normal(size=300)
        low = floored(rng, column)
        assert low.min() >= column.min() and np.mean(low == low.min()) <= 0.61
        assert (low[low > low.min()] == column[low > low.min()]).all()


def test_codes_stay_and_nothing_becomes_constant() -> None:
    codes = np.random.default_rng(0).integers(0, 4, (200, 1)).astype(float)
    nearly = np.zeros((200, 1))
    nearly[:1] = 1e-9
    table = np.concatenate([codes, nearly + np.random.default_rng(1).normal(size=(200, 1)) * 1e-12], axis=1)
    for seed in range(40):
        written, _ = write_down(np.random.default_rng(seed), ALWAYS, table, np.array([True, False]))
        assert (written[:, 0] == codes[:, 0]).all()
        assert written[:, 1].min() < written[:, 1].max()


def test_gaps_stay_gaps() -> None:
    table = _table(5)
    table[::7, 2] = np.nan
    written, _ = write_down(np.random.default_rng(0), ALWAYS, table, np.zeros(6, dtype=bool))
    assert (np.isnan(written) == np.isnan(table)).all()


def test_the_paper_and_clean_mixtures_write_nothing_down() -> None:
    assert PAPER.resolution == SHIPPED.clean().resolution == Resolution()
    rng = np.random.default_rng(0)
    state = rng.bit_generator.state
    table = _table(0)
    assert write_down(rng, Resolution(), table, np.zeros(6, dtype=bool))[0] is table
    assert rng.bit_generator.state == state  # tasks of the paper's mixture are what they were, to the byte


def test_a_task_says_what_was_done_to_it() -> None:
    often = dataclasses.replace(SHIPPED.only("linear_gaussian"), resolution=ALWAYS)
    names = [make_task(often, 1, index).record["artifacts"] for index in range(5)]
    assert all({"floors", "resolution"} <= set(done) for done in names)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10_000), st.integers(20, 300), st.booleans())
def test_recorded_columns_are_finite_and_vary(seed: int, rows: int, linked: bool) -> None:
    rng = np.random.default_rng(seed)
    cause = rng.choice([rng.normal(size=rows), rng.integers(0, 5, rows), np.exp(3 * rng.normal(size=rows))])
    columns = np.stack([cause, cause + rng.normal(size=rows)], axis=1)
    shown, few, _ = recorded(rng, columns, linked=linked)
    assert shown.shape == columns.shape and np.isfinite(shown).all() and few.shape == (2,)
    assert (np.ptp(shown, axis=0) > 0).all()


def test_only_effects_have_further_causes() -> None:
    def touched(linked: bool) -> float:
        rng = np.random.default_rng(0)
        columns = rng.normal(size=(200, 2))
        return float(np.mean(["cluttered" in recorded(rng, columns, linked=linked)[2] for _ in range(300)]))

    assert touched(linked=False) == 0.0
    assert touched(linked=True) == pytest.approx(0.45, abs=0.1)


def test_how_numbers_are_written_does_not_tell_a_cause() -> None:
    """With nothing between two columns alike, what is done to them is the same for the first and the second."""
    rng = np.random.default_rng(7)
    distinct, floors = [], []
    for _ in range(500):
        shown, *_ = recorded(rng, rng.normal(size=(300, 2)), linked=False)
        distinct.append([len(np.unique(column)) for column in shown.T])
        floors.append([np.mean(column == column.min()) for column in shown.T])
    first_finer = np.mean([a > b for a, b in distinct if a != b])
    first_floored = np.mean([a > b for a, b in floors if a != b])
    assert first_finer == pytest.approx(0.5, abs=0.08)
    assert first_floored == pytest.approx(0.5, abs=0.08)


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
