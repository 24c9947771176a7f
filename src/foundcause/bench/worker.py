"""The process a method runs in: reads jobs from its standard input, writes answers, one at a time.

A frame is eight bytes of length and a pickle; both ends are ours, on one machine, joined by pipes.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import struct
import sys
import threading
import time
import traceback
import warnings
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from foundcause.bench.answer import Answer
from foundcause.bench.baselines.method import Method, Table
from foundcause.bench.clock import Stopwatch
from foundcause.errors import InputError

if TYPE_CHECKING:
    from foundcause.bench.plugin import Plugin

_LENGTH = struct.Struct("<Q")


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


def write_frame(stream: IO[bytes], content: Any) -> None:
    """Send one object."""
    body = pickle.dumps(content, protocol=pickle.HIGHEST_PROTOCOL)
    stream.write(_LENGTH.pack(len(body)) + body)
    stream.flush()


def read_frame(stream: IO[bytes]) -> Any:
    """Receive one object; EOFError when the other end is gone."""
    head = _read_exactly(stream, _LENGTH.size)
    return pickle.loads(_read_exactly(stream, _LENGTH.unpack(head)[0]))


def _read_exactly(stream: IO[bytes], size: int) -> bytes:
    parts = []
    while size:
        part = stream.read(size)
        if not part:
            raise EOFError("the other process has gone")
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def perform(job: Job) -> Outcome:
    """Run a job in this process; every failure becomes an outcome."""
    from foundcause.bench import plugin
    from foundcause.bench.baselines import method

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


def _end_with_parent(parent: int) -> None:
    """A run that is killed cannot end its worker, which may be busy for minutes; so the worker watches."""
    while os.getppid() == parent:
        time.sleep(1.0)
    os._exit(1)


def main() -> None:
    """Serve jobs until the input closes."""
    threading.Thread(target=_end_with_parent, args=(os.getppid(),), daemon=True).start()
    jobs, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever libraries print must not mix with the frames
    while True:
        try:
            job = read_frame(jobs)
        except EOFError:
            return
        write_frame(answers, perform(job))


if __name__ == "__main__":
    # under -m this module is __main__; frames must name its real home
    from foundcause.bench import worker

    worker.main()
