"""Run independent items on this machine (loky), on a Dask cluster or on a Ray cluster.

Each item runs in a process in which nothing else runs meanwhile, with one numerical thread. So a function may use
global state: it shares none with other items that run at the same time, not even on a Dask worker with several threads.
What an item needs (weights, options, paths) must be inside the item, with absolute paths: workers may have another
working directory and other environment variables.
"""

from __future__ import annotations

import contextlib
import importlib.util
import logging
import multiprocessing
import os
import pickle
import signal
import threading
import time
import traceback
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import Any

from foundcause.errors import ConfigError, ResourceError

BACKENDS = ("loky", "dask", "ray")
ATTEMPTS = 3
"""How often an item is tried when the process it runs in dies."""

_DIED = f"the process of this item died {ATTEMPTS} times; it may need more memory"
_IDLE_SECONDS = 60
_ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS"), "1")


@dataclass(frozen=True)
class ItemError:
    """Why an item has no output."""

    error: Exception
    """What was raised, or ResourceError when its process died every time."""
    traceback: str = ""
    """Where it was raised, as text: a traceback cannot leave its process."""


def run(
    function: Callable[[Any], Any],
    items: Iterable[Any],
    *,
    backend: str = "loky",
    jobs: int = -1,
    address: str | None = None,
) -> Iterator[tuple[int, Any]]:
    """Apply a function to items and yield each output as it is done.

    When the consumer stops, or the calling process dies, the work stops too.

    Parameters
    ----------
    function : callable
        Takes one item. It and the items are pickled, unless ``jobs`` is 1.
    items : iterable
        Read as workers become free, so it may be long.
    backend : {"loky", "dask", "ray"}
        Processes of this machine, or the workers of a cluster.
    jobs : int, default=-1
        Processes at once; -1 for one per core. With loky, 1 runs the items in the calling process, in order. A
        cluster with an address has its own number.
    address : str, optional
        Address of a Dask scheduler or a Ray cluster. Without one a cluster on this machine is started.

    Yields
    ------
    tuple of (int, object)
        Position of the item, and its output or an ``ItemError``.

    Raises
    ------
    ConfigError
        For an unknown backend, a backend that is not installed, or a cluster that cannot be reached.
    """
    check(backend, jobs, address)  # now, not when the first output is asked for
    if backend == "dask":
        return _on_dask(function, items, jobs, address)
    if backend == "ray":
        return _on_ray(function, items, jobs, address)
    return _on_this_machine(function, items, jobs)


def outputs(results: Iterator[tuple[int, Any]]) -> Iterator[tuple[int, Any]]:
    """Pass results on, and raise the first error among them."""
    with contextlib.closing(results):  # type: ignore[type-var]
        for index, output in results:
            if isinstance(output, ItemError):
                raise output.error
            yield index, output


def check(backend: str, jobs: int, address: str | None) -> None:
    """Raise ConfigError when the options of an engine do not go together, or it is not installed."""
    if backend not in BACKENDS:
        raise ConfigError(f"unknown backend '{backend}'; use {', '.join(BACKENDS)}")
    if jobs == 0 or jobs < -1:
        raise ConfigError(f"{jobs} jobs do nothing; use 1 or more, or -1 for one per core")
    if backend == "loky" and address is not None:
        raise ConfigError(f"loky runs on this machine and has no address '{address}'; choose --backend dask or ray")
    package = {"dask": "distributed", "ray": "ray"}.get(backend)
    if package is not None and importlib.util.find_spec(package) is None:
        raise ConfigError(f"{package} is not installed; `pip install 'foundcause[{backend}]'`")


def _guarded(function: Callable[[Any], Any], item: Any) -> Any:
    """The output, or the error as a value."""
    try:
        return function(item)
    except Exception as error:
        text = traceback.format_exc()
        try:
            pickle.loads(pickle.dumps(error))
        except Exception:
            error = RuntimeError(f"{type(error).__name__}: {error}")
        return ItemError(error.with_traceback(None), text)


# ---------------------------------------------------------------------- this machine


