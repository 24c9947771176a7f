"""Hidden causes of many columns at once, and the tables that people collect around an outcome."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from foundcause.simulate.components import studies
from foundcause.simulate.hidden_causes import MOST_CIRCUMSTANCES, marginalize, with_circumstances
from foundcause.simulate.mixture import PAPER, SHIPPED, make_task


def test_circumstances_are_hidden_roots_and_leave_the_graph_as_it_is() -> None:
    rng = np.random.default_rng(0)
    graph = np.triu(rng.random((8, 8)) < 0.3, 1)
    hidden = np.arange(8) == 3
    for _ in range(30):
        wider, unseen = with_circumstances(rng, graph, hidden)
        new = len(wider) - 8
        assert 1 <= new <= MOST_CIRCUMSTANCES and unseen[:new].all() and (unseen[new:] == hidden).all()
        assert not wider[:, :new].any() and (wider[new:, new:] == graph).all()
        assert (marginalize(wider, unseen)[0] == marginalize(graph, hidden)[0]).all()  # no edge between columns is new


def test_they_confound_many_pairs() -> None:
    rng = np.random.default_rng(1)
    graph, hidden = np.zeros((10, 10), dtype=bool), np.zeros(10, dtype=bool)
    shares = [marginalize(*with_circumstances(rng, graph, hidden))[1].mean() for _ in range(100)]
    assert 0.3 < np.mean(shares) < 0.9


@pytest.mark.parametrize("component", ["diverse", "dowhy", "linear_gaussian"])
def test_generic_tasks_have_them_where_the_mixture_says(component: str) -> None:
    def confounded(chance: float) -> float:
        hiding = dataclasses.replace(SHIPPED.hiding, circumstances=chance, heavy_chance=0.0)
        mixture = dataclasses.replace(SHIPPED.only(component), hiding=hiding)
        tasks = [make_task(mixture, 5, index) for index in range(25)]
        return float(np.mean([task.confounding.mean() for task in tasks]))

    assert confounded(1.0) > confounded(0.0) + 0.2


def test_the_paper_has_none_and_draws_nothing() -> None:
    rng = np.random.default_rng(0)
    state = rng.bit_generator.state
    assert not PAPER.hiding.draw_circumstances(rng) and rng.bit_generator.state == state
    assert SHIPPED.clean().hiding.circumstances == 0.0


def test_outcomes_of_studies_have_many_causes_and_few_effects() -> None:
    causes, effects = [], []
    for seed in range(80):
        scene = studies.draw(np.random.default_rng(seed), rows=60, variables=12)
        first = len(scene.graph) - scene.record["sequels"] - scene.record["outcomes"]
        causes.append(scene.graph[:, first].sum())
        effects.append(scene.graph[first].sum())
        if scene.record["experiment"]:
            assert not scene.graph[:first, :first].any() and not scene.hidden.any()
    assert np.mean(causes) > 6.0 and np.mean(effects) < 0.6
