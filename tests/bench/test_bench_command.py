"""The command: real runs end to end."""

from __future__ import annotations

from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from foundcause.bench.results import Store
from foundcause.commands import bench
from foundcause.errors import FoundcauseError


@pytest.fixture
def app() -> typer.Typer:
    tree = typer.Typer()
    bench.register(tree)
    return tree


def invoke(app: typer.Typer, *words: str) -> str:
    result = CliRunner().invoke(app, ["bench", *words])
    if result.exception is not None and isinstance(result.exception, FoundcauseError):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result.output


def test_lists(app: typer.Typer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FOUNDCAUSE_DATA", str(tmp_path))
    listed = invoke(app, "datasets")
    assert "8 of the paper's 15 data sets are available here." in listed
    assert "paper 58" in listed and "tuebingen" in listed
    assert "grasp" in invoke(app, "methods")
    assert "mar30" in invoke(app, "experiments")


def test_run_and_report(app: typer.Typer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FOUNDCAUSE_DATA", str(tmp_path / "none"))
    results = tmp_path / "results"
    words = ("run", "clean", "--methods", "naive_correlation", "--results", str(results), "--seeds", "1")
    first = invoke(app, *words)
    assert "skipping data set sachs_obs" in first and "8 to run" in first and "8 ok" in first
    assert len(Store(results / "clean.jsonl").cells()) == 8
    assert "8 done before, 0 to run" in invoke(app, *words)
    page = tmp_path / "README.md"
    page.write_text("<!-- bench:start -->\n<!-- bench:end -->\n")
    written = invoke(app, "report", "--results", str(results), "--readme", str(page), "--compact")
    assert "REPORT.md" in written.replace("\n", "") and (results / "REPORT.md").is_file()
    assert "No checkpoint" in page.read_text()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("run", "cleen"), "unknown experiment"),
        (("run", "clean", "--methods", "grsp"), "unknown method"),
        (("run", "clean", "--only", "hailfinder"), "not part of experiment"),
        (("run", "clean", "--checkpoint", "nowhere.safetensors"), "no checkpoint"),
        (("report", "--results", "nowhere"), "has no results"),
    ],
)
def test_bad_requests_are_refused(app: typer.Typer, words: tuple[str, ...], message: str) -> None:
    with pytest.raises(FoundcauseError, match=message):
        invoke(app, *words)
