"""A result in a notebook: one sentence, the graph, the findings, and the edges."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

from foundcause.findings import Finding, shown
from foundcause.report.page import findings_list, headline
from foundcause.report.svg import graph_svg

if TYPE_CHECKING:
    from foundcause.result import Result

_MOST_EDGES = 40


def summary(result: Result) -> str:
    """Return one line: how many columns, edges, hidden common causes and findings."""
    counts = (
        _counted(len(result.names), "column", "columns"),
        _counted(int(result.adjacency.to_numpy(bool).sum()), "edge", "edges"),
        _counted(len(result.confounded_pairs), "hidden common cause", "hidden common causes"),
        _counted(len(result.findings), "finding", "findings"),
    )
    return f"Result({', '.join(counts)})"


def notebook_page(result: Result) -> str:
    """Return a result as HTML: one sentence, the graph, the findings, and the edges behind a click."""
    edges = result.edges
    rows = [
        (
            edge["cause"],
            edge["effect"],
            f"{edge['probability']:.2f}",
            f"{edge['reverse_probability']:.2f}",
            edge["orientation"],
        )
        for edge in edges.head(_MOST_EDGES).to_dict("records")
    ]
    more = len(edges) - _MOST_EDGES
    rest = f"<p>... and {_counted(more, 'more edge', 'more edges')} in result.edges</p>" if more > 0 else ""
    table = _table(("cause", "effect", "probability", "reverse", "direction"), rows)
    listed = (
        f"<details><summary>{_counted(len(edges), 'edge', 'edges')}</summary>{table}{rest}</details>" if rows else ""
    )
    return f"<p><strong>{escape(headline(result))}</strong></p>{graph_svg(result)}{_findings(result.findings)}{listed}"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    top = "".join(f"<th>{text}</th>" for text in head)
    body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>"


def _findings(findings: Sequence[Finding]) -> str:
    if not findings:
        return ""
    first, folded = shown(findings)
    more = f"<details><summary>{len(folded)} more</summary>{findings_list(folded)}</details>" if folded else ""
    return f"{findings_list(first)}{more}"


def _counted(number: int, one: str, several: str) -> str:
    return f"{number} {one if number == 1 else several}"
