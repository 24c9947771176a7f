"""Simulation and benchmark on real clusters: equal to one process, with the weights that were chosen."""

from __future__ import annotations

import hashlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from foundcause.bench.baselines import our_methods, select
from foundcause.bench.experiments import EXPERIMENTS
from foundcause.bench.records import Store
from foundcause.bench.runner import Cell, plan, run
from foundcause.simulate import shard_folder
from foundcause.simulate.mixture import named

pytestmark = pytest.mark.slow
CLUSTERS = ["dask, one process with four threads", "dask, two processes with one", "ray"]


@pytest.fixture(scope="module", params=CLUSTERS)
def cluster(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Any]]:
    """Options of an engine whose workers have another working directory."""
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    before = Path.cwd()
    os.chdir(elsewhere)
    try:
        if request.param == "ray":
            ray = pytest.importorskip("ray", reason="Ray is not installed; pip install 'foundcause[ray]'")
            ray.init(address="local", num_cpus=2, include_dashboard=False, log_to_driver=False)
            os.chdir(before)
            yield {"backend": "ray"}
            ray.shutdown()
        else:
            from distributed import LocalCluster

            workers, threads = (1, 4) if "four" in request.param else (2, 1)
            with LocalCluster(n_workers=workers, threads_per_worker=threads, dashboard_address=None) as made:
                os.chdir(before)
                yield {"backend": "dask", "address": made.scheduler_address}
    finally:
        os.chdir(before)


def cells_of(methods: str, names: tuple[str, ...], seeds: int) -> list[Cell]:
    return list(plan(EXPERIMENTS["clean"], select(methods), names, seeds, 60.0))


def contents(folder: Path) -> dict[str, str]:
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(folder.glob("shard-*"))}


def test_simulated_shards_are_equal_byte_for_byte(
    cluster: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, options in (("here", {}), ("there", cluster)):
        job = shard_folder.Job(mixture=named("PAPER"), seed=7, count=12, out=Path(name), per_shard=3)  # a relative path
        assert sum(shard_folder.run(job, **options)) == 12
    assert contents(tmp_path / "here") == contents(tmp_path / "there")


def test_benchmark_answers_are_those_of_one_process(
    cluster: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a Dask worker with four threads a quarter of such cells was wrong once: threads shared one worker's pipe."""
    monkeypatch.chdir(tmp_path)
    cells = cells_of("naive_correlation,var_sort,pc_0.01", ("asia", "asia_nonlinear"), seeds=3)
    run(cells, Path("here"))
    run(cells, Path("there"), **cluster)
    here, there = (Store(Path(folder) / "clean.jsonl").cells() for folder in ("here", "there"))
    assert len(here) == len(cells) and {record["status"] for record in there.values()} == {"ok"}
    for key, record in here.items():
        assert (record["arcs"], record["case"]) == (there[key]["arcs"], there[key]["case"])


def test_the_chosen_weights_reach_the_workers(
    cluster: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from foundcause.weights import SHIPPED_CHECKPOINT

    chosen = tmp_path / "chosen.safetensors"
    chosen.write_bytes(SHIPPED_CHECKPOINT.read_bytes())
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(our_methods.CHECKPOINT_VARIABLE, chosen.name)
    run(cells_of("foundcause_one_pass", ("asia",), seeds=2), tmp_path, **cluster)
    records = Store(tmp_path / "clean.jsonl").cells().values()
    assert [record["status"] for record in records] == ["ok", "ok"]
    assert {record["version"]["file"] for record in records} == {chosen.name}


def test_a_killed_benchmark_leaves_no_process(tmp_path: Path) -> None:
    script = tmp_path / "sleeps.py"
    script.write_text("import os, sys, time\nopen(sys.argv[1] + str(os.getpid()), 'w')\ntime.sleep(300)\n")
    notes = tmp_path / "notes"
    notes.mkdir()
    command = [sys.executable, "-m", "foundcause", "bench", "run", "clean", "--methods", "avici", "--only", "asia"]
    command += ["--jobs", "2", "--results", str(tmp_path / "results")]
    environment = {**os.environ, "FOUNDCAUSE_AVICI_COMMAND": f"{sys.executable} {script} {notes}/"}
    parent = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL)

    def until(condition: Any) -> None:
        deadline = time.monotonic() + 90
        while not condition():
            assert time.monotonic() < deadline
            time.sleep(0.1)

    until(lambda: len(list(notes.iterdir())) == 2)
    family = descendants(parent.pid)
    os.kill(parent.pid, signal.SIGKILL)
    parent.wait()
    # the commands are not ours; what started them is
    own = [process for process in family if str(process) not in {note.name for note in notes.iterdir()}]
    until(lambda: not any(alive(process) for process in own))
    for note in notes.iterdir():
        if alive(int(note.name)):
            os.kill(int(note.name), signal.SIGKILL)


def alive(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def descendants(process: int) -> list[int]:
    children: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        children.setdefault(int(fields[1]), []).append(int(stat.parent.name))
    found = [process]
    for parent in found:
        found.extend(children.get(parent, []))
    return found[1:]
