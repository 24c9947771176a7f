"""The API. A route sees only what belongs to the session of its cookie."""

from __future__ import annotations

import asyncio
import shutil
from functools import partial
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Body, Depends, HTTPException, Query, Request, Response
from fastapi.responses import FileResponse
from starlette.requests import ClientDisconnect

from foundcause import __version__
from foundcause.web.job_process import ANSWER, EVERYTHING
from foundcause.web.jobs import Job
from foundcause.web.schemas import About, DiscoveryBody, GivenPairs, JobView, Problem, SessionView, TableView
from foundcause.web.security import cookie_name
from foundcause.web.sessions import SESSION_COOKIE, Session, StoredTable
from foundcause.web.uploads import (
    ServerState,
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
ENDED = "the session ended during the upload"
NO_ROOM = "the server has no room to store the file"
SUFFIXES = (".csv", ".tsv", ".txt", ".parquet")


def _problems(*codes: int) -> dict[int | str, dict[str, Any]]:
    return {code: {"model": Problem} for code in (401, 403, 413, 421, *codes)}


router = APIRouter(prefix="/api", responses=_problems())


async def _state(request: Request) -> ServerState:
    state: ServerState = request.app.state.server
    return state


async def _session(request: Request, state: Annotated[ServerState, Depends(_state)]) -> Session | None:
    return state.sessions.find(request.cookies.get(cookie_name(SESSION_COOKIE, request.scope)))


TheServer = Annotated[ServerState, Depends(_state)]
TheSession = Annotated[Session | None, Depends(_session)]


async def _table(identity: str, session: TheSession) -> StoredTable:
    table = session.tables.get(identity) if session else None
    if table is None:
        raise HTTPException(404, "this session has no such table. It may have expired.")
    return table


async def _discovery(identity: str, session: TheSession) -> Job:
    for table in list(session.tables.values()) if session else ():
        if identity in table.discoveries:
            return table.discoveries[identity]
    raise HTTPException(404, "this session has no such discovery. It may have expired.")


TheTable = Annotated[StoredTable, Depends(_table)]
TheDiscovery = Annotated[Job, Depends(_discovery)]


@router.get("/about")
async def about(state: TheServer) -> About:
    """Show the server's version and limits."""
    limits = state.settings.limits
    return About(
        version=__version__,
        slots=state.settings.slots,
        upload_bytes=limits.upload_bytes,
        rows=limits.rows,
        columns=limits.columns,
        n_passes=limits.n_passes,
        discover_seconds=limits.discover_seconds,
        files=list(FILES),
    )


@router.get("/session")
async def show_session(state: TheServer, session: TheSession) -> SessionView:
    """List the tables of this session. Asking keeps the session alive."""
    held = list(session.tables.values()) if session else []
    return SessionView(tables=[table_view(table, state) for table in held])


@router.delete("/session", status_code=204)
async def end_session(request: Request, response: Response, state: TheServer, session: TheSession) -> None:
    """Stop this session's work and delete its files now."""
    if session is not None:
        await asyncio.to_thread(state.sessions.end, session)
    response.delete_cookie(cookie_name(SESSION_COOKIE, request.scope), httponly=True, samesite="strict")


@router.post("/session/leave", status_code=204)
async def leave_session(state: TheServer, session: TheSession) -> None:
    """Say that the page is being closed. The session ends soon unless another of its pages asks for something."""
    if session is not None:
        state.sessions.leave(session)


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
    state: TheServer,
    session: TheSession,
    name: Annotated[str, Query(min_length=1, max_length=300, description="File name: .csv, .tsv, .txt, .parquet.")],
) -> TableView:
    """Send a table as the raw body. It is read in a process of its own. Ask for the table until ``read`` is done."""
    suffix = Path(name.lower()).suffix
    if suffix not in SUFFIXES:
        raise HTTPException(
            415, f"a file must be called .csv, .tsv, .txt or .parquet, not {suffix or 'without ending'!r}"
        )
    is_new = session is None
    table, session = new_table(request, response, state, session, shown_name(name), suffix)
    try:
        async with asyncio.timeout(state.settings.limits.upload_seconds):
            await store(request.stream(), table)
        if table.bytes == 0:
            raise HTTPException(400, "the file is empty. Give a CSV or Parquet file with a few rows.")
        return start_reading(state, session, table)
    except BaseException as error:
        ended = session.ended
        # A failed upload leaves nothing behind: the cookie of a new session never reached the client.
        await asyncio.to_thread(state.sessions.end if is_new else partial(state.sessions.remove, table=table), session)
        raise _upload_problem(error, ended=ended) from error


def _upload_problem(error: BaseException, *, ended: bool) -> BaseException:
    """What to answer to an upload that failed."""
    if isinstance(error, ClientDisconnect):
        return HTTPException(400, "the upload was broken off")
    if isinstance(error, TimeoutError):
        return HTTPException(408, "the upload took too long")
    if isinstance(error, OSError):
        return HTTPException(410, ENDED) if ended else HTTPException(503, NO_ROOM)
    return error


