"""A live server on a free loopback port with a tiny untrained network, and its page in a browser."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from live_server import LiveServer

from tiny_network import save_tiny


@pytest.fixture(scope="session")
def tiny_weights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_tiny(tmp_path_factory.mktemp("weights") / "tiny.safetensors")


@pytest.fixture(scope="session")
def make_server(tiny_weights: Path) -> Callable[..., LiveServer]:
    """A server with some limits changed."""
    from foundcause.web.limits import Limits, Settings

    def make(*, slots: int = 2, **limits: Any) -> LiveServer:
        settings = Settings(checkpoint=tiny_weights, slots=slots, limits=Limits(**limits))
        return LiveServer(settings)

    return make


@pytest.fixture(scope="session")
def server(make_server: Callable[..., LiveServer]) -> Iterator[LiveServer]:
    with make_server(upload_bytes=4 << 20, rows=20_000, columns=30) as running:
        yield running


@pytest.fixture
def page(browser: Any, server: LiveServer) -> Iterator[Any]:
    """A fresh session on the page; any script error, refused resource or policy violation fails the test."""
    context = browser.new_context(viewport={"width": 1280, "height": 900}, accept_downloads=True)
    tab = context.new_page()
    complaints: list[str] = []
    tab.on("pageerror", lambda error: complaints.append(str(error)))
    tab.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    # The page asks for its session last: until then it knows no limits.
    with tab.expect_response(lambda answer: answer.url.endswith("/api/session"), timeout=60_000):
        tab.goto(server.url)
    tab.complaints = complaints
    yield tab
    context.close()
    assert complaints == []
