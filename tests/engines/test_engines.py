"""Items on this machine, on a real Dask cluster and on a real Ray: the same outputs, also when a worker is killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import engine_items
import pytest

from foundcause import engines
from foundcause.errors import ConfigError, InputError, ResourceError

HERE = Path(__file__).parent


@pytest.fixture(scope="module", params=["one process with four threads", "two processes with one"])
def dask_address(request: pytest.FixtureRequest) -> Iterator[str]:
    from distributed import LocalCluster

    workers, threads = (1, 4) if "four" in request.param else (2, 1)
    with LocalCluster(n_workers=workers, threads_per_worker=threads, dashboard_address=None) as cluster:
        yield cluster.scheduler_address


@pytest.fixture(scope="module")
def local_ray() -> Iterator[None]:
    ray = pytest.importorskip("ray", reason="Ray is not installed; pip install 'foundcause[ray]'")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", os.pathsep.join([*sys.path, str(HERE)]))
        ray.init(address="local", num_cpus=2, include_dashboard=False, log_to_driver=False)
        yield
        ray.shutdown()


def gone(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] == "Z"
    except OSError:
        return True


def wait_until(condition, seconds: float = 30.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


@pytest.mark.parametrize("jobs", [1, 2])
def test_every_item_comes_back_with_its_position(jobs: int) -> None:
    assert dict(engines.run(engine_items.square, range(9), jobs=jobs)) == {k: k * k for k in range(9)}
    assert list(engines.run(engine_items.square, [], jobs=jobs)) == []


@pytest.mark.parametrize("jobs", [1, 2])
def test_errors_are_values_until_asked_for(jobs: int) -> None:
    results = dict(engines.run(engine_items.refuse_threes, range(1, 6), jobs=jobs))
    assert isinstance(results[2], engines.ItemError) and isinstance(results[2].error, InputError)
    assert "refuse_threes" in results[2].traceback
    assert [results[k] for k in (0, 1, 3, 4)] == [1, 2, 4, 5]
    with pytest.raises(InputError, match="3 cannot"):
        list(engines.outputs(engines.run(engine_items.refuse_threes, range(1, 6), jobs=jobs)))
    ((_, lost),) = engines.run(engine_items.raise_unpicklable, [0], jobs=jobs)
    assert isinstance(lost.error, RuntimeError) and "lost on the way" in str(lost.error)


def test_items_are_read_as_workers_become_free() -> None:
    read = []
    results = engines.run(engine_items.square, (read.append(k) or k for k in range(1000)), jobs=2)
    next(results)
    assert len(read) < 10
    results.close()  # type: ignore[attr-defined]


def test_a_killed_process_is_replaced(tmp_path: Path) -> None:
    items = [(k, str(tmp_path)) for k in range(6)]
    assert dict(engines.run(engine_items.die_once, items, jobs=2)) == {k: k * k for k in range(6)}
    assert (tmp_path / "died").exists()
    results = dict(engines.run(engine_items.die_always, range(3), jobs=2))
    assert (results[0], results[2]) == (0, 2)
    assert isinstance(results[1].error, ResourceError)


def test_processes_end_with_a_killed_parent_and_leave_nothing(tmp_path: Path) -> None:
    notes, temporary = tmp_path / "notes", tmp_path / "temporary"
    notes.mkdir()
    temporary.mkdir()
    code = (
        f"import sys; sys.path.insert(0, {str(HERE)!r})\n"
        "import engine_items\nfrom foundcause import engines\n"
        f"list(engines.run(engine_items.note_and_sleep, [{str(notes)!r}] * 2, jobs=2))"
    )
    parent = subprocess.Popen([sys.executable, "-c", code], env={**os.environ, "TMPDIR": str(temporary)})
    wait_until(lambda: len(list(notes.iterdir())) == 2)
    os.kill(parent.pid, signal.SIGKILL)
    parent.wait()
    wait_until(lambda: all(gone(int(note.name)) for note in notes.iterdir()))
    wait_until(lambda: not list(temporary.iterdir()))


def test_processes_end_when_the_consumer_stops(tmp_path: Path) -> None:
    results = engines.run(engine_items.note_and_sleep, [str(tmp_path)] * 3, jobs=2)
    # an item that finishes lets the consumer stop while the others run
    both = engines.run(engine_items.square, [1, 2], jobs=2)
    next(both)
    both.close()  # type: ignore[attr-defined]
    results.close()  # type: ignore[attr-defined]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "options",
    [
        {"backend": "mpi"},
        {"jobs": 0},
        {"jobs": -2},
        {"address": "tcp://a:1"},
        {"backend": "dask", "address": "not an address"},
    ],
)
def test_options_that_do_not_go_together_are_refused(options: dict) -> None:
    with pytest.raises(ConfigError):
        list(engines.run(engine_items.square, [1], **options))


@pytest.mark.slow
def test_dask_gives_what_one_process_gives(dask_address: str) -> None:
    options = {"backend": "dask", "address": dask_address}
    assert dict(engines.run(engine_items.square, range(200), **options)) == {k: k * k for k in range(200)}
    results = dict(engines.run(engine_items.refuse_threes, range(1, 6), **options))
    assert isinstance(results[2].error, InputError)


@pytest.mark.slow
def test_threads_of_a_dask_worker_share_nothing(dask_address: str) -> None:
    alone = dict(engines.run(engine_items.draw_with_global_state, range(24), jobs=1))
    there = dict(engines.run(engine_items.draw_with_global_state, range(24), backend="dask", address=dask_address))
    assert alone == there
    places = [place for _, place in engines.run(engine_items.place, range(12), backend="dask", address=dask_address)]
    assert {threads for *_, threads in places} == {"1"}


@pytest.mark.slow
@pytest.mark.parametrize("deed", [engine_items.die_once, engine_items.kill_parent_once])
def test_a_dask_worker_that_is_killed_loses_nothing(dask_address: str, tmp_path: Path, deed) -> None:
    items = [(k, str(tmp_path)) for k in range(12)]
    results = dict(engines.run(deed, items, backend="dask", address=dask_address))
    assert results == {k: k * k for k in range(12)}
    assert (tmp_path / "died").exists()


@pytest.mark.slow
def test_a_dask_cluster_is_started_when_none_is_named() -> None:
    assert dict(engines.run(engine_items.square, range(5), backend="dask", jobs=2)) == {k: k * k for k in range(5)}


@pytest.mark.slow
def test_ray_gives_what_one_process_gives(local_ray: None) -> None:
    assert dict(engines.run(engine_items.square, range(200), backend="ray")) == {k: k * k for k in range(200)}
    results = dict(engines.run(engine_items.refuse_threes, range(1, 6), backend="ray"))
    assert isinstance(results[2].error, InputError)
    alone = dict(engines.run(engine_items.draw_with_global_state, range(8), jobs=1))
    assert dict(engines.run(engine_items.draw_with_global_state, range(8), backend="ray")) == alone


@pytest.mark.slow
def test_a_ray_worker_that_is_killed_loses_nothing(local_ray: None, tmp_path: Path) -> None:
    items = [(k, str(tmp_path)) for k in range(8)]
    assert dict(engines.run(engine_items.die_once, items, backend="ray")) == {k: k * k for k in range(8)}
    assert (tmp_path / "died").exists()
    results = dict(engines.run(engine_items.die_always, range(3), backend="ray"))
    assert (results[0], results[2]) == (0, 2)
    assert isinstance(results[1].error, ResourceError)
