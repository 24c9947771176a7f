"""Knowledge takes a frame's own column names, as ``drop`` and ``nominal`` do."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import foundcause as fc
from foundcause.errors import KnowledgeError
from foundcause.knowledge import Knowledge


def frame(columns) -> pd.DataFrame:
    return pd.DataFrame(np.random.default_rng(0).normal(size=(60, len(columns))), columns=columns)


@pytest.mark.parametrize(
    "columns",
    [
        [("g", "age"), ("g", "bmi"), ("id", "")],  # as reset_index leaves them
        [" age  (y) ", "bmi\tkg", "id "],
        [2019, 2020, 2021],
    ],
)
def test_columns_may_be_called_as_the_frame_calls_them(columns, tiny_checkpoint, tmp_path):
    first, second, third = columns
    known = {
        "tiers": [[first], [third]],
        "roots": [first],
        "sinks": [third],
        "required": [(first, second)],
        "forbidden": [(second, third)],
    }
    table = frame(pd.MultiIndex.from_tuples(columns) if isinstance(first, tuple) else columns)
    result = fc.discover(table, knowledge=known, checkpoint=tiny_checkpoint, n_passes=1, threshold=0.01)
    shown_first, shown_second, shown_third = result.names
    assert result.graph.has_edge(shown_first, shown_second)
    assert not result.graph.in_degree(shown_first) and not result.graph.out_degree(shown_third)
    as_shown = {"roots": [shown_first], "sinks": [shown_third], "required": [(shown_first, shown_second)]}
    again = fc.discover(table, knowledge=as_shown, checkpoint=tiny_checkpoint, n_passes=1)
    assert again.graph.has_edge(shown_first, shown_second)
    result.save(tmp_path)
    assert fc.load(tmp_path).knowledge == result.knowledge
    assert fc.load(tmp_path).to_html(tmp_path / "again.html")


def test_two_plain_names_are_always_an_edge():
    assert Knowledge(required=[("g", "age")]).required == (("g", "age"),)
    assert Knowledge(required=[(("g", "age"), "bmi")]).required == (("g / age", "bmi"),)
    assert Knowledge(required=["g / age  ->  bmi"]) == Knowledge(required=[(("g", "age"), " bmi ")])
    assert Knowledge(roots=("g", "age")).roots == ("g", "age")


def test_spellings_of_one_name_are_one_column():
    with pytest.raises(KnowledgeError, match="tier 1 and in tier 2"):
        Knowledge(tiers=[["age  (y)"], [" age (y)"]])
    with pytest.raises(KnowledgeError, match="its own cause"):
        Knowledge(forbidden=[(("g", "age"), "g / age")])
