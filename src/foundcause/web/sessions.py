"""Sessions: a secret in a cookie, a private folder, and the tables and jobs in it."""

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
from foundcause.web.limits import Limits

SESSION_COOKIE = "foundcause_session"
_PREFIX = "foundcause-serve-"
_LOCK = "in-use"
_IN_USE = ("waiting", "running", "done")  # states of the job that reads a table


class SessionLimitError(Exception):
    """The server holds as much as it may."""


@dataclass(eq=False, kw_only=True)
class StoredTable:
    """An uploaded table: its file, the name its owner gave it, and the job that read it."""

    id: str
    name: str
    folder: Path
    path: Path
    bytes: int = 0
    read: Job | None = None
    discoveries: dict[str, Job] = field(default_factory=dict)


@dataclass(eq=False, kw_only=True)
class Session:
    """One visitor. ``secret`` is in the cookie and nowhere else. The folder has another random name."""

    secret: str
    folder: Path
    seen: float
    left: float | None = None
    ended: bool = False
    tables: dict[str, StoredTable] = field(default_factory=dict)

    @property
    def holds_tables(self) -> bool:
        """Whether a table was read, or is being sent or read."""
        return any(table.read is None or table.read.state in _IN_USE for table in self.tables.values())


class SessionStore:
    """All sessions, in one private temporary folder that is deleted at shutdown."""

    def __init__(self, limits: Limits, queues: tuple[JobQueue, ...]) -> None:
        self._limits, self._queues = limits, queues
        self._sessions: dict[str, Session] = {}
        self._lock = threading.RLock()
        remove_orphans()
        self.root = Path(tempfile.mkdtemp(prefix=_PREFIX))
        self._hold = _hold(self.root / _LOCK)

    def find(self, secret: str | None) -> Session | None:
        """Return the session of a cookie, and note that it is alive."""
        with self._lock:
            session = self._sessions.get(secret or "")
            if session is not None:
                session.seen, session.left = time.monotonic(), None
            return session

    def open(self) -> Session:
        """Open a session. At the limit, it takes the place of the oldest one that holds no table."""
        with self._lock:
            if len(self._sessions) >= self._limits.sessions:
                unused = [session for session in self._sessions.values() if not session.holds_tables]
                if not unused:
                    raise SessionLimitError("too many sessions at a time. Try again later.")
                self.end(min(unused, key=lambda session: session.seen))
            folder = Path(tempfile.mkdtemp(dir=self.root))
            session = Session(secret=secrets.token_urlsafe(32), folder=folder, seen=time.monotonic())
            self._sessions[session.secret] = session
            return session

    def leave(self, session: Session) -> None:
        """End the session soon, because its page was closed, unless another page of it asks for something."""
        session.left = time.monotonic()

    def end(self, session: Session) -> None:
        """Kill the session's jobs and delete its files."""
        with self._lock:
            self._sessions.pop(session.secret, None)
            session.ended = True
            tables = list(session.tables.values())
        for table in tables:
            self.remove(session, table)
        shutil.rmtree(session.folder, ignore_errors=True)

    def new_table(self, session: Session, name: str, suffix: str) -> StoredTable:
        """Make room for a table that is about to arrive."""
        with self._lock:
            if len(session.tables) >= self._limits.tables:
                raise SessionLimitError(f"a session may hold {self._limits.tables} tables. Delete one first.")
            held = sum(table.bytes for other in self._sessions.values() for table in other.tables.values())
            if held >= self._limits.storage_bytes:
                raise SessionLimitError("the server's room for tables is used up. Try again later.")
            folder = Path(tempfile.mkdtemp(dir=session.folder))
            identity = secrets.token_urlsafe(12)
            table = StoredTable(id=identity, name=name, folder=folder, path=folder / f"table{suffix}")
            session.tables[identity] = table
            return table

    def remove(self, session: Session, table: StoredTable) -> None:
        """Kill the table's jobs and delete its files."""
        with self._lock:
            session.tables.pop(table.id, None)
        for job in (table.read, *table.discoveries.values()):
            if job is not None:
                # The files must go for good, also when the process is still writing: then at its end.
                job.on_end = lambda _: shutil.rmtree(table.folder, ignore_errors=True)
                for queue in self._queues:
                    queue.cancel(job)
        shutil.rmtree(table.folder, ignore_errors=True)

    def sweep(self) -> None:
        """End sessions that are idle or were left."""
        now = time.monotonic()
        with self._lock:
            over = [
                session
                for session in self._sessions.values()
                if now - session.seen > self._limits.idle_seconds
                or (session.left is not None and now - session.left > self._limits.leave_seconds)
            ]
        for session in over:
            self.end(session)

    def close(self) -> None:
        """End all sessions and delete the root."""
        for session in list(self._sessions.values()):
            self.end(session)
        if self._hold is not None:
            os.close(self._hold)
        shutil.rmtree(self.root, ignore_errors=True)


def remove_orphans() -> None:
    """Delete the folders of servers that were killed. Their locks are free."""
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
