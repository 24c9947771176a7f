"""The command: real runs end to end."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from foundcause.bench import datasets
from foundcause.bench.records import Store
from foundcause.cli import bench
from foundcause.errors import ConfigError, DataUnavailableError, FoundcauseError, InputError


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
    lines = [line for line in first.splitlines() if re.match(r"\d+/8 ", line)]
    assert len(lines) == 8
    assert all(re.fullmatch(r"\d/8 naive_correlation \w+ 0 ok \d+\.\d\d s", line) for line in lines)
    assert len(Store(results / "clean.jsonl").cells()) == 8
    assert "8 done before, 0 to run" in invoke(app, *words)
    page = tmp_path / "README.md"
    page.write_text("<!-- bench:start -->\n<!-- bench:end -->\n")
    other = results / "log.jsonl"
    other.write_text('{"kind": "step", "loss": 0.5}\n')
    written = invoke(app, "report", "--results", str(results), "--readme", str(page), "--compact")
    assert other.read_text() == '{"kind": "step", "loss": 0.5}\n'
    assert "REPORT.md" in written.replace("\n", "") and (results / "REPORT.md").is_file()
    assert "No checkpoint" in page.read_text()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("run", "cleen"), "unknown experiment"),
        (("run", "clean", "--methods", "grsp"), "unknown method"),
        (("run", "clean", "--only", "hailfinder"), "not part of experiment .*asia"),
        (("run", "clean", "--checkpoint", "nowhere.safetensors"), "no checkpoint"),
        (("report", "--results", "nowhere"), "has no results"),
    ],
)
def test_bad_requests_are_refused(app: typer.Typer, words: tuple[str, ...], message: str) -> None:
    with pytest.raises(FoundcauseError, match=message):
        invoke(app, *words)


MARKED = "<!-- bench:start -->\n<!-- bench:end -->\n"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with results in the default folder and elsewhere; the page itself is not made."""
    record = {"kind": "cell", "method": "grasp", "dataset": "asia", "seed": 0, "variant": "", "status": "ok"}
    for folder in (bench.RESULTS, Path("other")):
        Store(tmp_path / folder / "clean.jsonl").append({**record, "seconds": 1.0, "metrics": {"f1": 0.5}})
    monkeypatch.chdir(tmp_path)
    return tmp_path


def written_readme(app: typer.Typer, monkeypatch: pytest.MonkeyPatch, *words: str) -> Path | None:
    """The README that `bench report` hands to the writer."""
    given: list[Path | None] = []

    def write(results: Path, out: Path, readme: Path | None) -> list[Path]:
        given.append(readme)
        return []

    monkeypatch.setattr("foundcause.bench.report.benchmark_page.write_report", write)
    invoke(app, "report", *words)
    return given[0]


def test_readme_is_only_for_the_default_results(
    app: typer.Typer, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert written_readme(app, monkeypatch) is None  # there is none
    page = project / "README.md"
    page.write_text("another project")
    assert written_readme(app, monkeypatch) is None
    page.write_text(MARKED)
    assert written_readme(app, monkeypatch) == Path("README.md")
    assert written_readme(app, monkeypatch, "--results", str(project / bench.RESULTS)) == Path("README.md")
    assert written_readme(app, monkeypatch, "--results", "other") is None
    assert written_readme(app, monkeypatch, "--results", "other", "--readme", "README.md") == Path("README.md")


@pytest.mark.parametrize(("name", "message"), [("absent.md", "no README absent.md"), ("plain.md", "put both markers")])
def test_a_named_readme_is_checked_before_anything_is_written(
    app: typer.Typer, project: Path, name: str, message: str
) -> None:
    (project / "plain.md").write_text("no place for a table")
    before = {path: path.read_bytes() for path in project.rglob("*") if path.is_file()}
    with pytest.raises(InputError, match=message):
        invoke(app, "report", "--readme", name, "--compact")
    assert {path: path.read_bytes() for path in project.rglob("*") if path.is_file()} == before


def test_dream4_has_a_remedy_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FOUNDCAUSE_DATA", str(tmp_path))
    with pytest.raises(DataUnavailableError, match=r"convert it as docs/evaluation\.md says") as caught:
        datasets.load("dream4_1")
    assert "fetch" not in str(caught.value)


def test_a_fetch_of_nothing_is_refused(app: typer.Typer, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"nothing\*"):
        invoke(app, "fetch", "nothing*", "--to", str(tmp_path))


def test_no_jobs_are_refused(app: typer.Typer, tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["bench", "run", "clean", "--jobs", "0", "--results", str(tmp_path)])
    assert isinstance(done.exception, ConfigError) and not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("clean", "--only", "sachs_obs,petshop_low"), "sachs_obs: .*bench fetch.*; petshop_low: .*bench fetch"),
        (("tuebingen",), "tuebingen_0001 and 101 more: .*bench fetch"),
    ],
)
def test_a_run_without_data_says_why(
    app: typer.Typer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], message: str
) -> None:
    monkeypatch.setenv("FOUNDCAUSE_DATA", str(tmp_path / "none"))
    with pytest.raises(DataUnavailableError, match=message):
        invoke(app, "run", *words, "--results", str(tmp_path))
