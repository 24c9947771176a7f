"""Questions: the answer that settles more comes first."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest

from foundcause.effects.questions import KINDS, rank_questions, uncertainty
from foundcause.effects.sampled import SampledGraphs
from foundcause.errors import ConfigError, InputError


def _graphs() -> SampledGraphs:
    """The direction of a – b decides that of c – d and e – f; the one of g – h stands alone."""
    rng = np.random.default_rng(0)
    directed = np.zeros((1000, 8, 8), dtype=bool)
    switch, alone = rng.random(1000) < 0.5, rng.random(1000) < 0.5
    for i in (0, 2, 4):
        directed[:, i, i + 1], directed[:, i + 1, i] = switch, ~switch
    directed[:, 6, 7], directed[:, 7, 6] = alone, ~alone
    return SampledGraphs(columns=tuple("abcdefgh"), directed=directed, confounded=np.zeros_like(directed))


def test_the_question_that_settles_three_pairs_comes_first() -> None:
    graphs = _graphs()
    assert abs(uncertainty(graphs) - 4.0) < 0.02
    questions = rank_questions(graphs, kinds=["upstream"], n=None)
    assert set(questions[0].columns) <= set("abcdef")
    assert abs(questions[0].gain - 3.0) < 0.05
    assert abs(next(q for q in questions if "g" in q.columns).gain - 1.0) < 0.05


def test_every_kind_is_ranked() -> None:
    questions = rank_questions(_graphs(), kinds=KINDS, n=None)
    assert {question.kind for question in questions} == set(KINDS)
    gains = [question.gain for question in questions]
    assert gains == sorted(gains, reverse=True)
    assert all(question.text for question in questions)


def test_certain_graphs_leave_nothing_to_ask() -> None:
    graphs = _graphs()
    same = SampledGraphs(
        columns=graphs.columns, directed=np.repeat(graphs.directed[:1], 50, axis=0), confounded=graphs.confounded[:50]
    )
    assert rank_questions(same, kinds=KINDS) == []
    with pytest.raises(ConfigError):
        rank_questions(same, kinds=["horoscope"])  # type: ignore[list-item]


def test_sampled_graphs_answer_queries() -> None:
    graphs = _graphs()
    assert abs(graphs.ancestor("a", "b") - graphs.directed[:, 0, 1].mean()) < 1e-9
    assert graphs.path_through("a", "b", "c") == 0.0
    assert graphs.edge_probabilities().loc["a", "b"] == graphs.ancestor_probabilities().loc["a", "b"]
    assert graphs.blocks_back_doors("a", "c", []) == 1.0
    first = next(iter(graphs))
    assert isinstance(first, nx.DiGraph) and nx.is_directed_acyclic_graph(first)
    with pytest.raises(InputError):
        graphs.ancestor("a", "nowhere")


def test_marks_that_graphs_disagree_about_are_circles() -> None:
    graphs = _graphs()
    graphs.directed[:, 6, 7], graphs.directed[:, 7, 6] = True, False
    marks = graphs.pag()
    assert marks.edges["a", "b"]["mark"] == marks.edges["b", "a"]["mark"] == "o"
    assert marks.edges["g", "h"]["mark"] == ">" and marks.edges["h", "g"]["mark"] == "-"


def test_causal_learn_reads_the_marks() -> None:
    pytest.importorskip("causallearn")
    graphs = _graphs()
    graphs.directed[:, 6, 7], graphs.directed[:, 7, 6] = True, False
    edges = {str(edge) for edge in graphs.to_causallearn_pag().get_graph_edges()}  # type: ignore[attr-defined]
    assert edges == {"a o-o b", "c o-o d", "e o-o f", "g --> h"}
