"""The prior of pairs. N rows."""

from __future__ import annotations

import json

import numpy as np
import pytest
from scipy import stats

from foundcause.simulate.components import pair_families as pairs
from foundcause.simulate.components.pair_causes import CAUSES
from foundcause.simulate.components.pair_effects import (
    NATURAL_LAWS,
    NOISE_KINDS,
    NOISE_PLACES,
    _inside,
    expression,
    expression_cause,
    expression_effect,
    natural_law,
    polynomial_effect,
)
from foundcause.simulate.random_functions import gaussian_process, random_noise, warp


@pytest.fixture(scope="module")
def scenes() -> list:
    return [pairs.draw(np.random.default_rng([seed, 6]), rows=300) for seed in range(1500)]


def test_shapes_flags_and_finiteness(scenes: list) -> None:
    for drawn in scenes:
        nodes = 3 if "hidden" in drawn.record["relation"] else 2
        assert drawn.values.shape == (300, nodes)
        assert drawn.graph.shape == drawn.confounded.shape == (nodes, nodes)
        assert (~drawn.hidden).sum() == 2
        assert not drawn.hidden[:2].any()
        assert np.isfinite(drawn.values).all()
        assert (np.ptp(drawn.values, axis=0) > 0).all()
        json.dumps(drawn.record)


@pytest.mark.parametrize("rows", [100, 101, 5000])
def test_other_sizes(rows: int) -> None:
    for seed in range(60):
        drawn = pairs.draw(np.random.default_rng([seed, 7]), rows=rows)
        assert len(drawn.values) == rows
        assert np.isfinite(drawn.values).all()


def test_relations_and_directions_have_their_shares(scenes: list) -> None:
    edges = np.array([drawn.graph[:2, :2].sum() for drawn in scenes])
    forward = np.array([drawn.graph[0, 1] for drawn in scenes])
    assert edges.max() == 1
    assert abs(edges.mean() - 0.82) < 0.035
    assert abs(forward[edges == 1].mean() - 0.5) < 0.05
    for name, share in pairs.RELATIONS.items():
        seen = np.mean([drawn.record["relation"] == name for drawn in scenes])
        assert abs(seen - share) < 4 * np.sqrt(share * (1 - share) / len(scenes))
    for drawn in scenes:
        assert drawn.graph[:2, :2].any() == drawn.record["relation"].startswith("edge")
        if len(drawn.graph) == 3:
            np.testing.assert_array_equal(drawn.graph[2], [True, True, False])


def test_shares_sum_to_one() -> None:
    for shares in (
        pairs.RELATIONS,
        pairs.PAIR_FAMILIES,
        NATURAL_LAWS,
        NOISE_KINDS,
        {k: v for k, (_, v) in CAUSES.items()},
    ):
        assert abs(sum(shares.values()) - 1.0) < 1e-9


def test_same_generator_same_bytes() -> None:
    for seed in range(40):
        first, second = (pairs.draw(np.random.default_rng(seed), rows=200) for _ in range(2))
        assert first.values.tobytes() == second.values.tobytes()
        assert first.graph.tobytes() == second.graph.tobytes()
        assert first.record == second.record


def test_linked_pairs_depend_and_unlinked_ones_do_not(scenes: list) -> None:
    def dependent(drawn: object) -> bool:
        first, second = (np.minimum((4 * stats.rankdata(c) / 300.01).astype(int), 3) for c in drawn.values[:, :2].T)  # type: ignore[attr-defined]
        table = np.histogram2d(first, second, bins=4)[0]
        table = table[table.sum(axis=1) > 0][:, table.sum(axis=0) > 0]
        return min(table.shape) > 1 and stats.chi2_contingency(table).pvalue < 0.01

    def share(relation: str) -> float:
        return float(
            np.mean(
                [dependent(d) for d in scenes if d.record["relation"] == relation and d.record["family"] != "series"]
            )
        )

    assert share("edge") > 0.85
    assert share("edge_and_hidden") > 0.85
    assert share("hidden") > 0.7
    assert share("none") < 0.04


def test_discreteness_and_scale_do_not_give_the_direction_away(scenes: list) -> None:
    linked = [d for d in scenes if d.record["relation"] == "edge"]
    levels, scales = [], []
    for drawn in linked:
        cause = 0 if drawn.graph[0, 1] else 1
        counts = [len(np.unique(column)) for column in drawn.values[:, :2].T]
        spread = drawn.values[:, :2].std(axis=0)
        levels.append(np.sign(counts[cause] - counts[1 - cause]))
        scales.append(spread[cause] > spread[1 - cause])
    # A guess by "the coarser column is the cause" is right in no more than three decided pairs of five.
    decided = np.array(levels)[np.array(levels) != 0]
    assert 0.4 < (decided < 0).mean() < 0.62
    assert abs(np.mean(scales) - 0.5) < 0.08


