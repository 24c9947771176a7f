"""Processes that prepare tasks, and the thread that drains them into a bounded, ordered buffer.

A pipe holds one large result. If the trainer read only between steps, its workers would wait for it, so a thread reads
whenever a result is there and hands out the next job. Results come back in the order of the jobs, whatever the timing.
Each worker computes with one thread, so that none of them waits in a loop for another.
"""

from __future__ import annotations

import atexit
import multiprocessing
import os
import signal
import threading
import traceback
from collections.abc import Callable, Iterable, Iterator
from multiprocessing.connection import Connection, wait
from typing import Any

from foundcause.errors import TrainingError
from foundcause.training.preparation import Job, Prepared, run

_IN_FLIGHT = 2  # jobs at a worker: the one it works on and the next
_THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")

Work = Callable[[Job], Prepared]


class Failure:
    """A task that could not be made: its index and the traceback."""

    def __init__(self, index: int, text: str) -> None:
        self.index = index
        self.text = text


class Workers:
    """A pool with one ordered stream of results at a time; use as a context manager."""

    def __init__(self, count: int, *, ahead: int = 96, work: Work = run) -> None:
        self.count = count
        self.ahead = max(ahead, 1)
        self._work = work
        self._lock = threading.Condition()
        self._results: dict[int, Any] = {}
        self._source: Iterator[Job] = iter(())
        self._exhausted = True
        self._issued = self._taken = self._first = 0
        self._death: str | None = None
        self._closing = False
        self._connections: list[Connection] = []
        self._processes: list[Any] = []
        self._load: dict[Connection, int] = {}
        if count:
            self._start()

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def ordered(self, jobs: Iterable[Job]) -> Iterator[Prepared | Failure]:
        """Results in the order of the jobs; a new call abandons what is left of the one before."""
        if not self.count:
            for job in jobs:
                yield _attempt(self._work, job)
            return
        with self._lock:
            self._first = self._taken = self._issued  # results of older jobs are dropped on arrival
            self._results.clear()
            self._source, self._exhausted = iter(jobs), False
            self._hand_out()
        while True:
            with self._lock:
                while self._taken not in self._results:
                    if self._death:
                        raise TrainingError(self._death)
                    if self._closing or (self._exhausted and self._taken == self._issued):
                        return
                    self._lock.wait(timeout=1.0)
                result = self._results.pop(self._taken)
                self._taken += 1
                self._hand_out()
            yield result

    @property
    def waiting(self) -> int:
        """Results ready in the buffer."""
        return len(self._results)

    def close(self) -> None:
        """Stop the workers; unfinished tasks are abandoned."""
        self._closing = True
        for process in self._processes:
            process.kill()  # they ignore what is politer
        for process in self._processes:
            process.join(timeout=5)
        if self.count and threading.current_thread() is not self._thread:
            self._thread.join(timeout=5)
        for connection in self._connections:
            connection.close()
        self._connections, self._processes = [], []
        atexit.unregister(self.close)

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        atexit.register(self.close)  # multiprocessing would wait for ever for processes that ignore its SIGTERM
        before = {name: os.environ.get(name) for name in _THREAD_VARIABLES}
        os.environ.update(dict.fromkeys(_THREAD_VARIABLES, "1"))
        try:
            for _ in range(self.count):
                ours, theirs = context.Pipe()
                process = context.Process(target=_serve, args=(theirs, self._work), daemon=True)
                process.start()
                theirs.close()
                self._connections.append(ours)
                self._processes.append(process)
                self._load[ours] = 0
        finally:
            for name, value in before.items():
                if value is None:
                    os.environ.pop(name, None)
                else:
                    os.environ[name] = value
        self._thread = threading.Thread(target=self._drain, name="drain tasks", daemon=True)
        self._thread.start()

    def _hand_out(self) -> None:
        """Give jobs to workers with room (lock held)."""
        while self._issued - self._taken < self.ahead:
            free = min(self._connections, key=lambda c: self._load[c])
            if self._load[free] >= _IN_FLIGHT:
                break
            job = next(self._source, None)
            if job is None:
                self._exhausted = True
                break
            try:
                free.send((self._issued, job))
            except OSError:
                self._death = self._epitaph(free)
                break
            self._load[free] += 1
            self._issued += 1

    def _drain(self) -> None:
        while not self._closing:
            for ready in wait(self._connections, timeout=0.5):
                assert isinstance(ready, Connection)
                try:
                    number, result = ready.recv()
                except (EOFError, OSError):
                    with self._lock:
                        if not self._closing:
                            self._death = self._epitaph(ready)
                        self._lock.notify_all()
                    return
                with self._lock:
                    self._load[ready] -= 1
                    if number >= self._first:
                        self._results[number] = result
                    self._hand_out()
                    self._lock.notify_all()

    def _epitaph(self, connection: Connection) -> str:
        process = self._processes[self._connections.index(connection)]
        process.join(timeout=1)
        return (
            f"a simulating process ended with exit code {process.exitcode}; "
            "if the machine ran out of memory, lower --workers or --option ahead=, then continue with --resume"
        )


def _attempt(work: Work, job: Job) -> Prepared | Failure:
    try:
        return work(job)
    except Exception:
        return Failure(job.index, traceback.format_exc(limit=6))


def _serve(connection: Connection, work: Work) -> None:
    # Signals often go to a whole group of processes; the trainer decides when to stop, and needs its tasks until then.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    import torch

    torch.set_num_threads(1)
    try:
        while True:
            number, job = connection.recv()
            connection.send((number, _attempt(work, job)))
    except (EOFError, OSError):
        return  # the trainer is gone, however it ended
