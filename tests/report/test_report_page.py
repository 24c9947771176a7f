"""The HTML report in a real browser, and its escaping without one."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from chromium import click_cell
from foundcause.data.table import Column
from foundcause.findings import remark
from foundcause.knowledge import Knowledge
from foundcause.report import render_html, write_html
from foundcause.result import Result
from made_answers import decoded, provenance

EVIL = "<script>window.evil=1</script>"
EDGES = "#graph [data-id^=e]"


def _result() -> Result:
    names = ("age", "dose", EVIL, "outcome")
    edges = np.zeros((4, 4))
    edges[0, 1], edges[1, 3], edges[0, 3], edges[2, 3], edges[3, 2] = 0.9, 0.8, 0.3, 0.6, 0.35
    hidden = np.zeros((4, 4))
    hidden[0, 2] = hidden[2, 0] = 0.7
    return Result(
        names=names,
        decoded=decoded(edges, confounding=hidden),
        findings=[remark(f"column {EVIL!r} is odd")],
        provenance=provenance(50),
        column_info=tuple(Column(name=name, kind="continuous", distinct=50) for name in names),
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
def page(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    path = write_html(_result(), tmp_path_factory.mktemp("report") / "report.html", embed_rows=50)
    tab = browser.new_page(viewport={"width": 1280, "height": 900})
    tab.problems = []
    tab.on("pageerror", lambda error: tab.problems.append(str(error)))
    tab.on("console", lambda message: tab.problems.append(message.text) if message.type == "error" else None)
    tab.goto(path.as_uri())
    return tab


def test_source_is_named_when_known() -> None:
    named = replace(_result(), provenance=provenance(50, source="a<b.csv"))
    page = render_html(named)
    assert "<title>Causal graph of a&lt;b.csv</title>" in page and "a&lt;b.csv: 4 columns" in page
    unnamed = render_html(replace(_result(), provenance=provenance(50)))
    assert "<title>Causal graph</title>" in unnamed and "<dt>source</dt>" not in unnamed


def test_columns_chosen_are_listed_by_name() -> None:
    page = render_html(replace(_result(), provenance=provenance(50, drop=["zip", "a<b"], nominal=[])))
    assert "<dt>options.read.drop</dt><dd>zip, a&lt;b</dd>" in page and "<dt>nominal</dt>" not in page


def _knowledge_section(known: Knowledge) -> str:
    page = render_html(replace(_result(), knowledge=known))
    section = re.search(r'<section id="knowledge">(.*?)</section>', page, re.S)
    assert section is not None
    return section[1]


def test_everything_said_beforehand_stands_in_the_page() -> None:
    known = Knowledge(
        tiers=[["age"], ["dose", EVIL]],
        forbid_within_tiers=True,
        required=[("dose", "outcome")],
        forbidden=[("outcome", EVIL)],
        roots=["age"],
        sinks=["outcome"],
    )
    page = render_html(replace(_result(), knowledge=known))
    section = _knowledge_section(known)
    assert EVIL not in page
    for text in (
        f"<dt>tiers</dt><dd>age | dose, {escape(EVIL)}</dd>",
        "<dt>within a tier</dt><dd>no edges</dd>",
        "<dt>required</dt><dd>dose → outcome</dd>",
        f"<dt>forbidden</dt><dd>outcome → {escape(EVIL)}</dd>",
        "<dt>nothing causes</dt><dd>age</dd>",
        "<dt>cause nothing</dt><dd>outcome</dd>",
    ):
        assert text in section
    assert "3 edges (1 given by you)" in page
    assert "A later tier cannot cause an earlier one, nor can it through columns without a tier." in section
    assert "tier" not in _knowledge_section(Knowledge(roots=["age"]))
    for nothing in (None, Knowledge()):
        assert 'id="knowledge"' not in render_html(replace(_result(), knowledge=nothing))


def test_given_edges_are_marked_and_excluded_cells_explained(browser: Any, tmp_path: Path) -> None:
    edges = np.zeros((4, 4))
    edges[0, 1], edges[1, 3], edges[0, 3] = 0.9, 1.0, 0.6
    agreed = (edges > 0.8) * 1.0
    agreed[0, 3] = 0.4  # over the threshold, yet the answer rejects it
    known = Knowledge(tiers=[["age"], ["dose"]], required=[("dose", "outcome")])
    answer = decoded(edges, confounding=_result().decoded.confounding, adjacency=agreed > 0.5, agreement=agreed)
    result = replace(_result(), decoded=answer, knowledge=known)
    tab = browser.new_page()
    tab.goto(write_html(result, tmp_path / "report.html").as_uri())
    assert "2 edges (1 given by you)" in tab.inner_text(".summary")
    assert tab.inner_text("#edge-count") == "2"
    assert "age | dose" in tab.inner_text("#knowledge") and "given by you" in tab.inner_text(".legend")
    assert tab.locator("#edges tbody tr").all_inner_texts() == [
        "dose → outcome\tgiven by you\t–\t–",
        "age → dose\t0.90\t0.00\t100%",
    ]
    assert tab.locator("#graph .edge.required").get_attribute("data-id") == "e1-3"
    tab.locator("#edges").get_by_role("button", name="dose → outcome").click()
    assert tab.inner_text("#details .verdict") == "Given by you: this edge was required, not discovered."
    click_cell(tab, "#heat-edges", 1, 0)
    assert tab.inner_text("#details .verdict") == "Excluded by your knowledge."


def test_slider_rests_exactly_at_the_recommended_threshold(browser: Any, tmp_path: Path) -> None:
    tab = browser.new_page()
    tab.goto(
        write_html(
            replace(_result(), decoded=replace(_result().decoded, threshold=0.6049)), tmp_path / "report.html"
        ).as_uri()
    )
    assert tab.inner_text("#threshold-value") == "0.60" and len(_edge_rows(tab)) == 3
    tab.focus("#threshold")
    tab.keyboard.press("ArrowRight")
    assert len(_edge_rows(tab)) == 2, "the edge of 0.60 lies below 0.61"
    tab.keyboard.press("ArrowLeft")
    assert len(_edge_rows(tab)) == 3, "back at rest, the answer itself is shown"


def _edge_rows(page: Any) -> list[str]:
    return page.locator("#edges tbody tr td:first-child").all_inner_texts()


def test_graph_shows_the_edges_without_script_errors(page: Any) -> None:
    assert _edge_rows(page) == ["age → dose", "dose → outcome", f"{EVIL} → outcome"]
    assert page.locator(EDGES).count() == 3
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
    page.locator("#edges").get_by_role("button", name="age → dose").click()
    details = page.locator("#details")
    assert "90%" in details.inner_text()
    assert details.locator("circle").count() == 50
    assert "correlation" in details.inner_text()
    assert details.locator(".evidence tbody tr td:last-child").all_inner_texts() == ["", "for", "against"]


def test_hidden_causes_can_be_switched_off(page: Any) -> None:
    pairs = page.locator("#graph .edge.hidden")
    assert pairs.count() == 1
    page.uncheck("#hidden")
    assert pairs.count() == 0
    page.check("#hidden")


def test_narrow_page_does_not_overflow(page: Any) -> None:
    page.set_viewport_size({"width": 390, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.set_viewport_size({"width": 1280, "height": 900})
