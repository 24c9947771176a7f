"""The browser that tests and screenshots use, where there is one."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

PATH = shutil.which("chromium") or shutil.which("chromium-browser")


@contextmanager
def opened() -> Iterator[Any]:
    """A running Chromium. Playwright must be there, and only one may be open in a process at a time."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as engine:
        browser = engine.chromium.launch(executable_path=PATH, args=["--no-sandbox", "--disable-gpu"])
        yield browser
        browser.close()


def click_cell(page: Any, map_id: str, i: int, j: int) -> None:
    """Click the cell [i, j] of a heat map."""
    canvas = page.locator(f"{map_id} canvas")
    canvas.scroll_into_view_if_needed()
    cell, margin, size = (float(canvas.get_attribute(f"data-{name}")) for name in ("cell", "margin", "size"))
    scale = canvas.bounding_box()["width"] / size
    canvas.click(position={"x": (margin + (j + 0.5) * cell) * scale, "y": (margin + (i + 0.5) * cell) * scale})
