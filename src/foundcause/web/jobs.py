"""The queue. Each job runs in a process of its own that can be killed. At most ``slots`` run, the others wait."""

from __future__ import annotations

import json
import multiprocessing
import secrets
import signal
import threading
import time
from collections import Counter, deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from typing import Any, Literal

from foundcause.web import job_process

State = Literal["waiting", "running", "done", "refused", "failed", "cancelled"]
FINISHED: tuple[State, ...] = ("done", "refused", "failed", "cancelled")
_MESSAGE_BYTES = 1 << 24
_STOP_SECONDS = 5.0
# multiprocessing keeps a global list of children that `start` and `exitcode` both read and change.
_PROCESSES = threading.Lock()


class QueueFullError(Exception):
    """More jobs wait than the server allows."""


@dataclass(eq=False, kw_only=True)
class Job:
    """One piece of work.

    Parameters
    ----------
    task : dict
        What the process gets.
    seconds : float
        Time limit.
    owner : str
        Whose job it is. Owners take turns.
    on_end : callable or None
        Called once, whatever the end.

    The other attributes say how far it is.
    """

    task: dict[str, Any]
    seconds: float
    owner: str = ""
    on_end: Callable[[Job], None] | None = None
    id: str = field(default_factory=lambda: secrets.token_urlsafe(12))
    state: State = "waiting"
    stage: str = ""
    done: int = 0
    total: int = 0
    error: str = ""
    answer: dict[str, Any] | None = None
    pid: int | None = None
    started: float | None = None
    cancelled: threading.Event = field(default_factory=threading.Event)

    @property
    def finished(self) -> bool:
        return self.state in FINISHED


