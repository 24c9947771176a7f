"""What the shell commands print: the edge table, hidden common causes, findings, facts about the installation."""

from __future__ import annotations

import json
import platform
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from foundcause.diagnostics.graph import is_dense, pairs_of, sharing_columns
from foundcause.findings import Finding, shown
from foundcause.report.letters import shorten_middle

if TYPE_CHECKING:
    from foundcause.result import Result

_MAX_LINES = 40
_MAX_PAIRS, _MAX_CROWDED = 20, 10
_BAR, _ROOM_FOR_BAR = 10, 60
_NAME = 40
_MARKS = {"critical": ("!", "bold red"), "caution": ("!", "yellow"), "note": ("-", "dim")}


def say(text: str) -> None:
    """One line as it is, without markup."""
    Console(highlight=False, soft_wrap=True).print(Text(text))


def print_result(result: Result, folder: Path | None = None, console: Console | None = None) -> None:
    """The graph as readable tables, its findings, and where the files are."""
    console = console or Console(highlight=False)
    data = result.provenance["data"]
    rows, total = data["rows"], data["total_rows"]
    size = f"{rows:,} rows" if rows == total else f"{rows:,} of {total:,} rows"
    worth = data["n_effective"]
    size += "" if worth == rows else f" read as {worth:,}"
    seconds = result.timing.get("total", 0.0)
    runs = result.provenance["options"]["n_passes"]
    passes = "1 pass" if runs == 1 else f"{runs} passes"
    console.print(Text(f"{len(result.names)} columns, {size}, {passes}, {seconds:.1f} s"))
    console.print()
    if len(result.edges):
        console.print(_edge_table(result, console.width))
        if len(result.edges) > _MAX_LINES:
            console.print(Text(f"... and {len(result.edges) - _MAX_LINES} more edges. The files have all of them."))
    else:
        console.print(Text("No edge is shown."))
    if len(result.confounded_pairs):
        console.print()
        _print_confounders(result, console, saved=folder is not None)
    _print_findings(result.findings, console, saved=folder is not None)
    if folder is not None:
        console.print()
        console.print(Text(f"Report: {folder / 'report.html'}", style="bold"), soft_wrap=True)
        console.print(Text(f"Files:  {folder}/ (JSON, CSV, DOT, GraphML, GML, Mermaid, picture)"), soft_wrap=True)


def _print_findings(findings: Sequence[Finding], console: Console, *, saved: bool) -> None:
    """The most serious findings in full, and how many more there are."""
    first, folded = shown(findings)
    if not first:
        return
    console.print()
    console.print(Text("Findings", style="bold"))
    for finding in first:
        mark, style = _MARKS[finding.severity or "note"]
        line = Table.grid(padding=(0, 1, 0, 0))
        line.add_row(Text(f" {mark}", style=style), Text(finding.message))
        console.print(line)
    if folded:
        home = "the report and result.json have" if saved else "result.findings has"
        console.print(Text(f"   ... and {len(folded)} more. {home} all of them.", style="dim"))


def _edge_table(result: Result, width: int) -> Table:
    table = _pair_table(f"Edges above {result.threshold:.2f}", "cause", "->", "effect", width)
    ink = _bar_in(width)
    table.add_column("agreement" if ink else "agr.", justify="right", no_wrap=True)
    for edge in result.edges.head(_MAX_LINES).to_dict("records"):
        share = Text(f"{edge['agreement']:.0%}")
        cause, effect = _short(edge["cause"]), _short(edge["effect"])
        table.add_row(cause, Text("->"), effect, _bar(edge["probability"], ink), share)
    return table


def _print_confounders(result: Result, console: Console, *, saved: bool) -> None:
    """The most probable pairs: of too many to be read one by one a few, and where all of them are."""
    pairs, columns = len(result.confounded_pairs), sharing_columns(result)
    most = _MAX_PAIRS
    if is_dense(pairs, columns):
        most = _MAX_CROWDED
        console.print(
            Text(f"{pairs} of {pairs_of(columns)} pairs seem to share a hidden common cause. The most probable:")
        )
    console.print(_confounder_table(result, most, console.width))
    if pairs > most:
        place = "confounded_pairs.csv and result.json have" if saved else "result.confounded_pairs has"
        console.print(Text(f"... and {pairs - most} more pairs. {place} all of them."))


