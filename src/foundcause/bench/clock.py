"""Time a method had, without the time it stood in line for a processor that others used."""

from __future__ import annotations

import os
import time
from pathlib import Path


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