_starting = threading.Lock()  # loky cannot be imported by several threads at once


class OwnProcess:
    """A process that runs one item at a time. It ends when this process does, with all that it started.

    loky starts it: unlike `multiprocessing`, it does not run the calling script again. Its pool is not used, because
    that cannot tell which item ended a process.
    """

    def __init__(self) -> None:
        self._process: Any = None
        self._pipe: Any = None

    @property
    def pid(self) -> int | None:
        """Number of the process, or None when there is none."""
        return self._process.pid if self._process is not None and self._process.is_alive() else None

    def start(self) -> None:
        """Start the process, unless it runs."""
        if self.pid is not None:
            return
        with _starting:
            from joblib.externals.loky.backend import get_context

            # Dask starts its workers as daemons, which may not have children; these end by themselves
            multiprocessing.current_process()._config["daemon"] = False  # type: ignore[attr-defined]
            context = get_context("loky")
            self._pipe, other_end = context.Pipe()
            self._process = context.Process(target=_serve, args=(other_end, os.getpid()), env=_ONE_THREAD, daemon=True)
            self._process.start()
            other_end.close()

    def run(self, function: Callable[[Any], Any], item: Any) -> Any:
        """Return the output of an item or an `ItemError`; raise EOFError or OSError when the process dies."""
        import cloudpickle

        work = cloudpickle.dumps((function, item))
        self.start()
        self._pipe.send_bytes(work)
        return pickle.loads(self._pipe.recv_bytes())

    def end(self) -> None:
        """End the process, whatever it does, and what it started."""
        if self._process is not None:
            with contextlib.suppress(OSError, AttributeError):  # it has no group yet, or Windows has none
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.terminate()
            self._process.join()


def _try_in(process: OwnProcess, function: Callable[[Any], Any], item: Any, stopped: threading.Event) -> Any:
    """Run an item, in a new process when one dies."""
    for _ in range(ATTEMPTS):
        try:
            return process.run(function, item)
        except (EOFError, OSError):
            process.end()
        if stopped.is_set():
            break
    return ItemError(ResourceError(_DIED))


def _serve(pipe: Any, parent: int) -> None:
    """Run items until the pipe closes or none has come for a while."""
    import cloudpickle

    with contextlib.suppress(AttributeError):  # Windows
        os.setsid()  # what an item starts belongs to the group of this process
    _end_with(parent)
    with contextlib.suppress(EOFError, OSError, KeyboardInterrupt):
        while pipe.poll(_IDLE_SECONDS):
            output = _guarded(_call, pipe.recv_bytes())
            try:
                answer = cloudpickle.dumps(output)
            except Exception as error:
                answer = cloudpickle.dumps(ItemError(TypeError(f"the output cannot be pickled: {error}")))
            pipe.send_bytes(answer)


def _call(work: bytes) -> Any:
    function, item = pickle.loads(work)
    return function(item)


