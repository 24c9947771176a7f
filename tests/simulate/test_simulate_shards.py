"""Folders of tasks: complete or absent, the same from any number of jobs and processes, resumed and repaired."""

from __future__ import annotations

import csv
import dataclasses
import itertools
import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import fsspec
import numpy as np
import pytest
from typer.testing import CliRunner

from foundcause.cli.app import build
from foundcause.errors import ConfigError, InputError, OutputError
from foundcause.simulate.mixture import PAPER, make_task
from foundcause.simulate.shard_folder import Job, ShardFolder, run
from foundcause.simulate.shards import shard_bytes, tasks_of_shard
from foundcause.simulate.task import Task
from foundcause.simulate.tasks import stream

SMALL = PAPER.only("bivariate")
FIRST = "shard-00000.npz"
SECOND = "shard-00001.npz"


def assert_same(first: Task, second: Task) -> None:
    for name in ("values", "observed", "adjacency", "confounding"):
        np.testing.assert_array_equal(getattr(first, name), getattr(second, name))
    assert first.record == second.record


def job(out: Path | str, **changes: object) -> Job:
    return Job(**{"mixture": SMALL, "seed": 7, "count": 25, "out": out, "per_shard": 10, **changes})  # type: ignore[arg-type]


def shards(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.glob("shard-*"))}


def command(*words: str) -> list[str]:
    return [sys.executable, "-c", "from foundcause.cli.app import main; main()", "simulate", *words]


def test_a_folder_holds_the_tasks_exactly(tmp_path: Path) -> None:
    assert list(run(job(tmp_path))) == [0, 10, 10, 5]
    folder = ShardFolder(tmp_path)
    assert len(folder) == 25 and (folder.mixture, folder.seed) == ("PAPER", 7)
    for index, task in enumerate(folder):
        assert_same(task, make_task(SMALL, 7, index))
    assert_same(folder[12], make_task(SMALL, 7, 12))
    strided = list(folder.stream(start=1, stride=7))
    assert [task.record for task in strided] == [folder[k].record for k in (1, 8, 15, 22)]
    with pytest.raises(IndexError):
        folder[25]


def test_processes_and_arrays_of_jobs_do_not_change_a_byte(tmp_path: Path) -> None:
    list(run(job(tmp_path / "one"), jobs=1))
    list(run(job(tmp_path / "two"), jobs=2))
    for start, count in ((20, 5), (0, 10), (10, 10)):
        list(run(job(tmp_path / "array", start=start, count=count)))
    assert shards(tmp_path / "one") == shards(tmp_path / "two") == shards(tmp_path / "array")
    assert [task.record for task in ShardFolder(tmp_path / "array")] == [
        task.record for task in ShardFolder(tmp_path / "one")
    ]
    assert list(run(job(tmp_path / "array"))) == [25]
    assert len(list((tmp_path / "array").glob("manifest-*"))) == 1
    assert len(ShardFolder(tmp_path / "array")) == 25


def test_a_longer_run_goes_on_from_a_shorter_one(tmp_path: Path) -> None:
    list(run(job(tmp_path)))
    assert list(run(job(tmp_path, count=40))) == [20, 10, 10]  # the last shard was not full
    assert len(ShardFolder(tmp_path)) == 40


