"""Knowledge that spans several edges, against every possible graph."""

from __future__ import annotations

from itertools import product

import networkx as nx
import numpy as np
import pytest

from foundcause.inference.decoding import Decoded, apply_knowledge, log_odds_gain, spread, without_edges
from foundcause.knowledge import Knowledge

NAMES = ["v0", "v1", "v2", "v3", "v4"]


def answer_of(edges: np.ndarray, adjacency: np.ndarray) -> Decoded:
    return Decoded(
        edges=edges,
        existence=np.minimum(edges + edges.T, 1.0),
        confounding=np.zeros_like(edges),
        adjacency=adjacency,
        agreement=adjacency * 1.0,
        threshold=0.2,
        confounding_threshold=0.5,
    )


def obeys(graph: np.ndarray, required: np.ndarray, before: np.ndarray) -> bool:
    found = nx.from_numpy_array(graph.astype(int), create_using=nx.DiGraph)
    back = any(nx.has_path(found, j, i) for i, j in np.argwhere(before))
    return bool(graph[required].all()) and nx.is_directed_acyclic_graph(found) and not back


@pytest.mark.parametrize("seed", range(12))
def test_the_heaviest_part_of_the_answer_that_obeys_is_kept(seed: int) -> None:
    rng = np.random.default_rng(seed)
    order = rng.permutation(5)
    forward = np.zeros((5, 5), dtype=bool)
    forward[np.ix_(order, order)] = np.triu(np.ones((5, 5), dtype=bool), 1)
    tiers = [[NAMES[order[-1]]], [NAMES[order[2]]], [NAMES[order[0]]]]  # against the order of the answer
    known = Knowledge(tiers=tiers, required=[(NAMES[order[1]], NAMES[order[3]])])
    forbidden, required = known.masks(NAMES)
    before = known.before(NAMES)
    edges = np.where(forward & ~forbidden, rng.uniform(0.25, 0.95, size=(5, 5)), 0.0)
    adjacency = (edges > 0.2) & (rng.random((5, 5)) < 0.9) & ~required
    found = apply_knowledge(answer_of(edges, adjacency), required, before)

    weights = log_odds_gain(edges, 0.2)
    places = np.argwhere(adjacency)
    best = -1.0
    for kept in product([False, True], repeat=len(places)):
        graph = required.copy()
        graph[tuple(places[list(kept)].T)] = True
        if obeys(graph, required, before):
            best = max(best, float(weights[graph & adjacency].sum()))
    assert obeys(found.adjacency, required, before)
    assert not (found.adjacency & ~adjacency & ~required).any()
    assert weights[found.adjacency & adjacency].sum() == pytest.approx(best)
    assert (found.edges[required] == 1).all() and np.array_equal(found.edges[~required], edges[~required])


def test_an_answer_that_obeys_already_is_left_alone() -> None:
    edges = np.triu(np.full((4, 4), 0.6), 1)
    answer = answer_of(edges, edges > 0.5)
    nothing = np.zeros((4, 4), dtype=bool)
    assert apply_knowledge(answer, nothing, nothing) is answer
    before = Knowledge(tiers=[["v0"], ["v2", "v3"]]).before(NAMES[:4])
    assert np.array_equal(apply_knowledge(answer, nothing, before).adjacency, answer.adjacency)


def test_columns_without_a_part_have_no_edges() -> None:
    edges = np.array([[0.0, 0.7], [0.1, 0.0]])
    whole = spread(answer_of(edges, edges > 0.5), np.array([3, 1]), 4)
    assert np.argwhere(whole.adjacency).tolist() == [[3, 1]]
    assert whole.edges[3, 1] == 0.7 and whole.edges[1, 3] == 0.1 and np.count_nonzero(whole.edges) == 2
    empty = without_edges(3, threshold=0.4)
    assert not empty.adjacency.any() and empty.edges.shape == (3, 3) and empty.threshold == 0.4
