"""The API. Every route sees only what belongs to the visit of its cookie; all else does not exist for it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Body, Depends, HTTPException, Query, Request, Response
from fastapi.responses import FileResponse
from starlette.requests import ClientDisconnect

from foundcause import __version__
from foundcause.errors import FoundcauseError
from foundcause.web.jobs import Job, JobQueue, QueueFullError
from foundcause.web.schemas import About, DiscoveryBody, JobView, Layout, Problem, TableView, VisitView
from foundcause.web.settings import Settings
from foundcause.web.visits import VISIT_COOKIE, StoredTable, Visit, VisitLimitError, VisitStore
from foundcause.web.worker import ANSWER, EVERYTHING

FILES = {
    "report.html": "text/html; charset=utf-8",
    "result.json": "application/json",
    "edges.csv": "text/csv; charset=utf-8",
    "confounders.csv": "text/csv; charset=utf-8",
    "adjacency.csv": "text/csv; charset=utf-8",
    "probabilities.csv": "text/csv; charset=utf-8",
    "confounding.csv": "text/csv; charset=utf-8",
    "graph.png": "image/png",
    "graph.dot": "text/vnd.graphviz; charset=utf-8",
    "graph.mmd": "text/plain; charset=utf-8",
    "graph.graphml": "application/xml",
    "graph.gml": "text/plain; charset=utf-8",
    EVERYTHING: "application/zip",
}
SUFFIXES = (".csv", ".tsv", ".txt", ".parquet")


def _problems(*codes: int) -> dict[int | str, dict[str, Any]]:
    return {code: {"model": Problem} for code in (401, 403, 413, 421, *codes)}


router = APIRouter(prefix="/api", responses=_problems())


class House:
    """What the routes share: settings, visits, queues."""

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


def _house(request: Request) -> House:
    house: House = request.app.state.house
    return house


def _visit(request: Request) -> Visit | None:
    return _house(request).visits.find(request.cookies.get(VISIT_COOKIE))


TheHouse = Annotated[House, Depends(_house)]
TheVisit = Annotated[Visit | None, Depends(_visit)]


def _table(identity: str, visit: TheVisit) -> StoredTable:
    table = visit.tables.get(identity) if visit else None
    if table is None:
        raise HTTPException(404, "there is no such table in this visit; it may have expired")
    return table


def _discovery(identity: str, visit: TheVisit) -> Job:
    for table in list(visit.tables.values()) if visit else ():
        if identity in table.discoveries:
            return table.discoveries[identity]
    raise HTTPException(404, "there is no such discovery in this visit; it may have expired")


TheTable = Annotated[StoredTable, Depends(_table)]
TheDiscovery = Annotated[Job, Depends(_discovery)]


@router.get("/about")
async def about(house: TheHouse) -> About:
    """The server and its limits."""
    limits = house.settings.limits
    return About(
        version=__version__,
        slots=house.settings.slots,
        upload_bytes=limits.upload_bytes,
        rows=limits.rows,
        columns=limits.columns,
        runs=limits.runs,
        discover_seconds=limits.discover_seconds,
        files=list(FILES),
    )


@router.get("/visit")
async def show_visit(house: TheHouse, visit: TheVisit) -> VisitView:
    """What this visit holds; asking keeps the visit alive."""
    return VisitView(tables=[_table_view(table, house) for table in (visit.tables.values() if visit else ())])


@router.delete("/visit", status_code=204)
async def end_visit(response: Response, house: TheHouse, visit: TheVisit) -> None:
    """Stop this visit's work and delete its files now."""
    if visit is not None:
        await asyncio.to_thread(house.visits.end, visit)
    response.delete_cookie(VISIT_COOKIE, httponly=True, samesite="strict")


@router.post("/visit/leave", status_code=204)
async def leave_visit(house: TheHouse, visit: TheVisit) -> None:
    """The page is being closed; the visit ends soon unless another page of it speaks up."""
    if visit is not None:
        house.visits.leave(visit)


