"""Statements about paths and beliefs hold in every answer."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from foundcause.errors import KnowledgeError
from foundcause.inference.acyclicity import maximum_acyclic
from foundcause.inference.decoding import apply_knowledge, weigh_beliefs
from foundcause.inference.statements import apply_statements
from foundcause.knowledge import Knowledge
from made_answers import decoded

D = 6
NAMES = [f"v{k}" for k in range(D)]
PAIRS = st.lists(st.tuples(st.integers(0, D - 1), st.integers(0, D - 1)).filter(lambda e: e[0] != e[1]), max_size=4)


def _answer(seed: int, known: Knowledge):
    rng = np.random.default_rng(seed)
    edges = rng.uniform(size=(D, D)) * ~np.eye(D, dtype=bool)
    forbidden, required = known.masks(NAMES)
    edges = np.where(required, 1.0, np.where(forbidden, 0.0, edges / 2))
    adjacency = maximum_acyclic(np.where(edges > 0.2, edges, 0.0), required)
    return apply_knowledge(decoded(edges, adjacency=adjacency, threshold=0.2), required, known.before(NAMES))


@settings(deadline=None, max_examples=300)
@given(st.integers(0, 1000), PAIRS, PAIRS, PAIRS, PAIRS, st.lists(st.integers(-1, 1), min_size=D, max_size=D))
def test_statements_are_never_violated(seed, required, forbidden, upstream, denied, place):
    def named(pairs):
        return [(NAMES[i], NAMES[j]) for i, j in pairs]

    tiers = [[NAMES[k] for k in range(D) if place[k] == tier] for tier in range(2)]
    try:
        known = Knowledge(
            required=named(required),
            forbidden=named(forbidden),
            upstream=named(upstream),
            not_upstream=named(denied),
            tiers=tiers,
        )
        answer = apply_statements(_answer(seed, known), known, NAMES)
    except KnowledgeError:
        return
    graph = nx.from_numpy_array(answer.adjacency, create_using=nx.DiGraph)
    assert nx.is_directed_acyclic_graph(graph)
    assert all(nx.has_path(graph, i, j) for i, j in upstream)
    assert not any(nx.has_path(graph, i, j) for i, j in denied)
    assert all(answer.adjacency[i, j] for i, j in required)
    assert not any(answer.adjacency[i, j] for i, j in forbidden)
    later = known.before(NAMES).T
    assert not any(later[i, j] for i, j in nx.transitive_closure(graph).edges)


def test_the_most_probable_path_is_added():
    edges = np.zeros((4, 4))
    edges[0, 1], edges[1, 3], edges[0, 2], edges[2, 3], edges[0, 3] = 0.9, 0.3, 0.2, 0.2, 0.1
    answer = decoded(edges)
    known = Knowledge(upstream=["a -> d"])
    added = apply_statements(answer, known, "abcd").adjacency & ~answer.adjacency
    assert np.argwhere(added).tolist() == [[1, 3]]


def test_the_weakest_edge_of_a_denied_path_goes():
    edges = np.zeros((3, 3))
    edges[0, 1], edges[1, 2] = 0.9, 0.6
    left = apply_statements(decoded(edges), Knowledge(not_upstream=["a -> c"]), "abc").adjacency
    assert np.argwhere(left).tolist() == [[0, 1]]


def test_a_path_that_nothing_allows_is_refused():
    known = Knowledge(upstream=["a -> b"], forbidden=["a -> b"], sinks=["c"])
    with pytest.raises(KnowledgeError, match="upstream"):
        apply_statements(decoded(np.zeros((3, 3))), known, "abc")


def test_unconfounded_pairs_share_no_cause():
    hidden = np.full((3, 3), 0.8) - 0.8 * np.eye(3)
    answer = apply_statements(decoded(np.zeros((3, 3)), confounding=hidden), Knowledge(unconfounded=["a -> c"]), "abc")
    assert answer.confounding[0, 2] == answer.confounding[2, 0] == 0 and answer.confounding[0, 1] == 0.8


def test_beliefs_are_evidence_among_three_states():
    edges = np.array([[0.0, 0.3], [0.2, 0.0]])
    odds = Knowledge(beliefs=[("a", "b", 0.8)]).odds("ab")
    weighed, existence = weigh_beliefs(edges, edges + edges.T, odds)
    assert weighed[0, 1] == pytest.approx(1.2 / 1.9) and weighed[1, 0] == pytest.approx(0.2 / 1.9)
    assert existence[0, 1] == existence[1, 0] == pytest.approx(1.4 / 1.9)
    same, _ = weigh_beliefs(edges, edges + edges.T, np.ones((2, 2)))
    np.testing.assert_array_equal(same, edges)
