"""Pair methods: sign conventions, antisymmetry, and the models they were made for."""

from __future__ import annotations

import numpy as np
import pytest

from foundcause.bench.baselines import METHODS, pair_methods
from foundcause.bench.baselines.method import Table
from foundcause.bench.baselines.pair_methods import hsic
from foundcause.bench.case import Answer, Case
from foundcause.bench.judgement import judge_pair
from foundcause.errors import InputError

DETERMINISTIC = {
    "igci": pair_methods.igci,
    "cds": pair_methods.cds,
    "bz2": pair_methods.compression,
    "reci": pair_methods.reci,
    "sloppy": pair_methods.sloppy,
    "heci": pair_methods.heci,
}


@pytest.mark.parametrize("name", sorted(DETERMINISTIC))
def test_swapping_the_columns_flips_the_sign(name: str) -> None:
    rng = np.random.default_rng(0)
    for x, y in ((rng.random(300), rng.random(300)), (rng.integers(5, size=200) * 1.0, rng.exponential(size=200))):
        assert DETERMINISTIC[name](x, y) == pytest.approx(-DETERMINISTIC[name](y, x), abs=1e-12)


@pytest.mark.parametrize("name", sorted(DETERMINISTIC))
def test_rows_may_come_in_any_order(name: str) -> None:
    rng = np.random.default_rng(1)
    x = rng.random(300)
    y = x**2 + 0.1 * rng.standard_normal(300)
    order = rng.permutation(300)
    assert DETERMINISTIC[name](x[order], y[order]) == pytest.approx(DETERMINISTIC[name](x, y), abs=1e-9)


def test_igci_does_not_mind_which_of_equal_causes_comes_first() -> None:
    """A cause in five steps: slopes run between the means of the steps, not from extremes to extremes."""
    rng = np.random.default_rng(2)
    x = rng.integers(5, size=400) / 4
    y = x + 0.5 * rng.random(400)
    means = np.array([y[x == level].mean() for level in np.unique(x)])
    span = np.ptp(y)
    expected = np.average(
        np.log(np.diff(means) / span * 4), weights=[(x == level).sum() for level in np.unique(x)[:-1]]
    )
    unit = (y - y.min()) / span
    assert pair_methods._log_slope(x, unit) == pytest.approx(expected)


def additive(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    x = rng.uniform(-1, 1, 300)
    return x, x**3 + x + 0.15 * rng.uniform(-1, 1, 300)


def bent(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    x = rng.uniform(-1, 1, 500)
    return x, x**2 + 0.05 * rng.standard_normal(500)


def deterministic(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    x = rng.random(500)
    return x, x**3


def heteroscedastic(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    x = rng.uniform(-1, 1, 800)
    return x, np.sin(3 * x) + (0.05 + 0.4 * (x > 0)) * rng.standard_normal(800)


def wave(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    x = rng.beta(3, 3, 600)
    return x, np.sin(20 * x) + 0.1 * rng.standard_normal(600)


def test_sloppy_is_more_than_reci() -> None:
    """On a wave the cubic sees next to nothing, so the narrower column wins; a chosen spline sees the curve."""
    for seed in range(4):
        x, y = wave(np.random.default_rng(seed))
        assert pair_methods.sloppy(x, y) > 0 > pair_methods.reci(x, y)


def test_sloppy_pays_for_parameters() -> None:
    """A spline that only fits noise is not chosen: on a line the score is that of the line."""
    rng = np.random.default_rng(0)
    x = rng.random(300)
    y = x + 0.3 * rng.standard_normal(300)
    unit = pair_methods.unit_range(y)
    residual = unit - np.polyval(np.polyfit(pair_methods.unit_range(x), unit, 1), pair_methods.unit_range(x))
    line = 0.5 * np.log(np.mean(residual**2)) + np.log(300) / 300
    assert pair_methods._regularised(x, y) == pytest.approx(line, abs=0.01)
    assert pair_methods._regularised(x, y) <= line + 1e-12


@pytest.mark.parametrize(
    ("name", "model"),
    [
        ("anm", additive),
        ("igci", deterministic),
        ("reci", bent),
        ("cds", bent),
        ("bz2", bent),
        ("sloppy", bent),
        ("heci", heteroscedastic),
    ],
)
def test_each_finds_the_direction_in_its_own_model(name: str, model: object) -> None:
    right = 0
    for seed in range(4):
        x, y = model(np.random.default_rng(seed))  # type: ignore[operator]
        right += bool(METHODS[name].run(Table(values=np.stack([x, y], axis=1), seed=0)).adjacency[0, 1])
    assert right == 4


def test_hsic_tells_dependence_from_independence() -> None:
    rng = np.random.default_rng(0)
    x, y = rng.standard_normal((2, 300))
    assert hsic(x, y) < 0.05 < 0.3 < hsic(x, x**2)
    assert hsic(x, x) == pytest.approx(1.0)


def test_pair_methods_refuse_more_columns_and_skip_gaps() -> None:
    for method in pair_methods.METHODS:
        with pytest.raises(InputError, match="3 columns"):
            method.run(Table(values=np.zeros((5, 3)), seed=0))
    x, y = bent(np.random.default_rng(0))
    values = np.stack([x, y], axis=1)
    gapped = np.concatenate([values, [[np.nan, 1.0], [0.5, np.nan]]])
    whole, skipped = (METHODS["reci"].run(Table(values=v, seed=0)).scores for v in (values, gapped))
    assert (whole == skipped).all()  # type: ignore[union-attr]


def test_pairs_are_judged_by_scores_then_arcs() -> None:
    case = Case(
        dataset="p",
        seed=0,
        values=np.zeros((3, 2)),
        names=("x", "y"),
        adjacency=np.array([[False, True], [False, False]]),
        weight=0.5,
    )
    none = np.zeros((2, 2), dtype=bool)
    by_scores = judge_pair(Answer(adjacency=none, scores=np.array([[0, 0.3], [0.2, 0]])), case)
    assert (by_scores["correct"], by_scores["decided"], by_scores["weight"]) == (1, 1, 0.5)
    assert by_scores["confidence"] == pytest.approx(0.1)
    wrong = judge_pair(Answer(adjacency=case.adjacency.T), case)
    assert (wrong["correct"], wrong["correct_or_coin"]) == (0, 0.0)
    for undecided in (none, ~np.eye(2, dtype=bool)):
        verdict = judge_pair(Answer(adjacency=undecided), case)
        assert (verdict["correct"], verdict["correct_or_coin"], verdict["decided"]) == (0, 0.5, 0)
