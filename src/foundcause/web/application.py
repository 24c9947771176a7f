"""The application: routes behind the gatekeeper, one static page, and the sweeping of old sessions."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from importlib.resources import files
from pathlib import Path
from typing import Any

import uvicorn
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import FileResponse, Response
from fastapi.staticfiles import StaticFiles
from starlette.routing import Match
from uvicorn.protocols.http.auto import AutoHTTPProtocol

from foundcause import __version__
from foundcause.web import jobs
from foundcause.web.limits import Settings
from foundcause.web.routes import router
from foundcause.web.security import Gatekeeper
from foundcause.web.uploads import ServerState

PAGE = Path(str(files("foundcause.web") / "static"))
SHARED = Path(str(files("foundcause.report") / "static"))  # the graph view that the report uses, too
_SWEEP_SECONDS = 5.0


def create_app(settings: Settings) -> FastAPI:
    """Return the application. Its temporary folder exists from startup to shutdown.

    Parameters
    ----------
    settings : Settings

    Returns
    -------
    FastAPI
    """

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        state = ServerState(settings)
        app.state.server = state
        threading.Thread(target=jobs.warm_up, daemon=True).start()
        sweeper = asyncio.create_task(_sweep(state))
        try:
            yield
        finally:
            sweeper.cancel()
            with suppress(asyncio.CancelledError):
                await sweeper
            await asyncio.to_thread(state.close)

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
    app.add_exception_handler(405, _not_allowed)
    app.add_middleware(Gatekeeper, settings=settings)
    return app


async def _sweep(state: ServerState) -> None:
    limits = state.settings.limits
    pause = min(_SWEEP_SECONDS, limits.leave_seconds, limits.idle_seconds)
    while True:
        await asyncio.sleep(pause)
        await asyncio.to_thread(state.sessions.sweep)


def server_config(app: FastAPI, settings: Settings) -> uvicorn.Config:
    """Return how uvicorn serves the application."""
    seconds = settings.limits.header_seconds

    class WithDeadline(AutoHTTPProtocol):  # type: ignore[misc, valid-type]
        """Closes connections that do not send the headers of a request in time."""

        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            self._wait_for_headers()

        def on_response_complete(self) -> None:
            super().on_response_complete()
            self._wait_for_headers()

        def _wait_for_headers(self) -> None:
            before = self.cycle
            self.loop.call_later(seconds, lambda: self.cycle is before and self.transport.close())

    return uvicorn.Config(
        app,
        http=WithDeadline,
        log_level="warning",
        access_log=False,  # addresses may hold the token
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=3,
    )


async def _not_allowed(request: Request, _: Exception) -> Response:
    """The router names the methods of the first route only, although a path may have several."""
    methods: set[str] = set()
    for route in router.routes:
        match, _scope = route.matches(request.scope)
        if match is not Match.NONE:
            methods |= getattr(route, "methods", None) or set()
    content = json.dumps({"detail": "this address does not take that method"})
    return Response(content, 405, {"allow": ", ".join(sorted(methods))}, media_type="application/json")


async def _invalid(_: Request, error: Exception) -> Response:
    """Say what is wrong without echoing the input, which may hold what JSON cannot."""
    assert isinstance(error, RequestValidationError)
    detail = [{"loc": list(map(str, e["loc"])), "msg": e["msg"], "type": e["type"]} for e in error.errors()]
    return Response(json.dumps({"detail": detail}), status_code=422, media_type="application/json")
