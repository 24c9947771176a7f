"""The result's tables, graph and JSON."""

from __future__ import annotations

import json
from dataclasses import replace

import networkx as nx
import numpy as np
import pytest
from made_result import make_result

from foundcause.api import load
from foundcause.errors import InputError
from foundcause.findings import remark
from foundcause.result import Result


def test_edges_are_sorted_by_probability(result: Result) -> None:
    assert list(result.edges["probability"]) == [0.9, 0.8, 0.7, 0.55]
    assert list(result.edges.columns) == ["cause", "effect", "probability", "agreement"]
    assert tuple(result.edges.loc[0, ["cause", "effect"]]) == (result.names[0], result.names[1])


def test_confounders_list_each_pair_once(result: Result) -> None:
    assert len(result.confounders) == 1
    assert set(result.confounders.loc[0, ["first", "second"]]) == {result.names[1], result.names[3]}


def test_graph_is_acyclic_and_keeps_lonely_columns(result: Result) -> None:
    assert nx.is_directed_acyclic_graph(result.graph)
    assert set(result.graph.nodes) == set(result.names)
    assert result.graph.number_of_edges() == 4


def test_matrices_are_labelled(result: Result) -> None:
    assert result.probabilities.loc["age", 'bl"ood'] == 0.9
    assert result.adjacency.loc['bl"ood', "age"] == 0
    assert result.confounding.loc['bl"ood', "tar\nmac"] == 0.75


def test_notebook_view_holds_no_markup_of_the_table() -> None:
    shown = make_result(("<img src=x onerror=alert(1)>", "a&b", "c", "d", "e"))._repr_html_()
    assert "<img" not in shown and "&lt;img src=x" in shown and "a&amp;b" in shown
    assert "0.90" in shown
    assert 'data-code="remark">column &#x27;&lt;i&gt;&#x27; is odd</li>' in shown


def test_a_result_is_summed_up_in_one_line(result: Result) -> None:
    assert repr(result) == "Result(5 columns, 4 edges, 1 hidden common cause, 1 finding)"
    assert "data-code" not in replace(result, findings=[])._repr_html_()


def test_json_round_trip_keeps_everything(result: Result) -> None:
    again = Result.from_json(result.to_json())
    assert again.to_dict() == result.to_dict()
    assert again.knowledge == result.knowledge
    np.testing.assert_array_equal(again.preview, result.preview)


def test_json_file_round_trip(result: Result, tmp_path) -> None:
    result.to_json(tmp_path / "deep" / "r.json")
    assert Result.from_json(tmp_path / "deep" / "r.json").names == result.names
    assert [p.name for p in (tmp_path / "deep").iterdir()] == ["r.json"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda content: content.pop("schema"), "not a foundcause result"),
        (lambda content: content.update(schema_version=99), "schema version 99"),
        (lambda content: content.pop("names"), "incomplete"),
        (lambda content: content["edge_probabilities"][0].pop(), "damaged"),
        (lambda content: content.update(threshold="high"), "damaged.*'high'"),
        (lambda content: content.update(evidence=[]), "damaged"),
    ],
)
def test_damaged_json_is_refused_with_a_reason(result: Result, change, message: str) -> None:
    content = result.to_dict()
    change(content)
    with pytest.raises(InputError, match=message):
        Result.from_json(json.dumps(content))
    with pytest.raises(InputError, match="not valid JSON"):
        Result.from_json('{"schema": ')


def test_wrong_shapes_and_nan_are_refused(result: Result) -> None:
    with pytest.raises(InputError, match="edge_probabilities has shape"):
        replace(result, edge_probabilities=np.zeros((2, 2)))
    broken = result.edge_probabilities.copy()
    broken[0, 1] = np.nan
    with pytest.raises(InputError, match="non-finite"):
        replace(result, edge_probabilities=broken)


def test_a_file_that_holds_no_object_is_no_result(tmp_path) -> None:
    (tmp_path / "list.json").write_text("[1, 2]")
    with pytest.raises(InputError, match=r"list\.json': this is not a foundcause result: it holds a list"):
        load(tmp_path / "list.json")


def test_findings_come_by_severity_and_survive_json(result: Result) -> None:
    odd = [remark("later", "note"), remark("first", "critical"), remark("first", "critical")]
    made = replace(result, findings=odd)
    assert [finding.severity for finding in made.findings] == ["critical", "note"]
    assert Result.from_json(made.to_json()).findings == made.findings


def test_a_result_of_schema_1_is_read(result: Result) -> None:
    content = result.to_dict()
    del content["findings"]
    content.update(schema_version=1, warnings=["a", "b"])
    findings = Result.from_json(json.dumps(content)).findings
    assert [(finding.code, finding.details) for finding in findings] == [
        ("remark", {"text": "a"}),
        ("remark", {"text": "b"}),
    ]
