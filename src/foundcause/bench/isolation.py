"""Runs methods in a process of their own with a time limit; a method that hangs or dies takes nothing with it."""

from __future__ import annotations

import atexit
import contextlib
import os
import signal
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path

from foundcause.bench.baselines import METHODS, checkpoint
from foundcause.bench.clock import Stopwatch
from foundcause.bench.worker import Job, Outcome, read_frame, write_frame

THREADS = "1"
"""Numerical threads per worker: timings compare and parallel cells do not fight."""

START_LIMIT = 60.0
"""Extra seconds the first job of a worker may take for starting and importing."""


class Worker:
    """A worker process that is started when needed and replaced after a timeout or a crash."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._serves: tuple[str, Path | None] | None = None
        atexit.register(self.close)

    def run(self, job: Job, limit: float) -> Outcome:
        """The outcome of a job; ``limit`` in seconds, waiting for a processor not counted.

        One process serves one method with the weights it inherited; another of either gets a new one.
        """
        entry = METHODS.get(job.method)
        wanted = job.method, checkpoint.chosen() if entry is not None and entry.ours else None
        fresh = self._process is None or self._process.poll() is not None or self._serves != wanted
        if fresh:
            self.close()
            self._process = _start()
            self._serves = wanted
        process = self._process
        assert process is not None and process.stdin is not None and process.stdout is not None
        watch, expired, done = Stopwatch(process.pid), threading.Event(), threading.Event()
        allowed = limit + (START_LIMIT if fresh else 0.0)

        def guard() -> None:
            while not done.wait(min(0.5, allowed / 10)):
                if watch.seconds() > allowed:
                    expired.set()
                    _kill(process)
                    return

        threading.Thread(target=guard, daemon=True).start()
        try:
            write_frame(process.stdin, job)
            outcome = read_frame(process.stdout)
            if outcome.seconds > limit:
                return replace(outcome, status="timeout", answer=None, error=f"took longer than {limit:g} s")
            return outcome
        except (EOFError, BrokenPipeError, OSError):
            if expired.is_set():
                return Outcome(status="timeout", seconds=limit, error=f"stopped after {limit:g} s")
            code = process.wait()
            return Outcome(status="failed", seconds=watch.seconds(), error=f"process ended with code {code} (memory?)")
        finally:
            done.set()
            if expired.is_set():
                self.close()

    def close(self) -> None:
        """End the process."""
        process, self._process, self._serves = self._process, None, None
        if process is None:
            return
        _kill(process)
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()
        process.wait()


def _start() -> subprocess.Popen[bytes]:
    environment = dict(os.environ)
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS"):
        environment[name] = THREADS
    return subprocess.Popen(
        [sys.executable, "-m", "foundcause.bench.worker"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environment,
        start_new_session=True,  # so that a method's own children end with it
    )


def _kill(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
