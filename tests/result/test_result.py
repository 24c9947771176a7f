"""The result's tables, graph and JSON."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from made_result import make_result

from foundcause.api import load
from foundcause.errors import InputError
from foundcause.findings import remark
from foundcause.result import Result
from made_answers import decoded


def test_edges_are_sorted_by_probability(result: Result) -> None:
    assert list(result.edges["probability"]) == [0.9, 0.8, 0.7, 0.55]
    assert list(result.edges.columns) == [
        "cause",
        "effect",
        "probability",
        "reverse_probability",
        "orientation",
        "agreement",
    ]
    assert tuple(result.edges.loc[0, ["cause", "effect"]]) == (result.names[0], result.names[1])


def test_confounded_pairs_list_each_pair_once(result: Result) -> None:
    assert len(result.confounded_pairs) == 1
    assert set(result.confounded_pairs.loc[0, ["first", "second"]]) == {result.names[1], result.names[3]}


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
    again = Result.from_json(result.to_json(embed_rows=40))
    assert again.to_dict() == result.to_dict()
    assert again.knowledge == result.knowledge
    np.testing.assert_array_equal(again.preview, result.preview)
    assert Result.from_json(result.to_json()).preview is None, "rows of the table stay private unless asked for"


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
        (lambda content: content["probabilities"][0].pop(), "damaged"),
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
    with pytest.raises(InputError, match="probabilities has shape"):
        replace(result, decoded=decoded(np.zeros((2, 2))))
    broken = result.probabilities.to_numpy().copy()
    broken[0, 1] = np.nan
    with pytest.raises(InputError, match="non-finite"):
        replace(result, decoded=decoded(broken))


def test_a_file_that_holds_no_object_is_no_result(tmp_path) -> None:
    (tmp_path / "list.json").write_text("[1, 2]")
    with pytest.raises(InputError, match=r"list\.json': this is not a foundcause result: it holds a list"):
        load(tmp_path / "list.json")


def test_findings_come_by_severity_and_survive_json(result: Result) -> None:
    odd = [remark("later", "note"), remark("first", "critical"), remark("first", "critical")]
    made = replace(result, findings=odd)
    assert [finding.severity for finding in made.findings] == ["critical", "note"]
    assert Result.from_json(made.to_json()).findings == made.findings


@pytest.mark.parametrize("version", [1, 2])
def test_results_of_older_schemas_are_read(version: int) -> None:
    """Files that versions before wrote: two passes over 30 rows, the root ``age``, and a constant column."""
    path = Path(__file__).with_name(f"schema_{version}.json")
    old, result = json.loads(path.read_text()), load(path)
    assert result.probabilities.to_numpy().tolist() == old["edge_probabilities"]
    assert result.existence.to_numpy().tolist() == old["existence_probabilities"]
    assert result.agreement.to_numpy().tolist() == old["agreement_matrix"]
    assert [(edge.cause, edge.effect) for edge in result.edges.itertuples()] == [("age", "dose")]
    assert [finding.message for finding in result.findings] == old["warnings"]
    options, data = result.provenance["options"], result.provenance["data"]
    assert (options["n_passes"], options["random_state"], data["n_effective"]) == (2, 3, 30)
    assert result.provenance["weights"]["file"] == "small.safetensors"
    assert result.knowledge is not None and result.knowledge.roots == ("age",)
    assert list(result.columns["name"]) == ["age", "dose", "site"]
    again = Result.from_json(result.to_json())
    assert again.to_dict() == result.to_dict() and again.to_dict()["schema_version"] == 3


def test_an_edge_is_undecided_when_its_reverse_is_nearly_as_probable(result: Result) -> None:
    edges = np.zeros((5, 5))
    edges[0, 1], edges[1, 0], edges[1, 2], edges[2, 1] = 0.53, 0.4, 0.6, 0.3
    made = replace(result, decoded=decoded(edges))
    assert list(made.edges["orientation"]) == ["directed", "undecided"]
    assert list(made.edges["reverse_probability"]) == [0.3, 0.4]
    assert made.graph.edges[made.names[0], made.names[1]]["orientation"] == "undecided"


def test_graphs_carry_weights(result: Result) -> None:
    assert result.graph.edges["age", 'bl"ood']["weight"] == 0.9
    assert result.confounder_graph.edges['bl"ood', "tar\nmac"]["weight"] == 0.75
    assert set(result.confounder_graph) == set(result.names)
