"""Paths and separation against networkx, on graphs with hidden causes as explicit nodes."""

from __future__ import annotations

from itertools import chain, combinations

import networkx as nx
import numpy as np
import pytest

from foundcause.effects.separation import adjustment_sets, blocks_back_doors, connected, reachability

D = 6


def _random_graphs(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    directed = np.zeros((n, D, D), dtype=bool)
    confounded = np.zeros((n, D, D), dtype=bool)
    for g in range(n):
        order = rng.permutation(D)
        edges = np.triu(rng.random((D, D)) < rng.uniform(0.1, 0.6), 1)
        directed[g][np.ix_(order, order)] = edges
        pairs = np.triu(rng.random((D, D)) < rng.uniform(0, 0.3), 1)
        confounded[g] = pairs | pairs.T
    return directed, confounded


def _explicit(directed: np.ndarray, confounded: np.ndarray) -> nx.DiGraph:
    graph = nx.DiGraph()
    graph.add_nodes_from(range(D))
    graph.add_edges_from(np.argwhere(directed).tolist())
    for i, j in np.argwhere(np.triu(confounded)).tolist():
        graph.add_edges_from([(("hidden", i, j), i), (("hidden", i, j), j)])
    return graph


def _subsets(columns: list[int]) -> list[set[int]]:
    return [set(c) for c in chain.from_iterable(combinations(columns, k) for k in range(len(columns) + 1))]


def _mask(columns: set[int]) -> np.ndarray:
    return np.isin(np.arange(D), list(columns))


def test_reachability_equals_the_descendants_of_networkx() -> None:
    directed, _ = _random_graphs(40, 0)
    found = reachability(directed)
    for g in range(len(directed)):
        graph = nx.from_numpy_array(directed[g], create_using=nx.DiGraph)
        for i in range(D):
            assert set(np.flatnonzero(found[g, i])) == nx.descendants(graph, i)


@pytest.mark.parametrize("seed", range(4))
def test_separation_equals_that_of_networkx(seed: int) -> None:
    directed, confounded = _random_graphs(30, seed)
    rng = np.random.default_rng(seed)
    for _ in range(6):
        start = int(rng.integers(D))
        given = _mask(set(rng.choice(D, size=int(rng.integers(0, 4)), replace=False).tolist()) - {start})
        reached = connected(directed, confounded, start, given)
        for g in range(len(directed)):
            graph = _explicit(directed[g], confounded[g])
            for other in range(D):
                if other != start and not given[other]:
                    separated = nx.is_d_separator(graph, {start}, {other}, set(np.flatnonzero(given).tolist()))
                    assert reached[g, other] == (not separated)


def _is_valid(directed: np.ndarray, confounded: np.ndarray, x: int, y: int, adjustment: set[int]) -> bool:
    """The adjustment criterion, written out: no forbidden column, and the proper back-door graph is separated."""
    graph = _explicit(directed, confounded)
    on_path = {v for v in nx.descendants(graph, x) if v == y or y in nx.descendants(graph, v)}
    forbidden = on_path.union(*(nx.descendants(graph, v) for v in on_path)) if on_path else set()
    if adjustment & forbidden:
        return False
    graph.remove_edges_from([(x, v) for v in on_path if graph.has_edge(x, v)])
    return bool(nx.is_d_separator(graph, {x}, {y}, adjustment))


@pytest.mark.parametrize("seed", range(3))
def test_an_adjustment_set_is_found_exactly_where_one_exists(seed: int) -> None:
    directed, confounded = _random_graphs(25, 10 + seed)
    sets, identified, causal = adjustment_sets(directed, confounded, 0, 1)
    for g in range(len(directed)):
        exists = any(_is_valid(directed[g], confounded[g], 0, 1, s) for s in _subsets(list(range(2, D))))
        assert identified[g] == exists
        if identified[g]:
            assert _is_valid(directed[g], confounded[g], 0, 1, set(np.flatnonzero(sets[g]).tolist()))
        assert causal[g] == (1 in nx.descendants(nx.from_numpy_array(directed[g], create_using=nx.DiGraph), 0))


def test_unusable_columns_are_not_adjusted_for() -> None:
    directed = np.zeros((1, D, D), dtype=bool)
    directed[0, 2, [0, 1]] = directed[0, 0, 1] = True
    confounded = np.zeros_like(directed)
    sets, identified, _ = adjustment_sets(directed, confounded, 0, 1)
    assert identified[0] and np.flatnonzero(sets[0]).tolist() == [2]
    usable = np.ones(D, dtype=bool)
    usable[2] = False
    assert not adjustment_sets(directed, confounded, 0, 1, usable=usable)[1][0]


def test_back_doors_are_blocked_as_the_criterion_says() -> None:
    directed, confounded = _random_graphs(30, 99)
    for adjustment in _subsets([2, 3, 4]):
        found = blocks_back_doors(directed, confounded, 0, 1, _mask(adjustment))
        for g in range(len(directed)):
            graph = _explicit(directed[g], confounded[g])
            clean = not adjustment & nx.descendants(graph, 0)
            graph.remove_edges_from(list(graph.out_edges(0)))
            assert found[g] == (clean and nx.is_d_separator(graph, {0}, {1}, adjustment))
