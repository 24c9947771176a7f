from __future__ import annotations

import itertools
import json
import time

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from foundcause.errors import KnowledgeError
from foundcause.knowledge import Knowledge

NAMES = ["age", "sex", "bmi", "smoking", "cancer"]


def test_masks_by_hand():
    known = Knowledge(
        tiers=[["age", "sex"], ["bmi"]],
        forbidden=[("smoking", "bmi")],
        required=["smoking -> cancer"],
        roots=["sex"],
        sinks=["cancer"],
    )
    forbidden, required = known.masks(NAMES)
    assert [(NAMES[i], NAMES[j]) for i, j in np.argwhere(required)] == [("smoking", "cancer")]
    expected = {("bmi", "age"), ("bmi", "sex"), ("smoking", "bmi")}
    expected |= {(name, "sex") for name in NAMES} | {("cancer", name) for name in NAMES}
    expected |= {(name, name) for name in NAMES}
    assert {(NAMES[i], NAMES[j]) for i, j in np.argwhere(forbidden)} == expected


def test_forbid_within_tiers_forbids_both_ways():
    forbidden, _ = Knowledge(tiers=[["age", "sex"], ["bmi"]], forbid_within_tiers=True).masks(NAMES)
    assert forbidden[0, 1] and forbidden[1, 0] and not forbidden[0, 2] and not forbidden[3, 4]


def test_required_paths_forbid_the_way_back():
    forbidden, required = Knowledge(required=[("age", "bmi"), ("bmi", "cancer")]).masks(NAMES)
    assert forbidden[4, 0] and forbidden[4, 2] and forbidden[2, 0]
    assert not (forbidden & required).any()


@pytest.mark.parametrize(
    ("items", "words"),
    [
        ({"required": [("a", "b")], "forbidden": [("a", "b")]}, ["'a' -> 'b'", "forbidden"]),
        ({"required": [("a", "b"), ("b", "c"), ("c", "a")]}, ["'a' -> 'b'", "'b' -> 'c'", "'c' -> 'a'"]),
        ({"required": [("x", "a"), ("a", "b"), ("b", "a")]}, ["'a' -> 'b'", "'b' -> 'a'"]),
        ({"required": [("b", "a")], "tiers": [["a"], ["b"]]}, ["'b' -> 'a'", "tier 2", "tier 1"]),
        (
            {"required": [("a", "b")], "tiers": [["a", "b"]], "forbid_within_tiers": True},
            ["within tier 1"],
        ),
        (
            {"required": [("c", "x"), ("x", "y"), ("y", "a")], "tiers": [["a"], ["b"], ["c"]]},
            ["'c' -> 'x'", "'x' -> 'y'", "'y' -> 'a'", "'a' (tier 1) comes before 'c' (tier 3)"],
        ),
        ({"required": [("a", "b")], "roots": ["b"]}, ["'b' is a root"]),
        ({"required": [("a", "b")], "sinks": ["a"]}, ["'a' is a sink"]),
        ({"tiers": [["a"], ["b", "a"]]}, ["'a'", "tier 1", "tier 2", "in one of them"]),
        ({"forbidden": [("a", "a")]}, ["'a'"]),
        ({"forbidden": ["a b"]}, ["forbidden", "'a b'", "cause -> effect"]),
        ({"required": ("a", "b")}, ["required", "'a' is not an edge"]),
        ({"required": "a -> b"}, ["required", "list", "'a -> b'"]),
        ({"tiers": ["a", "b"]}, ["tiers", "lists", "'a'"]),
        ({"roots": "a"}, ["roots", "list", "'a'"]),
        ({"tiers": "a"}, ["tiers"]),
        ({"tiers": ["ab"]}, ["tiers", "'ab'"]),
        ({"roots": "a"}, ["roots"]),
        ({"demanded": []}, ["'demanded'", "required"]),
    ],
)
def test_contradictions_name_the_items(items, words):
    with pytest.raises(KnowledgeError) as caught:
        Knowledge.from_dict(items)
    assert all(word in str(caught.value) for word in words)


def test_unknown_column_suggests_the_nearest():
    with pytest.raises(KnowledgeError, match=r"'smokin'.*did you mean 'smoking'"):
        Knowledge(roots=["smokin"]).masks(NAMES)


def test_several_columns_in_one_name_are_told_apart():
    with pytest.raises(KnowledgeError, match=r"'age, sex'.*these are 2 columns: repeat the option"):
        Knowledge(roots=["age, sex"]).masks(NAMES)


def test_files_and_round_trip(tmp_path):
    known = Knowledge(tiers=[["age"], ["bmi"]], forbidden=[("sex", "bmi")], required=[("bmi", "cancer")], roots=["sex"])
    assert Knowledge.from_dict(json.loads(json.dumps(known.to_dict()))) == known
    (tmp_path / "k.json").write_text(json.dumps(known.to_dict()))
    (tmp_path / "k.toml").write_text(
        'tiers = [["age"], ["bmi"]]\nforbidden = ["sex -> bmi"]\nrequired = [["bmi", "cancer"]]\nroots = ["sex"]\n'
    )
    assert Knowledge.of(tmp_path / "k.json") == known == Knowledge.of(str(tmp_path / "k.toml"))
    for name in ("k.json", "k.toml"):  # as Windows editors save it
        (tmp_path / name).write_text("\ufeff" + (tmp_path / name).read_text())
        assert Knowledge.of(tmp_path / name) == known
    (tmp_path / "bad.toml").write_text("tiers = [[")
    for bad in ("bad.toml", "absent.toml"):
        with pytest.raises(KnowledgeError, match=bad):
            Knowledge.of(tmp_path / bad)


