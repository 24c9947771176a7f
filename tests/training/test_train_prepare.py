"""Preparation is pure, and the suites are cached by what they depend on."""

from __future__ import annotations

import dataclasses
import re
import shutil
from pathlib import Path

import numpy as np
import pytest
from standins import small_mixture

import foundcause
from foundcause.errors import ConfigError, InputError
from foundcause.features.series import LAGGED, row_dependence
from foundcause.simulate import shard_folder
from foundcause.simulate.mixture import SHIPPED, make_task
from foundcause.training import preparation, validation
from foundcause.training.preparation import Job, Recipe, _fill_seed, check_shards, run, suite_path
from foundcause.training.validation import suite, validation_suites
from foundcause.training.workers import Workers

RECIPE = Recipe(mixture=small_mixture(), seed=9, features="paper", encoder_rows=16)


def test_a_job_is_pure() -> None:
    first, again = run(Job(RECIPE, 3)), run(Job(RECIPE, 3))
    for name in ("values", "observed", "statistics", "adjacency", "confounding"):
        assert np.array_equal(getattr(first, name), getattr(again, name))
    assert first.values.shape == (16, first.variables) and first.statistics.dtype == np.float32
    everything = run(Job(dataclasses.replace(RECIPE, encoder_rows=None), 3))
    assert len(everything.values) == everything.rows


def test_the_order_of_a_series_is_read_whole() -> None:
    recipe = Recipe(mixture=SHIPPED.only("series"), seed=9, features="sparsest+lagged", encoder_rows=0)
    read = 0
    for index in range(4):
        task = make_task(recipe.mixture, 9, index)
        worth = row_dependence(np.where(task.observed, task.values, np.nan)).n_effective
        item = run(Job(recipe, index))
        assert item.statistics[..., -len(LAGGED) :].any() == (worth < len(task.values))
        read += worth < len(task.values)
    assert read >= 2


def test_half_of_the_tasks_have_their_gaps_filled_whatever_their_parity() -> None:
    filled = np.array(
        [_fill_seed(dataclasses.replace(RECIPE, fills_gaps=True), index) is not None for index in range(400)]
    )
    for part in (filled[::2], filled[1::2]):
        assert 0.35 < part.mean() < 0.65
    assert _fill_seed(RECIPE, 0) is None


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


def test_suites_cover_what_is_promised() -> None:
    names = set(validation_suites())
    assert {"linear_gaussian", "discrete", "confounded", "pairs", "missing", "wide", "expert", "sensors"} <= names
    assert set(validation_suites(("nonlinear", "wide"))) == {"nonlinear", "wide"}
    with pytest.raises(ConfigError, match="weather"):
        validation_suites(("weather",))


def test_code_behind_a_task_is_part_of_its_name(tmp_path: Path) -> None:
    """What ``prepare`` imports from this package is in the key, or decides nothing by itself."""
    source = Path(preparation.__file__).read_text()
    modules = set(re.findall(r"^from foundcause\.([\w.]+) import", source, re.MULTILINE))
    ours = ("simulate", "features", "training", "errors", "files")
    elsewhere = {name for name in modules if not name.startswith(ours)}
    assert not elsewhere  # what a configuration decides is in the recipe

    root = Path(foundcause.__file__).parent
    copy = tmp_path / "foundcause"
    shutil.copytree(root, copy, ignore=shutil.ignore_patterns("static", "weights", "__pycache__"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(foundcause, "__file__", str(copy / "__init__.py"))
        names = set()
        for changed in (
            None,
            "features/series.py",
            "simulate/tasks.py",
            "features/registry.py",
            "api.py",
        ):
            if changed:
                (copy / changed).write_text((copy / changed).read_text() + "\n")
            preparation._key.cache_clear()
            names.add(suite_path(RECIPE, 4))
    preparation._key.cache_clear()
    assert len(names) == 4  # all but the last


def test_other_seeds_and_features_have_other_files() -> None:
    recipes = (RECIPE, dataclasses.replace(RECIPE, seed=4), dataclasses.replace(RECIPE, features="extended"))
    assert len({suite_path(recipe, count) for recipe in recipes for count in (3, 4)}) == 6


def test_tasks_are_read_from_shards_and_simulated_where_there_are_none(tmp_path: Path) -> None:
    written = shard_folder.Job(mixture=RECIPE.mixture, seed=RECIPE.seed, count=4, out=tmp_path, per_shard=2)
    assert list(shard_folder.run(written))[-1] == 2
    stored = dataclasses.replace(RECIPE, shards=str(tmp_path))
    check_shards(stored)
    for index in (1, 3, 4):
        plain, read = run(Job(RECIPE, index)), run(Job(stored, index))
        for name in ("values", "observed", "adjacency", "confounding"):
            assert np.array_equal(getattr(plain, name), getattr(read, name)), (index, name)
        assert np.allclose(plain.statistics, read.statistics, atol=1e-5)
    with pytest.raises(InputError, match="--seed 9"):
        check_shards(dataclasses.replace(stored, seed=10))
