"""Work side by side on a pool of threads that use one torch thread each.

torch's own threads (OpenMP) wait for each other by spinning at the end of every small operation. As soon as two
processes share the cores, they spin while the one they wait for is not running, and everything becomes 5 to 25 times
slower. Threads of this pool never open a parallel region of OpenMP, so they wait for nothing but the end of their work.
"""

from __future__ import annotations

import math
import os
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from pathlib import Path
from typing import TypeVar

Item = TypeVar("Item")
Output = TypeVar("Output")

_CGROUP = Path("/sys/fs/cgroup")
_pools: dict[int, ThreadPoolExecutor] = {}
_lock = threading.Lock()


def usable_cpus(cgroup: Path = _CGROUP) -> int:
    """Count the processors that this process may use.

    Parameters
    ----------
    cgroup : Path
        Where Linux tells the quota of a container.

    Returns
    -------
    int
        At least 1: the processors of the affinity mask, or fewer where a cgroup's quota (version 1 or 2) says so.
    """
    try:
        cpus = len(os.sched_getaffinity(0))
    except AttributeError:  # macOS and Windows have no such call
        cpus = os.cpu_count() or 1
    return max(1, math.ceil(min(cpus, _quota(cgroup))))


def _quota(cgroup: Path) -> float:
    """Processors that a cgroup allows; infinite where none does."""
    for read in (_quota_of_version_2, _quota_of_version_1):
        try:
            quota, period = read(cgroup)
        except (OSError, ValueError):
            continue
        if quota > 0 and period > 0:
            return quota / period
    return math.inf


def _quota_of_version_2(cgroup: Path) -> tuple[float, float]:
    quota, period = (cgroup / "cpu.max").read_text().split()
    return float(quota), float(period)  # "max" is no number: there is no limit


def _quota_of_version_1(cgroup: Path) -> tuple[float, float]:
    quota, period = ((cgroup / "cpu" / f"cpu.cfs_{name}_us").read_text() for name in ("quota", "period"))
    return float(quota), float(period)


def worker_count() -> int:
    """How many threads work side by side: the usable processors, or fewer where torch was told to use fewer."""
    import torch

    return min(usable_cpus(), torch.get_num_threads())


def side_by_side(function: Callable[[Item], Output], items: Iterable[Item]) -> Iterator[Output]:
    """Apply a function to items on the pool and yield the outputs in order.

    Whatever is thread-local (``torch.no_grad``) has to be entered inside the function. Items are taken a few at a time,
    so that memory does not grow with their number.

    Parameters
    ----------
    function : callable
        Called with one item, on a thread that uses one torch thread.
    items : iterable
        Taken lazily.

    Yields
    ------
    object
        ``function(item)`` of each item.
    """
    import torch

    workers = worker_count()
    if torch.get_num_threads() == 1:  # this thread already works alone
        yield from map(function, items)
        return
    pool = _pool(workers)
    waiting: list[Future[Output]] = []
    try:
        for item in items:
            waiting.append(pool.submit(function, item))
            while waiting and (len(waiting) > 2 * workers or waiting[0].done()):
                yield waiting.pop(0).result()
        while waiting:
            yield waiting.pop(0).result()
    finally:
        for future in waiting:
            future.cancel()
        wait(waiting)


def _pool(workers: int) -> ThreadPoolExecutor:
    """The pool of so many threads, made once a process."""
    import torch

    with _lock:
        if workers not in _pools:
            before = torch.get_num_threads()
            pool = ThreadPoolExecutor(workers, "foundcause", initializer=_work_alone)
            ready = threading.Barrier(workers + 1)
            for _ in range(workers):  # each waits at the barrier, so that every thread is started now
                pool.submit(ready.wait)
            ready.wait()
            torch.set_num_threads(before)  # threads that others start later get what they had before
            _pools[workers] = pool
        return _pools[workers]


def _work_alone() -> None:
    """Give the current thread one torch thread, whatever torch's default becomes later."""
    import torch

    torch.get_num_threads()  # the first call in a thread takes torch's default; only then does a choice of its own last
    torch.set_num_threads(1)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_pools.clear)  # threads do not survive a fork
