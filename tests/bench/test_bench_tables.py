"""The table of averages keeps the paper's two ways of counting a reversal apart."""

from __future__ import annotations

from pathlib import Path

import pytest

from foundcause.bench.records import Record, Store
from foundcause.bench.report import paper_figures, result_tables
from foundcause.bench.report.result_tables import number

ONCE, TWICE = "paper: SHD/d, reversal 1", "paper: SHD/d, reversal 2"


def cell(method: str) -> Record:
    about = {"kind": "cell", "method": method, "dataset": "asia", "seed": 0, "variant": "", "status": "ok"}
    return {**about, "seconds": 1.0, "error": None, "environment": "e", "variables": 8, "metrics": {"f1": 0.5}}


@pytest.mark.parametrize("experiment", ["clean", "mar10", "mar30"])
def test_reversals_counted_once_and_twice_are_not_mixed(tmp_path: Path, experiment: str) -> None:
    for method in ("foundcause", "foundcause_one_pass", "grasp"):
        Store(tmp_path / f"{experiment}.jsonl").append(cell(method))
    text = result_tables.averages_table(tmp_path, experiment)
    header, _, *lines = [[c.strip() for c in line.strip("|").split("|")] for line in text.splitlines()]
    rows = {line[0]: dict(zip(header, line, strict=True)) for line in lines}
    printed = {"clean": paper_figures.CLEAN, "mar10": paper_figures.MAR10, "mar30": paper_figures.MAR30}[experiment]
    assert "paper: SHD/d" not in header
    for label, once, twice in (
        ("foundcause", printed[paper_figures.MODEL].shd_per_d, None),
        ("GRaSP", None, printed["GRaSP"].shd_per_d),
        ("paper: SEA", None, printed["SEA"].shd_per_d),
        ("foundcause (one pass)", None, None),
    ):
        assert (rows[label][ONCE], rows[label][TWICE]) == (number(once), number(twice)), label
    (tmp_path / f"{experiment}.jsonl").unlink()
    Store(tmp_path / f"{experiment}.jsonl").append(cell("grasp"))
    model = next(
        line for line in result_tables.averages_table(tmp_path, experiment).splitlines() if "its own FoundCause" in line
    )
    cells = dict(zip(header, [c.strip() for c in model.strip("|").split("|")], strict=True))
    assert (cells[ONCE], cells[TWICE]) == (number(printed[paper_figures.MODEL].shd_per_d), "–")
