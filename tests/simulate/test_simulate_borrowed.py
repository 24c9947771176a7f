"""Excerpts of two columns, and unrelated columns of another component. V nodes."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import spearmanr

from foundcause.simulate.components import borrowed as excerpts
from foundcause.simulate.hidden_causes import marginalize
from foundcause.simulate.mixture import SHIPPED, make_task
from foundcause.simulate.task import Scene

RNG = np.random.default_rng(0)


def chain(hidden: tuple[int, ...] = ()) -> Scene:
    """0 -> 1 -> 2 -> 3."""
    graph = np.eye(4, k=1, dtype=bool)
    mask = np.isin(np.arange(4), hidden)
    empty = np.zeros((4, 4), dtype=bool)
    values = RNG.normal(size=(200, 4)).cumsum(axis=1)
    return Scene(values=values, graph=graph, hidden=mask, confounded=empty, discrete=np.zeros(4, dtype=bool))


@pytest.fixture(scope="module")
def tasks() -> list:
    return [make_task(SHIPPED.only("excerpts"), 3, index) for index in range(300)]


def test_two_columns_of_every_source(tasks: list) -> None:
    assert all(task.values.shape[1] == 2 for task in tasks)
    assert {task.record["source"] for task in tasks} == set(SHIPPED.excerpt_sources)
    assert {task.record["component"] for task in tasks} == {"excerpts"}


def test_most_are_linked_in_either_order_and_some_share_a_cause(tasks: list) -> None:
    linked = np.array([task.adjacency.any() for task in tasks])
    forward = np.array([task.adjacency[0, 1] for task in tasks])
    shared = np.array([task.confounding[0, 1] for task in tasks])
    assert 0.7 < linked.mean() < 0.95
    assert 0.4 < forward[linked].mean() < 0.6
    assert 0.15 < shared.mean() < 0.6
    assert not any(task.adjacency.sum() > 1 for task in tasks)


def test_labels_follow_from_the_whole_graph() -> None:
    """Of a chain any two nodes are linked through the unseen ones, in the direction of the chain."""
    for seed in range(60):
        scene = chain()
        cut = excerpts.cut(np.random.default_rng(seed), scene)
        assert (~cut.hidden).sum() == 2
        adjacency, confounding = marginalize(cut.graph, cut.hidden)
        np.testing.assert_array_equal(adjacency, [[False, True], [False, False]])
        # An unseen node before both reaches the second only through the first.
        assert not confounding.any()


def test_what_was_hidden_stays_hidden_and_lone_columns_stay_alone() -> None:
    for seed in range(30):
        assert excerpts.cut(np.random.default_rng(seed), chain(hidden=(1,))).hidden[1]
    lone = chain(hidden=(0, 1, 2))
    assert excerpts.cut(np.random.default_rng(0), lone) is lone


def test_sources_are_those_of_the_mixture_if_it_has_any() -> None:
    only = SHIPPED.only("excerpts")
    with_sensors = only.with_weights({"sensors": 0.01, "pairs": 0.01, "excerpts": 1.0})
    tasks = [make_task(with_sensors, 1, index) for index in range(20)]
    assert {task.record["source"] for task in tasks if task.record["component"] == "excerpts"} == {"sensors"}
    assert len({make_task(only, 1, index).record["source"] for index in range(100)}) == len(SHIPPED.excerpt_sources)


def test_half_of_the_linked_ones_start_at_a_node_without_causes() -> None:
    """In the chain 0 -> 1 -> 2 -> 3 only node 0 is such a node, and only its edge can be the excerpt then."""
    pairs = [tuple(np.flatnonzero(~excerpts.cut(np.random.default_rng(seed), chain()).hidden)) for seed in range(400)]
    first = np.mean([pair == (0, 1) for pair in pairs])
    expected = excerpts.LINKED * (excerpts.EXOGENOUS + (1 - excerpts.EXOGENOUS) / 3) + (1 - excerpts.LINKED) / 6
    assert abs(first - expected) < 0.08


TASKS = [make_task(SHIPPED.only("unrelated"), seed=3, index=k) for k in range(100)]


def test_nothing_is_joined_and_all_sources_have_their_turn() -> None:
    assert not any(task.adjacency.any() or task.confounding.any() for task in TASKS)
    assert {task.record["source"] for task in TASKS} == set(SHIPPED.unrelated_sources)
    assert {task.record["component"] for task in TASKS} == {"unrelated"}


def test_columns_are_independent_up_to_chance() -> None:
    beyond = total = 0
    for task in TASKS:
        if not task.observed.all():  # gaps may depend on values
            continue
        values = task.values[:, :6]
        for i in range(values.shape[1]):
            for j in range(i):
                beyond += spearmanr(values[:, i], values[:, j]).pvalue < 0.01
                total += 1
    assert total > 200
    assert beyond / total < 0.035


def test_columns_are_those_of_the_source() -> None:
    """Shuffling keeps every column's values: survey columns are still discrete."""
    discrete = [
        len(task.record["discrete"]) / task.record["columns"]
        for task in TASKS
        if task.record["source"] == "expert" and "unrelated_columns" not in task.record
    ]
    assert np.mean(discrete) == pytest.approx(1.0)
