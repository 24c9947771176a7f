"""Whose table is whose: a visit is a secret in a cookie, a private folder, and the tables and jobs in it."""

from __future__ import annotations

import os
import secrets
import shutil
import tempfile
import threading
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from foundcause.web.jobs import Job, JobQueue
from foundcause.web.settings import Limits

VISIT_COOKIE = "foundcause_visit"
_PREFIX = "foundcause-serve-"
_LOCK = "in-use"


class VisitLimitError(Exception):
    """The server holds as much as it is allowed to."""


@dataclass(eq=False, kw_only=True)
class StoredTable:
    """An uploaded table: its place, the name its owner gave it, and the job that read it."""

    id: str
    name: str
    folder: Path
    path: Path
    bytes: int = 0
    read: Job | None = None
    discoveries: dict[str, Job] = field(default_factory=dict)


@dataclass(eq=False, kw_only=True)
class Visit:
    """One visitor. ``secret`` stands in the cookie and nowhere else; the folder has another random name."""

    secret: str
    folder: Path
    seen: float
    left: float | None = None
    ended: bool = False
    tables: dict[str, StoredTable] = field(default_factory=dict)


class VisitStore:
    """All visits, under one private temporary folder that is deleted at shutdown."""

    def __init__(self, limits: Limits, queues: tuple[JobQueue, ...]) -> None:
        self._limits, self._queues = limits, queues
        self._visits: dict[str, Visit] = {}
        self._lock = threading.RLock()
        remove_orphans()
        self.root = Path(tempfile.mkdtemp(prefix=_PREFIX))
        self._hold = _hold(self.root / _LOCK)

    def find(self, secret: str | None) -> Visit | None:
        """The visit of a cookie, noting that it is alive."""
        with self._lock:
            visit = self._visits.get(secret or "")
            if visit is not None:
                visit.seen, visit.left = time.monotonic(), None
            return visit

    def open(self) -> Visit:
        """A new visit."""
        with self._lock:
            if len(self._visits) >= self._limits.visits:
                raise VisitLimitError("too many visits at a time; try again later")
            folder = Path(tempfile.mkdtemp(dir=self.root))
            visit = Visit(secret=secrets.token_urlsafe(32), folder=folder, seen=time.monotonic())
            self._visits[visit.secret] = visit
            return visit

    def leave(self, visit: Visit) -> None:
        """Its page was closed: end the visit soon, unless another page of it speaks up."""
        visit.left = time.monotonic()

    def end(self, visit: Visit) -> None:
        """Kill its jobs and delete its files."""
        with self._lock:
            self._visits.pop(visit.secret, None)
            visit.ended = True
            tables = list(visit.tables.values())
        for table in tables:
            self.remove(visit, table)
        shutil.rmtree(visit.folder, ignore_errors=True)

    def new_table(self, visit: Visit, name: str, suffix: str) -> StoredTable:
        """A place for a table that is about to arrive."""
        with self._lock:
            if len(visit.tables) >= self._limits.tables:
                raise VisitLimitError(f"a visit may hold {self._limits.tables} tables; delete one first")
            held = sum(table.bytes for other in self._visits.values() for table in other.tables.values())
            if held >= self._limits.storage_bytes:
                raise VisitLimitError("the server's room for tables is used up; try again later")
            folder = Path(tempfile.mkdtemp(dir=visit.folder))
            identity = secrets.token_urlsafe(12)
            table = StoredTable(id=identity, name=name, folder=folder, path=folder / f"table{suffix}")
            visit.tables[identity] = table
            return table

    def remove(self, visit: Visit, table: StoredTable) -> None:
        """Kill the table's jobs and delete its files."""
        with self._lock:
            visit.tables.pop(table.id, None)
        for job in (table.read, *table.discoveries.values()):
            if job is not None:
                # The files must go for good, also when the process is still writing: then at its end.
                job.on_end = lambda _: shutil.rmtree(table.folder, ignore_errors=True)
                for queue in self._queues:
                    queue.cancel(job)
        shutil.rmtree(table.folder, ignore_errors=True)

    def sweep(self) -> None:
        """End visits that are over."""
        now = time.monotonic()
        with self._lock:
            over = [
                visit
                for visit in self._visits.values()
                if now - visit.seen > self._limits.idle_seconds
                or (visit.left is not None and now - visit.left > self._limits.leave_seconds)
            ]
        for visit in over:
            self.end(visit)

    def close(self) -> None:
        """End all visits and delete the root."""
        for visit in list(self._visits.values()):
            self.end(visit)
        if self._hold is not None:
            os.close(self._hold)
        shutil.rmtree(self.root, ignore_errors=True)


def remove_orphans() -> None:
    """Delete folders of servers that were killed before they could: nobody holds their lock any more."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        with suppress(OSError):
            if not hasattr(os, "getuid") or folder.stat().st_uid != os.getuid() or folder.is_symlink():
                continue
            lock = folder / _LOCK
            if not lock.is_file():
                continue
            held = _hold(lock)
            if held is not None:
                shutil.rmtree(folder, ignore_errors=True)
                os.close(held)


def _hold(lock: Path) -> int | None:
    """A lock on the file that ends with this process; None when another process has it."""
    try:
        import fcntl
    except ImportError:  # Windows
        return None
    descriptor = os.open(lock, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        return None
    return descriptor
