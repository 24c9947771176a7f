"""A live server for tests, and what they send to it."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import httpx
import numpy as np

OVER = ("done", "refused", "failed", "cancelled")


def stored(root: Path, pattern: str) -> set[Path]:
    """What lies in the state, while it may be tidying up."""
    while True:
        try:
            return set(root.glob(pattern))
        except FileNotFoundError:  # before Python 3.13, when a folder goes away meanwhile
            continue


class LiveServer:
    """A running server: its address, and the state behind it for tests that look under the floor."""

    def __init__(self, settings: Any) -> None:
        import uvicorn

        from foundcause.web.application import create_app, server_config

        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._socket.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self.app = create_app(settings)
        self._server = uvicorn.Server(server_config(self.app, settings))
        self._thread = threading.Thread(target=self._server.run, kwargs={"sockets": [self._socket]}, daemon=True)

    def __enter__(self) -> LiveServer:
        self._thread.start()
        deadline = time.monotonic() + 30
        while not self._server.started:
            assert time.monotonic() < deadline, "the server did not start"
            time.sleep(0.02)
        return self

    def __exit__(self, *_: object) -> None:
        self._server.should_exit = True
        self._thread.join(timeout=20)
        self._socket.close()

    @property
    def state(self) -> Any:
        return self.app.state.server

    def client(self) -> httpx.Client:
        return httpx.Client(base_url=self.url, timeout=60)


def csv_table(
    rows: int = 60, columns: int = 3, seed: int = 0, names: list[str] | None = None, codes: Sequence[str] = ()
) -> bytes:
    """A chain of noisy columns as CSV text; those among ``codes`` hold a few whole numbers."""
    rng = np.random.default_rng(seed)
    values = np.cumsum(rng.normal(size=(rows, columns)), axis=1)
    head = names or [f"x{k + 1}" for k in range(columns)]
    coded = [name in codes for name in head]
    lines = (
        ",".join(f"{3 + round(cell) % 5}" if code else f"{cell:.5f}" for cell, code in zip(row, coded, strict=True))
        for row in values
    )
    return "\n".join([",".join(head), *lines]).encode()


def send(client: httpx.Client, content: bytes, name: str = "table.csv") -> dict[str, Any]:
    """Upload and wait until the table is read or refused."""
    answer = client.post("/api/tables", params={"name": name}, content=content)
    assert answer.status_code == 202, answer.text
    return wait_for(client, f"/api/tables/{answer.json()['id']}", lambda table: table["read"]["state"] in OVER)


def wait_for(client: httpx.Client, path: str, over: Callable[[dict[str, Any]], bool], seconds: float = 90) -> Any:
    """Ask until the answer says that it is over."""
    deadline = time.monotonic() + seconds
    while True:
        answer = client.get(path)
        assert answer.status_code == 200, answer.text
        if over(answer.json()):
            return answer.json()
        assert time.monotonic() < deadline, f"still not over: {answer.text}"
        time.sleep(0.05)


def discover(client, table, **body):
    answer = client.post(f"/api/tables/{table['id']}/discoveries", json={"n_passes": 2, **body})
    assert answer.status_code == 202, answer.text
    return answer.json()["id"]


def finished(client, identity):
    return wait_for(client, f"/api/discoveries/{identity}", lambda job: job["state"] in OVER)
