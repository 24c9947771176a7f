"""Runs: isolation, time limits, resuming, what a record holds."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from foundcause.bench import datasets, isolation
from foundcause.bench.baselines import METHODS, select
from foundcause.bench.baselines.method import Table
from foundcause.bench.experiments import EXPERIMENTS, OWN, Experiment, experiment
from foundcause.bench.graph_metrics import directed_f1
from foundcause.bench.isolation import Job, Worker
from foundcause.bench.records import Store
from foundcause.bench.runner import Cell, identity, pending, perform, plan, run, work_item
from foundcause.errors import ConfigError, InputError, OutputError

VALUES = np.random.default_rng(0).standard_normal((80, 3)).cumsum(axis=1)


def external(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, body: str) -> None:
    """Make the method ``avici`` a script of ours: the only method whose behaviour a test can choose."""
    script = tmp_path / "script.py"
    script.write_text(f"import os, sys, time\nimport numpy as np\n{body}\n")
    monkeypatch.setenv("FOUNDCAUSE_AVICI_COMMAND", f"{sys.executable} {script}")


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def test_a_method_that_hangs_is_stopped_with_its_children(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    note = tmp_path / "pid"
    external(tmp_path, monkeypatch, "raise SystemExit('not yet')")
    worker = Worker()
    job = Job(method="avici", table=Table(values=VALUES, seed=0))
    assert worker.run(job, limit=60.0).status == "failed"  # the process is up now, so the next limit is the job's own
    hang = f"import os, time\nopen({str(note)!r}, 'w').write(str(os.getpid()))\ntime.sleep(60)\n"
    (tmp_path / "script.py").write_text(hang)
    for limit in (3.0, 30.0):  # the second only where the machine was too busy to start the script
        started = time.perf_counter()
        outcome = worker.run(job, limit=limit)
        assert outcome.status == "timeout" and f"{limit:g} s" in (outcome.error or "")
        assert time.perf_counter() - started < limit + 90
        if note.is_file() and note.read_text():
            break
    deadline = time.perf_counter() + 10
    while alive(int(note.read_text())) and time.perf_counter() < deadline:
        time.sleep(0.05)
    assert not alive(int(note.read_text()))
    # the next job gets a new process
    assert worker.run(Job(method="naive_correlation", table=Table(values=VALUES, seed=0)), limit=60.0).status == "ok"
    worker.close()


def test_waiting_for_a_processor_is_not_the_method_s_time(monkeypatch: pytest.MonkeyPatch) -> None:
    now = {"wall": 100.0, "waited": 7.0}
    monkeypatch.setattr(isolation.time, "perf_counter", lambda: now["wall"])
    monkeypatch.setattr(isolation, "waited", lambda process: now["waited"])
    watch = isolation.Stopwatch()
    now |= {"wall": 130.0, "waited": 27.0}
    assert (watch.seconds(), watch.waited()) == (10.0, 20.0)
    now["waited"] = 0.0  # the process is gone
    assert (watch.seconds(), watch.waited()) == (30.0, 0.0)


def test_time_in_line_is_known_or_nothing() -> None:
    assert isolation.waited() >= 0.0
    assert isolation.waited(2**22 + 1) == 0.0  # no process has this number


@pytest.mark.skipif(sys.platform != "linux", reason="other systems count otherwise")
def test_peak_memory_is_the_worker_s_own() -> None:
    ballast = np.ones(50_000_000)  # 400 MB in the process that starts the worker
    worker = Worker()
    outcome = worker.run(Job(method="naive_correlation", table=Table(values=VALUES, seed=0)), limit=60.0)
    worker.close()
    assert ballast.nbytes > 3e8 > (outcome.peak_bytes or 0) > 1e7


def test_imports_are_not_the_method_s_time() -> None:
    worker = Worker()
    jobs = [Job(method="pc_0.01", table=Table(values=VALUES, seed=0))] * 2
    first, second = (worker.run(job, limit=60.0) for job in jobs)
    worker.close()
    assert (first.status, second.status) == ("ok", "ok")
    assert first.seconds < max(0.3, 5 * second.seconds)  # importing causal-learn takes longer than this


def test_a_worker_ends_when_its_run_is_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    note = tmp_path / "pid"
    external(tmp_path, monkeypatch, f"open({str(note)!r}, 'w').write(str(os.getppid()))\ntime.sleep(60)")
    code = (
        "import numpy as np\n"
        "from foundcause.bench.isolation import Worker\n"
        "from foundcause.bench.isolation import Job\n"
        "from foundcause.bench.baselines.method import Table\n"
        "Worker().run(Job(method='avici', table=Table(values=np.eye(4), seed=0)), 50.0)"
    )
    process = subprocess.Popen([sys.executable, "-c", code])
    deadline = time.perf_counter() + 60
    while not (note.is_file() and note.read_text()) and time.perf_counter() < deadline:
        time.sleep(0.05)
    worker = int(note.read_text())
    process.kill()
    process.wait()
    while alive(worker) and time.perf_counter() < deadline:
        time.sleep(0.05)
    assert not alive(worker)


def test_failures_and_crashes_become_outcomes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    worker = Worker()
    wrong = np.full((5, 3), np.inf)
    failed = worker.run(Job(method="reci", table=Table(values=wrong, seed=0)), limit=60.0)
    assert failed.status == "failed" and "InputError" in (failed.error or "") and "3 columns" in (failed.error or "")
    external(tmp_path, monkeypatch, "os.kill(os.getppid(), 9)")
    crashed = worker.run(Job(method="avici", table=Table(values=VALUES, seed=0)), limit=60.0)
    assert crashed.status == "failed" and crashed.answer is None and crashed.error
    worker.close()


def cells_of(
    methods: str, names: tuple[str, ...], seeds: int = 2, limit: float = 60.0, of: str = "clean"
) -> list[Cell]:
    chosen = experiment(of)
    return list(plan(chosen, select(methods, pairs=chosen.pairs), names, seeds, limit))


def test_plan_repeats_only_what_a_seed_changes() -> None:
    cells = cells_of("grasp,pc_0.01,pc_discrete", ("asia", "sachs_obs"), seeds=3)
    count = {
        (m, d): sum(c.method == m and c.dataset == d for c in cells) for m in METHODS for d in ("asia", "sachs_obs")
    }
    assert count["grasp", "asia"] == count["grasp", "sachs_obs"] == 3  # random
    assert (count["pc_0.01", "asia"], count["pc_0.01", "sachs_obs"]) == (3, 1)  # real data do not change
    assert (count["pc_discrete", "asia"], count["pc_discrete", "sachs_obs"]) == (3, 0)
    assert len(cells_of("pc_0.01", ("sachs_obs",), seeds=3, of="mar10")) == 3  # other gaps


def test_run_resumes_cell_by_cell(tmp_path: Path) -> None:
    cells = cells_of("naive_correlation,r2_sort", ("asia", "asia_nonlinear"))
    store = Store(tmp_path / "clean.jsonl")
    run(cells[:3], tmp_path)
    assert pending(cells, store.cells()) == cells[3:]
    with open(store.path, "a") as file:
        file.write('{"kind": "cell", "method": "naive_corr')  # a kill in the middle of a line
    assert pending(cells, store.cells()) == cells[3:]
    seen = []
    run(cells[3:], tmp_path, report=seen.append)
    assert len(seen) == len(cells) - 3
    records = store.cells()
    assert len(records) == len(cells) and not pending(cells, records)
    (about,) = store.environments().values()
    assert about["packages"]["numpy"] == np.__version__ and about["cores"]
    for record in records.values():
        assert record["status"] == "ok" and record["environment"] == about["id"] and record["seconds"] >= 0


def test_arcs_of_a_record_are_in_the_data_set_s_own_order(tmp_path: Path) -> None:
    (cell,) = cells_of("grasp", ("asia_nonlinear",), seeds=1)
    record = perform(work_item(cell))
    case = datasets.load("asia_nonlinear", 0)
    predicted = np.zeros(case.variables**2, dtype=bool)
    predicted[record["arcs"]] = True
    judged = directed_f1(predicted.reshape(case.variables, case.variables), case.adjacency)
    assert record["metrics"]["f1"] == pytest.approx(judged, abs=1e-6)
    assert record["metrics"]["skeleton_f1"] > 0.5
    assert perform(work_item(cell))["arcs"] == record["arcs"]


def test_what_makes_a_result_stale(monkeypatch: pytest.MonkeyPatch) -> None:
    (cell,) = cells_of("pc_0.01", ("asia",), seeds=1)
    key = (cell.method, cell.dataset, cell.variant, cell.seed)
    record = {"identity": identity(cell), "status": "ok", "limit": 60.0}
    assert pending([cell], {key: record}) == []
    assert pending([cell], {key: {**record, "identity": "other"}}) == [cell]
    assert pending([cell], {key: {**record, "status": "failed"}}) == []
    assert pending([cell], {key: {**record, "status": "failed"}}, retry=True) == [cell]
    assert pending([cell], {key: {**record, "status": "timeout", "limit": 60.0}}) == []
    assert pending([cell], {key: {**record, "status": "timeout", "limit": 30.0}}) == [cell]


def test_the_checkpoint_is_part_of_our_identity(monkeypatch: pytest.MonkeyPatch) -> None:
    (cell,) = cells_of("foundcause", ("sachs_obs",), seeds=1)
    seen = set()
    for digest in ("a", "b"):
        monkeypatch.setattr("foundcause.bench.runner.checkpoint_digest", lambda d=digest: d)
        seen.add(identity(cell))
    assert len(seen) == 2


def test_variants_and_corruption_reach_the_method() -> None:
    cells = cells_of("naive_correlation", ("hailfinder",), seeds=1, of="rows")
    assert [c.variant for c in cells] == list(EXPERIMENTS["rows"].variants)
    assert perform(work_item(cells[0]))["rows"] == 100
    assert perform(work_item(cells[-1]))["status"] == "absent"  # hailfinder has 5,000 rows, not 10,000
    case = datasets.load("asia", 0)
    changed = EXPERIMENTS["mar30"].change(case, "")
    assert changed is not None and np.isnan(changed.values).any()


def test_larger_row_subsets_contain_the_smaller() -> None:
    case = datasets.load("hailfinder", 0)
    chosen: Experiment = EXPERIMENTS["rows"]
    small, large = chosen.change(case, "n=100"), chosen.change(case, "n=500")
    assert small is not None and large is not None
    assert (large.values[:100] == small.values).all()


def test_two_processes_give_the_same_answers(tmp_path: Path) -> None:
    cells = cells_of("naive_correlation", ("asia", "asia_nonlinear"))
    run(cells, tmp_path / "one", jobs=1)
    run(cells, tmp_path / "two", jobs=2)
    first, second = (Store(tmp_path / folder / "clean.jsonl").cells() for folder in ("one", "two"))
    assert {k: r["arcs"] for k, r in first.items()} == {k: r["arcs"] for k, r in second.items()}


def test_results_are_refused_where_they_cannot_be_written(tmp_path: Path) -> None:
    place = tmp_path / "file"
    place.write_text("")
    with pytest.raises(OutputError, match="cannot write results"):
        Store(place / "clean.jsonl").append({"kind": "cell"})


def test_compact_keeps_the_latest_of_every_cell(tmp_path: Path) -> None:
    store = Store(tmp_path / "x.jsonl")
    base = {"kind": "cell", "method": "m", "dataset": "d", "variant": "", "seed": 0, "environment": "e"}
    store.append({"kind": "environment", "id": "e"})
    store.append({"kind": "environment", "id": "unused"})
    for status in ("failed", "ok"):
        store.append({**base, "status": status})
    assert store.compact() == 2
    assert store.files() == [store.archive] and set(store.environments()) == {"e"}
    assert [record["status"] for record in store.cells().values()] == ["ok"]


def test_new_lines_replace_those_of_the_archive(tmp_path: Path) -> None:
    store = Store(tmp_path / "x.jsonl")
    base = {"kind": "cell", "method": "m", "dataset": "d", "variant": "", "environment": "e"}
    store.append({"kind": "environment", "id": "e"})
    for seed, seconds in ((0, 1.0), (1, 2.0)):
        store.append({**base, "seed": seed, "seconds": seconds})
    assert store.compact() == 0
    store.append({**base, "seed": 1, "seconds": 3.0})
    expected = {0: 1.0, 1: 3.0}
    assert {record["seed"]: record["seconds"] for record in store.cells().values()} == expected
    assert store.compact() == 1
    assert {record["seed"]: record["seconds"] for record in store.cells().values()} == expected


def test_a_compacted_file_is_the_same_each_time(tmp_path: Path) -> None:
    store = Store(tmp_path / "x.jsonl")
    for seed in (1, 0):
        store.append({"kind": "cell", "method": "m", "dataset": "d", "variant": "", "seed": seed})
    store.compact()
    first = store.archive.read_bytes()
    store.compact()
    assert store.archive.read_bytes() == first


@pytest.mark.parametrize("damage", [lambda data: data[: len(data) // 2], lambda data: b"not gzip"])
def test_a_damaged_archive_is_refused(tmp_path: Path, damage: Callable[[bytes], bytes]) -> None:
    store = Store(tmp_path / "x.jsonl")
    store.append({"kind": "cell", "method": "m", "dataset": "d", "variant": "", "seed": 0})
    store.compact()
    store.archive.write_bytes(damage(store.archive.read_bytes()))
    with pytest.raises(InputError, match=r"x\.jsonl\.gz is damaged"):
        store.cells()


def test_unknown_experiments_are_refused() -> None:
    with pytest.raises(ConfigError, match="there are clean"):
        experiment("cleen")
    for entry in EXPERIMENTS.values():
        assert (entry.name == OWN) != bool(entry.datasets)  # those of plug-ins alone are not there yet
        assert all(name in datasets.DATASETS for name in entry.datasets)
    assert os.path.sep not in "".join(EXPERIMENTS)