@router.post(
    "/tables",
    status_code=202,
    responses=_problems(400, 408, 410, 415, 429, 503),
    openapi_extra={
        "requestBody": {
            "required": True,
            "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
        }
    },
)
async def upload_table(
    request: Request,
    response: Response,
    house: TheHouse,
    visit: TheVisit,
    name: Annotated[str, Query(min_length=1, max_length=300, description="File name: .csv, .tsv, .txt, .parquet.")],
) -> TableView:
    """Send a table as the raw body. It is read in a process of its own; ask for the table until ``read`` is done."""
    suffix = Path(name.lower()).suffix
    if suffix not in SUFFIXES:
        raise HTTPException(
            415, f"a file must be called .csv, .tsv, .txt or .parquet, not {suffix or 'without ending'!r}"
        )
    table, visit = _new_table(response, house, visit, _shown_name(name), suffix)
    try:
        async with asyncio.timeout(house.settings.limits.upload_seconds):
            await _store(request.stream(), table)
        if table.bytes == 0:
            raise HTTPException(400, "the file is empty; give a CSV or Parquet file with a few rows")
        return _start_reading(house, visit, table)
    except ClientDisconnect as error:
        house.visits.remove(visit, table)
        raise HTTPException(400, "the upload was broken off") from error
    except TimeoutError as error:
        house.visits.remove(visit, table)
        raise HTTPException(408, "the upload took too long") from error
    except OSError as error:
        house.visits.remove(visit, table)
        if visit.ended:
            raise HTTPException(410, "the visit ended during the upload") from error
        raise HTTPException(503, "the server has no room to store the file") from error
    except BaseException:
        house.visits.remove(visit, table)
        raise


@router.post("/demo", status_code=202, responses=_problems(429, 503))
async def demo_table(response: Response, house: TheHouse, visit: TheVisit) -> TableView:
    """Take the demo table: a simulated survey of a chest clinic."""
    from foundcause.demo import write_survey

    table, visit = _new_table(response, house, visit, "chest_clinic_demo.csv", ".csv")
    await asyncio.to_thread(write_survey, table.path, rows=3000)
    table.bytes = table.path.stat().st_size
    return _start_reading(house, visit, table)


@router.get("/tables/{identity}", responses=_problems(404))
async def show_table(table: TheTable, house: TheHouse) -> TableView:
    """How the table was read."""
    return _table_view(table, house)


@router.delete("/tables/{identity}", status_code=204, responses=_problems(404))
async def delete_table(table: TheTable, house: TheHouse, visit: TheVisit) -> None:
    """Stop the table's work and delete its files."""
    assert visit is not None
    await asyncio.to_thread(house.visits.remove, visit, table)


@router.post("/tables/{identity}/discoveries", status_code=202, responses=_problems(400, 404, 409, 429, 503))
async def start_discovery(
    table: TheTable, house: TheHouse, body: Annotated[DiscoveryBody | None, Body()] = None
) -> JobView:
    """Queue a discovery on the table."""
    body = body or DiscoveryBody()
    limits = house.settings.limits
    if table.read is None or table.read.state != "done" or table.read.answer is None:
        raise HTTPException(409, "the table has not been read yet")
    if body.runs > limits.runs:
        raise HTTPException(400, f"runs={body.runs} is more than this server's {limits.runs}")
    if sum(not job.finished for job in table.discoveries.values()) >= 2:
        raise HTTPException(429, "two discoveries of this table are under way; wait or cancel one")
    knowledge = body.knowledge.model_dump() if body.knowledge else None
    _check_knowledge(knowledge, table.read.answer)
    for old in list(table.discoveries.values())[:-4]:
        if old.finished:
            del table.discoveries[old.id]
    job = Job(task={}, seconds=limits.discover_seconds)
    folder = table.folder / job.id
    job.task = {
        **_task(table, house),
        "kind": "discover",
        "folder": str(folder),
        "knowledge": knowledge,
        "runs": body.runs,
        "seed": body.seed,
        "threshold": body.threshold,
        "checkpoint": str(house.settings.checkpoint) if house.settings.checkpoint else None,
    }
    _submit(house.discoveries, job)
    table.discoveries[job.id] = job
    return _job_view(job, house)


@router.get("/discoveries/{identity}", responses=_problems(404))
async def show_discovery(job: TheDiscovery, house: TheHouse) -> JobView:
    """How far a discovery is."""
    return _job_view(job, house)


@router.delete("/discoveries/{identity}", status_code=204, responses=_problems(404))
async def cancel_discovery(job: TheDiscovery, house: TheHouse) -> None:
    """Cancel a discovery that waits or runs."""
    house.discoveries.cancel(job)


@router.get("/discoveries/{identity}/result", responses=_problems(404, 409))
async def show_result(job: TheDiscovery) -> FileResponse:
    """The result, the same JSON as ``Result.to_json``."""
    return FileResponse(_finished(job) / ANSWER, media_type="application/json")


