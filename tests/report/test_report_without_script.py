"""What the report says to a browser that runs no scripts."""

from __future__ import annotations

import re
from html import escape

import numpy as np

from foundcause.report import render_html
from foundcause.result import Result
from made_answers import decoded, provenance

EVIL = "</noscript><b>"


def _page(probability: float) -> str:
    edges = np.array([[0.0, probability], [0.0, 0.0]])
    result = Result(
        names=("age & sex", EVIL),
        decoded=decoded(edges, agreement=(edges > 0.5) * 0.7),
        provenance=provenance(50),
    )
    found = re.findall(r"<noscript>(.*?)</noscript>", render_html(result), re.S)
    assert len(found) == 1
    return found[0]


def test_edges_are_listed_without_scripts() -> None:
    page = _page(0.875)
    cells = "".join(f"<td>{cell}</td>" for cell in ("age &amp; sex", escape(EVIL), "0.88", "70%"))
    assert f"<tr>{cells}</tr>" in page and "runs no scripts" in page


def test_no_edge_is_said_without_scripts() -> None:
    assert "<p>" in _page(0.2) and "<table>" not in _page(0.2)