@pytest.mark.parametrize("name", list(CAUSES))
def test_causes_are_finite(name: str) -> None:
    for seed in range(30):
        column = CAUSES[name][0](np.random.default_rng(seed), 250)
        assert column.shape == (250,)
        assert np.isfinite(column).all()


@pytest.mark.parametrize("name", list(NATURAL_LAWS))
def test_laws_are_functions_of_the_cause(name: str) -> None:
    for seed in range(30):
        cause = np.random.default_rng(seed).gamma(1.0, size=200)
        cause[100:] = cause[:100]
        response = natural_law(np.random.default_rng(seed + 1), cause, name)
        np.testing.assert_allclose(response[:100], response[100:])
        assert abs(response.std() - 1.0) < 1e-6


def test_expressions_are_functions_of_all_their_terms() -> None:
    """Equal rows of the terms give equal results, and every term is heard in most formulas."""
    heard = np.zeros(3)
    for seed in range(200):
        terms = list(np.random.default_rng([seed, 1]).normal(size=(3, 200)))
        for term in terms:
            term[100:] = term[:100]
        result = expression(np.random.default_rng(seed), terms)
        np.testing.assert_allclose(result[:100], result[100:])
        assert np.isfinite(result).all()
        for k in range(3):
            other = [np.roll(term, 7) if k == j else term for j, term in enumerate(terms)]
            heard[k] += not np.allclose(expression(np.random.default_rng(seed), other), result)
    assert (heard > 190).all()


@pytest.mark.parametrize("place", NOISE_PLACES)
def test_polynomial_effects_show_their_cause(place: str) -> None:
    """Multiplied noise is in proportion to the spread of what it multiplies, however far that is from zero."""
    faint = 0
    for seed in range(150):
        rng = np.random.default_rng(seed)
        x = rng.normal(size=3000) if seed % 2 else rng.gamma(2.0, size=3000)
        y = polynomial_effect(rng, (x - x.mean()) / x.std(), rng.normal(size=3000), place)
        bins = [np.searchsorted(np.quantile(v, np.arange(1, 8) / 8), v) for v in (x, y)]
        counts = np.zeros((8, 8))
        np.add.at(counts, tuple(bins), 1)
        faint += stats.chi2_contingency(counts + 1e-9).pvalue > 1e-3
    assert faint <= 2


@pytest.mark.parametrize("share", [0.05, 0.2, 0.7])
@pytest.mark.parametrize("level", [-9.0, 0.0, 9.0])
def test_switches_lie_where_something_passes_them(share: float, level: float) -> None:
    rng = np.random.default_rng(0)
    for column in (np.minimum(rng.normal(size=500), np.quantile(rng.normal(size=500), 1 - share)),
                   (rng.random(500) < share).astype(float)):  # fmt: skip
        switch = _inside(column, level)
        assert 0 < (column > switch).sum() < 500
        assert np.ptp(np.maximum(column, switch)) > 0


def test_expressions_stay_finite_for_wild_input() -> None:
    for seed in range(100):
        rng = np.random.default_rng(seed)
        wild = rng.standard_cauchy(size=300) * 1e6
        for column in (expression_effect(rng, wild, rng.normal(size=300)), expression_cause(rng, 300)):
            assert np.isfinite(column).all()
            assert np.abs(column).max() <= 60.0
        assert np.isfinite(expression_effect(rng, np.ones(50), rng.normal(size=50))).all()


def test_warps_increase_and_noise_is_standardized() -> None:
    grid = np.linspace(-5, 5, 300)
    for seed in range(30):
        assert (np.diff(warp(np.random.default_rng(seed), grid, strength=1.5, length=0.5)) > 0).all()
        noise = random_noise(np.random.default_rng(seed), 20_000)
        assert abs(noise.mean()) < 0.05
        assert abs(noise.std() - 1.0) < 0.2


def test_gaussian_process_has_unit_variance_and_its_length_scale() -> None:
    """Correlation at distance r is exp(-r^2 / 2 l^2)."""
    at = np.array([[0.0], [1.0], [2.0]])
    paths = np.stack([gaussian_process(np.random.default_rng(s), at, np.array([1.5])) for s in range(4000)])
    expected = np.exp(-((at - at.T) ** 2) / (2 * 1.5**2))
    np.testing.assert_allclose(paths.T @ paths / 4000, expected, atol=0.08)
