"""Which weights results come from: noted with every cell, named in the report, never averaged over two."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from foundcause.bench.baselines import our_methods
from foundcause.bench.records import Record, Store
from foundcause.bench.report import benchmark_page, result_plots, result_tables
from foundcause.bench.report.averages import made_with, records, summarise, warnings
from foundcause.bench.report.benchmark_page import write_report
from foundcause.bench.runner import identity_with
from foundcause.cli import bench

A, B = ({"file": f"{name}.safetensors", "sha256": name * 12} for name in "ab")


def cell(method: str, dataset: str, version: dict[str, str] | None = None, f1: float = 0.5) -> Record:
    metrics = {"f1": f1, "skeleton_f1": f1, "auroc": f1, "true": 8, "found": 6, "oriented": 4, "extra": 2}
    record: Record = {"kind": "cell", "method": method, "dataset": dataset, "seed": 0, "variant": "", "status": "ok"}
    record |= {"seconds": 1.0, "error": None, "environment": "e", "variables": 8, "metrics": metrics}
    return record if version is None else {**record, "version": version}


def store(folder: Path, *cells: Record, experiment: str = "clean") -> None:
    for record in cells:
        Store(folder / f"{experiment}.jsonl").append(record)


def rows(folder: Path, experiment: str = "clean") -> dict[str, float]:
    return {item.label: item.means["f1"].mean for item in summarise(records(folder, experiment))}


def test_two_networks_are_two_rows(tmp_path: Path) -> None:
    store(tmp_path, cell("foundcause", "asia", A, 0.2), cell("foundcause", "child", B, 0.8), cell("grasp", "asia"))
    a, b = "foundcause [a.safetensors aaaaaaaaaaaa]", "foundcause [b.safetensors bbbbbbbbbbbb]"
    assert rows(tmp_path) == {a: 0.2, b: 0.8, "GRaSP": 0.5}
    (text,) = warnings(tmp_path)
    assert "results of foundcause come from different weights" in text and "separate rows" in text
    assert "a.safetensors aaaaaaaaaaaa (clean 1); b.safetensors bbbbbbbbbbbb (clean 1)" in text
    write_report(tmp_path, tmp_path, None)
    page = (tmp_path / "REPORT.md").read_text()
    assert f"**Warning:** {text}." in page and f"| {a} | 1/1 | 0.200" in page and f"| {b} | 1/1 | 0.800" in page
    assert "Ours is left out until one checkpoint" in benchmark_page.new_block(tmp_path)


def test_one_network_is_named_and_no_alarm(tmp_path: Path) -> None:
    renamed = {**A, "file": "renamed.safetensors"}  # the same content
    store(tmp_path, cell("foundcause", "asia", A), cell("foundcause_one_pass", "child", renamed), cell("grasp", "asia"))
    assert set(rows(tmp_path)) == {"foundcause", "foundcause (one pass)", "GRaSP"}
    assert not warnings(tmp_path)
    assert "foundcause: a.safetensors aaaaaaaaaaaa." in (made_with(tmp_path) or "")


def test_results_from_before_are_one_unknown_set(tmp_path: Path) -> None:
    store(tmp_path, cell("foundcause", "asia"), cell("foundcause", "child"))
    assert set(rows(tmp_path)) == {"foundcause"} and not warnings(tmp_path)
    assert "unknown weights" in (made_with(tmp_path) or "")
    store(tmp_path, cell("foundcause", "child", A))  # replaces one of the two
    assert set(rows(tmp_path)) == {"foundcause [unknown weights]", "foundcause [a.safetensors aaaaaaaaaaaa]"}
    assert "unknown weights (clean 1)" in warnings(tmp_path)[0]
    store(tmp_path, cell("foundcause", "asia", A))  # and the other
    assert set(rows(tmp_path)) == {"foundcause"} and not warnings(tmp_path)


def test_an_older_result_may_prove_its_weights(tmp_path: Path) -> None:
    older = {**cell("foundcause", "asia"), "identity": identity_with(A["sha256"], "foundcause", "asia")}
    store(tmp_path, older, cell("foundcause", "child", A))
    assert set(rows(tmp_path)) == {"foundcause"} and not warnings(tmp_path)
    store(tmp_path, {**older, "identity": "another"})
    assert warnings(tmp_path)


def test_baselines_alone_need_no_weights(tmp_path: Path) -> None:
    store(tmp_path, cell("grasp", "asia"))
    assert made_with(tmp_path) is None and not warnings(tmp_path)


def test_networks_of_different_experiments_are_kept_apart(tmp_path: Path) -> None:
    """Lines and tables that join experiments would otherwise join networks."""
    store(tmp_path, cell("foundcause", "asia", A), cell("grasp", "asia"))
    store(tmp_path, cell("foundcause", "asia", B), cell("grasp", "asia"), experiment="mar10")
    store(tmp_path, cell("foundcause", "asia", B, 0.7), cell("without_statistics", "asia", A), experiment="ablation")
    assert "foundcause [a.safetensors aaaaaaaaaaaa]" in rows(tmp_path)
    assert "**foundcause [a.safetensors aaaaaaaaaaaa]**" in benchmark_page.new_block(tmp_path)
    figure = result_plots.missingness(tmp_path)
    assert figure is not None and [text.get_text() for text in figure.axes[0].texts] == ["GRaSP"]
    ablation = result_tables.ablation_table(tmp_path)
    assert "| none [b.safetensors bbbbbbbbbbbb] | 0.700 |" in ablation
    assert "| none [a.safetensors aaaaaaaaaaaa] | – |" in ablation
    assert "| statistics [a.safetensors aaaaaaaaaaaa] | 0.500 |" in ablation


def test_pairs_are_compared_with_one_network_only(tmp_path: Path) -> None:
    def pair(method: str, number: int, version: dict[str, str] | None = None) -> Record:
        record = cell(method, f"tuebingen_000{number}", version)
        return {**record, "metrics": {"correct": 1, "correct_or_coin": 1, "decided": 1, "weight": 1.0}}

    store(tmp_path, pair("foundcause", 1, A), pair("reci", 1), experiment="tuebingen")
    store(tmp_path, cell("foundcause", "asia", B))
    assert "foundcause [a.safetensors aaaaaaaaaaaa] against" in (result_tables.pair_comparisons(tmp_path) or "")
    store(tmp_path, pair("foundcause", 2, B), experiment="tuebingen")
    assert result_tables.pair_comparisons(tmp_path) is None


def bench_command(*words: str) -> str:
    """What `foundcause bench` says on standard error."""
    tree = typer.Typer()
    bench.register(tree)
    done = CliRunner().invoke(tree, ["bench", *words])
    assert done.exit_code == 0, done.output
    return done.stderr


def test_the_command_tells_weights_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import torch

    from foundcause.model.architectures import preset
    from foundcause.model.checkpoints import save
    from foundcause.model.network import FoundCause

    monkeypatch.setenv(our_methods.CHECKPOINT_VARIABLE, "")  # the command sets it; put back afterwards
    network = FoundCause(preset("TINY"))
    for name in ("first", "second"):
        save(tmp_path / f"{name}.safetensors", network, metadata={})
        with torch.no_grad():
            next(network.parameters()).add_(0.1)
    results = tmp_path / "results"

    def evaluate(name: str, dataset: str) -> str:
        weights = str(tmp_path / f"{name}.safetensors")
        words = ("run", "clean", "--methods", "foundcause_one_pass", "--only", dataset, "--seeds", "1")
        return bench_command(*words, "--results", str(results), "--checkpoint", weights)

    assert evaluate("first", "asia") == ""
    noted = Store(results / "clean.jsonl").cells()["foundcause_one_pass", "asia", "", 0]["version"]
    assert noted["file"] == "first.safetensors" and len(noted["sha256"]) == 12
    shutil.copy(tmp_path / "first.safetensors", tmp_path / "elsewhere.safetensors")
    assert evaluate("elsewhere", "asia") == ""  # the same content: nothing to run
    assert evaluate("second", "child") == ""
    told = bench_command("report", "--results", str(results))
    assert "warning: results of foundcause come from different weights" in told
    assert "first.safetensors" in told and "second.safetensors" in told
    told = evaluate("second", "asia")
    assert "1 earlier results" in told and "foundcause_one_pass with first.safetensors" in told and "--results" in told
    assert bench_command("report", "--results", str(results)) == ""
    page = (results / "REPORT.md").read_text()
    assert "foundcause: second.safetensors" in page and "first.safetensors" not in page
    assert str(tmp_path) not in "".join(path.read_text() for path in results.glob("*.jsonl")) + page
