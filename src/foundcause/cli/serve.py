"""``foundcause serve``: the web page."""

from __future__ import annotations

import os
import secrets
import socket
import sys
from pathlib import Path
from typing import Annotated

import typer

from foundcause.errors import ConfigError

TOKEN_VARIABLE = "FOUNDCAUSE_TOKEN"


def register(app: typer.Typer) -> None:
    """Add the command to the tree."""
    app.command("serve")(serve)


def serve(
    host: Annotated[str, typer.Option(help="Address to listen on; others than loopback ask for a token.")] = (
        "127.0.0.1"
    ),
    port: Annotated[int, typer.Option(help="Port; 0 takes a free one.", min=0, max=65535)] = 8350,
    open_page: Annotated[
        bool | None, typer.Option("--open/--no-open", help="Open the page in the browser. (default: in a terminal)")
    ] = None,
    checkpoint: Annotated[Path | None, typer.Option(help="Weights. (default: the shipped ones)")] = None,
    allow_host: Annotated[
        list[str] | None, typer.Option(help="A further name under which the server may be addressed; repeatable.")
    ] = None,
    jobs: Annotated[int | None, typer.Option(help="Discoveries at a time. (default: as many as cores)", min=1)] = None,
    max_upload: Annotated[int, typer.Option(help="Largest file, in MB.", min=1)] = 100,
    max_rows: Annotated[int, typer.Option(help="Most rows of a table.", min=5)] = 1_000_000,
    max_columns: Annotated[int, typer.Option(help="Most columns of a table.", min=2)] = 200,
    max_runs: Annotated[int, typer.Option(help="Most passes of a discovery; the page starts with 10.", min=10)] = 50,
    time_limit: Annotated[float, typer.Option(help="Longest discovery, in seconds.", min=1)] = 900.0,
) -> None:
    """Serve a page on which a table is dropped and its causal graph explored.

    Everything stays on this machine; uploaded tables are deleted when the session ends.
    On another than a loopback address every request must carry a token: that of the variable FOUNDCAUSE_TOKEN, or
    one made up at the start and printed with the address.
    """
    try:
        import uvicorn

        from foundcause.web.application import create_app, server_config
    except ModuleNotFoundError as error:
        raise ConfigError(f"the web page needs {error.name}; install it with: pip install 'foundcause[web]'") from error
    from foundcause.web.limits import MEBIBYTE, Limits, Settings, is_loopback, usable_cores
    from foundcause.weights import checkpoint_path

    weights = checkpoint_path(checkpoint)
    if not weights.is_file():
        raise ConfigError(f"there is no checkpoint {str(weights)!r}; give the path of a .safetensors file")
    token = None if is_loopback(host) else os.environ.get(TOKEN_VARIABLE) or secrets.token_urlsafe(24)
    settings = Settings(
        host=host,
        token=token,
        checkpoint=weights.resolve(),
        slots=jobs or usable_cores(),
        extra_hosts=tuple(allow_host or ()),
        limits=Limits(
            upload_bytes=max_upload * MEBIBYTE,
            rows=max_rows,
            columns=max_columns,
            n_passes=max_runs,
            discover_seconds=time_limit,
        ),
    )
    listener = _listen(host, port)
    address = _address(host, listener.getsockname()[1], token)
    print(f"foundcause serves {address}\nStop it with Ctrl-C; all uploaded tables are then deleted.", flush=True)
    if open_page or (open_page is None and sys.stdout.isatty()):
        import webbrowser

        webbrowser.open(address)
    config = server_config(create_app(settings), settings)
    uvicorn.Server(config).run(sockets=[listener])


def _listen(host: str, port: int) -> socket.socket:
    """A bound socket, so that a taken port is said in one line."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host.strip("[]"), port), family=family)
    except OSError as error:
        raise ConfigError(
            f"cannot listen on {host} port {port}: {error.strerror or error}; choose another with --port"
        ) from error


def _address(host: str, port: int, token: str | None) -> str:
    shown = {"0.0.0.0": socket.gethostname(), "::": socket.gethostname()}.get(host, host)
    shown = f"[{shown}]" if ":" in shown else shown
    return f"http://{shown}:{port}/" + (f"?token={token}" if token else "")