def _confounder_table(result: Result, most: int, width: int) -> Table:
    title = f"Hidden common causes above {result.confounding_threshold:.2f}"
    table = _pair_table(title, "first", "<->", "second", width)
    ink = _bar_in(width)
    for pair in result.confounded_pairs.head(most).to_dict("records"):
        table.add_row(_short(pair["first"]), Text("<->"), _short(pair["second"]), _bar(pair["probability"], ink))
    return table


def _pair_table(title: str, first: str, arrow: str, second: str, width: int) -> Table:
    """Two names and a probability. Narrow terminals get no bar, but always the names."""
    table = Table(title=title, title_justify="left", box=None, pad_edge=False)
    table.add_column(first, overflow="fold", min_width=len(first))
    table.add_column("", no_wrap=True, min_width=len(arrow))
    table.add_column(second, overflow="fold", min_width=len(second))
    wide = bool(_bar_in(width))
    table.add_column("probability" if wide else "prob.", no_wrap=True, min_width=5 + _BAR if wide else 5)
    return table


def _bar_in(width: int) -> str:
    """The ink of bars, none where a terminal of this width has no room for them."""
    return bar_ink(sys.stdout.encoding) if width >= _ROOM_FOR_BAR else ""


def _short(name: str) -> Text:
    """A column name that leaves room for the others. The files have it in full."""
    return Text(shorten_middle(name, _NAME))


def bar_ink(encoding: str | None) -> str:
    """The full and the empty stroke of a bar that this output can show."""
    try:
        "━─".encode(encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return "#-"
    return "━─"


def _bar(probability: float, ink: str) -> Text:
    filled = round(probability * _BAR)
    text = Text(f"{probability:.2f}")
    if not ink:
        return text
    text.append(" ")
    text.append(ink[0] * filled, style="green")
    text.append(ink[1] * (_BAR - filled), style="dim")
    return text


def system_facts(checkpoint: Path | None = None) -> dict[str, Any]:
    """Return versions, devices, and the header of the checkpoint in use. A missing checkpoint is no error."""
    import numpy
    import torch

    from foundcause import __version__
    from foundcause.errors import CheckpointError
    from foundcause.inference.memory import available_bytes
    from foundcause.model.checkpoints import describe
    from foundcause.weights import checkpoint_path

    devices = ["cpu", *(f"cuda:{k}" for k in range(torch.cuda.device_count()))]
    free = available_bytes()
    facts: dict[str, Any] = {
        "foundcause": __version__,
        "python": platform.python_version(),
        "torch": str(torch.__version__),
        "numpy": str(numpy.__version__),
        "devices": devices,
        "threads": torch.get_num_threads(),
        "free_memory_gb": None if free is None else round(free / 1e9, 1),
    }
    try:
        place = checkpoint_path(checkpoint)
    except CheckpointError as error:
        return {**facts, "checkpoint": None, "checkpoint_note": str(error)}
    header = describe(place)
    return {**facts, "checkpoint": str(place), "header": header}


def print_facts(facts: dict[str, Any], *, as_json: bool) -> None:
    """The facts as JSON or as a readable list."""
    if as_json:
        print(json.dumps(facts, indent=2, ensure_ascii=False))
        return
    console = Console(highlight=False, soft_wrap=True)
    for name, value in facts.items():
        if name != "header":
            console.print(
                Text(f"{name.replace('_', ' '):<16} {', '.join(value) if isinstance(value, list) else value}")
            )
    header = facts.get("header", {})
    for name, value in {**header, **header.get("metadata", {})}.items():
        if name in ("metadata", "feature_names"):
            continue
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        console.print(Text(f"  {name:<18} {text if len(text) < 300 else text[:297] + '...'}"))
