"""Shards and tables on disk: whole or absent, the same from any number of processes, resumable after a kill."""

from __future__ import annotations

import csv
import itertools
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from foundcause.cli.app import build
from foundcause.errors import ConfigError, InputError, OutputError
from foundcause.simulate.mixture import PAPER, make_task
from foundcause.simulate.shards import PART, read_shard, write_shard
from foundcause.simulate.stream import MANIFEST, Job, run, stream
from foundcause.simulate.task import Task


def assert_same(first: Task, second: Task) -> None:
    for name in ("values", "observed", "adjacency", "confounding"):
        np.testing.assert_array_equal(getattr(first, name), getattr(second, name))
    assert first.record == second.record


def job(out: Path, **changes: object) -> Job:
    return Job(**{"mixture": PAPER, "seed": 7, "tasks": 25, "out": out, "per_shard": 10, **changes})  # type: ignore[arg-type]


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def command(*words: str) -> list[str]:
    return [sys.executable, "-c", "from foundcause.cli.app import main; main()", "simulate", *words]


def test_shards_hold_the_tasks_exactly(tmp_path: Path) -> None:
    assert sum(run(job(tmp_path))) == 25
    manifest = json.loads((tmp_path / MANIFEST).read_text())
    assert manifest["mixture"] == "PAPER" and manifest["tasks"] == 25
    tasks = [task for name in manifest["shards"] for task in read_shard(tmp_path / name)]
    assert len(tasks) == 25
    for index, task in enumerate(tasks):
        assert_same(task, make_task(PAPER, 7, index))


def test_processes_do_not_change_a_byte(tmp_path: Path) -> None:
    list(run(job(tmp_path / "one"), jobs=1))
    list(run(job(tmp_path / "two"), jobs=2))
    assert contents(tmp_path / "one") == contents(tmp_path / "two")


def test_a_run_resumes_and_rewrites_nothing(tmp_path: Path) -> None:
    list(run(job(tmp_path)))
    whole = contents(tmp_path)
    kept = tmp_path / "shard-00000.npz"
    before = kept.stat().st_mtime_ns
    (tmp_path / "shard-00001.npz").unlink()
    (tmp_path / f"shard-00001.npzabc{PART}").write_bytes(b"half")
    assert list(run(job(tmp_path))) == [15, 10]
    assert contents(tmp_path) == whole
    assert kept.stat().st_mtime_ns == before


def test_a_killed_run_leaves_no_half_shard_and_goes_on(tmp_path: Path) -> None:
    words = ["--mixture", "PAPER", "--tasks", "120", "--per-shard", "8", "--seed", "3", "--out"]
    killed = subprocess.Popen(command(*words, str(tmp_path / "killed")), stdout=subprocess.DEVNULL)
    deadline = time.monotonic() + 300
    while len(list((tmp_path / "killed").glob("*.npz"))) < 2 and time.monotonic() < deadline:
        time.sleep(0.01)
    killed.send_signal(signal.SIGKILL)
    killed.wait()
    there = sorted((tmp_path / "killed").glob("*.npz"))
    assert 2 <= len(there) < 15
    for shard in there:
        assert len(read_shard(shard)) == 8
    for folder in ("killed", "whole"):
        done = subprocess.run(command(*words, str(tmp_path / folder)), capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
    assert contents(tmp_path / "killed") == contents(tmp_path / "whole")


def test_csv_tables_can_be_read_back(tmp_path: Path) -> None:
    list(run(job(tmp_path, tasks=12, csv=True)))
    for index in range(12):
        task = make_task(PAPER, 7, index)
        with (tmp_path / f"task-{index:06d}.csv").open() as file:
            header, *rows = list(csv.reader(file))
        assert header == [f"x{k}" for k in range(task.values.shape[1])]
        observed = np.array([[cell != "" for cell in row] for row in rows])
        values = np.array([[float(cell or 0) for cell in row] for row in rows], dtype=np.float32)
        np.testing.assert_array_equal(observed, task.observed)
        np.testing.assert_array_equal(values, task.values)
        with (tmp_path / f"task-{index:06d}.graph.csv").open() as file:
            lines = list(csv.DictReader(file))
        edges = {(row["first"], row["second"]) for row in lines if row["relation"] == "causes"}
        assert edges == {(f"x{i}", f"x{j}") for i, j in np.argwhere(task.adjacency)}
        hidden = {(row["first"], row["second"]) for row in lines if row["relation"] == "hidden common cause"}
        assert hidden == {(f"x{i}", f"x{j}") for i, j in np.argwhere(np.triu(task.confounding))}
        assert json.loads((tmp_path / f"task-{index:06d}.json").read_text()) == task.record


def test_another_run_does_not_mix_in(tmp_path: Path) -> None:
    list(run(job(tmp_path)))
    with pytest.raises(OutputError, match=r"holds tasks of another run \(seed differ\); choose another --out"):
        list(run(job(tmp_path, seed=8)))
    with pytest.raises(OutputError, match="settings_sha256"):
        list(run(job(tmp_path, mixture=PAPER.clean())))


def test_bad_jobs_and_places_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="tasks is 0; use 1 or more"):
        job(tmp_path, tasks=0)
    with pytest.raises(ConfigError, match="seed is -1"):
        job(tmp_path, seed=-1)
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(OutputError, match="choose another --out"):
        list(run(job(tmp_path / "file" / "below")))
    with pytest.raises(InputError, match="is no shard of tasks"):
        read_shard(tmp_path / "file")


