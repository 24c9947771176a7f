"""What a notebook shows of a result: its edges and findings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from foundcause.data.reading import counted
from foundcause.findings import Finding, shown
from foundcause.report.page import findings_list

if TYPE_CHECKING:
    from foundcause.result import Result

_MOST_EDGES = 40


def summary(result: Result) -> str:
    """One line: how many columns, edges, hidden common causes and findings."""
    counts = (
        counted(len(result.names), "column", "columns"),
        counted(int(result.adjacency.to_numpy(bool).sum()), "edge", "edges"),
        counted(len(result.confounded_pairs), "hidden common cause", "hidden common causes"),
        counted(len(result.findings), "finding", "findings"),
    )
    return f"Result({', '.join(counts)})"


def notebook_page(result: Result) -> str:
    """The result as a piece of HTML; every name and message is text, whatever it holds."""
    edges = result.edges
    shown = edges.head(_MOST_EDGES).style.format(precision=2, escape="html").to_html()
    more = len(edges) - _MOST_EDGES
    rest = f"<p>... and {counted(more, 'more edge', 'more edges')}: result.edges holds all</p>" if more > 0 else ""
    return f"<p>{summary(result)}</p>{shown}{rest}{_findings(result.findings)}"


def _findings(findings: Sequence[Finding]) -> str:
    if not findings:
        return ""
    first, folded = shown(findings)
    more = f"<details><summary>{len(folded)} more</summary>{findings_list(folded)}</details>" if folded else ""
    return f"{findings_list(first)}{more}"