def _end_with(parent: int) -> None:
    """End this process and its group soon after its parent is gone: one that is killed cannot end its children."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(0.5)
        with contextlib.suppress(AttributeError):
            os.killpg(0, signal.SIGKILL)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _on_this_machine(function: Callable[[Any], Any], items: Iterable[Any], jobs: int) -> Iterator[tuple[int, Any]]:
    if jobs == 1:
        for index, item in enumerate(items):
            yield index, _guarded(function, item)
        return
    jobs = _cores() if jobs == -1 else jobs
    processes = [OwnProcess() for _ in range(jobs)]
    idle, stopped = list(processes), threading.Event()

    def work(item: Any) -> Any:
        process = idle.pop()  # there are as many threads as processes
        try:
            return _try_in(process, function, item, stopped)
        finally:
            idle.append(process)

    threads = ThreadPoolExecutor(jobs)
    pending: dict[Future[Any], int] = {}
    try:
        for index, item in enumerate(items):
            pending[threads.submit(work, item)] = index
            while len(pending) >= 2 * jobs:
                yield from _finished(pending)
        while pending:
            yield from _finished(pending)
    finally:
        stopped.set()
        threads.shutdown(wait=False, cancel_futures=True)
        for process in processes:
            process.end()


def _finished(pending: dict[Future[Any], int]) -> Iterator[tuple[int, Any]]:
    done, _ = wait(pending, return_when=FIRST_COMPLETED)
    for future in done:
        yield pending.pop(future), future.result()


def _cores() -> int:
    """Cores this process may use, which can be fewer than the machine has."""
    from joblib import cpu_count

    return int(cpu_count())


# ---------------------------------------------------------------------- Dask


_of_this_thread = threading.local()


def _in_own_process(function: Callable[[Any], Any], item: Any) -> Any:
    """Run on a Dask worker, whose threads would share all global state: each gets a process."""
    if not hasattr(_of_this_thread, "process"):
        _of_this_thread.process = OwnProcess()
    return _try_in(_of_this_thread.process, function, item, threading.Event())


def _on_dask(
    function: Callable[[Any], Any], items: Iterable[Any], jobs: int, address: str | None
) -> Iterator[tuple[int, Any]]:
    from distributed import Client, KilledWorker, as_completed

    options: dict[str, Any] = {"address": address, "timeout": 30}
    if address is None:
        jobs = _cores() if jobs == -1 else jobs
        options = {"n_workers": jobs, "threads_per_worker": 1, "dashboard_address": None}
    try:
        client = Client(**options, set_as_default=False)
    except (OSError, TimeoutError, ValueError) as error:
        raise ConfigError(f"no Dask scheduler answers at {address} ({type(error).__name__})") from error
    with client:
        positions: dict[Any, int] = {}
        done = as_completed(loop=client.loop)
        source = enumerate(items)

        def submit() -> None:
            for index, item in source:
                # items of one run may be equal, and functions need not be pure
                future = client.submit(_in_own_process, function, item, pure=False)
                positions[future.key] = index
                done.add(future)
                return

        for _ in range(max(64, 4 * sum(client.nthreads().values()))):
            submit()
        for future in done:
            submit()
            index = positions.pop(future.key)
            try:
                yield index, future.result()  # computed again when it was lost with its worker
            except KilledWorker:
                yield index, ItemError(ResourceError(_DIED))


# ---------------------------------------------------------------------- Ray


def _on_ray(
    function: Callable[[Any], Any], items: Iterable[Any], jobs: int, address: str | None
) -> Iterator[tuple[int, Any]]:
    import ray

    ours = not ray.is_initialized()
    if ours:
        options: dict[str, Any] = {"address": address}
        if address is None:  # else Ray would take a cluster that happens to run on this machine
            options = {"address": "local", "include_dashboard": False, "num_cpus": _cores() if jobs == -1 else jobs}
        try:
            ray.init(**options, log_to_driver=False, logging_level=logging.ERROR)
        except (ConnectionError, OSError, ValueError, RuntimeError) as error:
            raise ConfigError(f"no Ray cluster answers at {address} ({type(error).__name__})") from error
    pending: dict[Any, int] = {}
    try:
        task = ray.remote(num_cpus=1, max_retries=ATTEMPTS - 1)(_guarded)
        shared = ray.put(function)
        most = max(64, 4 * int(ray.cluster_resources().get("CPU", 1)))
        source = enumerate(items)
        exhausted = False
        while pending or not exhausted:
            while not exhausted and len(pending) < most:
                following = next(source, None)
                exhausted = following is None
                if following is not None:
                    pending[task.remote(shared, following[1])] = following[0]
            for done in ray.wait(list(pending), num_returns=1)[0] if pending else ():
                index = pending.pop(done)
                try:
                    yield index, ray.get(done)
                except (ray.exceptions.WorkerCrashedError, ray.exceptions.OutOfMemoryError):
                    yield index, ItemError(ResourceError(_DIED))
                except ray.exceptions.RayError as error:
                    yield index, ItemError(error)
    finally:
        if ours:
            ray.shutdown()
        else:
            for left in pending:
                ray.cancel(left, force=True)
