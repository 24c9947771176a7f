"""Artifacts do what they say, leave codes alone, and their labels follow."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from foundcause.simulate.corruptions import missing_cells, paper_artifacts
from foundcause.simulate.corruptions.missing_cells import enough, sanitize
from foundcause.simulate.draws import uniform
from foundcause.simulate.hidden_causes import marginalize
from foundcause.simulate.mixture import PAPER
from foundcause.simulate.settings import Missing
from foundcause.simulate.task import Scene

OFF = PAPER.clean().artifacts
NAMES = [
    f.name for f in dataclasses.fields(OFF) if f.name not in ("rounding_share", "correlated_noise", "collinear_group")
]


def table(rows: int = 600, columns: int = 6, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal((rows, columns), dtype=np.float32)


@pytest.mark.parametrize("name", NAMES)
def test_each_artifact_changes_continuous_columns_only(name: str) -> None:
    values = table(columns=2 if name == "pair_warps" else 6)
    values[:, -1] = np.random.default_rng(1).integers(0, 4, len(values))
    settings = dataclasses.replace(OFF, **{name: 1.0})
    changed = np.zeros(values.shape[1], dtype=int)
    for seed in range(20):
        spoiled, applied, counts = paper_artifacts.apply_artifacts(
            np.random.default_rng(seed), settings, values, np.zeros(values.shape[1], dtype=bool)
        )
        assert applied == [name]
        assert counts["continuous"] == values.shape[1] - 1
        assert np.isfinite(spoiled).all()
        np.testing.assert_array_equal(spoiled[:, -1], values[:, -1])
        changed += (spoiled != values).any(axis=0)
    assert (changed[:-1] > 0).all()  # every column has its turn, whatever its place


def test_nothing_on_changes_nothing() -> None:
    values = table()
    spoiled, applied, _ = paper_artifacts.apply_artifacts(
        np.random.default_rng(0), OFF, values, np.zeros(6, dtype=bool)
    )
    assert applied == []
    np.testing.assert_array_equal(spoiled, values)


def test_declared_discrete_columns_are_protected() -> None:
    settings = dataclasses.replace(PAPER.artifacts, **dict.fromkeys(NAMES, 1.0))
    values = table()
    spoiled, _, _ = paper_artifacts.apply_artifacts(np.random.default_rng(0), settings, values, np.ones(6, dtype=bool))
    np.testing.assert_array_equal(spoiled, values)


def test_detection_of_discrete_columns() -> None:
    rng = np.random.default_rng(2)
    columns = [rng.normal(size=400), rng.integers(0, 3, 400), rng.poisson(200, 400), rng.integers(0, 4, 400) / 4]
    values = np.stack([*columns, np.round(rng.normal(size=400), 1)], axis=1)
    assert paper_artifacts.detect_discrete(values).tolist() == [False, True, True, True, False]


def test_transforms_hold_their_numbers() -> None:
    rng = np.random.default_rng(3)
    x = rng.standard_normal(5000).astype(np.float32)
    for _ in range(20):
        assert 2 <= np.unique(paper_artifacts.discretize(rng, x)).size <= 101
        outliers = paper_artifacts.add_outliers(rng, x)
        moved = np.abs(outliers[outliers != x] - x.mean()) / x.std()
        assert 0.004 <= moved.size / x.size <= 0.031
        assert moved.min() > 2.99 and moved.max() < 8.01
        again = paper_artifacts.autocorrelate(rng, x)
        lag = np.corrcoef(again[1:], again[:-1])[0, 1]
        assert 0.15 < lag < 0.75
        assert 0.9 < again.std() / x.std() < 1.1
        assert np.corrcoef(again, x)[0, 1] > 0.65
        order = np.argsort(x)
        assert (np.diff(paper_artifacts.monotone(rng, x)[order]) >= 0).all()
        assert (np.diff(paper_artifacts.pair_warp(rng, x)[order]) >= 0).all()
        assert paper_artifacts.skew(rng, x).min() > 0
        rounded = paper_artifacts.round_values(rng, x)
        assert np.abs(rounded - x).max() < 0.55 and np.unique(rounded).size < 1000


def test_autocorrelation_matches_the_plain_recursion() -> None:
    x = np.random.default_rng(4).standard_normal(60).astype(np.float32)
    fast = paper_artifacts.autocorrelate(np.random.default_rng(5), x)
    keep = np.random.default_rng(5).uniform(0.2, 0.7)
    slow, state = [], 0.0
    for value in (x - x.mean()) * np.sqrt(1 - keep**2):
        state = keep * state + value
        slow.append(state)
    np.testing.assert_allclose(fast, np.array(slow) + x.mean(), atol=1e-5)


def test_collinear_group_labels_follow() -> None:
    # 0 -> 1 -> 2; 1 is shown as three noisy copies.
    rng = np.random.default_rng(6)
    graph = np.eye(3, k=1, dtype=bool)
    no = np.zeros(3, dtype=bool)
    for _ in range(20):
        scene = Scene(
            values=table(400, 3), graph=graph, hidden=no, confounded=np.zeros((3, 3), dtype=bool), discrete=no
        )
        grouped = paper_artifacts.collinear_group(rng, scene, 3)
        if not grouped.hidden[1]:
            continue
        adjacency, confounding = marginalize(grouped.graph, grouped.hidden, grouped.confounded)
        assert sorted(map(tuple, np.argwhere(adjacency).tolist())) == [(0, 1), (0, 2), (0, 3), (0, 4)]
        expected = np.ones((5, 5), dtype=bool)  # columns: 0, 2, copies
        expected[0] = expected[:, 0] = False
        np.fill_diagonal(expected, False)
        np.testing.assert_array_equal(confounding, expected)
        copies = grouped.values[:, 3:]
        assert np.corrcoef(copies.T).min() > 0.85
        return
    raise AssertionError("the middle variable was never the source")


@pytest.mark.parametrize("kind", ["mcar", "mar", "mnar"])
def test_missing_share_is_what_is_asked(kind: str) -> None:
    settings = Missing(chance=1.0, cells=uniform(0.02, 0.4), kinds={kind: 1.0})
    for seed in range(10):
        rng = np.random.default_rng(seed)
        observed, done = missing_cells.lose_cells(rng, settings, table(2000, 9, seed))
        assert done is not None and done["kind"] == kind
        assert abs((~observed).mean() - done["share"]) < 0.02


def test_mar_depends_on_complete_columns_only_and_mnar_on_itself() -> None:
    rng = np.random.default_rng(7)
    values = table(20000, 6)
    lost = missing_cells.mar(rng, values, 0.2)
    complete = ~lost.any(axis=0)
    assert complete.sum() == 2
    for column in np.flatnonzero(~complete):
        shift = [abs(values[lost[:, column], k].mean() - values[~lost[:, column], k].mean()) for k in range(6)]
        assert max(np.array(shift)[complete]) > 0.2
        assert max(np.array(shift)[~complete]) < 0.1
    lost = missing_cells.mnar(rng, values, 0.2)
    shift = [abs(values[lost[:, k], k].mean() - values[~lost[:, k], k].mean()) for k in range(6)]
    assert min(shift) > 0.2
    lost = missing_cells.mcar(rng, values, 0.2)
    assert max(abs(values[lost[:, k], k].mean() - values[~lost[:, k], k].mean()) for k in range(6)) < 0.1


def test_sanitize_guards_every_column() -> None:
    rng = np.random.default_rng(8)
    rows = 200
    values = table(rows, 5)
    values[:50, 0] = np.nan
    values[:, 1] = np.inf
    values[5:, 2] = -np.inf
    values[0, 3] = 1e20
    values[:, 4] = np.where(np.arange(rows) < 150, 7.0, 8.0)
    observed = np.ones((rows, 5), dtype=bool)
    observed[1:, 0] = False
    observed[150:, 4] = False  # what is left shows one value
    clean, mask = sanitize(rng, values, observed)
    assert clean.dtype == np.float32 and np.isfinite(clean).all()
    assert (clean[~mask] == 0).all()
    assert (mask.sum(axis=0) >= enough(rows)).all() and enough(rows) == 20 and enough(60) == 10
    assert not mask[0, 3] and mask[1:, 3].all()
    assert not mask[1:50, 0].any()
    assert mask[:, 4].all()
    again, same = sanitize(rng, clean, mask)
    np.testing.assert_array_equal(again, clean)
    np.testing.assert_array_equal(same, mask)
