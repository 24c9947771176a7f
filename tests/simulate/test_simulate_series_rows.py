"""Systems that move in time."""

from __future__ import annotations

import numpy as np
import pytest

from foundcause.features.series import lag_one_correlation, row_dependence
from foundcause.simulate.components import time_series
from foundcause.simulate.mixture import SHIPPED, make_task

ONLY = SHIPPED.only("series")


@pytest.mark.parametrize("memory", [0.0, 0.5, 0.95])
def test_noise_that_remembers_is_the_same_noise_in_another_order(memory: float) -> None:
    rng = np.random.default_rng(0)
    values = rng.standard_exponential((960, 12)).astype(np.float32)
    moved = np.stack([time_series.remembering(rng, column, memory) for column in values.T], axis=1)
    assert np.array_equal(np.sort(moved, axis=0), np.sort(values, axis=0))
    assert lag_one_correlation(moved).mean() == pytest.approx(memory, abs=0.06)


def test_most_tables_are_worth_fewer_rows_than_they_have() -> None:
    tasks = [make_task(ONLY, 3, index) for index in range(40)]
    worth = [
        row_dependence(np.where(task.observed, task.values, np.nan)).n_effective / len(task.values) for task in tasks
    ]
    assert np.median(worth) < 0.5
    assert all(task.adjacency.any() or task.values.shape[1] < 8 for task in tasks)


def test_causes_show_in_the_row_of_their_effects() -> None:
    """An effect that comes late would be an edge nobody can see, unless its cause lasts."""
    pace = time_series.Pace(memory=0.9, late=1.0, inert=0.0)
    rng = np.random.default_rng(1)
    for memory in (0.0, 0.9):
        cause = time_series.remembering(rng, rng.standard_normal(4000).astype(np.float32), memory)
        felt = [abs(np.corrcoef(cause, time_series._cause_signal(rng, cause, memory, pace))[0, 1]) for _ in range(30)]
        assert min(felt) > 0.4