@router.post("/demo", status_code=202, responses=_problems(429, 503))
async def demo_table(request: Request, response: Response, state: TheServer, session: TheSession) -> TableView:
    """Take the demo table: a simulated survey of a chest clinic."""
    from foundcause.simulate.demo_survey import write_survey

    is_new = session is None
    table, session = new_table(request, response, state, session, "chest_clinic_demo.csv", ".csv")
    try:
        await asyncio.to_thread(write_survey, table.path, rows=3000)
        table.bytes = table.path.stat().st_size
        return start_reading(state, session, table)
    except BaseException as error:
        await asyncio.to_thread(state.sessions.end if is_new else partial(state.sessions.remove, table=table), session)
        raise _upload_problem(error, ended=False) from error


@router.get("/tables/{identity}", responses=_problems(404))
async def show_table(table: TheTable, state: TheServer) -> TableView:
    """Show how the table was read."""
    return table_view(table, state)


@router.delete("/tables/{identity}", status_code=204, responses=_problems(404))
async def delete_table(table: TheTable, state: TheServer, session: TheSession) -> None:
    """Stop the table's work and delete its files."""
    if session is not None:
        await asyncio.to_thread(state.sessions.remove, session, table)


@router.post("/tables/{identity}/discoveries", status_code=202, responses=_problems(400, 404, 409, 429, 503))
async def start_discovery(
    table: TheTable, state: TheServer, session: TheSession, body: Annotated[DiscoveryBody | None, Body()] = None
) -> JobView:
    """Queue a discovery on the table."""
    body = body or DiscoveryBody()
    limits = state.settings.limits
    if table.read is None or table.read.state != "done" or table.read.answer is None:
        raise HTTPException(409, "the table has not been read yet")
    if body.n_passes > limits.n_passes:
        raise HTTPException(
            400, f"n_passes={body.n_passes} is more than this server's {limits.n_passes}. Ask for fewer."
        )
    held = list(session.tables.values()) if session else []
    if sum(not job.finished for other in held for job in other.discoveries.values()) >= limits.discoveries:
        raise HTTPException(429, f"{limits.discoveries} discoveries of this session are under way. Wait or cancel one.")
    knowledge = body.knowledge.model_dump() if body.knowledge else None
    await asyncio.to_thread(check_choices, knowledge, body.drop, body.nominal, table.read.answer)
    for old in list(table.discoveries.values())[:-4]:
        if old.finished:
            del table.discoveries[old.id]
            await asyncio.to_thread(shutil.rmtree, table.folder / old.id, ignore_errors=True)
    job = Job(task={}, seconds=limits.discover_seconds, owner=session.secret if session else "")
    folder = table.folder / job.id
    job.task = {
        **worker_task(table, state),
        "kind": "discover",
        "folder": str(folder),
        "knowledge": knowledge,
        "n_passes": body.n_passes,
        "random_state": body.random_state,
        "threshold": body.threshold,
        "drop": body.drop,
        "nominal": body.nominal,
        "checkpoint": str(state.settings.checkpoint) if state.settings.checkpoint else None,
    }
    submit(state.discoveries, job)
    table.discoveries[job.id] = job
    return job_view(job, state)


@router.get("/discoveries/{identity}", responses=_problems(404))
async def show_discovery(job: TheDiscovery, state: TheServer) -> JobView:
    """Show how far a discovery is."""
    return job_view(job, state)


@router.delete("/discoveries/{identity}", status_code=204, responses=_problems(404))
async def cancel_discovery(job: TheDiscovery, state: TheServer) -> None:
    """Cancel a discovery that waits or runs."""
    state.discoveries.cancel(job)


@router.get("/discoveries/{identity}/result", responses=_problems(404, 409))
async def show_result(job: TheDiscovery) -> FileResponse:
    """Return the result, as JSON."""
    return FileResponse(finished(job) / ANSWER, media_type="application/json")


@router.get("/discoveries/{identity}/given", responses=_problems(404, 409))
async def show_given_pairs(job: TheDiscovery) -> GivenPairs:
    """The edges that knowledge forbids or requires."""
    finished(job)
    return GivenPairs.model_validate(job.answer)


@router.get("/discoveries/{identity}/files/{file}", responses=_problems(404, 409))
async def download(job: TheDiscovery, file: str) -> FileResponse:
    """Download one of the exports."""
    if file not in FILES:
        raise HTTPException(404, f"there is no such export. Choose {', '.join(FILES)}")
    # The report is a page with its own scripts: it must never run with this server's rights.
    headers = {"content-security-policy": "sandbox; default-src 'none'"}
    return FileResponse(finished(job) / file, media_type=FILES[file], filename=file, headers=headers)
