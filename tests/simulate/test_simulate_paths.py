"""The DoWhy path's networks, the diverse path's inputs, and discrete tables."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from foundcause.simulate.components import paths, special_tasks
from foundcause.simulate.hidden_causes import no_shared_noise
from foundcause.simulate.mixture import PAPER, SHIPPED
from foundcause.simulate.scene_building import Blueprint, Conditions


def blueprint(graph: np.ndarray, rows: int) -> Blueprint:
    nodes = len(graph)
    hidden = np.zeros(nodes, dtype=bool)
    return Blueprint(graph=graph, hidden=hidden, shared=no_shared_noise(nodes), conditions=Conditions(), rows=rows)


@pytest.mark.parametrize("shape", [(1, 5), (5, 1), (64, 64), (8, 60), (60, 8)])
def test_weights_have_the_spectral_norm(shape: tuple[int, int]) -> None:
    rng = np.random.default_rng(0)
    norms = [np.linalg.norm(paths._random_weights(rng, *shape, 5.0), 2) for _ in range(30)]
    assert min(norms) > 4.99  # power iteration underestimates the norm, so weights come out slightly larger
    assert np.mean(norms) < 5.25


def test_network_outputs_fill_their_range_on_the_calibration_rows() -> None:
    rng = np.random.default_rng(1)
    x = rng.standard_normal((3, 2500), dtype=np.float32)
    for _ in range(20):
        output = paths._tanh_network(rng, PAPER.dowhy, x, 1000)
        assert output[:1000].min() == pytest.approx(-2.0, abs=1e-4)
        assert output[:1000].max() == pytest.approx(2.0, abs=1e-4)
        assert np.abs(output).max() < 3.0


def test_paper_draws_a_thousand_rows_and_shows_what_is_asked() -> None:
    assert paths.rows_needed(PAPER.dowhy, 100) == 1000
    assert paths.rows_needed(SHIPPED.dowhy, 100) == 100
    scene = paths.draw_scene(np.random.default_rng(2), PAPER, "dowhy", rows=123, variables=6)
    assert scene.values.shape[0] == 123
    assert (~scene.hidden).sum() == 6


def test_additive_noise_has_the_drawn_scale() -> None:
    """Linear mechanisms: the residual of a regression on the parents is the noise, 0.01 to 0.25 in size."""
    settings = dataclasses.replace(PAPER.dowhy, mechanisms={"linear": 1.0}, noise={"gaussian": 1.0})
    graph = np.zeros((4, 4), dtype=bool)
    graph[:3, 3] = True
    sizes = []
    for seed in range(200):
        values = paths.sample_dowhy(np.random.default_rng(seed), settings, blueprint(graph, 1000), 1000).values_VN.T
        design = np.c_[values[:, :3], np.ones(1000)]
        left = values[:, 3] - design @ np.linalg.lstsq(design, values[:, 3], rcond=None)[0]
        sizes.append(left.std())
    assert 0.009 < min(sizes) and max(sizes) < 0.27  # noqa: SIM300
    assert np.mean(np.log(sizes)) == pytest.approx(np.log([0.01, 0.25]).mean(), abs=0.25)  # log-uniform


def test_children_on_the_diverse_path_see_their_parents() -> None:
    """Every family lets a parent's influence through: shuffling the parent's rows breaks a dependence."""
    graph = np.array([[False, True], [False, False]])
    settings = dataclasses.replace(PAPER.diverse, noise_scale=dataclasses.replace(PAPER.diverse.noise_scale, high=0.1))
    found = 0
    for seed in range(60):
        values = paths.sample_diverse(np.random.default_rng(seed), settings, blueprint(graph, 600), 600).values_VN
        groups = np.argsort(np.argsort(values[0])) * 10 // 600
        means = np.array([values[1][groups == k].mean() for k in range(10)])
        between = (means - values[1].mean()).var() * 600
        found += between / max(values[1].var(), 1e-12) > 25  # chi-square with 9 degrees of freedom, p < 0.003
    assert found >= 50


def test_mixed_types_bring_discrete_columns() -> None:
    settings = dataclasses.replace(SHIPPED.diverse, mixed_types=1.0)
    graph = np.eye(12, k=1, dtype=bool)
    kinds = [
        paths.sample_diverse(np.random.default_rng(seed), settings, blueprint(graph, 200), 200).discrete
        for seed in range(20)
    ]
    assert 0.2 < np.mean(kinds) < 0.9


def test_codes_follow_their_tables() -> None:
    rng = np.random.default_rng(3)
    table = special_tasks.conditional_table(rng, 6, 4, 0.7)
    np.testing.assert_allclose(table.sum(axis=1), 1.0)
    row = rng.integers(6, size=120000)
    codes = special_tasks.draw_codes(rng, table, row)
    for k in range(6):
        seen = np.bincount(codes[row == k], minlength=4) / (row == k).sum()
        np.testing.assert_allclose(seen, table[k], atol=0.015)


def test_discrete_networks_limit_parents_and_levels() -> None:
    changed, samples = special_tasks.sample_tables(
        np.random.default_rng(4), blueprint(np.triu(np.ones((9, 9), dtype=bool), 1), 300)
    )
    assert changed.graph.sum(axis=0).max() == special_tasks._MOST_TABLE_PARENTS
    assert samples.discrete.all()
    assert samples.values_VN.max() < special_tasks._MOST_LEVELS
    np.testing.assert_array_equal(samples.values_VN, np.round(samples.values_VN))


def test_hidden_count_follows_the_page() -> None:
    rng = np.random.default_rng(5)
    for variables in (2, 3, 10, 40):
        drawn = [PAPER.hiding.draw(rng, variables) for _ in range(500)]
        assert 0 <= min(drawn) and max(drawn) <= 0.3 * variables  # noqa: SIM300
    heavy = [SHIPPED.hiding.draw(rng, 40) for _ in range(2000)]
    assert 0.1 < np.mean(np.array(heavy) > 12) < 0.2
