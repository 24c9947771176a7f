"""Graphs as users write them."""

from __future__ import annotations

from pathlib import Path

import networkx as nx
import numpy as np
import pytest

from foundcause.effects.graph_files import read_graph
from foundcause.errors import InputError

COLUMNS = ("age", "blood pressure", "dose", "stroke")


def _edges(matrix: np.ndarray) -> set[tuple[str, str]]:
    return {(COLUMNS[i], COLUMNS[j]) for i, j in np.argwhere(matrix)}


_EXPECTED = {("age", "blood pressure"), ("blood pressure", "stroke"), ("dose", "stroke")}


@pytest.mark.parametrize(
    ("suffix", "text"),
    [
        (".dot", 'digraph G {\n age -> "blood pressure" -> stroke; dose -> stroke [label="0.9"];\n'
                 ' age -> dose [dir=both, style=dashed]; }'),
        (".txt", 'dag { age [pos="0,1"] dose\n "blood pressure" <- age\n'
                 ' "blood pressure" -> stroke <- dose\n age <-> dose }'),
        (".csv", "cause,effect,kind\nage,blood pressure,\nblood pressure,stroke,\ndose,stroke,\nage,dose,confounded\n"),
    ],
)  # fmt: skip
def test_formats_give_the_same_graph(tmp_path: Path, suffix: str, text: str) -> None:
    path = tmp_path / f"graph{suffix}"
    path.write_text(text)
    directed, confounded = read_graph(path, COLUMNS)
    assert _edges(directed) == _EXPECTED
    assert _edges(confounded) == {("age", "dose"), ("dose", "age")}


def test_gml_and_networkx_give_the_same_graph(tmp_path: Path) -> None:
    graph = nx.DiGraph(list(_EXPECTED))
    nx.write_gml(graph, tmp_path / "graph.gml")
    for source in (graph, tmp_path / "graph.gml"):
        directed, confounded = read_graph(source, COLUMNS)
        assert _edges(directed) == _EXPECTED and not confounded.any()


def test_nodes_that_are_no_columns_are_hidden() -> None:
    directed, confounded = read_graph("dag { u -> age u -> dose dose -> step -> stroke }", COLUMNS)
    assert _edges(directed) == {("dose", "stroke")}
    assert _edges(confounded) == {("age", "dose"), ("dose", "age")}


@pytest.mark.parametrize(
    "source",
    [
        "dag { a -> b }",
        "dag { age -> dose -> age }",
        "graph { age -- dose }",
        "nowhere.gml",
        nx.Graph([("age", "dose")]),
    ],
)
def test_wrong_graphs_are_refused(source: object) -> None:
    with pytest.raises(InputError):
        read_graph(source, COLUMNS)  # type: ignore[arg-type]