def test_shards_refuse_pickles(tmp_path: Path) -> None:
    np.savez(tmp_path / "bad.npz", records=np.array([{"a": 1}], dtype=object))
    with pytest.raises(InputError, match="is no shard"):
        read_shard(tmp_path / "bad.npz")


def test_empty_shard(tmp_path: Path) -> None:
    write_shard(tmp_path / "none.npz", [])
    assert read_shard(tmp_path / "none.npz") == []


def test_streams_with_a_stride_share_the_indices() -> None:
    odd = list(itertools.islice(stream(PAPER, 7, start=1, stride=2), 2))
    for index, task in zip((1, 3), odd, strict=True):
        assert_same(task, make_task(PAPER, 7, index))


def test_command_line(tmp_path: Path) -> None:
    runner = CliRunner()
    out = tmp_path / "tasks"
    words = ["simulate", "--mixture", "shipped", "--only", "fog", "--tasks", "3", "--out", str(out)]
    result = runner.invoke(build(), words)
    assert result.exit_code == 0, result.output
    assert "3 tasks in 1 shards" in result.output
    assert {task.record["component"] for task in read_shard(out / "shard-00000.npz")} == {"fog"}
    assert isinstance(runner.invoke(build(), ["simulate"]).exception, ConfigError)
    nothing = runner.invoke(build(), [*words[:-1], str(tmp_path / "x"), "--jobs", "0"])
    assert isinstance(nothing.exception, ConfigError)
    picture = tmp_path / "gallery.png"
    result = runner.invoke(build(), ["simulate", "gallery", str(picture), "--only", "fog", "--only", "pairs"])
    assert result.exit_code == 0, result.output
    assert picture.read_bytes().startswith(b"\x89PNG")
    nowhere = runner.invoke(build(), ["simulate", "gallery", str(tmp_path / "no" / "p.png"), "--only", "pairs"])
    assert isinstance(nowhere.exception, OutputError)


@pytest.mark.parametrize("options", [["--seed", "8"], ["--jobs", "0"], ["--tasks", "0"], ["--only", "nope"]])
def test_a_refusal_comes_without_a_bar(tmp_path: Path, options: list[str]) -> None:
    (tmp_path / MANIFEST).write_text(json.dumps(job(tmp_path).manifest()))
    words = ["simulate", "--mixture", "PAPER", "--tasks", "25", "--seed", "7", "--per-shard", "10"]
    refused = CliRunner().invoke(build(), [*words, "--out", str(tmp_path), *options])
    assert isinstance(refused.exception, ConfigError | InputError | OutputError)
    assert refused.output == ""


def test_refusals_are_one_line_and_exit_2() -> None:
    done = subprocess.run(command("--mixture", "nope", "--out", "x"), capture_output=True, text=True)
    assert done.returncode == 2
    assert "unknown mixture 'nope'" in done.stderr and "Traceback" not in done.stderr


@pytest.mark.slow
def test_a_dask_cluster_takes_over_by_joblibs_own_configuration(tmp_path: Path) -> None:
    import joblib
    from distributed import Client, LocalCluster

    list(run(job(tmp_path / "here")))
    os.environ.setdefault("DASK_DISTRIBUTED__WORKER__DAEMON", "False")
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        Client(cluster) as client,
        joblib.parallel_config(backend="dask"),
    ):
        assert sum(run(job(tmp_path / "cluster"))) == 25
        ran = client.run(lambda dask_worker: dask_worker.state.executed_count)
    assert sum(ran.values()) > 0
    assert contents(tmp_path / "here") == contents(tmp_path / "cluster")
