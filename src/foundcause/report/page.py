"""Fills the report's template with a result. Everything that comes from the user's table is escaped here."""

from __future__ import annotations

import json
from collections.abc import Sequence
from html import escape
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Any

import numpy as np

from foundcause.files import write_text
from foundcause.findings import Finding, shown
from foundcause.knowledge import Knowledge
from foundcause.report.layout import layered_positions

if TYPE_CHECKING:
    from foundcause.result import Result

STATIC = files("foundcause.report") / "static"


def write_html(result: Result, path: str | Path, *, title: str | None = None) -> Path:
    """Write the report to ``path`` and return it."""
    return write_text(path, render_html(result, title=title))


def render_html(result: Result, *, title: str | None = None) -> str:
    """The whole page as text, the same whenever the result is: without its timing.

    title: heading of the page; None makes one from the name of the source, if known.
    """
    source = result.provenance.get("data", {}).get("source")
    title = title or (f"Causal graph of {source}" if source else "Causal graph")
    data = {key: value for key, value in report_data(result).items() if key != "timing"}
    return Template(_static("report.html")).substitute(
        title=escape(title),
        summary=escape(_summary(result)),
        findings=findings_section(result.findings),
        knowledge=_knowledge(result.knowledge),
        without_script=_without_script(result),
        legend='<span class="known">given by you</span>' if data["required_pairs"] else "",
        columns=_columns(result),
        settings=_facts(_flat(result.provenance)),
        result=_embedded(data),
        style=_static("style.css"),
        cytoscape=_static("vendor/cytoscape.min.js"),
        pictures=_static("pictures.js"),
        details=_static("details.js"),
        acyclic=_static("acyclic.js"),
        graph_view=_static("graph_view.js"),
        report=_static("report.js"),
    )


def report_data(result: Result) -> dict[str, Any]:
    """What the page's script needs: the result's JSON and what ``drawing`` adds."""
    return {**result.to_dict(), **drawing(result)}


def drawing(result: Result) -> dict[str, list[Any]]:
    """A place for each node, and the edges (i, j) that knowledge forbids or requires, by rows of the matrices."""
    positions = layered_positions(result.graph)
    forbidden, required = (result.knowledge or Knowledge()).masks(result.names)
    np.fill_diagonal(forbidden, False)  # no column causes itself: nobody had to say so
    return {
        "positions": [positions[name] for name in result.names],
        "forbidden_pairs": np.argwhere(forbidden).tolist(),
        "required_pairs": np.argwhere(required).tolist(),
    }


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
    rows = result.provenance.get("data", {}).get("rows")
    size = f"{len(result.names)} columns" + (f", {rows:,} rows" if isinstance(rows, int) else "")
    edges, hidden = int(result.adjacency.to_numpy().sum()), len(result.confounded_pairs)
    given = len(result.knowledge.required) if result.knowledge else 0
    told = f" ({given} given by you)" if given else ""
    return f"{size}: {_counted(edges, 'edge')}{told}, {_counted(hidden, 'pair')} with a probable hidden common cause."


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def findings_section(findings: Sequence[Finding]) -> str:
    """Return the findings as a section of HTML: the most serious in full, the others folded."""
    if not findings:
        return ""
    first, folded = shown(findings)
    return f'<section id="findings"><h2>Before you trust it</h2>{findings_list(first)}{_folded(folded)}</section>'


def findings_list(findings: Sequence[Finding]) -> str:
    """Return findings as a list in HTML. Messages are text, whatever the names of columns contain."""
    items = "".join(
        f'<li class="{finding.severity}" data-code="{finding.code}">{escape(finding.message)}</li>'
        for finding in findings
    )
    return f'<ul class="findings">{items}</ul>'


def _folded(findings: Sequence[Finding]) -> str:
    if not findings:
        return ""
    return f"<details><summary>{len(findings)} more</summary>{findings_list(findings)}</details>"


def _knowledge(known: Knowledge | None) -> str:
    """What the user said beforehand, as a section; nothing when nothing was said."""
    if known is None:
        return ""
    entries = {
        "tiers": " | ".join(", ".join(tier) for tier in known.tiers),
        "within a tier": "no edges" if known.tiers and known.forbid_within_tiers else "",
        "required": "; ".join(f"{cause} → {effect}" for cause, effect in known.required),
        "forbidden": "; ".join(f"{cause} → {effect}" for cause, effect in known.forbidden),
        "nothing causes": ", ".join(known.roots),
        "cause nothing": ", ".join(known.sinks),
    }
    said = {key: text for key, text in entries.items() if text}
    if not said:
        return ""
    note = "The graph obeys this; it was not discovered."
    if known.tiers:
        note += " A later tier cannot cause an earlier one, nor can it through columns without a tier."
    heading = "<h2>What you said beforehand</h2>"
    return f'<section id="knowledge">{heading}{_facts(said)}<p class="soft">{note}</p></section>'


def _without_script(result: Result) -> str:
    """The edges for a browser that runs no scripts, which draw everything else about the graph."""
    told = "This browser runs no scripts, so the graph is not drawn; these are its edges."
    if not len(result.edges):
        return "<p>This browser runs no scripts, so the graph is not drawn; no edge is shown.</p>"
    head = "".join(f'<th scope="col">{text}</th>' for text in ("cause", "effect", "probability", "agreement"))
    rows = []
    for edge in result.edges.to_dict("records"):
        cells = (edge["cause"], edge["effect"], f"{edge['probability']:.2f}", f"{edge['agreement']:.0%}")
        rows.append("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in cells) + "</tr>")
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"
    return f'<p>{told}</p><div class="scroll">{table}</div>'


def _columns(result: Result) -> str:
    head = "".join(
        f'<th scope="col">{text}</th>' for text in ("column", "taken as", "encoding", "missing", "distinct", "")
    )
    rows = []
    for column in result.column_info:
        note = "" if column.role == "variable" else f"{column.role}: {column.reason}"
        cells = (column.name, column.kind, column.encoding, f"{column.missing:.0%}", str(column.distinct), note)
        rows.append("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in cells) + "</tr>")
    return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"


def _flat(entries: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    """Nested entries as one level, with dotted names."""
    flat: dict[str, Any] = {}
    for key, value in entries.items():
        flat |= _flat(value, f"{prefix}{key}.") if isinstance(value, dict) else {f"{prefix}{key}": value}
    return flat


def _facts(entries: dict[str, Any]) -> str:
    items = "".join(
        f"<dt>{escape(str(key))}</dt><dd>{escape(', '.join(value) if isinstance(value, list) else str(value))}</dd>"
        for key, value in entries.items()
        if value is not None and not (isinstance(value, list) and not value)
    )
    return f'<dl class="facts">{items}</dl>'
