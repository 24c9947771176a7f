"""The API. Every route sees only what belongs to the visit of its cookie; all else does not exist for it."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Body, Depends, HTTPException, Query, Request, Response
from fastapi.responses import FileResponse
from starlette.requests import ClientDisconnect

from foundcause import __version__
from foundcause.web.house import (
    House,
    check_choices,
    finished,
    job_view,
    new_table,
    shown_name,
    start_reading,
    store,
    submit,
    table_view,
    worker_task,
)
from foundcause.web.jobs import Job
from foundcause.web.schemas import About, DiscoveryBody, JobView, Layout, Problem, TableView, VisitView
from foundcause.web.security import cookie_name
from foundcause.web.visits import VISIT_COOKIE, StoredTable, Visit
from foundcause.web.worker import ANSWER, EVERYTHING

FILES = {
    "report.html": "text/html; charset=utf-8",
    "result.json": "application/json",
    "timing.json": "application/json",
    "edges.csv": "text/csv; charset=utf-8",
    "confounded_pairs.csv": "text/csv; charset=utf-8",
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


async def _house(request: Request) -> House:
    house: House = request.app.state.house
    return house


async def _visit(request: Request, house: Annotated[House, Depends(_house)]) -> Visit | None:
    return house.visits.find(request.cookies.get(cookie_name(VISIT_COOKIE, request.scope)))


TheHouse = Annotated[House, Depends(_house)]
TheVisit = Annotated[Visit | None, Depends(_visit)]


async def _table(identity: str, visit: TheVisit) -> StoredTable:
    table = visit.tables.get(identity) if visit else None
    if table is None:
        raise HTTPException(404, "there is no such table in this visit; it may have expired")
    return table


async def _discovery(identity: str, visit: TheVisit) -> Job:
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
    held = list(visit.tables.values()) if visit else []
    return VisitView(tables=[table_view(table, house) for table in held])


@router.delete("/visit", status_code=204)
async def end_visit(request: Request, response: Response, house: TheHouse, visit: TheVisit) -> None:
    """Stop this visit's work and delete its files now."""
    if visit is not None:
        await asyncio.to_thread(house.visits.end, visit)
    response.delete_cookie(cookie_name(VISIT_COOKIE, request.scope), httponly=True, samesite="strict")


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
    table, visit = new_table(request, response, house, visit, shown_name(name), suffix)
    try:
        async with asyncio.timeout(house.settings.limits.upload_seconds):
            await store(request.stream(), table)
        if table.bytes == 0:
            raise HTTPException(400, "the file is empty; give a CSV or Parquet file with a few rows")
        return start_reading(house, visit, table)
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
async def demo_table(request: Request, response: Response, house: TheHouse, visit: TheVisit) -> TableView:
    """Take the demo table: a simulated survey of a chest clinic."""
    from foundcause.cli.demo import write_survey

    table, visit = new_table(request, response, house, visit, "chest_clinic_demo.csv", ".csv")
    try:
        await asyncio.to_thread(write_survey, table.path, rows=3000)
        table.bytes = table.path.stat().st_size
        return start_reading(house, visit, table)
    except OSError as error:
        house.visits.remove(visit, table)
        raise HTTPException(503, "the server has no room to store the file") from error
    except BaseException:
        house.visits.remove(visit, table)
        raise


@router.get("/tables/{identity}", responses=_problems(404))
async def show_table(table: TheTable, house: TheHouse) -> TableView:
    """How the table was read."""
    return table_view(table, house)


@router.delete("/tables/{identity}", status_code=204, responses=_problems(404))
async def delete_table(table: TheTable, house: TheHouse, visit: TheVisit) -> None:
    """Stop the table's work and delete its files."""
    if visit is not None:
        await asyncio.to_thread(house.visits.remove, visit, table)


@router.post("/tables/{identity}/discoveries", status_code=202, responses=_problems(400, 404, 409, 429, 503))
async def start_discovery(
    table: TheTable, house: TheHouse, visit: TheVisit, body: Annotated[DiscoveryBody | None, Body()] = None
) -> JobView:
    """Queue a discovery on the table."""
    body = body or DiscoveryBody()
    limits = house.settings.limits
    if table.read is None or table.read.state != "done" or table.read.answer is None:
        raise HTTPException(409, "the table has not been read yet")
    if body.runs > limits.runs:
        raise HTTPException(400, f"runs={body.runs} is more than this server's {limits.runs}; ask for fewer passes")
    held = list(visit.tables.values()) if visit else []
    if sum(not job.finished for other in held for job in other.discoveries.values()) >= limits.discoveries:
        raise HTTPException(429, f"{limits.discoveries} discoveries of this visit are under way; wait or cancel one")
    knowledge = body.knowledge.model_dump() if body.knowledge else None
    check_choices(knowledge, body.drop, body.nominal, table.read.answer)
    for old in list(table.discoveries.values())[:-4]:
        if old.finished:
            del table.discoveries[old.id]
            await asyncio.to_thread(shutil.rmtree, table.folder / old.id, ignore_errors=True)
    job = Job(task={}, seconds=limits.discover_seconds)
    folder = table.folder / job.id
    job.task = {
        **worker_task(table, house),
        "kind": "discover",
        "folder": str(folder),
        "knowledge": knowledge,
        "runs": body.runs,
        "seed": body.seed,
        "threshold": body.threshold,
        "drop": body.drop,
        "nominal": body.nominal,
        "checkpoint": str(house.settings.checkpoint) if house.settings.checkpoint else None,
    }
    submit(house.discoveries, job)
    table.discoveries[job.id] = job
    return job_view(job, house)


@router.get("/discoveries/{identity}", responses=_problems(404))
async def show_discovery(job: TheDiscovery, house: TheHouse) -> JobView:
    """How far a discovery is."""
    return job_view(job, house)


@router.delete("/discoveries/{identity}", status_code=204, responses=_problems(404))
async def cancel_discovery(job: TheDiscovery, house: TheHouse) -> None:
    """Cancel a discovery that waits or runs."""
    house.discoveries.cancel(job)


@router.get("/discoveries/{identity}/result", responses=_problems(404, 409))
async def show_result(job: TheDiscovery) -> FileResponse:
    """The result, the same JSON as ``Result.to_json``."""
    return FileResponse(finished(job) / ANSWER, media_type="application/json")


@router.get("/discoveries/{identity}/layout", responses=_problems(404, 409))
async def show_layout(job: TheDiscovery) -> Layout:
    """Where the page draws each column, and which edges knowledge forbids or requires."""
    finished(job)
    return Layout.model_validate(job.answer)


@router.get("/discoveries/{identity}/files/{file}", responses=_problems(404, 409))
async def download(job: TheDiscovery, file: str) -> FileResponse:
    """One of the exports, as a download."""
    if file not in FILES:
        raise HTTPException(404, f"there is no such export; choose {', '.join(FILES)}")
    # The report is a page with its own scripts: it must never run with this server's rights.
    headers = {"content-security-policy": "sandbox; default-src 'none'"}
    return FileResponse(finished(job) / file, media_type=FILES[file], filename=file, headers=headers)
