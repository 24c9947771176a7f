"""Tables of columns of many kinds: what each kind looks like, and that causes move all of them."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from foundcause.simulate.components.mixed_kinds import KINDS, mixed
from foundcause.simulate.mixture import PAPER, SHIPPED, make_task

ONLY = SHIPPED.only("mixed").clean()
ROWS = 4000


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("strength", [0.0, 1.5])
def test_kinds_look_like_what_they_are_called(name: str, strength: float) -> None:
    rng, kind = np.random.default_rng(3), KINDS[name]
    for _ in range(20):
        score = strength * rng.standard_normal(ROWS)
        values = kind.write(rng, score, rng.standard_normal(ROWS))
        levels = len(np.unique(values))
        assert np.isfinite(values).all() and levels > 1 and np.isfinite(kind.seen(rng, values)).all()
        if kind.discrete:
            assert (values == np.round(values)).all() and values.min() >= 0
        assert {
            "answer": levels == 2,
            "grade": levels <= 10,
            "code": levels <= 8,
            "count": True,
            "amount": values.min() >= 0 and levels > 50,
            "measurement": levels == ROWS,
        }[name]


@pytest.mark.parametrize("name", [name for name in KINDS if name != "code"])
def test_causes_move_every_ranked_kind_upwards(name: str) -> None:
    rng = np.random.default_rng(4)
    score = rng.standard_normal(ROWS)
    higher = score > 0
    gaps = []
    for _ in range(20):
        values = KINDS[name].write(rng, score, rng.standard_normal(ROWS))
        gaps.append(values[higher].mean() > values[~higher].mean())
    assert all(gaps)


def test_codes_depend_on_their_causes_without_an_order() -> None:
    rng = np.random.default_rng(5)
    score = 2.0 * rng.standard_normal(ROWS)
    for _ in range(10):
        values = KINDS["code"].write(rng, score, rng.standard_normal(ROWS)).astype(int)
        means = [score[values == level].mean() for level in np.unique(values)]
        assert np.ptp(means) > 0.5


def test_a_scene_holds_kinds_in_its_own_proportions() -> None:
    seen: Counter[str] = Counter()
    for index in range(40):
        scene = mixed(np.random.default_rng([7, index]), ONLY, rows=300, variables=12)
        assert scene.values.shape == (300, 12) and np.isfinite(scene.values).all()
        assert not np.tril(scene.graph).any() and not scene.hidden.any()
        assert sum(scene.record["kinds"].values()) == pytest.approx(1.0, abs=0.01)
        seen["discrete"] += int(scene.discrete.sum())
        seen["binary"] += sum(len(np.unique(column)) == 2 for column in scene.values.T)
    assert 0.4 < seen["discrete"] / 480 < 0.75 and 0.12 < seen["binary"] / 480 < 0.4


def test_parents_matter_and_strangers_do_not() -> None:
    """Rank correlation along edges is far above that between columns without a common ancestor."""
    linked, strange = [], []
    for index in range(60):
        scene = mixed(np.random.default_rng([8, index]), ONLY, rows=1000, variables=8)
        reach = np.linalg.matrix_power(scene.graph + np.eye(8, dtype=int), 8) > 0
        ranks = np.abs(np.corrcoef(np.argsort(np.argsort(scene.values, axis=0), axis=0).T))
        for i in range(8):
            for j in range(i + 1, 8):
                if scene.graph[i, j]:
                    linked.append(ranks[i, j])
                elif not (reach[:, i] & reach[:, j]).any():
                    strange.append(ranks[i, j])
    assert np.median(linked) > 0.12 and np.median(strange) < 0.05


def test_only_ours_has_it_and_tasks_are_pure() -> None:
    assert "mixed" not in PAPER.weights and SHIPPED.weights["mixed"] == pytest.approx(0.08)
    first, second = (make_task(SHIPPED.only("mixed"), 3, 5) for _ in range(2))
    assert np.array_equal(first.values, second.values, equal_nan=True) and first.record == second.record
