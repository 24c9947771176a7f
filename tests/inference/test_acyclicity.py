from __future__ import annotations

from itertools import permutations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from foundcause.inference import acyclicity
from foundcause.inference.acyclicity import greedy_acyclic, maximum_acyclic


def random_weights(seed: int, size: int, density: float = 0.6) -> np.ndarray:
    rng = np.random.default_rng(seed)
    weights = rng.random((size, size)) * (rng.random((size, size)) < density)
    np.fill_diagonal(weights, 0)
    return weights


def is_acyclic(edges: np.ndarray) -> bool:
    return nx.is_directed_acyclic_graph(nx.from_numpy_array(edges.astype(int), create_using=nx.DiGraph))


def best_by_enumeration(weights: np.ndarray) -> float:
    size = len(weights)
    return max(
        sum(weights[order[a], order[b]] for a in range(size) for b in range(a + 1, size))
        for order in permutations(range(size))
    )


@pytest.mark.parametrize("seed", range(12))
def test_small_graphs_are_solved_exactly(seed):
    weights = random_weights(seed, 6)
    chosen = maximum_acyclic(weights)
    assert is_acyclic(chosen)
    assert weights[chosen].sum() == pytest.approx(best_by_enumeration(weights))


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 10_000), st.integers(2, 30), st.floats(0.05, 1.0))
def test_never_cyclic_and_never_lighter_than_greedy(seed, size, density):
    weights = random_weights(seed, size, density)
    chosen, greedy = maximum_acyclic(weights), greedy_acyclic(weights)
    assert is_acyclic(chosen) and is_acyclic(greedy)
    assert not (chosen & (weights <= 0)).any()
    assert weights[chosen].sum() >= weights[greedy].sum() - 1e-9


def test_the_search_for_large_knots_is_close_to_exact(monkeypatch):
    cases = [random_weights(seed, 11, 0.8) for seed in range(10)]
    exact = [weights[maximum_acyclic(weights)].sum() for weights in cases]
    monkeypatch.setattr(acyclicity, "EXACT_SIZE", 1)
    searched = [weights[maximum_acyclic(weights)].sum() for weights in cases]
    greedy = [weights[greedy_acyclic(weights)].sum() for weights in cases]
    assert all(s <= e + 1e-9 for s, e in zip(searched, exact, strict=True))
    assert np.mean(searched) > 0.97 * np.mean(exact) > np.mean(greedy) * 0.97
    assert sum(searched) > sum(greedy)


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 10_000), st.integers(2, 25), st.integers(1, 8))
def test_required_edges_stay_whatever_they_weigh(seed, size, count):
    rng = np.random.default_rng(seed)
    weights = random_weights(seed, size)
    order = rng.permutation(size)
    required = np.zeros((size, size), dtype=bool)
    for _ in range(count):
        first, second = np.sort(rng.choice(size, 2, replace=False))
        required[order[first], order[second]] = True
    chosen = maximum_acyclic(weights, required)
    assert is_acyclic(chosen) and chosen[required].all()
    assert not (chosen & (weights <= 0) & ~required).any()


def test_a_cycle_loses_its_weakest_edge():
    weights = np.zeros((4, 4))
    weights[0, 1], weights[1, 2], weights[2, 0], weights[2, 3] = 0.9, 0.8, 0.3, 0.5
    expected = (weights > 0) & (weights != 0.3)
    np.testing.assert_array_equal(maximum_acyclic(weights), expected)