@settings(deadline=None, max_examples=150)
@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)).filter(lambda e: e[0] != e[1]), max_size=14))
def test_required_edges_are_refused_exactly_when_cyclic(edges):
    names = [f"v{k}" for k in range(7)]
    named = [(names[i], names[j]) for i, j in edges]
    if nx.is_directed_acyclic_graph(nx.DiGraph(named)):
        forbidden, required = Knowledge(required=named).masks(names)
        closure = nx.to_numpy_array(nx.transitive_closure(nx.DiGraph(named)), nodelist=None) if named else None
        assert not (forbidden & required).any()
        if closure is not None:
            assert forbidden.sum() == len(names) + int(closure.sum())
    else:
        with pytest.raises(KnowledgeError) as caught:
            Knowledge(required=named)
        assert len(caught.value.statements) >= 2


def test_columns_that_were_dropped_are_not_called_unknown():
    with pytest.raises(KnowledgeError, match=r"'bmi', which was dropped; keep the column"):
        Knowledge(tiers=[["age", "bmi"]]).masks(["age", "sex"], left_out=["bmi"])


EDGES = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)).filter(lambda e: e[0] != e[1]), max_size=8)


@settings(deadline=None, max_examples=150)
@given(EDGES, st.lists(st.integers(-1, 2), min_size=7, max_size=7))
def test_what_tiers_and_required_edges_imply_together(edges, place):
    """The twin: a graph of required edges and of steps to later tiers, which paths may only follow."""
    names = [f"v{k}" for k in range(7)]
    items = {
        "required": [(names[i], names[j]) for i, j in edges],
        "tiers": [[names[k] for k in range(7) if place[k] == tier] for tier in range(3)],
    }
    order = nx.DiGraph(edges)
    order.add_nodes_from(range(7))
    order.add_edges_from((i, j) for i in range(7) for j in range(7) if 0 <= place[i] < place[j])
    if not nx.is_directed_acyclic_graph(order):
        with pytest.raises(KnowledgeError):
            Knowledge.from_dict(items)
        return
    forbidden, _ = Knowledge.from_dict(items).masks(names)
    expected = {(j, i) for i, j in nx.transitive_closure(order).edges} | {(k, k) for k in range(7)}
    assert set(map(tuple, np.argwhere(forbidden).tolist())) == expected


@settings(deadline=None, max_examples=150)
@given(EDGES, EDGES, EDGES)
def test_paths_are_refused_exactly_when_denied(required, upstream, denied):
    names = [f"v{k}" for k in range(7)]
    items = {"required": required, "upstream": upstream, "not_upstream": denied}
    items = {option: [(names[i], names[j]) for i, j in edges] for option, edges in items.items()}
    order = nx.DiGraph([*required, *upstream])
    order.add_nodes_from(range(7))
    sound = nx.is_directed_acyclic_graph(order) and not any(nx.has_path(order, i, j) for i, j in denied)
    if not sound:
        with pytest.raises(KnowledgeError):
            Knowledge.from_dict(items)
        return
    forbidden, _ = Knowledge.from_dict(items).masks(names)
    expected = {(j, i) for i, j in nx.transitive_closure(order).edges} | {(k, k) for k in range(7)} | set(denied)
    assert set(map(tuple, np.argwhere(forbidden).tolist())) == expected


def test_contradictions_list_the_statements_that_clash():
    with pytest.raises(KnowledgeError) as caught:
        Knowledge(required=["a -> b", "x -> y"], upstream=["b -> c"], not_upstream=["a -> c"])
    assert len(caught.value.statements) == 3 and not any("'x'" in said for said in caught.value.statements)


def test_unknown_names_are_refused_before_contradictions():
    contradicting = {"roots": ["elsewhere"], "required": ["a -> b", "b -> a"]}
    with pytest.raises(KnowledgeError, match="'elsewhere'"):
        Knowledge.from_dict(contradicting, columns=["a", "b"])
    with pytest.raises(KnowledgeError) as caught:
        Knowledge.from_dict(contradicting)
    assert caught.value.statements


def test_a_long_chain_is_checked_at_once():
    """2,500 columns, each a tier of its own, took 12 s when every path was written out."""
    names = [f"v{k}" for k in range(2500)]
    chain = list(itertools.pairwise(names))
    start = time.process_time()
    forbidden, required = Knowledge(tiers=[[name] for name in names], required=chain).masks(names)
    assert time.process_time() - start < 3
    assert required.sum() == 2499 and np.array_equal(forbidden, np.tri(2500, dtype=bool))
    with pytest.raises(KnowledgeError):
        Knowledge(tiers=[[name] for name in names], required=[*chain, (names[-1], names[0])])


def test_beliefs_multiply_odds_and_are_never_certain():
    known = Knowledge(beliefs=[("age", "bmi", 0.8), {"cause": "sex", "effect": "bmi", "probability": 0.5}])
    odds = known.odds(NAMES)
    assert odds[0, 2] == pytest.approx(4) and odds[1, 2] == 1 and odds.sum() == pytest.approx(28)
    for wrong in (0, 1, "likely", True):
        with pytest.raises(KnowledgeError, match="beliefs"):
            Knowledge(beliefs=[("age", "bmi", wrong)])
