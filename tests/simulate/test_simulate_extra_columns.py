"""Columns computed from others: what they are, whose effects they are, and that gaps follow."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from foundcause.simulate.corruptions.extra_columns import derive, gaps_follow
from foundcause.simulate.mixture import PAPER, SHIPPED, make_task

ALWAYS = dataclasses.replace(SHIPPED, corruptions={"derived": 1.0}, missing=PAPER.missing)


def table(rng: np.random.Generator, rows: int = 300) -> np.ndarray:
    amounts = rng.lognormal(1.0, 0.6, (rows, 2))
    signed = rng.normal(0.0, 2.0, (rows, 2))
    codes = np.column_stack([rng.integers(0, 2, rows), rng.integers(0, 4, rows)])
    return np.column_stack([amounts, signed, codes])


@pytest.mark.parametrize("rows", [20, 300])
def test_a_derived_column_is_a_function_of_its_sources_and_varies(rows: int) -> None:
    rng = np.random.default_rng(1)
    for _ in range(150):
        values = table(rng, rows)
        doubled = np.concatenate([values, values])  # equal rows must get equal cells
        for column in derive(rng, doubled, 1):
            assert column.values.dtype == np.float32 and np.isfinite(column.values).all()
            assert (column.values[:rows] == column.values[rows:]).all()
            assert column.values.min() < column.values.max()
            assert 1 <= len(set(column.sources)) == len(column.sources) <= 5
            assert all(0 <= source < values.shape[1] for source in column.sources)


def test_nothing_but_its_sources_enters_a_derived_column() -> None:
    rng = np.random.default_rng(2)
    for seed in range(150):
        values = table(rng)
        (column,) = derive(np.random.default_rng(seed), values, 1)
        others = [k for k in range(values.shape[1]) if k not in column.sources]
        shuffled = values.copy()
        shuffled[:, others] = rng.permutation(values[:, others])
        (again,) = derive(np.random.default_rng(seed), shuffled, 1)
        assert again.sources == column.sources and (again.values == column.values).all()


def test_no_power_is_so_large_that_its_cells_count_as_lost() -> None:
    rng = np.random.default_rng(8)
    counts = np.where(rng.random((200, 2)) < 0.9, 0.0, np.exp(rng.uniform(0.0, 16.0, (200, 2))))
    for column in derive(rng, counts, 60):
        assert np.abs(column.values[np.isfinite(column.values)]).max() < 1e15


def test_later_columns_may_follow_from_earlier_ones() -> None:
    rng = np.random.default_rng(3)
    deepest = 0
    for _ in range(50):
        for place, column in enumerate(derive(rng, table(rng), 5)):
            assert max(column.sources) < 6 + place
            deepest = max(deepest, max(column.sources))
    assert deepest > 6


def test_a_table_of_flags_and_gaps_gets_derived_columns_too() -> None:
    rng = np.random.default_rng(4)
    flags = rng.integers(0, 2, (50, 2)).astype(float)
    flags[rng.random(flags.shape) < 0.2] = np.nan
    for column in derive(rng, flags, 6):
        assert np.nanmin(column.values) < np.nanmax(column.values)


def test_gaps_of_sources_are_gaps_of_what_follows_mostly() -> None:
    rng = np.random.default_rng(5)
    observed = rng.random((400, 3)) < 0.7
    followed = 0
    for _ in range(100):
        now = gaps_follow(rng, observed, {2: (0, 1)})
        assert (now[:, :2] == observed[:, :2]).all()
        followed += bool((now[:, 2] == observed[:, :2].all(axis=1)).all())
    assert 60 < followed < 95


def test_tasks_hold_derived_columns_as_effects_and_keep_their_size() -> None:
    seen = 0
    for index in range(60):
        task = make_task(ALWAYS.only("diverse", "studies", "expert"), 8, index)
        room = task.record["variables"] >= 3
        assert ("derived" in task.record) == room and task.values.shape[1] <= task.record["variables"]
        seen += task.record.get("derived", 0)
    assert seen > 60
    assert all("derived" not in make_task(ALWAYS.only("unrelated", "pairs"), 8, k).record for k in range(20))


def test_the_share_is_that_of_the_mixture_and_the_paper_has_none() -> None:
    records = [make_task(SHIPPED.only("linear_gaussian"), 6, index).record for index in range(300)]
    numbers = np.array([record.get("derived", 0) for record in records if record["variables"] >= 4])
    assert (numbers > 0).mean() == pytest.approx(SHIPPED.corruptions["derived"], abs=0.08)
    assert "derived" not in PAPER.corruptions


def test_the_last_resort_varies_in_the_precision_of_tables() -> None:
    """The largest of these is above itself when rounded to 32 bits, and no other kind fits columns of three values."""
    rng = np.random.default_rng(7)
    column = rng.choice([0.1, 0.2, 0.7], size=60)
    values = np.column_stack([column, np.where(column == 0.7, np.inf, column)])
    for seed in range(40):
        (derived,) = derive(np.random.default_rng(seed), values, 1)
        shown = derived.values[np.isfinite(derived.values)]
        assert shown.min() < shown.max()
