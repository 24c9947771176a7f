"""Which hidden common causes the page draws, what it says of the others, and what it says of roots."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from page_script import STATIC, run_script

from chromium import click_cell
from foundcause.data.table import Column
from foundcause.diagnostics.graph import drawn_pairs
from foundcause.knowledge import Knowledge
from foundcause.report import render_html, write_html
from foundcause.result import Result
from made_answers import decoded

DRAWN = "given.map((result) => [drawnPairs(result).map(({ i, j }) => [i, j]), drawnNote(result)])"
PAIRS = "#graph [data-id^=h]"
WEB = Path(str(STATIC)).parents[1] / "web" / "static"


def _result(columns: int, share: float, *, idle: int = 0, roots: int = 0, seed: int = 0) -> Result:
    """Hidden causes of about so many of the pairs; the last columns took no part, those before them are roots."""
    rng = np.random.default_rng(seed)
    names = tuple(f"c{k}" for k in range(columns))
    able = columns - idle - roots
    hidden = np.zeros((columns, columns))
    hidden[:able, :able] = np.triu(
        np.where(rng.random((able, able)) < share, rng.uniform(0.6, 1, (able, able)), 0.1), 1
    )
    status = ["excluded" if k >= columns - idle else "variable" for k in range(columns)]
    return Result(
        names=names,
        decoded=decoded(np.zeros((columns, columns)), confounding=hidden + hidden.T),
        column_info=tuple(
            Column(name=name, kind="continuous", distinct=9, role=state)  # type: ignore[arg-type]
            for name, state in zip(names, status, strict=True)
        ),
        knowledge=Knowledge(roots=names[able : columns - idle]) if roots else None,
    )


def test_the_page_draws_the_pairs_that_pictures_draw() -> None:
    results = [
        _result(columns, share, idle=idle, roots=roots, seed=columns)
        for columns in (2, 6, 12, 25, 40)
        for share in (0.0, 0.15, 0.3, 0.36, 1.0)
        for idle, roots in ((0, 0), (1, 0), (0, 1), (1, 1))
        if columns - idle - roots > 0
    ]
    notes = 0
    for result, (pairs, note) in zip(results, run_script(DRAWN, [each.to_dict() for each in results]), strict=True):
        drawn = [
            (result.names.index(pair["first"]), result.names.index(pair["second"])) for pair in drawn_pairs(result)
        ]
        assert sorted(map(tuple, pairs)) == sorted(drawn)
        assert bool(note) == (len(drawn) < len(result.confounded_pairs))
        assert not note or str(len(result.confounded_pairs)) in note
        notes += bool(note)
    assert 10 < notes < len(results) - 10


def test_both_pages_have_a_place_for_the_note() -> None:
    for page, script in (
        (render_html(_result(4, 0.5)), STATIC / "report.js"),
        ((WEB / "index.html").read_text(encoding="utf-8"), WEB / "explore.js"),
    ):
        assert re.search(r'<p [^>]*id="drawn-note"[^>]* hidden>', page)
        assert 'byId("drawn-note").textContent = note' in script.read_text(encoding="utf-8")


def test_a_root_shares_no_hidden_cause_by_the_words_of_the_page() -> None:
    result = _result(6, 1.0, roots=1).to_dict()
    said, free = run_script(
        "[[0, 5], [0, 1]].map(([i, j]) => [rootSaid(given, i, j), hiddenChance(given, i, j)])", result
    )
    assert said == ["Excluded by your knowledge: nothing causes c5.", "excluded by you"]
    assert free[0] == "" and free[1].endswith("%")


def test_the_note_is_on_the_page_while_arcs_are_left_out(browser: Any, tmp_path: Path) -> None:
    tab = browser.new_page()
    problems: list[str] = []
    tab.on("pageerror", lambda error: problems.append(str(error)))
    tab.goto(write_html(_result(12, 1.0), tmp_path / "report.html").as_uri())
    pairs = tab.locator(PAIRS)
    assert pairs.count() == 0, "dense confounding is said, not drawn"
    assert "66" in tab.inner_text("#drawn-note")
    tab.goto(write_html(_result(40, 0.2), tmp_path / "many.html").as_uri())
    assert pairs.count() == 40 and tab.is_visible("#drawn-note")
    tab.uncheck("#hidden")
    assert pairs.count() == 0 and tab.is_hidden("#drawn-note")
    tab.goto(write_html(_result(4, 1.0), tmp_path / "few.html").as_uri())
    assert pairs.count() == 6 and tab.is_hidden("#drawn-note")
    assert problems == []


@pytest.mark.parametrize("roots", [0, 1])
def test_hidden_details_say_what_was_said_of_roots(browser: Any, tmp_path: Path, roots: int) -> None:
    tab = browser.new_page()
    tab.goto(write_html(_result(3, 1.0, roots=roots), tmp_path / "report.html").as_uri())
    click_cell(tab, "#heat-hidden", 0, 2)  # c2 is the root
    verdict = tab.inner_text("#details .verdict")
    assert ("Excluded by your knowledge: nothing causes c2." in verdict) == bool(roots)
