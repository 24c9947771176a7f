"""Findings about graphs: empty, guessed and undecided ones, and dense confounding."""

from __future__ import annotations

from typing import Any

import numpy as np

from foundcause.diagnostics.graph import confounding_findings, edge_findings, is_dense, network_findings
from foundcause.findings import Finding

NAMES = "abcde"


def check(edges: np.ndarray, adjacency: np.ndarray, **options: Any) -> dict[str, Finding]:
    columns = len(edges)
    nothing = np.zeros((columns, columns), dtype=bool)
    options = {
        "threshold": 0.3,
        "given": False,
        "active": np.ones(columns, dtype=bool),
        "required": nothing,
        "forbidden": nothing,
        "contradicting": nothing,
        **options,
    }
    return {finding.code: finding for finding in edge_findings(edges, adjacency, NAMES[:columns], **options)}


def test_undecided_and_contradicting_edges() -> None:
    edges = np.array([[0, 0.5, 0.9], [0.4, 0, 0.0], [0.05, 0.0, 0]])
    adjacency = np.array([[0, 1, 1], [0, 0, 0], [0, 0, 0]], dtype=bool)
    assert check(edges, adjacency)["undecided-direction"].details["edges"] == [["a", "b"]]
    assert check(edges, adjacency, required=adjacency) == {}
    lost = np.array([[0, 0, 0], [0, 0, 1], [0, 0, 0]], dtype=bool)
    found = check(edges, adjacency, contradicting=lost)
    assert found["contradicts-knowledge"].details["edges"] == [["b", "c"]]
    inactive = check(edges, adjacency, required=adjacency, active=np.array([True, True, False]))
    assert inactive["unsupported-edge"].details["edges"] == [["a", "c"]]


def test_an_empty_graph_has_its_true_reason() -> None:
    edges = np.array([[0.0, 0.599], [0.1, 0.0]])
    nothing = np.zeros((2, 2), dtype=bool)

    def empty(**options: Any) -> Finding:
        (found,) = check(edges, nothing, **options).values()
        return found

    assert empty(threshold=0.7).details["reason"] == "improbable"
    assert empty(threshold=0.9, given=True).details["reason"] == "below-threshold"
    assert "0.60" in empty(threshold=0.9, given=True).message
    assert "0.599" in empty(threshold=0.6, given=True).message, "not 0.60, which would reach it"
    assert "0.599" in empty(threshold=0.599, given=True).message
    for given in (False, True):
        unstable = empty(threshold=0.55, given=given)
        assert unstable.details["reason"] == "unstable" and unstable.details["edge"] == ["a", "b"]
        assert empty(threshold=0.55, given=given, forbidden=~nothing).details["reason"] == "all-forbidden"
    three, apart = np.zeros((3, 3)), np.array([[0, 1, 0], [1, 0, 0], [0, 0, 0]], dtype=bool)
    found = check(three, three > 0, threshold=0.5, forbidden=apart)["empty-graph"]
    assert found.details["reason"] == "allowed-are-improbable"
    # Excluded columns are no reason, and a required edge at one of them is an edge.
    two = np.array([True, True, False])
    found = check(three, three > 0, threshold=0.5, forbidden=apart, active=two)["empty-graph"]
    assert found.details["reason"] == "all-forbidden"
    one = np.array([True, False, False])
    assert "empty-graph" not in check(three, apart, threshold=0.5, active=one, required=apart)


def test_a_graph_that_is_mostly_guessed() -> None:
    adjacency = np.triu(np.ones((5, 5), dtype=bool), 1)

    def expected(probability: float, **options: Any) -> dict[str, Any]:
        return dict(check(probability * adjacency, adjacency, **options)["mostly-guessed"].details)

    assert expected(0.2) == {"edges": 10, "expected": 2, "threshold": 0.3, "given": False}
    assert expected(0.2, given=True, threshold=0.1) == {"edges": 10, "expected": 2, "threshold": 0.1, "given": True}
    assert [expected(p)["expected"] for p in (0.1, 0.01)] == [1, 0]
    assert "mostly-guessed" not in check(0.6 * adjacency, adjacency)
    some = adjacency & (np.arange(5) > 1)
    assert expected(0.2, required=adjacency & ~some)["edges"] == 9


def test_the_header_of_the_weights_decides_about_calibration() -> None:
    def codes(metadata: dict[str, Any], **options: Any) -> list[str]:
        options = {"columns": 5, "n_passes": 10, "own_scale": False, **options}
        return [finding.code for finding in network_findings(metadata, **options)]

    single = {"calibration": {"fitted_on": {"runs": 1}}}
    assert codes({}) == ["uncalibrated"] and codes({}, columns=1) == ["no-graph", "uncalibrated"]
    assert codes(single) == ["calibrated-on-single-passes"]
    assert codes(single, n_passes=1) == codes(single, own_scale=True) == []


# Dense confounding


def dense(shared: np.ndarray, **options: np.ndarray) -> Finding | None:
    columns = len(shared)
    options = {"active": np.ones(columns, dtype=bool), "roots": np.zeros(columns, dtype=bool), **options}
    found = confounding_findings(shared, [f"c{k}" for k in range(columns)], **options)
    return found[0] if found else None


def test_a_third_of_the_pairs_and_a_dozen_are_dense() -> None:
    assert is_dense(12, 6) and is_dense(161, 19)
    assert not is_dense(10, 5), "all pairs, but few enough to look at"
    assert not is_dense(57, 19) and is_dense(58, 19), "19 columns make 171 pairs"


def test_the_finding_counts_pairs_and_names_untouched_columns() -> None:
    shared = np.ones((20, 20), dtype=bool)
    shared[[3, 7], :] = shared[:, [3, 7]] = False
    shared[3, 5] = shared[5, 3] = True
    found = dense(shared)
    assert found.severity == "critical"
    assert found.details == {"pairs": 154, "of": 190, "without_roots": False, "untouched": ["c3", "c7"]}
    assert not {"c3", "c7"} & set(found.columns)
    found = dense(shared, active=np.arange(20) != 7)
    assert found.details["of"] == 171 and found.details["untouched"] == ["c3"], "c7 is excluded"


def test_roots_cannot_share_a_hidden_cause() -> None:
    shared = np.ones((20, 20), dtype=bool)
    roots = np.arange(20) < 5
    shared[roots, :] = shared[:, roots] = False
    assert dense(shared, roots=roots).details == {"pairs": 105, "of": 105, "without_roots": True, "untouched": []}


def test_few_pairs_are_not_dense_and_many_untouched_columns_are_not_listed() -> None:
    assert dense(np.eye(9, dtype=bool)) is None
    shared = np.zeros((20, 20), dtype=bool)
    shared[:13, :13] = True
    assert dense(shared).details["untouched"] == []