@pytest.mark.parametrize("damage", ["cut", "empty", "flipped", "gone"])
def test_broken_shards_are_noticed_and_repaired(tmp_path: Path, damage: str) -> None:
    list(run(job(tmp_path)))
    before = shards(tmp_path)
    kept = (tmp_path / FIRST).stat().st_mtime_ns
    broken = tmp_path / SECOND
    if damage == "gone":
        broken.unlink()
    else:
        content = bytearray(before[SECOND])
        content[len(content) // 2] ^= 1
        broken.write_bytes({"cut": before[SECOND][:-100], "empty": b"", "flipped": bytes(content)}[damage])
    with pytest.raises(InputError, match="repair"):
        list(ShardFolder(tmp_path))
    assert list(run(job(tmp_path))) == [15, 10]
    assert shards(tmp_path) == before
    assert (tmp_path / FIRST).stat().st_mtime_ns == kept


def test_a_killed_run_leaves_no_half_shard_and_goes_on(tmp_path: Path) -> None:
    words = ["--mixture", "PAPER", "--count", "120", "--per-shard", "8", "--seed", "3", "--out"]
    killed = subprocess.Popen(command(*words, str(tmp_path / "killed")), stdout=subprocess.DEVNULL)
    deadline = time.monotonic() + 300
    while len(list((tmp_path / "killed").glob("shard-*.npz"))) < 2 and time.monotonic() < deadline:
        time.sleep(0.01)
    killed.send_signal(signal.SIGKILL)
    killed.wait()
    there = sorted((tmp_path / "killed").glob("shard-*.npz"))
    assert 2 <= len(there) < 15
    for shard in there:
        assert len(tasks_of_shard(shard.read_bytes())) == 8
    (tmp_path / "killed" / ".shard-00014.partial1.npz").write_bytes(b"half")
    for folder in ("killed", "complete"):
        done = subprocess.run(command(*words, str(tmp_path / folder)), capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
    both = [sorted(path.name for path in (tmp_path / folder).iterdir()) for folder in ("killed", "complete")]
    assert both[0] == both[1]
    assert shards(tmp_path / "killed") == shards(tmp_path / "complete")


def test_another_run_in_the_same_range_is_refused_and_harms_nothing(tmp_path: Path) -> None:
    working = run(job(tmp_path))
    next(working)
    next(working)
    with pytest.raises(OutputError, match="another run writes shards 0 to 2"):
        list(run(job(tmp_path)))
    with pytest.raises(OutputError, match=r"choose another --start or --out"):
        list(run(job(tmp_path, start=20, count=30)))
    assert sum(run(job(tmp_path, start=30, count=10))) == 10
    assert sum(working) == 15
    assert len(ShardFolder(tmp_path)) == 35
    assert not list(tmp_path.glob("claim-*"))


def test_the_claim_of_a_dead_process_is_removed(tmp_path: Path) -> None:
    working = run(job(tmp_path))
    next(working)
    (claim,) = tmp_path.glob("claim-*")
    left = json.loads(claim.read_text())
    working.close()
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    claim.write_text(json.dumps({**left, "process": gone.pid}))
    assert sum(run(job(tmp_path))) == 25
    claim.write_text(json.dumps({**left, "host": "elsewhere", "renewed": time.time() - 3600.0}))
    assert list(run(job(tmp_path))) == [25]
    assert not list(tmp_path.glob("claim-*"))


def test_any_file_system_will_do() -> None:
    address = "memory://of-a-test/tasks"
    memory = fsspec.filesystem("memory")
    assert list(run(job(address), jobs=1)) == [0, 10, 10, 5]
    memory.pipe_file(f"of-a-test/tasks/{SECOND}", b"")
    with pytest.raises(InputError, match="broken"):
        list(ShardFolder(address))
    assert list(run(job(address), jobs=1)) == [15, 10]
    for index, task in enumerate(ShardFolder(address)):
        assert_same(task, make_task(SMALL, 7, index))
    memory.rm("of-a-test", recursive=True)


def test_csv_tables_can_be_read_back_and_repaired(tmp_path: Path) -> None:
    list(run(job(tmp_path, count=12, csv=True)))
    for index in range(12):
        task = make_task(SMALL, 7, index)
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
    (tmp_path / "task-000011.csv").write_text("x0\n")
    assert list(run(job(tmp_path, count=12, csv=True))) == [10, 2]
    with pytest.raises(InputError, match="holds no shards"):
        ShardFolder(tmp_path)


def test_another_mixture_does_not_mix_in(tmp_path: Path) -> None:
    list(run(job(tmp_path)))
    with pytest.raises(OutputError, match=r"holds tasks of another run \(seed differ\); choose another --out"):
        list(run(job(tmp_path, seed=8)))
    with pytest.raises(OutputError, match="settings_sha256"):
        list(run(job(tmp_path, mixture=SMALL.clean(), start=30)))
    assert not list(tmp_path.glob("claim-*"))


def test_bad_jobs_and_places_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="count is 0; use 1 or more"):
        job(tmp_path, count=0)
    with pytest.raises(ConfigError, match="seed is -1"):
        job(tmp_path, seed=-1)
    with pytest.raises(ConfigError, match="use 10 or 20"):
        job(tmp_path, start=15)
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(OutputError, match="choose another --out"):
        list(run(job(tmp_path / "file" / "below")))
    with pytest.raises(InputError, match="is no shard of tasks"):
        tasks_of_shard((tmp_path / "file").read_bytes())
    with pytest.raises(InputError, match="holds no shards"):
        ShardFolder(tmp_path)
    with pytest.raises(ConfigError, match="cannot open nothing://"):
        list(run(job("nothing://tasks")))


def test_shards_refuse_pickles(tmp_path: Path) -> None:
    np.savez(tmp_path / "bad.npz", records=np.array([{"a": 1}], dtype=object))
    with pytest.raises(InputError, match="is no shard"):
        tasks_of_shard((tmp_path / "bad.npz").read_bytes())
    assert tasks_of_shard(shard_bytes([])) == []


def test_shards_of_the_first_format_are_still_read(tmp_path: Path) -> None:
    content = (Path(__file__).parent / "data" / "shard_of_format_1.npz").read_bytes()
    tasks = tasks_of_shard(content)
    assert [task.record["component"] for task in tasks] == ["sensors", "sensors", "diverse", "diverse"]
    assert all("artifacts" in task.record and task.record["unrelated_columns"] == 1 for task in tasks)
    (tmp_path / "shard-00000.npz").write_bytes(content)
    (tmp_path / "manifest.json").write_text(
        json.dumps({"mixture": "SHIPPED", "seed": 3, "tasks": 4, "per_shard": 200, "format": "npz", "shards": [FIRST]})
    )
    for first, second in zip(ShardFolder(tmp_path), tasks, strict=True):
        assert_same(first, second)
    with pytest.raises(OutputError, match="earlier version"):
        list(run(job(tmp_path)))


def test_streams_with_a_stride_share_the_indices() -> None:
    odd = list(itertools.islice(stream(PAPER, 7, start=1, stride=2), 2))
    for index, task in zip((1, 3), odd, strict=True):
        assert_same(task, make_task(PAPER, 7, index))


def test_command_line(tmp_path: Path) -> None:
    runner = CliRunner()
    out = tmp_path / "tasks"
    words = ["simulate", "--mixture", "shipped", "--only", "fog", "--start", "3", "--count", "3", "--per-shard", "3"]
    result = runner.invoke(build(), [*words, "--out", str(out)])
    assert result.exit_code == 0, result.output
    assert "3 tasks in 1 shards" in result.output
    folder = ShardFolder(out)
    assert folder.indices == [range(3, 6)] and {task.record["component"] for task in folder} == {"fog"}
    assert isinstance(runner.invoke(build(), ["simulate"]).exception, ConfigError)
    nothing = runner.invoke(build(), [*words, "--out", str(tmp_path / "x"), "--jobs", "0"])
    assert isinstance(nothing.exception, ConfigError)
    picture = tmp_path / "gallery.png"
    result = runner.invoke(build(), ["simulate", "gallery", str(picture), "--only", "fog", "--only", "pairs"])
    assert result.exit_code == 0, result.output
    assert picture.read_bytes().startswith(b"\x89PNG")
    nowhere = runner.invoke(build(), ["simulate", "gallery", str(tmp_path / "no" / "p.png"), "--only", "pairs"])
    assert isinstance(nowhere.exception, OutputError)


@pytest.mark.parametrize("options", [["--seed", "8"], ["--jobs", "0"], ["--count", "0"], ["--only", "nope"]])
def test_a_refusal_comes_without_a_bar(tmp_path: Path, options: list[str]) -> None:
    list(run(dataclasses.replace(job(tmp_path), mixture=PAPER, count=1)))
    words = ["simulate", "--mixture", "PAPER", "--count", "25", "--seed", "7", "--per-shard", "10"]
    refused = CliRunner().invoke(build(), [*words, "--out", str(tmp_path), *options])
    assert isinstance(refused.exception, ConfigError | InputError | OutputError)
    assert refused.output == ""


def test_refusals_are_one_line_and_exit_2() -> None:
    done = subprocess.run(command("--mixture", "nope", "--out", "x"), capture_output=True, text=True)
    assert done.returncode == 2
    assert "unknown mixture 'nope'" in done.stderr and "Traceback" not in done.stderr
