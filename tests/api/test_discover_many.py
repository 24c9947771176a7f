"""Many tables: in order, resumable, and one that fails does not stop the others."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

import foundcause as fc
from foundcause.errors import ConfigError, FoundcauseError


@pytest.fixture
def sources(tmp_path):
    rng = np.random.default_rng(0)
    for name, columns in (("b", 3), ("a", 4)):
        frame = pd.DataFrame(rng.normal(size=(60, columns)), columns=[f"x{k}" for k in range(columns)])
        frame.to_csv(tmp_path / f"{name}.csv", index=False)
    (tmp_path / "broken.csv").write_text("one column\n1\n2\n")
    return [tmp_path / "b.csv", tmp_path / "broken.csv", tmp_path / "a.csv"]


@pytest.mark.parametrize("jobs", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_results_come_in_order_and_errors_are_values(sources, tiny_checkpoint, jobs):
    answers = list(fc.discover_many(sources, jobs=jobs, checkpoint=tiny_checkpoint, n_passes=1))
    assert [getattr(answer, "names", ()) for answer in answers] == [("x0", "x1", "x2"), (), ("x0", "x1", "x2", "x3")]
    assert isinstance(answers[1], FoundcauseError)
    alone = fc.discover(sources[2], checkpoint=tiny_checkpoint, n_passes=1)
    np.testing.assert_allclose(answers[2].probabilities, alone.probabilities, atol=1e-6)


def test_folders_are_written_and_resumed(sources, tiny_checkpoint, tmp_path, monkeypatch):
    options = {"jobs": 1, "checkpoint": tiny_checkpoint, "n_passes": 1, "out": tmp_path / "o"}
    seen = []
    list(fc.discover_many(sources, progress=lambda done, total, name: seen.append((done, total, name)), **options))
    assert sorted(seen)[-1][:2] == (3, 3)
    summary = pd.read_csv(tmp_path / "o" / "summary.csv")
    assert list(summary["source"]) == ["b.csv", "broken.csv", "a.csv"] and summary["error"].notna().sum() == 1
    assert fc.load(tmp_path / "o" / "a").names == ("x0", "x1", "x2", "x3")

    calls = []
    monkeypatch.setattr(
        "foundcause.many.discover", lambda source, **_: calls.append(source) or fc.discover(source, **_)
    )
    again = list(fc.discover_many(sources, **options))
    assert [str(sources[1])] == calls and again[0].names == ("x0", "x1", "x2")
    sources[0].write_text(sources[0].read_text() + "1,2,3\n")
    list(fc.discover_many(sources, **options))
    list(fc.discover_many(sources, **{**options, "knowledge": {"roots": ["x0"]}}))
    assert calls[1:3] == [str(sources[0]), str(sources[1])] and len(calls) == 6


def test_tables_in_memory_and_wrong_options(sources, tiny_checkpoint):
    frames = [pd.read_csv(sources[0]), pd.read_csv(sources[2]).to_numpy()]
    answers = list(fc.discover_many(frames, jobs=1, checkpoint=tiny_checkpoint, n_passes=1))
    assert [len(answer.names) for answer in answers] == [3, 4]
    for wrong in ({"backend": "threads"}, {"on_update": print}):
        with pytest.raises(ConfigError):
            fc.discover_many(frames, **wrong)


def test_the_command_takes_several_files(sources, tiny_checkpoint, tmp_path, monkeypatch, capsys):
    from foundcause.cli.app import main

    def run(*more: str) -> int:
        arguments = ["foundcause", "discover", *map(str, sources), "--checkpoint", str(tiny_checkpoint), *more]
        monkeypatch.setattr("sys.argv", arguments)
        with pytest.raises(SystemExit) as ended:
            main()
        return int(ended.value.code or 0)

    assert run("--n-passes", "1", "--jobs", "1", "--out", str(tmp_path / "o"), "--root", "x0") == 2
    printed = capsys.readouterr()
    assert "a.csv" in printed.out and "broken.csv" in printed.err
    assert json.loads((tmp_path / "o" / "b" / "result.json").read_text())["knowledge"]["roots"] == ["x0"]
    assert run("--n-passes", "1") == 2 and "--out" in capsys.readouterr().err