class JobQueue:
    """Jobs on ``slots`` threads that each watch one process. Owners take turns.

    With several slots, one owner never holds all of them, so that a newcomer can start at once.
    """

    def __init__(self, *, slots: int, cores: int, waiting: int) -> None:
        self._cores, self._limit = cores, waiting
        self._most_of_one_owner = max(1, slots - 1)
        self._waiting: deque[Job] = deque()
        self._running: list[Job] = []
        self._changed = threading.Condition()
        self._closed = False
        self._threads = [threading.Thread(target=self._serve, daemon=True, name=f"jobs-{k}") for k in range(slots)]
        for thread in self._threads:
            thread.start()

    def submit(self, job: Job) -> Job:
        """Add a job to the queue."""
        with self._changed:
            if self._closed or len(self._waiting) >= self._limit:
                raise QueueFullError
            self._waiting.append(job)
            self._changed.notify_all()
        return job

    def place(self, job: Job) -> int | None:
        """Return the position in the queue, 1 for the next job. None for jobs that do not wait."""
        with self._changed:
            return self._in_turn().index(job) + 1 if job in self._waiting else None

    def _in_turn(self) -> list[Job]:
        """The waiting jobs in the order in which they start: the owner with the fewest jobs ahead comes first."""
        ahead = Counter(job.owner for job in self._running)
        turns = []
        for arrival, job in enumerate(self._waiting):
            turns.append((ahead[job.owner], arrival, job))
            ahead[job.owner] += 1
        return [job for _, _, job in sorted(turns, key=lambda turn: turn[:2])]

    def _next(self) -> Job | None:
        """The job to start now, if any may."""
        held = Counter(job.owner for job in self._running)
        return next((job for job in self._in_turn() if held[job.owner] < self._most_of_one_owner), None)

    @property
    def running(self) -> int:
        return len(self._running)

    def cancel(self, job: Job) -> None:
        """Take the job out of the queue, or kill its process. Returns at once."""
        with self._changed:
            job.cancelled.set()
            if job not in self._waiting:
                return
            self._waiting.remove(job)
        _end(job, "cancelled", "cancelled before it started")

    def close(self) -> None:
        """Kill running jobs and forget waiting ones."""
        with self._changed:
            self._closed = True
            left = [*self._waiting]
            for job in [*left, *self._running]:
                job.cancelled.set()
            self._waiting.clear()
            self._changed.notify_all()
        for job in left:
            _end(job, "cancelled", "the server was stopped")
        for thread in self._threads:
            thread.join(timeout=_STOP_SECONDS)

    def _serve(self) -> None:
        while True:
            with self._changed:
                while (job := self._next()) is None and not self._closed:
                    self._changed.wait()
                if self._closed or job is None:
                    return
                self._waiting.remove(job)
                self._running.append(job)
                threads = max(1, self._cores // len(self._running))
                job.state, job.started = "running", time.monotonic()
            try:
                _run(job, {**job.task, "threads": threads})
            except Exception as error:
                _end(job, "failed", f"the worker could not be started: {error}")
            finally:
                with self._changed:
                    self._running.remove(job)
                    self._changed.notify_all()  # its owner may start another one


def warm_up() -> None:
    """Load the libraries once, in a process that only forks. Jobs then start in milliseconds."""
    context = _context()
    if context.get_start_method() == "forkserver":
        context.set_forkserver_preload(list(job_process.PRELOADED))
        from multiprocessing import forkserver

        forkserver.ensure_running()


def _context() -> Any:
    methods = multiprocessing.get_all_start_methods()
    return multiprocessing.get_context("forkserver" if "forkserver" in methods else "spawn")


def _run(job: Job, task: dict[str, Any]) -> None:
    """Start a process, follow it to its end, and never leave it behind."""
    receiver, sender = multiprocessing.Pipe(duplex=False)
    process = _context().Process(target=job_process.main, args=(sender, task), daemon=True)
    with _PROCESSES:
        process.start()
    sender.close()
    job.pid = process.pid
    deadline = time.monotonic() + job.seconds
    ending: tuple[State, str] | None = None
    try:
        while ending is None:
            if job.cancelled.is_set():
                ending = ("cancelled", "cancelled")
            elif time.monotonic() > deadline:
                ending = ("failed", f"stopped after the time limit of {job.seconds:.0f} seconds. Use a smaller table.")
            else:
                ending = _listen(job, receiver, process)
    finally:
        with suppress(OSError):
            receiver.close()
        code = _stop(process)
        job.pid = None
    state, error = ending
    _end(job, state, error or _why_it_died(code))


def _listen(job: Job, receiver: Connection, process: Any) -> tuple[State, str] | None:
    """Take in one message; None while the job goes on. An empty error means that the process died without a word."""
    if not wait([receiver, process.sentinel], timeout=0.1):
        return None
    if not receiver.poll():
        return None if process.sentinel not in wait([process.sentinel], timeout=0) else ("failed", "")
    try:
        message = json.loads(receiver.recv_bytes(_MESSAGE_BYTES))
        if message["event"] == "progress":
            job.stage, job.done, job.total = str(message["stage"]), int(message["done"]), int(message["total"])
            return None
        if message["event"] == "refused":
            return "refused", str(message["error"])
        job.answer = dict(message["answer"])
        return "done", "none"
    except (EOFError, OSError):
        return "failed", ""
    except (ValueError, KeyError, TypeError):
        return "failed", "the worker sent something unreadable"


def _stop(process: Any) -> int | None:
    """Exit code of the process, killed when it does not end by itself."""
    wait([process.sentinel], timeout=0.2)
    with _PROCESSES:
        if process.is_alive():
            process.kill()
    wait([process.sentinel], timeout=_STOP_SECONDS)
    with _PROCESSES:
        code: int | None = process.exitcode
        if code is not None:
            process.close()
    return code


def _why_it_died(code: int | None) -> str:
    if code is not None and code < 0:
        try:
            name = signal.Signals(-code).name
        except ValueError:
            name = f"signal {-code}"
        hint = ", perhaps because the machine ran out of memory" if name == "SIGKILL" else ""
        return f"the worker process was killed ({name}){hint}. The server goes on. Run it again."
    return "the worker process crashed. The server goes on. Run it again, and report it if it happens again."


def _end(job: Job, state: State, error: str) -> None:
    job.error = "" if state == "done" else error
    job.state = state
    if job.on_end is not None:
        job.on_end(job)
