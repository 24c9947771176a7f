"""What the order of a series tells reaches every pass, and only networks and tables that have a use for it."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from scipy.signal import lfilter

from foundcause.features.series import LAGGED, lagged_statistics, row_dependence
from foundcause.inference.ensemble import plan_passes, run_passes
from foundcause.inference.protocol import DEFAULT
from foundcause.model.config import TINY
from foundcause.model.network import FoundCause
from foundcause.simulate.task import Task
from foundcause.training.calibrate import task_passes

READER = dataclasses.replace(TINY, features="paper+lagged")


@pytest.fixture(scope="module")
def series() -> np.ndarray:
    values = lfilter([1.0], [1.0, -0.8], np.random.default_rng(0).standard_normal((300, 4)), axis=0)
    values[1:, 1] += values[:-1, 0]
    return values


def test_every_pass_reads_them_beside_its_own_rows(series: np.ndarray) -> None:
    network, dependence = FoundCause(READER, seed=1).eval(), row_dependence(series)
    lagged = lagged_statistics(series, dependence)
    plan = plan_passes(DEFAULT, rows=300, variables=4, runs=3, seed=0, worth=dependence.n_effective)
    with_lags, statistics = run_passes(network, series, plan, lagged=lagged)
    without, blank = run_passes(network, series, plan)
    assert np.array_equal(statistics[..., -len(LAGGED) :], lagged)
    assert not blank[..., -len(LAGGED) :].any()
    assert np.array_equal(statistics[..., : -len(LAGGED)], blank[..., : -len(LAGGED)])
    off = ~np.eye(4, dtype=bool)
    assert (with_lags.existence[:, off] != without.existence[:, off]).any(axis=1).all()


def test_permuting_columns_permutes_the_answer(series: np.ndarray) -> None:
    network, dependence, order = FoundCause(READER, seed=1).eval(), row_dependence(series), np.array([2, 0, 3, 1])
    plan = plan_passes(DEFAULT, rows=300, variables=4, runs=2, seed=0, worth=dependence.n_effective)
    first, _ = run_passes(network, series, plan, lagged=lagged_statistics(series, dependence))
    turned = series[:, order]
    second, _ = run_passes(network, turned, plan, lagged=lagged_statistics(turned, dependence))
    np.testing.assert_allclose(second.direction, first.direction[:, order][:, :, order], atol=1e-4)


def test_calibration_sees_them_as_discover_does(series: np.ndarray) -> None:
    network = FoundCause(READER, seed=1).eval()
    nothing = np.zeros((4, 4), dtype=bool)
    task = Task(
        values=series.astype(np.float32), observed=np.ones(series.shape, dtype=bool), adjacency=nothing,
        confounding=nothing, record={},
    )  # fmt: skip
    read = task_passes(network, task, passes=2, seed=0)
    turned = dataclasses.replace(task, values=task.values[::-1].copy())
    assert not np.allclose(read.direction, task_passes(network, turned, passes=2, seed=0).direction)
