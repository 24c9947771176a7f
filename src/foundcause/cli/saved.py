"""``foundcause show``, ``compare`` and ``export``: work on saved results."""

from __future__ import annotations

import json as jsonlib
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from foundcause.cli.streams import print_json, print_table, printing

_SAVED = typer.Argument(help="A folder written by discover --out, or its result.json.", show_default=False)
_GRAPH = typer.Argument(help="A saved result, or a graph: GML, DOT, dagitty text or edge list.", show_default=False)


def register(app: typer.Typer) -> None:
    """Add the commands to the tree."""
    app.command("show")(show)
    app.command("compare")(compare)
    app.command("export")(export)


def show(
    result: Annotated[Path, _SAVED],
    outcome: Annotated[str | None, typer.Option(help="Rank what affects this column.")] = None,
    json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False,
) -> None:
    """Print a saved result."""
    from foundcause import api
    from foundcause.report.terminal import print_result

    found = api.load(result)
    with printing():
        if outcome is not None:
            print_table(found.causes(outcome), f"What affects {outcome!r}", json)
        elif json:
            print_json(found.to_json())
        else:
            print_result(found)


def compare(
    first: Annotated[Path, _GRAPH],
    second: Annotated[Path, _GRAPH],
    json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False,
) -> None:
    """Print what changed between two answers, or between an answer and a graph."""
    from foundcause.report.comparison import compare as run

    found = run(first, second)
    with printing():
        if json:
            print_json(jsonlib.dumps(asdict(found), ensure_ascii=False))
            return
        lists = {"+": found.added, "-": found.removed, "turned": found.reversed}
        for mark, edges in lists.items():
            for cause, effect in edges:
                print(f"{mark:<7}{cause} -> {effect}")
        for mark, pairs in {"+": found.confounded_added, "-": found.confounded_removed}.items():
            for one, other in pairs:
                print(f"{mark:<7}{one} <-> {other} (hidden common cause)")
        for which, names in (("first", found.only_first), ("second", found.only_second)):
            if names:
                print(f"Only in the {which}: {', '.join(names)}")
        for cause, effect, before, after in found.probabilities[:10]:
            print(f"{'p':<7}{cause} -> {effect}: {before:.2f} to {after:.2f}")
        for name, value in found.measures.items():
            print(f"{name.replace('_', ' ')}: {value:.3g}")


def export(
    result: Annotated[Path, _SAVED],
    format: Annotated[
        str, typer.Option("--format", "-f", help="dot, gml, graphml, mermaid, csv, json, html, png, svg or pdf.")
    ],
    out: Annotated[Path | None, typer.Option("-o", "--out", help="File to write. (default: print)")] = None,
) -> None:
    """Write a saved result in another format."""
    from foundcause import api
    from foundcause.report.export import write_as

    with printing():
        text = write_as(api.load(result), format, out)
        if text is not None:
            sys.stdout.write(text if text.endswith("\n") else text + "\n")
