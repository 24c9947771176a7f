"""Tables of unrelated columns: nothing is joined, and the columns are those of other components."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import spearmanr

from foundcause.simulate.mixture import SHIPPED, make_task

TASKS = [make_task(SHIPPED.only("unrelated"), seed=3, index=k) for k in range(100)]


def test_nothing_is_joined_and_all_sources_have_their_turn() -> None:
    assert not any(task.adjacency.any() or task.confounding.any() for task in TASKS)
    assert {task.record["source"] for task in TASKS} == set(SHIPPED.unrelated_sources)
    assert {task.record["component"] for task in TASKS} == {"unrelated"}


def test_columns_are_independent_up_to_chance() -> None:
    beyond = total = 0
    for task in TASKS:
        if not task.observed.all():  # gaps may depend on values
            continue
        values = task.values[:, :6]
        for i in range(values.shape[1]):
            for j in range(i):
                beyond += spearmanr(values[:, i], values[:, j]).pvalue < 0.01
                total += 1
    assert total > 200
    assert beyond / total < 0.035


def test_columns_are_those_of_the_source() -> None:
    """Shuffling keeps every column's values: survey columns are still discrete."""
    discrete = [
        len(task.record["discrete"]) / task.record["columns"]
        for task in TASKS
        if task.record["source"] == "expert" and "unrelated_columns" not in task.record
    ]
    assert np.mean(discrete) == pytest.approx(1.0)
