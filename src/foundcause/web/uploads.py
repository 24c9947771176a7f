"""The state of the server and the steps of a request, shared by the routes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

from fastapi import HTTPException, Request, Response

from foundcause.errors import FoundcauseError
from foundcause.knowledge import Knowledge
from foundcause.web.jobs import Job, JobQueue, QueueFullError
from foundcause.web.limits import Settings
from foundcause.web.schemas import JobView, TableView
from foundcause.web.security import cookie_name
from foundcause.web.sessions import SESSION_COOKIE, Session, SessionLimitError, SessionStore, StoredTable


class ServerState:
    """Settings, sessions and queues."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        limits = settings.limits
        self.reads = JobQueue(slots=settings.slots, cores=settings.slots, waiting=limits.waiting)
        self.discoveries = JobQueue(slots=settings.slots, cores=settings.slots, waiting=limits.waiting)
        self.sessions = SessionStore(limits, (self.reads, self.discoveries))

    def close(self) -> None:
        """Stop all work, delete all files."""
        self.reads.close()
        self.discoveries.close()
        self.sessions.close()


def new_table(
    request: Request, response: Response, state: ServerState, session: Session | None, name: str, suffix: str
) -> tuple[StoredTable, Session]:
    """Make room for a table, in a new session if there is none yet."""
    try:
        if session is None:
            session = state.sessions.open()
            response.set_cookie(
                cookie_name(SESSION_COOKIE, request.scope), session.secret, httponly=True, samesite="strict"
            )
        return state.sessions.new_table(session, name, suffix), session
    except SessionLimitError as error:
        raise HTTPException(429, str(error)) from error
    except OSError as error:
        raise HTTPException(503, "the server has no room to store the file") from error


async def store(chunks: AsyncIterator[bytes], table: StoredTable) -> None:
    """Write the chunks to the table's file."""
    with table.path.open("wb") as file:
        async for chunk in chunks:
            await asyncio.to_thread(file.write, chunk)
            table.bytes += len(chunk)


def start_reading(state: ServerState, session: Session, table: StoredTable) -> TableView:
    """Queue the reading of a stored table. A refused file is deleted at once."""

    def forget_refused(job: Job) -> None:
        if job.state != "done":
            table.path.unlink(missing_ok=True)
            table.bytes = 0

    task = {**worker_task(table, state), "kind": "read"}
    seconds = state.settings.limits.read_seconds
    table.read = Job(task=task, seconds=seconds, owner=session.secret, on_end=forget_refused)
    if session.ended:
        raise HTTPException(410, "the session ended during the upload")
    submit(state.reads, table.read)
    return table_view(table, state)


def worker_task(table: StoredTable, state: ServerState) -> dict[str, Any]:
    """Return what every process gets."""
    limits = state.settings.limits
    return {
        "path": str(table.path),
        "name": table.name,
        "max_rows": limits.rows,
        "max_columns": limits.columns,
        "memory_bytes": limits.memory_bytes,
    }


def submit(queue: JobQueue, job: Job) -> None:
    """Queue a job, or refuse it if too many wait."""
    try:
        queue.submit(job)
    except QueueFullError as error:
        raise HTTPException(503, "the queue is full. Try again in a minute.", {"retry-after": "60"}) from error


def check_choices(
    knowledge: dict[str, Any] | None, drop: Sequence[str], nominal: Sequence[str], answer: dict[str, Any]
) -> None:
    """Refuse unknown columns, too many entries and contradictions at once, and in this order.

    The last check takes time, so call this off the event loop.
    """
    known = {column["name"] for column in answer["columns"]}
    entries = {"drop": drop, "nominal": nominal, **_names_in(knowledge or {})}
    for option, chosen in entries.items():
        if unknown := next((name for name in chosen if name not in known), None):
            raise HTTPException(400, f"{option} names {unknown!r}, but the table has no such column")
        if len(chosen) > 2 * len(known) ** 2:
            raise HTTPException(400, f"{option} has more entries than the table has pairs of columns")
    used = [column["name"] for column in answer["columns"] if column["role"] != "dropped"]
    names = [name for name in used if name not in set(drop)]
    if len(names) < 2:
        raise HTTPException(400, "drop leaves fewer than two columns. A causal graph needs at least two.")
    try:
        (Knowledge.of(knowledge) or Knowledge()).masks(names, left_out=known)
    except FoundcauseError as error:
        raise HTTPException(400, str(error)) from error


def _names_in(knowledge: dict[str, Any]) -> dict[str, list[str]]:
    """The columns that each field of the knowledge names. Text such as 'a -> b' is left to ``Knowledge``."""
    edges = {
        field: [name for edge in knowledge.get(field, ()) if not isinstance(edge, str) for name in edge]
        for field in ("forbidden", "required")
    }
    tiers = [name for tier in knowledge.get("tiers", ()) for name in tier]
    return {"tiers": tiers, **edges, **{field: list(knowledge.get(field, ())) for field in ("roots", "sinks")}}


def finished(job: Job) -> Path:
    """Return the folder of a discovery that is done."""
    if job.state != "done":
        raise HTTPException(409, f"the discovery is {job.state}, so there is no result")
    return Path(job.task["folder"])


def shown_name(name: str) -> str:
    """Return the last part of a file name, printable and short."""
    base = name.replace("\\", "/").rpartition("/")[2]
    return "".join(c if c.isprintable() else " " for c in base)[:120].strip() or "table"


def job_view(job: Job, state: ServerState) -> JobView:
    """Return a job as the API shows it."""
    queue = state.reads if job.task["kind"] == "read" else state.discoveries
    place = queue.place(job) if job.state == "waiting" else None
    return JobView(
        id=job.id, state=job.state, place=place, stage=job.stage, done=job.done, total=job.total, error=job.error
    )


def table_view(table: StoredTable, state: ServerState) -> TableView:
    """Return a table as the API shows it."""
    read = table.read or Job(task={"kind": "read"}, seconds=1)
    return TableView.model_validate(
        {
            "id": table.id,
            "name": table.name,
            "bytes": table.bytes,
            "read": job_view(read, state).model_dump(),
            "description": read.answer if read.state == "done" else None,
            "discoveries": [job_view(job, state).model_dump() for job in list(table.discoveries.values())],
        }
    )
