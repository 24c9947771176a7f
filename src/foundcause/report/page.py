"""Fills the report's template with a result. Everything that comes from the user's table is escaped here."""

from __future__ import annotations

import json
from html import escape
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Any

from foundcause.atomic import write_text
from foundcause.layout import layered_positions

if TYPE_CHECKING:
    from foundcause.result import Result

STATIC = files("foundcause.report") / "static"


def write_html(result: Result, path: str | Path, *, title: str = "Causal graph") -> Path:
    """Write the report to ``path`` and return it."""
    return write_text(path, render_html(result, title=title))


def render_html(result: Result, *, title: str = "Causal graph") -> str:
    """The whole page as text, the same whenever the result is: without its timing."""
    data = {key: value for key, value in report_data(result).items() if key != "timing"}
    return Template(_static("report.html")).substitute(
        title=escape(title),
        summary=escape(_summary(result)),
        warnings=_warnings(result),
        columns=_columns(result),
        settings=_facts(result.settings),
        result=_embedded(data),
        style=_static("style.css"),
        cytoscape=_static("vendor/cytoscape.min.js"),
        pictures=_static("pictures.js"),
        details=_static("details.js"),
        graph_view=_static("graph_view.js"),
        report=_static("report.js"),
    )


def report_data(result: Result) -> dict[str, Any]:
    """What the page's script needs: the result's JSON with a place for each node."""
    positions = layered_positions(result.graph)
    return {**result.to_dict(), "positions": [positions[name] for name in result.names]}


def _static(name: str) -> str:
    return (STATIC / name).read_text(encoding="utf-8")


def _embedded(content: dict[str, Any]) -> str:
    """JSON that cannot end its script element or open a comment, whatever the column names hold."""
    text = json.dumps(_rounded(content), ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def _rounded(value: Any) -> Any:
    """Six significant digits are plenty for a page and halve its size."""
    if isinstance(value, float):
        return float(f"{value:.6g}")
    if isinstance(value, dict):
        return {key: _rounded(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_rounded(item) for item in value]
    return value


def _summary(result: Result) -> str:
    rows = result.settings.get("rows")
    size = f"{len(result.names)} columns" + (f", {rows:,} rows" if isinstance(rows, int) else "")
    edges, hidden = int(result.adjacency_matrix.sum()), len(result.confounders)
    return f"{size}: {_counted(edges, 'edge')}, {_counted(hidden, 'pair')} with a probable hidden common cause."


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _warnings(result: Result) -> str:
    if not result.warnings:
        return ""
    items = "".join(f"<li>{escape(warning)}</li>" for warning in result.warnings)
    return f'<section><h2>Before you trust it</h2><ul class="warnings">{items}</ul></section>'


def _columns(result: Result) -> str:
    head = "".join(
        f'<th scope="col">{text}</th>' for text in ("column", "taken as", "encoding", "missing", "distinct", "")
    )
    rows = []
    for column in result.columns:
        note = "" if column.status == "used" else f"{column.status}: {column.reason}"
        cells = (column.name, column.kind, column.encoding, f"{column.missing:.0%}", str(column.distinct), note)
        rows.append("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in cells) + "</tr>")
    return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"


def _facts(entries: dict[str, Any]) -> str:
    items = "".join(f"<dt>{escape(str(key))}</dt><dd>{escape(str(value))}</dd>" for key, value in entries.items())
    return f'<dl class="facts">{items}</dl>'