@router.get("/discoveries/{identity}/layout", responses=_problems(404, 409))
async def show_layout(job: TheDiscovery) -> Layout:
    """Where the page draws each column."""
    _finished(job)
    return Layout.model_validate(job.answer)


@router.get("/discoveries/{identity}/files/{file}", responses=_problems(404, 409))
async def download(job: TheDiscovery, file: str) -> FileResponse:
    """One of the exports, as a download."""
    if file not in FILES:
        raise HTTPException(404, f"there is no such export; choose {', '.join(FILES)}")
    # The report is a page with its own scripts: it must never run with this server's rights.
    headers = {"content-security-policy": "sandbox; default-src 'none'"}
    return FileResponse(_finished(job) / file, media_type=FILES[file], filename=file, headers=headers)


# ---- below the routes -------------------------------------------------------------------------------------------


def _new_table(
    response: Response, house: House, visit: Visit | None, name: str, suffix: str
) -> tuple[StoredTable, Visit]:
    try:
        if visit is None:
            visit = house.visits.open()
            response.set_cookie(VISIT_COOKIE, visit.secret, httponly=True, samesite="strict")
        return house.visits.new_table(visit, name, suffix), visit
    except VisitLimitError as error:
        raise HTTPException(429, str(error)) from error
    except OSError as error:
        raise HTTPException(503, "the server has no room to store the file") from error


async def _store(chunks: AsyncIterator[bytes], table: StoredTable) -> None:
    with table.path.open("wb") as file:
        async for chunk in chunks:
            await asyncio.to_thread(file.write, chunk)
            table.bytes += len(chunk)


def _start_reading(house: House, visit: Visit, table: StoredTable) -> TableView:
    def forget_refused(job: Job) -> None:
        if job.state != "done":
            table.path.unlink(missing_ok=True)
            table.bytes = 0

    task = {**_task(table, house), "kind": "read"}
    table.read = Job(task=task, seconds=house.settings.limits.read_seconds, on_end=forget_refused)
    if visit.ended:
        raise HTTPException(410, "the visit ended during the upload")
    _submit(house.reads, table.read)
    return _table_view(table, house)


def _task(table: StoredTable, house: House) -> dict[str, Any]:
    limits = house.settings.limits
    return {
        "path": str(table.path),
        "name": table.name,
        "max_rows": limits.rows,
        "max_columns": limits.columns,
        "memory_bytes": limits.memory_bytes,
    }


def _submit(queue: JobQueue, job: Job) -> None:
    try:
        queue.submit(job)
    except QueueFullError as error:
        raise HTTPException(503, "the queue is full; try again in a minute", {"retry-after": "60"}) from error


def _check_knowledge(knowledge: dict[str, Any] | None, answer: dict[str, Any]) -> None:
    """Contradictions are said at once, not after the wait."""
    from foundcause.knowledge import Knowledge

    names = [column["name"] for column in answer["columns"] if column["status"] != "dropped"]
    try:
        (Knowledge.of(knowledge) or Knowledge()).masks(names)
    except FoundcauseError as error:
        raise HTTPException(400, str(error)) from error


def _finished(job: Job) -> Path:
    if job.state != "done":
        raise HTTPException(409, f"the discovery is {job.state}, so there is no result")
    return Path(job.task["folder"])


def _shown_name(name: str) -> str:
    base = name.replace("\\", "/").rpartition("/")[2]
    return "".join(c if c.isprintable() else " " for c in base)[:120].strip() or "table"


def _job_view(job: Job, house: House) -> JobView:
    state = job.state
    queue = house.reads if job.task["kind"] == "read" else house.discoveries
    place = queue.place(job) if state == "waiting" else None
    return JobView(
        id=job.id, state=state, place=place, stage=job.stage, done=job.done, total=job.total, error=job.error
    )


def _table_view(table: StoredTable, house: House) -> TableView:
    read = table.read or Job(task={"kind": "read"}, seconds=1)
    return TableView.model_validate(
        {
            "id": table.id,
            "name": table.name,
            "bytes": table.bytes,
            "read": _job_view(read, house).model_dump(),
            "description": read.answer if read.state == "done" else None,
            "discoveries": [_job_view(job, house).model_dump() for job in list(table.discoveries.values())],
        }
    )
