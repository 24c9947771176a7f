"""Systems that move in time, and the methods that take the order of rows for time."""

from __future__ import annotations

import dataclasses

import networkx as nx
import numpy as np
import pytest

from foundcause.bench.baselines import IN_TIME, groups, method, select
from foundcause.bench.baselines.method import Table
from foundcause.bench.baselines.simple_methods import LAGS
from foundcause.bench.datasets import SERIES, dataset, load
from foundcause.bench.datasets.own_simulations import SERIES_ROWS, SERIES_VARIABLES, SYSTEMS, System, simulate_series
from foundcause.bench.experiments import EXPERIMENTS
from foundcause.features.series import row_dependence

CHAIN = np.zeros((3, 3), dtype=bool)
CHAIN[0, 1] = CHAIN[1, 2] = True


def answer(name: str, values: np.ndarray) -> np.ndarray:
    return method(name).run(Table(values=values, seed=0)).adjacency


@pytest.mark.parametrize("name", SERIES)
def test_a_system_is_an_acyclic_graph_and_rows_in_order(name: str) -> None:
    case, again, other = load(name), load(name), load(name, seed=1)
    assert case.values.shape == (SERIES_ROWS, SERIES_VARIABLES) and np.isfinite(case.values).all()
    assert nx.is_directed_acyclic_graph(nx.DiGraph(case.adjacency)) and case.adjacency.any()
    assert np.array_equal(case.values, again.values) and not np.array_equal(case.values, other.values)
    assert row_dependence(case.values).n_effective < SERIES_ROWS
    assert case.confounding.any() == SYSTEMS[name].rhythm
    assert dataset(name).missing() is None


def test_late_effects_show_a_row_later_and_others_at_once() -> None:
    white = {"recipe": "white noise", "memory": (0.0, 1e-9)}
    for late, lag in ((1.0, 1), (0.0, 0)):
        values = simulate_series(CHAIN, System(late=late, **white), np.random.default_rng(1))
        strength = [abs(np.corrcoef(values[: SERIES_ROWS - k, 0], values[k:, 1])[0, 1]) for k in (0, 1)]
        assert strength[lag] > 0.25 and strength[1 - lag] < 0.12


def test_a_cause_moves_its_effect_whatever_the_law() -> None:
    for system in SYSTEMS.values():
        plain = dataclasses.replace(system, rhythm=False, every=1, tails=None)
        moved, still = (
            simulate_series(graph, plain, np.random.default_rng(2)) for graph in (CHAIN, np.zeros_like(CHAIN))
        )
        assert np.allclose(moved[:, 0], still[:, 0]) and not np.allclose(moved[:, 1:], still[:, 1:])


@pytest.mark.parametrize("name", IN_TIME)
def test_methods_in_time_find_a_late_chain(name: str) -> None:
    case = load("var_late")
    found = answer(name, case.values)
    assert (found & case.adjacency).sum() >= 0.9 * case.adjacency.sum()
    order = np.random.default_rng(0).permutation(SERIES_VARIABLES)
    assert np.array_equal(answer(name, case.values[:, order]), found[np.ix_(order, order)])


def test_granger_is_silent_about_unrelated_series_and_counts_their_rows() -> None:
    noise = np.random.default_rng(3).standard_normal((400, 8))
    assert answer("granger", noise).sum() <= 1
    assert not answer("granger", noise[: LAGS + 8]).any()  # hardly a row for each regressor


def test_methods_in_time_are_asked_where_rows_stand_in_time() -> None:
    assert not set(groups()["all"]) & set(IN_TIME)
    chosen = [entry.name for entry in select(EXPERIMENTS["series"].methods)]
    assert {*IN_TIME, "foundcause", "grasp"} <= set(chosen)
    assert all(entry.series for entry in select(",".join(IN_TIME)))
