"""Random tables: a few are read without a failure, and failures of every kind would be seen."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "research" / "reference"))

import adapter
import wild_columns
import wild_tables


def test_some_tables_give_an_answer_or_a_clear_error() -> None:
    found = list(wild_tables.outcomes(seed=9, indices=range(60), discover_share=0.2))
    assert [outcome for outcome in found if outcome.said == "failed"] == []
    assert sum(outcome.said == "answered" for outcome in found) > 30
    assert any(outcome.said.startswith("refused") and outcome.details for outcome in found)


def test_a_table_is_the_same_every_time(tmp_path: Path) -> None:
    for index in range(40):
        made = []
        for name in ("first", "second"):
            (folder := tmp_path / name / str(index)).mkdir(parents=True)
            wild = wild_tables.wild_table(3, index, folder)
            source = wild.source.read_bytes() if isinstance(wild.source, Path) else str(wild.source)
            made.append((source, str(wild.options), wild.made_of))
        assert made[0] == made[1]


@pytest.mark.parametrize("kind", wild_columns.COLUMNS)
@pytest.mark.parametrize("rows", [0, 1, 50])
def test_every_kind_has_as_many_cells_as_rows(kind: str, rows: int) -> None:
    for seed in range(5):
        assert len(wild_columns.wild_column(kind, np.random.default_rng(seed), rows)) == rows


def test_errors_of_others_are_failures(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def broken(source: object, options: object) -> dict:
        raise KeyError("lost")

    monkeypatch.setattr(adapter, "read", broken)
    assert wild_tables.main(["--count", "3", "--seed", "1"]) == 1
    assert capsys.readouterr().out.count("KeyError: 'lost'") == 3


def test_faults_of_tables_and_answers_are_seen() -> None:
    column = {"name": "a", "kind": "count", "status": "used", "missing": 0.0, "distinct": 2}
    table = {"values": np.eye(2), "total_rows": 2, "columns": [column, column | {"name": "b"}]}
    assert not wild_tables._problem_of_reading(table)
    assert wild_tables._problem_of_reading(table | {"columns": [column, column]})
    assert wild_tables._problem_of_reading(table | {"values": np.full((2, 2), np.inf)})
    quiet = np.zeros((2, 2))
    forward, both = np.array([[0, 1], [0, 0]]), np.array([[0, 1], [1, 0]])
    answer = {"edges": forward, "existence": both, "confounding": quiet, "adjacency": forward, "threshold": 0.5}
    assert not wild_tables._problem_of_answer(answer)
    assert wild_tables._problem_of_answer(answer | {"adjacency": both})
    assert wild_tables._problem_of_answer(answer | {"edges": forward * np.nan})
    assert wild_tables._problem_of_answer(answer | {"existence": forward})


@pytest.mark.slow
def test_two_thousand_tables() -> None:
    assert wild_tables.main(["--count", "2000", "--seed", "0"]) == 0
