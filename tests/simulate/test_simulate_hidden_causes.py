"""Labels over observed variables against a twin that walks every path, and hidden causes of many columns."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from foundcause.simulate.components import studies
from foundcause.simulate.hidden_causes import MOST_CIRCUMSTANCES, choose_hidden, marginalize, with_circumstances
from foundcause.simulate.mixture import PAPER, SHIPPED, make_task


def walk(graph: np.ndarray, hidden: np.ndarray, start: int) -> set[int]:
    """Nodes at the end of directed paths from ``start`` whose inner nodes are all hidden."""
    ends: set[int] = set()
    todo = [int(k) for k in np.flatnonzero(graph[start])]
    while todo:
        node = todo.pop()
        ends.add(node)
        if hidden[node]:
            todo += [int(k) for k in np.flatnonzero(graph[node])]
    return ends


def brute_force(graph: np.ndarray, hidden: np.ndarray, confounded: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Every definition spelled out; correlated noise is a further hidden node with two children."""
    pairs = np.argwhere(np.triu(confounded, 1))
    nodes = len(graph)
    full = np.zeros((nodes + len(pairs),) * 2, dtype=bool)
    full[:nodes, :nodes] = graph
    for k, pair in enumerate(pairs):
        full[nodes + k, pair] = True
    unseen = np.concatenate([hidden, np.ones(len(pairs), dtype=bool)])
    seen = np.flatnonzero(~unseen)
    reached = {node: walk(full, unseen, node) for node in range(len(full))}
    adjacency = np.array([[j in reached[i] for j in seen] for i in seen])
    confounding = np.array(
        [
            [i != j and any(i in reached[h] and j in reached[h] for h in np.flatnonzero(unseen)) for j in seen]
            for i in seen
        ]
    )
    return adjacency, confounding


def test_matches_brute_force_on_thousands_of_graphs() -> None:
    rng = np.random.default_rng(0)
    confounders = 0
    for _ in range(3000):
        nodes = int(rng.integers(2, 11))
        graph = np.triu(rng.random((nodes, nodes)) < rng.uniform(0.05, 0.7), 1)
        order = rng.permutation(nodes)
        graph = graph[np.ix_(order, order)]
        hidden = rng.random(nodes) < rng.uniform(0.0, 0.8)
        hidden[rng.integers(nodes)] = False
        confounded = np.triu(rng.random((nodes, nodes)) < rng.choice([0.0, 0.1]), 1)
        confounded |= confounded.T
        adjacency, confounding = marginalize(graph, hidden, confounded)
        expected = brute_force(graph, hidden, confounded)
        np.testing.assert_array_equal(adjacency, expected[0])
        np.testing.assert_array_equal(confounding, expected[1])
        confounders += int(confounding.any())
    assert confounders > 700


def test_long_hidden_chain_is_one_edge() -> None:
    nodes = 40
    graph = np.eye(nodes, k=1, dtype=bool)
    hidden = np.ones(nodes, dtype=bool)
    hidden[[0, -1]] = False
    adjacency, confounding = marginalize(graph, hidden)
    assert adjacency.tolist() == [[False, True], [False, False]]
    assert not confounding.any()  # the chain's hidden nodes reach its end only


def test_hand_computed_case() -> None:
    # 0 -> 1(hidden) -> 2, 1 -> 3, and observed 2 -> 4: the hidden node confounds 2 and 3 only.
    graph = np.zeros((5, 5), dtype=bool)
    for i, j in [(0, 1), (1, 2), (1, 3), (2, 4)]:
        graph[i, j] = True
    adjacency, confounding = marginalize(graph, np.array([False, True, False, False, False]))
    names = ["0", "2", "3", "4"]
    edges = {(names[i], names[j]) for i, j in np.argwhere(adjacency)}
    assert edges == {("0", "2"), ("0", "3"), ("2", "4")}
    assert {(names[i], names[j]) for i, j in np.argwhere(np.triu(confounding))} == {("2", "3")}


@pytest.mark.parametrize("count", [0, 1, 4, 10])
def test_hidden_count_is_exact(count: int) -> None:
    graph = np.triu(np.ones((10, 10), dtype=bool), 1)
    assert choose_hidden(np.random.default_rng(count), graph, count).sum() == count


def test_nodes_with_children_are_preferred() -> None:
    graph = np.zeros((10, 10), dtype=bool)
    graph[0, 5:8] = graph[1, 7:] = True
    rng = np.random.default_rng(0)
    chosen = np.mean([choose_hidden(rng, graph, 1) for _ in range(3000)], axis=0)
    expected = np.array([5.0] * 2 + [1.0] * 8) / 18
    assert np.abs(chosen - expected).max() < 0.04


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
