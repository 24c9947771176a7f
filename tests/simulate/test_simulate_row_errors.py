"""Mistyped cells and columns that have nothing to do with the others."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from foundcause.simulate.corruptions.extra_columns import unrelated_column
from foundcause.simulate.corruptions.row_errors import repeat_rows, slip
from foundcause.simulate.mixture import PAPER, SHIPPED, make_task

OFTEN = dataclasses.replace(SHIPPED, corruptions={"slips": 1.0, "unrelated_columns": 1.0})
NEVER = dataclasses.replace(SHIPPED, corruptions={})


def test_unrelated_columns_take_the_place_of_others_and_have_no_part_in_the_graph() -> None:
    found = 0
    for index in range(60):
        task = make_task(OFTEN.only("diverse", "linear_gaussian", "expert"), 11, index)
        D, alone = task.values.shape[1], ~(task.adjacency | task.adjacency.T | task.confounding).any(axis=0)
        assert task.record["variables"] >= D
        if task.record["variables"] >= 4:
            assert 1 <= task.record["unrelated_columns"] <= max(task.record["variables"] // 4, 1)
            assert alone.sum() >= task.record["unrelated_columns"]
            found += 1
    assert found > 30


def test_pairs_have_no_unrelated_columns_but_slips() -> None:
    tasks = [make_task(OFTEN.only("pairs"), 3, index) for index in range(30)]
    assert all(task.values.shape[1] == 2 and "unrelated_columns" not in task.record for task in tasks)
    assert sum("slips" in task.record for task in tasks) > 15


@pytest.mark.parametrize("rows", [20, 600])
def test_an_unrelated_column_varies_and_many_are_rare_flags(rows: int) -> None:
    rng = np.random.default_rng(5)
    columns = [unrelated_column(rng, rows) for _ in range(400)]
    assert all(np.isfinite(column.values).all() and len(np.unique(column.values)) > 1 for column in columns)
    flags = [column.values for column in columns if set(np.unique(column.values)) == {0.0, 1.0}]
    single = sum(values.sum() == 1 for values in flags)
    assert single > 8 and len(flags) > 80
    assert 0.5 < np.mean([column.discrete for column in columns]) < 0.8


def test_a_slip_changes_at_most_three_cells_of_measurements() -> None:
    rng = np.random.default_rng(6)
    table = np.column_stack([rng.normal(5.0, 1.0, (300, 4)), rng.integers(0, 3, (300, 2))]).astype(np.float32)
    before, changed = table.copy(), []
    for _ in range(200):
        spoiled, slips = slip(rng, table)
        differs = spoiled != table
        assert differs.sum() <= slips <= 3 and not differs[:, 4:].any()
        changed.append(np.abs(spoiled[differs] / table[differs]))
    assert (table == before).all()
    assert np.concatenate(changed).max() == pytest.approx(1000.0, rel=1e-4)


def test_shares_are_those_of_the_mixture_and_the_paper_has_none() -> None:
    records = [make_task(SHIPPED.only("linear_gaussian"), 7, index).record for index in range(300)]
    share = np.mean(["unrelated_columns" in record for record in records if record["variables"] >= 4])
    assert share == pytest.approx(SHIPPED.corruptions["unrelated_columns"], abs=0.06)
    assert PAPER.corruptions == SHIPPED.clean().corruptions == {}
    task = make_task(NEVER, 2, 3)
    assert "unrelated_columns" not in task.record and "slips" not in task.record


def test_rows_repeat_and_what_is_measured_anew_differs_by_errors_alone() -> None:
    rng = np.random.default_rng(8)
    values = np.column_stack([rng.normal(size=(400, 3)), rng.integers(0, 3, (400, 1))]).astype(np.float32)
    discrete = np.array([False, False, False, True])
    exact = noisy = 0
    for _ in range(60):
        repeated, units = repeat_rows(rng, values, discrete)
        assert units is not None and repeated.shape == values.shape and 20 <= units < 400
        assert np.isin(repeated[:, 3], values[:, 3]).all()
        different = len(np.unique(repeated, axis=0))
        exact += different == units
        noisy += different > units
        assert different == units or np.abs(repeated[:, :3]).max() < 10.0
    assert exact > 15 and noisy > 10


def test_rows_do_not_repeat_where_a_column_would_end_up_constant_or_nobody_asks() -> None:
    rng = np.random.default_rng(9)
    flag = np.zeros((200, 2), dtype=np.float32)
    flag[:, 0] = rng.normal(size=200)
    flag[199, 1] = 1.0  # the last row is never among those repeated
    repeated, units = repeat_rows(rng, flag, np.array([False, True]))
    assert units == 200 and repeated is flag
