"""What the order of a series tells reaches every pass, and only networks and tables that have a use for it."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from scipy.signal import lfilter

from foundcause.features.series import LAGGED, row_dependence
from foundcause.inference.passes import plan, run_passes
from foundcause.inference.protocols import DEFAULT
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
    with_lags = run_passes(network, series, dependence, plan(n_passes=3))
    silent = dataclasses.replace(DEFAULT, uses_effective_size=False)
    without = run_passes(network, series, dependence, plan(silent, n_passes=3))
    assert with_lags.statistics[..., -len(LAGGED) :].any()
    assert not without.statistics[..., -len(LAGGED) :].any()
    off = ~np.eye(4, dtype=bool)
    assert (with_lags.existence[:, off] != without.existence[:, off]).any(axis=1).all()


def test_permuting_columns_permutes_the_answer(series: np.ndarray) -> None:
    network, dependence, order = FoundCause(READER, seed=1).eval(), row_dependence(series), np.array([2, 0, 3, 1])
    first = run_passes(network, series, dependence, plan(n_passes=2)).in_table_order()
    second = run_passes(network, series[:, order], dependence, plan(n_passes=2)).in_table_order()
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
