"""Prepared tasks kept on disk."""

from __future__ import annotations

import re
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import foundcause
from foundcause.simulate.mixture import MIXTURES
from foundcause.training import preparation
from foundcause.training.preparation import Job, Recipe, run, task_path


@pytest.fixture
def recipe(tmp_path: Path) -> Recipe:
    mixture = MIXTURES["SHIPPED"].only("linear_gaussian")
    return Recipe(mixture=mixture, seed=3, features="paper", encoder_rows=16, folder=str(tmp_path))


def test_a_kept_task_is_the_made_task(recipe: Recipe, monkeypatch: pytest.MonkeyPatch) -> None:
    first = run(Job(recipe, 4, (0, 1)))
    monkeypatch.setattr(preparation, "_made", lambda job: pytest.fail("the kept task was not used"))
    again = run(Job(recipe, 4, (0, 1)))
    for a, b in zip(first, again, strict=True):
        assert (a.index, a.view, a.rows, a.record) == (b.index, b.view, b.rows, b.record)
        for name in ("values", "observed", "statistics", "adjacency", "confounding"):
            np.testing.assert_array_equal(getattr(a, name), getattr(b, name))


def test_sixteen_bits_are_close_to_the_exact_statistics(recipe: Recipe) -> None:
    kept, exact = run(Job(recipe, 4))[0], run(Job(replace(recipe, folder=None), 4))[0]
    np.testing.assert_allclose(kept.statistics, exact.statistics, rtol=1e-3, atol=1e-4)


def test_other_seeds_and_features_have_other_files(recipe: Recipe, tmp_path: Path) -> None:
    paths = {
        task_path(tmp_path, r, index, (0,))
        for r in (recipe, replace(recipe, seed=4), replace(recipe, features="extended"))
        for index in (0, 1)
    }
    assert len(paths) == 6
    assert task_path(tmp_path, recipe, 0, (0,)) == task_path(tmp_path, replace(recipe, folder=None), 0, (0,))


def test_code_behind_a_task_is_part_of_its_name(recipe: Recipe, tmp_path: Path) -> None:
    """What ``prepare`` imports from this package is in the key, or decides nothing by itself."""
    source = Path(preparation.__file__).read_text()
    modules = set(re.findall(r"^from foundcause\.([\w.]+) import", source, re.MULTILINE))
    ours = ("simulate", "features", "training", "errors", "files")
    elsewhere = {name for name in modules if not name.startswith(ours)}
    assert not elsewhere

    root = Path(foundcause.__file__).parent
    copy = tmp_path / "foundcause"
    shutil.copytree(root, copy, ignore=shutil.ignore_patterns("static", "weights", "__pycache__"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(foundcause, "__file__", str(copy / "__init__.py"))
        names = set()
        for changed in (
            None,
            "features/serial.py",
            "training/preparation.py",
            "simulate/make.py",
            "features/pairs.py",
            "api.py",
        ):
            if changed:
                (copy / changed).write_text((copy / changed).read_text() + "\n")
            preparation._key.cache_clear()
            names.add(task_path(tmp_path, recipe, 0, (0,)))
    preparation._key.cache_clear()
    assert len(names) == 5  # all but the last


@pytest.mark.parametrize("left", [0, 2, 100])
def test_a_damaged_file_is_made_anew(recipe: Recipe, tmp_path: Path, left: int) -> None:
    good = run(Job(recipe, 2))[0]
    path = task_path(tmp_path, recipe, 2, (0,))
    path.write_bytes(path.read_bytes()[:left])
    np.testing.assert_array_equal(run(Job(recipe, 2))[0].statistics, good.statistics)
    assert path.stat().st_size > 1000
