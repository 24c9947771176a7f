"""The shell command: one line that says where, a clean end, and refusals in one line."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import time

import httpx
import pytest
import uvicorn
from fastapi.testclient import TestClient
from live_server import csv_table, send

from foundcause.cli import serve as command
from foundcause.cli.serve import serve
from foundcause.errors import CheckpointError, ConfigError
from foundcause.web.limits import Limits


def start(tmp_path, weights, *options: str) -> subprocess.Popen[str]:
    environment = {**os.environ, "TMPDIR": str(tmp_path), "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-c", "from foundcause.cli.app import main; main()", "serve", "--port", "0", "--no-open"]
    command += ["--checkpoint", str(weights), *options]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment)


@pytest.mark.parametrize("ending", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.slow)])
def test_serves_and_cleans_up(tmp_path, tiny_weights, ending):
    process = start(tmp_path, tiny_weights)
    try:
        address = re.search(r"http://127\.0\.0\.1:\d+/", process.stdout.readline())[0]
        with httpx.Client(base_url=address, timeout=60) as client:
            deadline = time.monotonic() + 30
            while True:
                try:
                    assert "Drop a table" in client.get("/").text
                    break
                except httpx.TransportError:
                    assert time.monotonic() < deadline
            if ending == signal.SIGINT:
                assert send(client, csv_table())["read"]["state"] == "done"
                assert len(list(tmp_path.glob("foundcause-serve-*/*/*/table.csv"))) == 1
        process.send_signal(ending)
        process.wait(timeout=30)
        assert not list(tmp_path.glob("foundcause-serve-*"))
        assert "Traceback" not in process.stdout.read()
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


@pytest.mark.parametrize("given", [None, "chosen-by-the-user"])
def test_another_address_prints_a_token(tiny_weights, monkeypatch, capsys, given):
    """The listener is put on loopback all the same: tests open nothing to others."""
    apps = []
    monkeypatch.setattr(command, "_listen", lambda host, port: socket.create_server(("127.0.0.1", 0)))
    monkeypatch.setattr(uvicorn.Server, "run", lambda self, sockets: (apps.append(self.config.app), sockets[0].close()))
    monkeypatch.delenv("FOUNDCAUSE_TOKEN", raising=False)
    if given:
        monkeypatch.setenv("FOUNDCAUSE_TOKEN", given)
    serve(host="0.0.0.0", checkpoint=tiny_weights, open_page=False)
    token = re.search(r":\d+/\?token=(\S+)", capsys.readouterr().out)[1]
    assert token == given if given else len(token) == 32
    with TestClient(apps[0], base_url="http://192.168.7.7") as client:
        assert client.get("/api/about").status_code == 401
        assert client.get("/api/about", headers={"authorization": f"Bearer {token}"}).status_code == 200


def test_the_limits_are_options(tiny_weights, monkeypatch):
    apps = []
    monkeypatch.setattr(uvicorn.Server, "run", lambda self, sockets: (apps.append(self.config.app), sockets[0].close()))
    serve(checkpoint=tiny_weights, port=0, open_page=False, max_upload=3, max_rows=7, max_columns=9, max_runs=77)
    serve(checkpoint=tiny_weights, port=0, open_page=False)
    told = []
    for app in apps:
        with TestClient(app, base_url="http://127.0.0.1") as client:
            told.append(client.get("/api/about").json())
    chosen, usual = ([about[key] for key in ("upload_bytes", "rows", "columns", "n_passes")] for about in told)
    assert chosen == [3 << 20, 7, 9, 77]
    assert usual == [Limits.upload_bytes, Limits.rows, Limits.columns, Limits.n_passes]


def test_refusals(tiny_weights, tmp_path):
    with pytest.raises((ConfigError, CheckpointError), match="nowhere"):
        serve(checkpoint=tmp_path / "nowhere.safetensors", open_page=False)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(ConfigError, match=f"port {port}.*--port"):
            serve(checkpoint=tiny_weights, port=port, open_page=False)
