"""What the panel says about a pair of columns must be true of its numbers and of what the user knew."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from page_script import run_script

from foundcause.diagnostics.graph import edge_findings


def _verdict(forward: float, backward: float, **more: Any) -> str:
    result = {
        "names": ["chol", "bmi"],
        "probabilities": [[0, forward], [backward, 0]],
        "adjacency": [[0, 0], [int(backward > 0.5), 0]],
        **more,
    }
    return run_script("edgeVerdict(given, 0, 1)", result)


@pytest.mark.parametrize(
    ("forward", "backward", "sentence"),
    [
        (0.0, 0.99, "A direct effect is very unlikely. The reverse is far more probable."),
        (0.1, 0.3, "A direct effect is unlikely. The reverse is more probable."),
        (0.45, 0.48, "A direct effect is possible, not established. The direction is undecided: the reverse is about"),
        (0.95, 0.02, "A direct effect is very likely."),
        (0.01, 0.01, "A direct effect is very unlikely."),
    ],
)
def test_cells_of_the_matrix_are_described_truly(forward: float, backward: float, sentence: str) -> None:
    said = _verdict(forward, backward)
    assert said.startswith(sentence)
    assert ("reverse" in said) == ("reverse" in sentence)


def test_knowledge_is_named_as_the_reason() -> None:
    assert _verdict(0, 0.9, forbidden_pairs=[[0, 1]]) == "Excluded by your knowledge."
    told = {"forbidden_pairs": [[0, 1]], "required_pairs": [[1, 0]]}
    assert _verdict(0, 1, **told) == "Excluded by your knowledge. You required the reverse."
    assert _verdict(1, 0, required_pairs=[[0, 1]]) == "Given by you: this edge was required, not discovered."
    assert _verdict(0.8, 0, forbidden_pairs=[[1, 0]]).endswith("The reverse is excluded by your knowledge.")


def test_columns_that_took_no_part_are_not_called_unlikely() -> None:
    columns = [{"name": "chol", "role": "excluded", "reason": "constant"}, {"name": "bmi", "role": "variable"}]
    assert _verdict(0, 0, columns=columns) == "Not examined: chol is excluded (constant)."


def test_the_page_and_the_findings_call_the_same_edges_undecided() -> None:
    for forward in np.linspace(0.3, 0.9, 13):
        edges = np.array([[0, forward], [0.4, 0]])
        adjacency, nothing = np.array([[False, True], [False, False]]), np.zeros((2, 2), dtype=bool)
        matrices = dict.fromkeys(("required", "forbidden", "contradicting"), nothing)
        active = np.ones(2, dtype=bool)
        warned = bool(edge_findings(edges, adjacency, "ab", threshold=0.2, given=False, active=active, **matrices))
        said = _verdict(float(forward), 0.4, adjacency=[[0, 1], [0, 0]])
        assert ("undecided" in said) == warned, forward


TEXT = """(() => {
  class Piece {
    parts = [];
    setAttribute() {}
    append(...more) { this.parts.push(...more); }
    text() { return this.parts.map((part) => (part.text ? part.text() : part)).join("|"); }
  }
  globalThis.document = { createElement: () => new Piece() };
  return given.pairs.map(([i, j]) => evidenceTable(given.result, i, j)).map((table) => table && table.text());
})()"""  # just enough of a page to hold text


def test_statistics_say_what_they_rest_on() -> None:
    columns = [{"name": name, "role": "variable", "missing": 0.5 * (name == "b")} for name in "abcd"]
    columns[3] |= {"role": "excluded", "reason": "constant"}
    correlation = [[None, 0.25, 0.5, None], [0.25, None, None, None], [0.5, None, None, None], [None] * 4]
    result = {"names": [*"abcd"], "columns": columns, "evidence": {"correlation": correlation}}
    given = {
        "result": result | {"provenance": {"data": {"gaps": "filled from similar rows"}}},
        "pairs": [[0, 1], [1, 2], [0, 2]],
    }
    filled, never, whole = run_script(TEXT, given)
    assert "correlation|0.25|same|" in filled
    assert "Missing cells were filled from similar rows for these figures." in filled
    assert "correlation|–|–|" in never and "hardly ever observed in the same row" in never
    assert "correlation|0.50|same|" in whole and "filled" not in whole and "hardly ever" not in whole
    assert run_script(TEXT, {"result": result, "pairs": [[0, 3]]}) == [None]
    (joint,) = run_script(TEXT, {"result": result, "pairs": [[0, 1]]})
    assert "filled" not in joint
