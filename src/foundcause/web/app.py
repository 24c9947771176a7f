"""The application: routes behind the gatekeeper, one static page, and the housekeeping around them."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from importlib.resources import files
from pathlib import Path

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import FileResponse, Response
from fastapi.staticfiles import StaticFiles

from foundcause import __version__
from foundcause.web import jobs
from foundcause.web.house import House
from foundcause.web.routes import router
from foundcause.web.security import Gatekeeper, RefusalError
from foundcause.web.settings import Settings

PAGE = Path(str(files("foundcause.web") / "static"))
SHARED = Path(str(files("foundcause.report") / "static"))  # the graph view that the report uses, too
_SWEEP_SECONDS = 5.0


def create_app(settings: Settings) -> FastAPI:
    """The whole application; its temporary folder lives from startup to shutdown."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        house = House(settings)
        app.state.house = house
        threading.Thread(target=jobs.warm_up, daemon=True).start()
        sweeper = asyncio.create_task(_sweep(house))
        try:
            yield
        finally:
            sweeper.cancel()
            with suppress(asyncio.CancelledError):
                await sweeper
            await asyncio.to_thread(house.close)

    app = FastAPI(
        title="foundcause",
        version=__version__,
        summary="From an observational table to its causal graph, hidden common causes included.",
        lifespan=lifespan,
        openapi_url="/api/openapi.json",
        docs_url=None,  # the usual documentation pages load scripts from elsewhere
        redoc_url=None,
    )
    app.include_router(router)

    @app.get("/", include_in_schema=False)
    async def page() -> FileResponse:
        return FileResponse(PAGE / "index.html", media_type="text/html; charset=utf-8")

    app.mount("/static/shared", StaticFiles(directory=SHARED))
    app.mount("/static", StaticFiles(directory=PAGE))
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(RefusalError, _refused)
    app.add_middleware(Gatekeeper, settings=settings)
    return app


async def _sweep(house: House) -> None:
    limits = house.settings.limits
    pause = min(_SWEEP_SECONDS, limits.leave_seconds, limits.idle_seconds)
    while True:
        await asyncio.sleep(pause)
        await asyncio.to_thread(house.visits.sweep)


async def _invalid(_: Request, error: Exception) -> Response:
    """What is wrong, without echoing the input: it may hold numbers and characters that JSON cannot."""
    assert isinstance(error, RequestValidationError)
    detail = [{"loc": list(map(str, e["loc"])), "msg": e["msg"], "type": e["type"]} for e in error.errors()]
    return Response(json.dumps({"detail": detail}), status_code=422, media_type="application/json")


async def _refused(_: Request, error: Exception) -> Response:
    """A body that grew over its limit while a route was reading it."""
    assert isinstance(error, RefusalError)
    content = json.dumps({"detail": error.detail})
    return Response(content, status_code=error.status, media_type="application/json", headers={"connection": "close"})
