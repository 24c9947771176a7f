"""Takes the pictures in docs/images: PYTHONPATH=tests python tests/web/screenshots.py [CHECKPOINT].

Look at them before committing.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from live_server import LiveServer

import chromium

if TYPE_CHECKING:
    from playwright.sync_api import Browser

IMAGES = Path(__file__).resolve().parents[2] / "docs" / "images"


def main() -> None:
    from foundcause.web.limits import Settings
    from foundcause.weights import checkpoint_path

    weights = checkpoint_path(sys.argv[1] if len(sys.argv) > 1 else None)
    with LiveServer(Settings(checkpoint=weights)) as server, chromium.opened() as browser:
        page = browser.new_context(viewport={"width": 1280, "height": 940}, color_scheme="light").new_page()
        page.goto(server.url)
        page.click("#demo")
        page.wait_for_selector("#work:not([hidden])", timeout=120_000)
        page.click("#run")
        page.wait_for_selector("#results:not([hidden])", timeout=300_000)
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
        _report(browser, weights)


def _report(browser: Browser, weights: Path) -> None:
    """The report of the demo's table, an edge chosen."""
    import foundcause
    from foundcause.simulate.demo_survey import write_survey

    with tempfile.TemporaryDirectory() as folder:
        survey = write_survey(Path(folder) / "survey.csv", rows=5000, seed=1988)
        tiers = [["visit_to_asia", "smoking"], ["tuberculosis", "lung_cancer", "bronchitis"], ["xray", "dyspnoea"]]
        result = foundcause.discover(survey, random_state=1988, checkpoint=weights, knowledge={"tiers": tiers})
        report = result.to_html(Path(folder) / "report.html")
        page = browser.new_context(viewport={"width": 1280, "height": 900}, color_scheme="light").new_page()
        page.goto(report.as_uri())
        page.locator("#edges button").first.click()
        page.evaluate("scrollTo(0, 0)")
        page.wait_for_timeout(500)
        page.screenshot(path=IMAGES / "report.png")


if __name__ == "__main__":
    main()
