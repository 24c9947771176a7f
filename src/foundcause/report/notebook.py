"""What a notebook shows of a result: its edges, and its warnings behind a click."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from foundcause.data.reading import counted

if TYPE_CHECKING:
    from foundcause.result import Result

_MOST_EDGES = 40


def summary(result: Result) -> str:
    """One line: how many columns, edges, hidden common causes and warnings."""
    counts = (
        counted(len(result.names), "column", "columns"),
        counted(int(result.adjacency_matrix.sum()), "edge", "edges"),
        counted(len(result.hidden_causes), "hidden common cause", "hidden common causes"),
        counted(len(result.warnings), "warning", "warnings"),
    )
    return f"Result({', '.join(counts)})"


def notebook_page(result: Result) -> str:
    """The result as a piece of HTML; every name and warning is text, whatever it holds."""
    edges = result.edges
    shown = edges.head(_MOST_EDGES).style.format(precision=2, escape="html").to_html()
    more = len(edges) - _MOST_EDGES
    rest = f"<p>... and {counted(more, 'more edge', 'more edges')}: result.edges holds all</p>" if more > 0 else ""
    return f"<p>{summary(result)}</p>{shown}{rest}{_warnings(result.warnings)}"


def _warnings(warnings: tuple[str, ...]) -> str:
    if not warnings:
        return ""
    items = "".join(f"<li>{escape(warning)}</li>" for warning in warnings)
    return f"<details><summary>{counted(len(warnings), 'warning', 'warnings')}</summary><ul>{items}</ul></details>"
