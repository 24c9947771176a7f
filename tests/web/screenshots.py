"""Takes the pictures in docs/images: python tests/web/screenshots.py [CHECKPOINT]. Look at them before committing."""

from __future__ import annotations

import sys
from pathlib import Path

from live_server import CHROMIUM, LiveServer

IMAGES = Path(__file__).resolve().parents[2] / "docs" / "images"


def main() -> None:
    from playwright.sync_api import sync_playwright

    from foundcause.api import checkpoint_path
    from foundcause.web.app import create_app
    from foundcause.web.settings import Settings

    weights = checkpoint_path(sys.argv[1] if len(sys.argv) > 1 else None)
    with LiveServer(create_app(Settings(checkpoint=weights))) as server, sync_playwright() as engine:
        chromium = engine.chromium.launch(executable_path=str(CHROMIUM), args=["--no-sandbox", "--disable-gpu"])
        page = chromium.new_context(viewport={"width": 1280, "height": 940}, color_scheme="light").new_page()
        page.goto(server.url)
        page.click("#demo")
        page.wait_for_selector("#work:not([hidden])", timeout=120_000)
        known = {"visit_to_asia": "1", "smoking": "1", "tuberculosis": "2", "lung_cancer": "2", "bronchitis": "2"}
        for column, tier in {**known, "xray": "2", "dyspnoea": "2"}.items():
            page.get_by_label(f"Tier of {column}", exact=True).select_option(label=tier)
        page.click("#run")
        page.wait_for_selector("#results:not([hidden])", timeout=300_000)
        page.locator("#columns-details summary").click()
        page.locator("#edges button").first.click()
        page.evaluate("scrollTo(0, 0)")
        page.wait_for_timeout(500)
        page.screenshot(path=IMAGES / "web.png")
        page.emulate_media(color_scheme="dark")
        page.wait_for_timeout(500)
        page.screenshot(path=IMAGES / "web_dark.png")
        page.emulate_media(color_scheme="light")
        page.set_viewport_size({"width": 390, "height": 844})
        page.wait_for_timeout(500)
        page.locator("#graph-title").scroll_into_view_if_needed()
        page.evaluate("document.getElementById('graph-title').closest('section').scrollIntoView()")
        page.wait_for_timeout(300)
        page.screenshot(path=IMAGES / "web_narrow.png")
        chromium.close()


if __name__ == "__main__":
    main()
