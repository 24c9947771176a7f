"""The HTML report: one file, no network, readable in light and dark. All text from the table is escaped here."""

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
from foundcause.report.svg import graph_svg

if TYPE_CHECKING:
    from foundcause.result import Result

STATIC = files("foundcause.report") / "static"
SCRIPTS = ("pictures.js", "acyclic.js", "answer.js", "details.js", "graph_layout.js", "graph_view.js", "report.js")
"""In the order in which the page runs them."""


def write_html(result: Result, path: str | Path, *, title: str | None = None, embed_rows: int = 0) -> Path:
    """Write the report as one file that needs no network.

    Parameters
    ----------
    result : Result
    path : path
    title : str or None
        Title of the page. None makes one from the name of the source, if known.
    embed_rows : int, default=0
        Rows of the table that the report contains, for plots of two columns. None are embedded by default.

    Returns
    -------
    Path
    """
    return write_text(path, render_html(result, title=title, embed_rows=embed_rows))


def render_html(result: Result, *, title: str | None = None, embed_rows: int = 0) -> str:
    """Return the report as text. It does not contain the timing, so that equal results give equal reports."""
    source = result.provenance.get("data", {}).get("source")
    title = title or (f"Causal graph of {source}" if source else "Causal graph")
    data = {**result.to_dict(embed_rows=embed_rows), **given_pairs(result)}
    del data["timing"]
    return Template(_static("report.html")).substitute(
        title=escape(title),
        headline=escape(headline(result)),
        summary=escape(_summary(result, source)),
        findings=findings_section(result.findings),
        knowledge=_knowledge(result.knowledge),
        without_script=_without_script(result),
        legend=_legend(result),
        rows_note=_rows_note(data["preview"]),
        columns=_columns(result),
        settings=_facts(_flat(result.provenance)),
        result=_embedded(data),
        style=_static("style.css"),
        scripts="\n".join(map(_static, SCRIPTS)),
    )


def given_pairs(result: Result) -> dict[str, list[Any]]:
    """Return the edges (i, j) that knowledge forbids or requires, by rows of the matrices."""
    forbidden, required = (result.knowledge or Knowledge()).masks(result.names)
    np.fill_diagonal(forbidden, False)  # no column causes itself, which is not knowledge
    return {"forbidden_pairs": np.argwhere(forbidden).tolist(), "required_pairs": np.argwhere(required).tolist()}


def headline(result: Result) -> str:
    """Say in one sentence what was discovered."""
    columns, edges = len(result.names), result.edges
    if not len(edges):
        return f"No edge among {columns} columns is probable enough to be shown"
    best = edges.iloc[0]
    count = f"{_counted(len(edges), 'edge')} among {columns} columns"
    return f"{count}, most probably {best['cause']} → {best['effect']} ({best['probability']:.0%})"


def _legend(result: Result) -> str:
    known = result.knowledge or Knowledge()
    entries = [
        ("", "causes", True),
        ("undecided", "undecided direction", True),
        ("hidden", "share a hidden cause", True),
    ]
    entries += [("known", "given by you", bool(known.required))]
    entries += [("root", "nothing causes it", bool(known.roots)), ("sink", "it causes nothing", bool(known.sinks))]
    return "".join(f'<span class="{kind}">{text}</span>' for kind, text, present in entries if present)


def _rows_note(preview: list[Any] | None) -> str:
    if preview:
        return f"This file contains {len(preview)} rows of the table, for the plots of two columns."
    return "This file contains names of columns and probabilities, but no rows of the table."


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


def _summary(result: Result, source: str | None) -> str:
    rows = result.provenance.get("data", {}).get("rows")
    size = f"{len(result.names)} columns" + (f", {rows:,} rows" if isinstance(rows, int) else "")
    edges, hidden = len(result.edges), len(result.confounded_pairs)
    given = len(result.knowledge.required) if result.knowledge else 0
    by_user = f" ({given} given by you)" if given else ""
    named = f"{source}: " if source else ""
    pairs = _counted(hidden, "pair")
    return f"{named}{size}. {_counted(edges, 'edge')}{by_user}, {pairs} with a probable hidden common cause."


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
    """The knowledge of the user as a section, empty without knowledge."""
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
    note = "The graph follows this. It was not discovered."
    if known.tiers:
        note += " A later tier cannot cause an earlier one, nor can it through columns without a tier."
    heading = "<h2>What you knew beforehand</h2>"
    return f'<section id="knowledge">{heading}{_facts(said)}<p class="soft">{note}</p></section>'


def _without_script(result: Result) -> str:
    """The edges for a browser that runs no scripts, which draw everything else about the graph."""
    told = "This browser runs no scripts. These are the edges of the graph."
    if not len(result.edges):
        return "<p>This browser runs no scripts, so the graph is not drawn. It has no edges.</p>"
    head = "".join(f'<th scope="col">{text}</th>' for text in ("cause", "effect", "probability", "agreement"))
    rows = []
    for edge in result.edges.to_dict("records"):
        cells = (edge["cause"], edge["effect"], f"{edge['probability']:.2f}", f"{edge['agreement']:.0%}")
        rows.append("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in cells) + "</tr>")
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"
    return f'{graph_svg(result)}<p>{told}</p><div class="scroll">{table}</div>'


def _columns(result: Result) -> str:
    head = "".join(
        f'<th scope="col">{text}</th>' for text in ("column", "read as", "encoding", "missing", "distinct", "")
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
