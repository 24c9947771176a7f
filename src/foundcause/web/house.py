"""What the routes share: the house with its visits and queues, and the steps that a request takes through it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

from fastapi import HTTPException, Request, Response

from foundcause.errors import FoundcauseError
from foundcause.knowledge import Knowledge
from foundcause.web.jobs import Job, JobQueue, QueueFullError
from foundcause.web.schemas import JobView, TableView
from foundcause.web.security import cookie_name
from foundcause.web.settings import Settings
from foundcause.web.visits import VISIT_COOKIE, StoredTable, Visit, VisitLimitError, VisitStore


class House:
    """Settings, visits, queues."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        limits = settings.limits
        self.reads = JobQueue(slots=settings.slots, cores=settings.slots, waiting=limits.waiting)
        self.discoveries = JobQueue(slots=settings.slots, cores=settings.slots, waiting=limits.waiting)
        self.visits = VisitStore(limits, (self.reads, self.discoveries))

    def close(self) -> None:
        """Stop all work, delete all files."""
        self.reads.close()
        self.discoveries.close()
        self.visits.close()


def new_table(
    request: Request, response: Response, house: House, visit: Visit | None, name: str, suffix: str
) -> tuple[StoredTable, Visit]:
    """A place for a table, in a new visit when there is none yet."""
    try:
        if visit is None:
            visit = house.visits.open()
            response.set_cookie(
                cookie_name(VISIT_COOKIE, request.scope), visit.secret, httponly=True, samesite="strict"
            )
        return house.visits.new_table(visit, name, suffix), visit
    except VisitLimitError as error:
        raise HTTPException(429, str(error)) from error
    except OSError as error:
        raise HTTPException(503, "the server has no room to store the file") from error


async def store(chunks: AsyncIterator[bytes], table: StoredTable) -> None:
    """Write what arrives to the table's place."""
    with table.path.open("wb") as file:
        async for chunk in chunks:
            await asyncio.to_thread(file.write, chunk)
            table.bytes += len(chunk)


def start_reading(house: House, visit: Visit, table: StoredTable) -> TableView:
    """Queue the reading of a stored table; a refused file is deleted at once."""

    def forget_refused(job: Job) -> None:
        if job.state != "done":
            table.path.unlink(missing_ok=True)
            table.bytes = 0

    task = {**worker_task(table, house), "kind": "read"}
    table.read = Job(task=task, seconds=house.settings.limits.read_seconds, on_end=forget_refused)
    if visit.ended:
        raise HTTPException(410, "the visit ended during the upload")
    submit(house.reads, table.read)
    return table_view(table, house)


def worker_task(table: StoredTable, house: House) -> dict[str, Any]:
    """What every worker is told."""
    limits = house.settings.limits
    return {
        "path": str(table.path),
        "name": table.name,
        "max_rows": limits.rows,
        "max_columns": limits.columns,
        "memory_bytes": limits.memory_bytes,
    }


def submit(queue: JobQueue, job: Job) -> None:
    """Queue a job, or refuse when too many wait."""
    try:
        queue.submit(job)
    except QueueFullError as error:
        raise HTTPException(503, "the queue is full; try again in a minute", {"retry-after": "60"}) from error


def check_choices(
    knowledge: dict[str, Any] | None, drop: Sequence[str], nominal: Sequence[str], answer: dict[str, Any]
) -> None:
    """Unknown columns and contradictions are said at once, not after the wait."""
    known = {column["name"] for column in answer["columns"]}
    for option, chosen in (("drop", drop), ("nominal", nominal)):
        if unknown := [name for name in chosen if name not in known]:
            raise HTTPException(400, f"{option} names {unknown[0]!r}, but the table has no such column")
    used = [column["name"] for column in answer["columns"] if column["role"] != "dropped"]
    names = [name for name in used if name not in set(drop)]
    if len(names) < 2:
        raise HTTPException(400, "drop leaves fewer than two columns; a causal graph needs at least two")
    try:
        (Knowledge.of(knowledge) or Knowledge()).masks(names, left_out=known)
    except FoundcauseError as error:
        raise HTTPException(400, str(error)) from error


def finished(job: Job) -> Path:
    """The folder of a discovery that is done."""
    if job.state != "done":
        raise HTTPException(409, f"the discovery is {job.state}, so there is no result")
    return Path(job.task["folder"])


def shown_name(name: str) -> str:
    """The last part of a file name, printable and short."""
    base = name.replace("\\", "/").rpartition("/")[2]
    return "".join(c if c.isprintable() else " " for c in base)[:120].strip() or "table"


def job_view(job: Job, house: House) -> JobView:
    """A job as the API shows it."""
    state = job.state
    queue = house.reads if job.task["kind"] == "read" else house.discoveries
    place = queue.place(job) if state == "waiting" else None
    return JobView(
        id=job.id, state=state, place=place, stage=job.stage, done=job.done, total=job.total, error=job.error
    )


def table_view(table: StoredTable, house: House) -> TableView:
    """A table as the API shows it."""
    read = table.read or Job(task={"kind": "read"}, seconds=1)
    return TableView.model_validate(
        {
            "id": table.id,
            "name": table.name,
            "bytes": table.bytes,
            "read": job_view(read, house).model_dump(),
            "description": read.answer if read.state == "done" else None,
            "discoveries": [job_view(job, house).model_dump() for job in list(table.discoveries.values())],
        }
    )
