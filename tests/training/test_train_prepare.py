"""Preparation is pure, views differ in rows only, and the suites are cached by what they depend on."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest
from standins import small_mixture

from foundcause.errors import ConfigError
from foundcause.features.series import LAGGED, row_dependence
from foundcause.simulate.mixture import SHIPPED, make_task
from foundcause.training import validation
from foundcause.training.preparation import Job, Recipe, _fill_seed, jobs, run
from foundcause.training.validation import families, suite
from foundcause.training.workers import Workers

RECIPE = Recipe(mixture=small_mixture(), seed=9, features="paper", encoder_rows=16)


def test_a_job_is_pure_and_views_see_other_rows() -> None:
    first, second = run(Job(RECIPE, 3, (0, 1)))
    again = run(Job(RECIPE, 3, (1,)))[0]
    for name in ("values", "observed", "statistics", "adjacency", "confounding"):
        assert np.array_equal(getattr(second, name), getattr(again, name))
    assert np.array_equal(first.adjacency, second.adjacency)
    assert not np.array_equal(first.statistics, second.statistics)
    assert 0.59 * first.rows <= second.rows <= first.rows
    assert first.values.shape == (16, first.variables) and first.statistics.dtype == np.float32
    everything = run(Job(dataclasses.replace(RECIPE, encoder_rows=None), 3))[0]
    assert len(everything.values) == everything.rows


def test_the_order_of_a_series_is_read_whole_whatever_rows_a_view_sees() -> None:
    recipe = Recipe(mixture=SHIPPED.only("series"), seed=9, features="sparsest+lagged", encoder_rows=0)
    read = 0
    for index in range(4):
        task = make_task(recipe.mixture, 9, index)
        worth = row_dependence(np.where(task.observed, task.values, np.nan)).n_effective
        first, second = run(Job(recipe, index, (0, 1)))
        lagged = first.statistics[..., -len(LAGGED) :]
        assert np.array_equal(lagged, second.statistics[..., -len(LAGGED) :])
        assert lagged.any() == (worth < len(task.values))
        read += worth < len(task.values)
    assert read >= 2


def test_half_of_the_tasks_have_their_gaps_filled_whatever_their_parity() -> None:
    filled = np.array(
        [_fill_seed(dataclasses.replace(RECIPE, fills_gaps=True), index) is not None for index in range(400)]
    )
    for part in (filled[::2], filled[1::2]):
        assert 0.35 < part.mean() < 0.65
    assert _fill_seed(RECIPE, 0) is None


def test_rebuilding_jobs_simulate_each_task_once() -> None:
    found = jobs(RECIPE, [(4, 1), (2, 0), (4, 0), (4, 1)])
    assert [(job.index, job.views) for job in found] == [(2, (0,)), (4, (0, 1))]


def test_suites_are_cached_and_rebuilt_when_damaged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FOUNDCAUSE_CACHE", str(tmp_path))
    first = suite(RECIPE, 3, Workers(0))
    file = next(tmp_path.glob("*.npz"))
    monkeypatch.setattr(validation, "Job", None)  # a second preparation would fail
    cached = suite(RECIPE, 3, Workers(0))
    monkeypatch.undo()
    monkeypatch.setenv("FOUNDCAUSE_CACHE", str(tmp_path))
    for a, b in zip(first, cached, strict=True):
        assert np.array_equal(a.statistics, b.statistics) and (a.index, a.rows) == (b.index, b.rows)
    file.write_bytes(file.read_bytes()[:100])
    assert len(suite(RECIPE, 3, Workers(0))) == 3
    suite(dataclasses.replace(RECIPE, encoder_rows=8), 3, Workers(0))
    assert len(list(tmp_path.glob("*.npz"))) == 2


def test_families_cover_what_is_promised() -> None:
    names = set(families())
    assert {"linear_gaussian", "discrete", "confounded", "pairs", "missing", "wide", "expert", "sensors"} <= names
    assert set(families(("nonlinear", "wide"))) == {"nonlinear", "wide"}
    with pytest.raises(ConfigError, match="weather"):
        families(("weather",))
