"""The paper's growing graphs."""

from __future__ import annotations

import numpy as np

from foundcause.bench.datasets import load, own_simulations


def test_cases_are_complete_seeded_and_of_the_registered_size():
    first, again, other = load("dowhy_50", 0), load("dowhy_50", 0), load("dowhy_50", 1)
    np.testing.assert_array_equal(first.values, again.values)
    assert first.values.shape == (600, 50) and np.isfinite(first.values).all()
    assert (np.ptp(first.values, axis=0) > 0).all()
    assert first.adjacency.any() and not np.array_equal(first.adjacency, other.adjacency)


def test_nothing_spoils_the_tables():
    mixture = own_simulations.suite(60)
    assert list(mixture.weights) == ["dowhy"] and mixture.missing.chance == 0
    from foundcause.simulate.mixture import make_task

    for index in range(5):
        task = make_task(mixture, 3, index)
        assert task.record["artifacts"] == [] and task.record["missing"] is None
