"""The HTML report in a real browser, and its escaping without one."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from foundcause.columns import ColumnInfo
from foundcause.report import render_html, write_html
from foundcause.result import Result

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
EVIL = "<script>window.evil=1</script>"


def _result() -> Result:
    names = ("age", "dose", EVIL, "outcome")
    edges = np.zeros((4, 4))
    edges[0, 1], edges[1, 3], edges[0, 3], edges[2, 3], edges[3, 2] = 0.9, 0.8, 0.3, 0.6, 0.35
    hidden = np.zeros((4, 4))
    hidden[0, 2] = hidden[2, 0] = 0.7
    return Result(
        names=names,
        edge_probabilities=edges,
        existence_probabilities=np.clip(edges + edges.T, 0, 1),
        confounding_probabilities=hidden,
        adjacency_matrix=edges > 0.5,
        agreement_matrix=(edges > 0.5) * 1.0,
        threshold=0.5,
        warnings=(f"column {EVIL!r} is odd",),
        settings={"rows": 50},
        columns=tuple(ColumnInfo(name=name, kind="continuous", distinct=50) for name in names),
        preview=np.random.default_rng(0).normal(size=(50, 4)),
        evidence={
            "correlation": np.full((4, 4), 0.4),
            "variance left unexplained": np.triu(np.full((4, 4), 0.2)) + np.tril(np.full((4, 4), 0.6), -1),
            "what is left depends on the cause": np.tril(np.full((4, 4), 0.1)) + np.triu(np.full((4, 4), 0.5), 1),
        },
    )


def test_names_are_escaped_everywhere() -> None:
    page = render_html(_result())
    assert EVIL not in page
    embedded = re.search(r'id="result">(.*?)</script>', page, re.S)
    assert embedded is not None
    assert json.loads(embedded.group(1))["names"][2] == EVIL


def test_page_needs_no_network() -> None:
    page = render_html(_result())
    assert not re.search(r"<(?:script|link|img)[^>]+(?:src|href)=", page)


@pytest.fixture(scope="module")
def page(tmp_path_factory) -> Iterator[Any]:
    playwright = pytest.importorskip("playwright.sync_api")
    if CHROMIUM is None:
        pytest.skip("Chromium is not installed")
    path = write_html(_result(), tmp_path_factory.mktemp("report") / "report.html")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        tab = browser.new_page(viewport={"width": 1280, "height": 900})
        tab.problems = []
        tab.on("pageerror", lambda error: tab.problems.append(str(error)))
        tab.on("console", lambda message: tab.problems.append(message.text) if message.type == "error" else None)
        tab.goto(path.as_uri())
        yield tab
        browser.close()


def _edge_rows(page: Any) -> list[str]:
    return page.locator("#edges tbody tr td:first-child").all_inner_texts()


def test_graph_shows_the_edges_without_script_errors(page: Any) -> None:
    assert _edge_rows(page) == ["age → dose", "dose → outcome", f"{EVIL} → outcome"]
    counted = page.evaluate("document.getElementById('graph').foundcauseView.cytoscape.edges('.cause').length")
    assert counted == 3
    assert page.problems == []
    assert page.evaluate("window.evil") is None


def test_slider_adds_weaker_edges_but_never_a_cycle(page: Any) -> None:
    page.locator("#threshold").evaluate("s => { s.value = 0.2; s.dispatchEvent(new Event('input')); }")
    rows = _edge_rows(page)
    assert "age → outcome" in rows
    assert f"outcome → {EVIL}" not in rows
    page.click("#reset")
    assert len(_edge_rows(page)) == 3


def test_edge_details_show_numbers_and_scatter(page: Any) -> None:
    page.get_by_role("button", name="age → dose").click()
    details = page.locator("#details")
    assert "90%" in details.inner_text()
    assert details.locator("circle").count() == 50
    assert "correlation" in details.inner_text()
    assert details.locator(".evidence tbody tr td:last-child").all_inner_texts() == ["", "for", "against"]


def test_hidden_causes_can_be_switched_off(page: Any) -> None:
    count = "document.getElementById('graph').foundcauseView.cytoscape.edges('.hidden').length"
    assert page.evaluate(count) == 1
    page.uncheck("#hidden")
    assert page.evaluate(count) == 0
    page.check("#hidden")


def test_narrow_page_does_not_overflow(page: Any) -> None:
    page.set_viewport_size({"width": 390, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.set_viewport_size({"width": 1280, "height": 900})
