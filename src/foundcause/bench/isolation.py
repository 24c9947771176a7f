"""Run methods in a process of their own with a time limit. A method that hangs or dies takes nothing with it."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import time
import traceback
import warnings
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from foundcause.bench.baselines.method import Method, Table
from foundcause.bench.case import Answer
from foundcause.bench.plugin import Plugin
from foundcause.engines import OwnProcess
from foundcause.errors import InputError


def waited(process: int | None = None) -> float:
    """Seconds the main thread of a process (this one by default) was ready but had no processor.

    Linux alone says so; elsewhere, and for a process that is gone, it is 0.
    """
    try:
        return int(Path(f"/proc/{process or os.getpid()}/schedstat").read_text().split()[1]) / 1e9
    except (OSError, IndexError, ValueError):
        return 0.0


class Stopwatch:
    """Seconds since it was made that a process ran or slept, and those it waited for a processor.

    On a machine of its own the first is wall time. On a shared one a limit in wall time would stop methods because of
    their neighbours.
    """

    def __init__(self, process: int | None = None) -> None:
        self._process = process
        self._started = time.perf_counter()
        self._before = waited(process)

    def waited(self) -> float:
        """Seconds without a processor so far."""
        return max(waited(self._process) - self._before, 0.0)

    def seconds(self) -> float:
        """Wall time so far less those."""
        return max(time.perf_counter() - self._started - self.waited(), 0.0)


@dataclass(frozen=True, kw_only=True)
class Job:
    """One run of one method."""

    method: str
    """Name in the registry of methods."""
    table: Table
    """What the method is given."""
    plugins: tuple[Plugin, ...] = ()
    """Files that register methods of the user's own."""


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What came of a job."""

    status: str
    """ok, failed or timeout."""
    seconds: float
    """Time of the method alone, without imports and without what it waited for a processor."""
    waited: float = 0.0
    """Seconds it was ready but other programs had the processor."""
    answer: Answer | None = None
    """The answer when status is ok."""
    error: str | None = None
    """What went wrong otherwise, in one line."""
    peak_bytes: int | None = None
    """Largest resident size of the worker during the job, its libraries included."""


def perform(job: Job) -> Outcome:
    """Run a job in this process; every failure becomes an outcome."""
    from foundcause.bench import plugin
    from foundcause.bench.baselines import method

    _be_quiet()
    watch = Stopwatch()
    try:
        plugin.require(job.plugins)
        entry = method(job.method)
        _prepare(entry)
        _forget_peak()
        watch = Stopwatch()
        # libraries that draw from the global generator are at least made repeatable
        np.random.seed(job.table.seed % 2**32)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            answer = entry.run(job.table)
        _check(entry.name, answer, job.table.values.shape[1])
    except Exception as error:
        last = traceback.extract_tb(error.__traceback__)[-1]
        place = f"{os.path.basename(last.filename)}:{last.lineno}"
        text = " ".join(str(error).split())[:300]
        return Outcome(
            status="failed",
            seconds=watch.seconds(),
            waited=watch.waited(),
            error=f"{type(error).__name__} at {place}: {text}",
        )
    return Outcome(status="ok", seconds=watch.seconds(), waited=watch.waited(), answer=answer, peak_bytes=_peak())


def _be_quiet() -> None:
    """Whatever libraries print must not reach the terminal."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    os.close(nowhere)


def _check(method: str, answer: Any, variables: int) -> None:
    """Refuse what cannot be judged; methods of plug-ins may give back anything."""
    if not isinstance(answer, Answer):
        raise InputError(f"method '{method}' gave a {type(answer).__name__}; it must give an Answer")
    if np.asarray(answer.adjacency).dtype != np.bool_:
        raise InputError(f"method '{method}': adjacency must be bool; compare weights with a threshold")
    parts = (("adjacency", answer.adjacency), ("scores", answer.scores), ("confounding", answer.confounding))
    for name, matrix in parts:
        if matrix is None:
            continue
        shape = np.shape(matrix)
        if shape != (variables, variables):
            raise InputError(f"method '{method}': {name} has shape {shape}, expected {(variables, variables)}")
        if not np.isfinite(matrix).all():
            raise InputError(f"method '{method}': {name} is not finite")


def _forget_peak() -> None:
    """Start the count of the largest resident size anew, where the system lets us (Linux)."""
    with contextlib.suppress(OSError), open("/proc/self/clear_refs", "w") as file:
        file.write("5")


def _peak() -> int | None:
    """Largest resident size in bytes.

    Linux: of this program alone; getrusage would count the process that started it too.
    """
    try:
        with open("/proc/self/status") as file:
            return next(int(line.split()[1]) * 1024 for line in file if line.startswith("VmHWM"))
    except (OSError, StopIteration):
        pass
    try:
        import resource
    except ImportError:
        return None
    scale = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * scale


_SMALL = np.random.default_rng(0).standard_normal((60, 2)) @ np.array([[1.0, 0.6], [0.0, 0.8]])
_ready: set[str] = set()  # methods whose libraries this process has


def _prepare(entry: Method) -> None:
    """Let a method answer a small table first, so that the time of a job is not that of imports."""
    if entry.name not in _ready and (entry.needs or entry.ours):
        with contextlib.suppress(Exception):  # a method that cannot do this may still do its job
            entry.run(Table(values=_SMALL.round(), seed=0))
    _ready.add(entry.name)


START_LIMIT = 60.0
"""Extra seconds the first job of a worker may take for starting and importing."""


class Worker:
    """A process for methods, with one numerical thread: timings compare and parallel cells do not fight.

    It is started when needed and replaced after a timeout or a crash.
    """

    def __init__(self) -> None:
        self._process = OwnProcess()
        self._serves: tuple[str, dict[str, str]] | None = None

    def run(self, job: Job, limit: float) -> Outcome:
        """The outcome of a job; ``limit`` in seconds, waiting for a processor not counted.

        One process serves one method with the settings it inherited; another of either gets a new one.
        """
        wanted = job.method, {name: value for name, value in os.environ.items() if name.startswith("FOUNDCAUSE_")}
        fresh = self._process.pid is None or self._serves != wanted
        if fresh:
            self.close()
            self._process.start()
            self._serves = wanted
        watch, expired, done = Stopwatch(self._process.pid), threading.Event(), threading.Event()
        allowed = limit + (START_LIMIT if fresh else 0.0)

        def guard() -> None:
            while not done.wait(min(0.5, allowed / 10)):
                if watch.seconds() > allowed:
                    expired.set()
                    self.close()
                    return

        threading.Thread(target=guard, daemon=True).start()
        try:
            outcome = self._process.run(perform, job)
        except (EOFError, OSError):
            if expired.is_set():
                return Outcome(status="timeout", seconds=limit, error=f"stopped after {limit:g} s")
            self.close()
            return Outcome(status="failed", seconds=watch.seconds(), error="the process of the method died (memory?)")
        finally:
            done.set()
        if outcome.seconds > limit:
            return replace(outcome, status="timeout", answer=None, error=f"took longer than {limit:g} s")
        return outcome

    def close(self) -> None:
        """End the process."""
        self._process.end()
