"""Rows that resemble their neighbours count for less, and nothing else does."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.signal import lfilter
from scipy.stats import rankdata

from foundcause.features.series import (
    FEWEST_ROWS,
    autocorrelated_columns,
    column_ranks,
    lag_one_correlation,
    row_dependence,
)


def drifting(rng: np.random.Generator, rows: int, columns: int, memory: float) -> np.ndarray:
    """Independent autoregressive columns of unit variance, (N, D)."""
    shocks = rng.standard_normal((rows + 200, columns)) * np.sqrt(1 - memory**2)
    return lfilter([1.0], [1.0, -memory], shocks, axis=0)[200:]


@pytest.mark.parametrize("memory", [0.3, 0.6, 0.9, 0.97])
def test_what_is_left_one_row_on_is_found(memory: float) -> None:
    values = drifting(np.random.default_rng(0), 960, 30, memory)
    assert lag_one_correlation(values).mean() == pytest.approx(memory, abs=0.05)


@pytest.mark.parametrize("memory", [0.5, 0.8, 0.9])
def test_chance_correlations_are_those_of_as_many_independent_rows(memory: float) -> None:
    rng = np.random.default_rng(1)
    tables = [drifting(rng, 600, 12, memory) for _ in range(40)]
    above = np.triu_indices(12, 1)
    squares = np.mean([np.corrcoef(table.T)[above] ** 2 for table in tables])
    worth = np.mean([row_dependence(table).n_effective for table in tables])
    assert worth == pytest.approx(1 / squares, rel=0.2)


@given(
    seed=st.integers(0, 10_000), rows=st.integers(5, 400), columns=st.integers(1, 9),
    kind=st.sampled_from(["normal", "codes", "flags", "heavy", "gaps"]),
)  # fmt: skip
def test_independent_rows_all_count(seed: int, rows: int, columns: int, kind: str) -> None:
    rng = np.random.default_rng(seed)
    values = rng.standard_normal((rows, columns))
    if kind == "codes":
        values = np.floor(2 * values)
    elif kind == "flags":
        values = (values > 2.0).astype(float)
    elif kind == "heavy":
        values = values**7
    elif kind == "gaps":
        values[rng.random(values.shape) < 0.4] = np.nan
    assert row_dependence(values).n_effective == rows


@given(seed=st.integers(0, 10_000), rows=st.integers(1, 60), columns=st.integers(1, 4), gaps=st.sampled_from([0, 0.3]))
def test_ranks_of_columns_are_those_of_scipy(seed: int, rows: int, columns: int, gaps: float) -> None:
    rng = np.random.default_rng(seed)
    values = np.floor(3 * rng.standard_normal((rows, columns)))
    values[rng.random(values.shape) < gaps] = np.nan
    np.testing.assert_array_equal(column_ranks(values), rankdata(values, axis=0, nan_policy="omit"))


def test_what_is_autocorrelated_is_found_once_and_sort_keys_are_not_in_it() -> None:
    rng = np.random.default_rng(8)
    values = np.column_stack([drifting(rng, 300, 2, 0.9), rng.standard_normal(300), np.arange(300.0)])
    found = row_dependence(values)
    assert found.autocorrelated == (0, 1) == tuple(autocorrelated_columns(values))
    assert found.is_series and found.direction == 1 and found.n_rows == 300
    assert row_dependence(values[:, 2:]).direction == 0


def test_sorted_and_grouped_tables_keep_their_rows() -> None:
    rng = np.random.default_rng(2)
    values = rng.standard_normal((600, 6))
    values[:, 1:] += 0.8 * values[:, :1]
    assert row_dependence(values[np.argsort(values[:, 0])]).n_effective == 600
    blocks = values + 3.0 * np.repeat(rng.standard_normal((5, 6)), 120, axis=0)
    assert row_dependence(blocks).n_effective == 600


def test_gaps_and_constant_columns_do_not_hide_a_series() -> None:
    rng = np.random.default_rng(3)
    values = drifting(rng, 500, 6, 0.9)
    whole = row_dependence(values).n_effective
    gappy = np.where(rng.random(values.shape) < 0.1, np.nan, values)
    assert 50 < whole < 120
    assert row_dependence(gappy).n_effective == pytest.approx(whole, rel=0.5)
    assert row_dependence(np.column_stack([values, np.ones(500)])).n_effective < 250
    assert row_dependence(values[::-1]).n_effective == pytest.approx(whole, rel=0.1)
    assert row_dependence(values[rng.permutation(500)]).n_effective == 500


def test_never_fewer_rows_than_networks_read() -> None:
    rng = np.random.default_rng(4)
    assert row_dependence(np.cumsum(rng.standard_normal((400, 5)), axis=0)).n_effective == FEWEST_ROWS
    assert row_dependence(np.cumsum(rng.standard_normal((12, 5)), axis=0)).n_effective == 12


def test_a_table_sorted_by_several_columns_keeps_its_rows_and_a_series_sorted_by_its_date_does_not() -> None:
    rng = np.random.default_rng(5)
    sex, weight = rng.integers(0, 2, 400), rng.standard_normal(400)
    values = np.column_stack([sex, weight + sex, 0.95 * weight + 0.3 * rng.standard_normal(400), weight**2])
    assert row_dependence(values[np.lexsort((weight, sex))]).n_effective == 400
    designed = np.array([(a, b, c) for a in range(5) for b in range(4) for c in range(20)], dtype=float)
    response = designed.sum(1) + rng.standard_normal(400)
    assert row_dependence(np.column_stack([designed, response])).n_effective == 400
    series = np.column_stack([np.arange(400.0), np.cumsum(rng.standard_normal((400, 3)), axis=0)])
    assert row_dependence(series, dates=[0]).n_effective < 80
