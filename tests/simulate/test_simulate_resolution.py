"""How finely numbers are written down."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from foundcause.simulate.components.pair_families import recorded
from foundcause.simulate.corruptions.measurement_scales import floored, units, write_down
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
