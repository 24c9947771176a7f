"""``foundcause discover``: the causal graph of a table, or of many.

Exit codes: 0 done; 1 a defect of foundcause; 2 refused, with one line on stderr that names the column, option or file
and the remedy; 130 interrupted; 141 whoever read the output stopped reading.
"""

from __future__ import annotations

import csv
import shlex
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from foundcause.cli.streams import (
    ProgressOnStderr,
    print_json,
    print_table,
    printing,
    readable,
    refuse_replacing,
    refuse_unwritable,
)
from foundcause.errors import ConfigError, OutputError

if TYPE_CHECKING:
    from foundcause.analysis import Analysis
    from foundcause.result import Result


def register(app: typer.Typer) -> None:
    """Add the command to the tree."""
    app.command("discover")(discover)


def folder_option(given: str | Path) -> Path:
    """The folder that --out names; to ``Path`` an empty name is the folder one stands in."""
    if not str(given).strip():
        raise OutputError("--out is empty; name a folder, '.' for this one, or leave the option out")
    return Path(given)


def discover(
    files: Annotated[
        list[str], typer.Argument(help="CSV, TSV, Parquet, ... file; - reads standard input.", show_default=False)
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            "-o", "--out", help="Write report, tables and graphs into this folder.", parser=folder_option, metavar="DIR"
        ),
    ] = None,
    report: Annotated[Path | None, typer.Option(help="Write the HTML report alone.", metavar="FILE")] = None,
    json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors.")] = False,
    embed_rows: Annotated[int, typer.Option(help="Rows of the table that files may hold, for scatter plots.")] = 0,
    outcome: Annotated[str | None, typer.Option(help="Rank what affects this column.")] = None,
    options: Annotated[
        Path | None, typer.Option(help="Options file (TOML) with [read] and [knowledge].", metavar="FILE")
    ] = None,
    apply_suggestions: Annotated[
        bool, typer.Option("--apply-suggestions", help="Apply what the findings suggest, and say what that was.")
    ] = False,
    tier: Annotated[
        list[str] | None,
        typer.Option(
            help="Columns of one tier, 'age,sex' or '\"income, total\",sex'; repeat from the earliest to the latest."
        ),
    ] = None,
    forbid: Annotated[list[str] | None, typer.Option(help="An edge that cannot be, 'bmi -> age'; repeatable.")] = None,
    require: Annotated[list[str] | None, typer.Option(help="An edge that must be, 'a -> b'; repeatable.")] = None,
    upstream: Annotated[
        list[str] | None, typer.Option(help="'a -> b': a causes b, directly or not; repeatable.")
    ] = None,
    not_upstream: Annotated[
        list[str] | None, typer.Option(help="'a -> b': a does not cause b, not even indirectly; repeatable.")
    ] = None,
    root: Annotated[
        list[str] | None, typer.Option(help="A column that nothing causes, seen or hidden; repeatable.")
    ] = None,
    sink: Annotated[list[str] | None, typer.Option(help="A column that causes nothing; repeatable.")] = None,
    forbid_within_tiers: Annotated[bool, typer.Option(help="No edges among columns of one tier.")] = False,
    n_passes: Annotated[str, typer.Option(help="Passes over resampled rows: a number or auto.")] = "auto",
    random_state: Annotated[int, typer.Option(help="Seed of every random choice.")] = 0,
    threshold: Annotated[
        float | None, typer.Option(help="Show edges above this probability. (default: adapts to the table)")
    ] = None,
    protocol: Annotated[str | None, typer.Option(help="default, paper or release.")] = None,
    checkpoint: Annotated[Path | None, typer.Option(help="Weights. (default: the shipped ones)")] = None,
    device: Annotated[str, typer.Option(help="auto, cpu, cuda, ...")] = "auto",
    max_rows: Annotated[int | None, typer.Option(help="Sample larger files while reading. (default: 20000)")] = None,
    separator: Annotated[str | None, typer.Option(help="Separator of a text file. (default: guessed)")] = None,
    header: Annotated[
        bool | None,
        typer.Option("--header/--no-header", help="Whether the first row names columns. (default: guessed)"),
    ] = None,
    sql: Annotated[str | None, typer.Option(help="Query to run on a SQLite file.", metavar="QUERY")] = None,
    drop: Annotated[list[str] | None, typer.Option(help="A column to leave out; repeatable.")] = None,
    nominal: Annotated[
        list[str] | None, typer.Option(help="A column whose numbers are codes of categories; repeatable.")
    ] = None,
    constant: Annotated[str | None, typer.Option(help="Constant columns: exclude, drop or error.")] = None,
    empty: Annotated[str | None, typer.Option(help="Empty columns: exclude, drop or error.")] = None,
    identifier: Annotated[str | None, typer.Option(help="Identifiers: exclude, drop, error or keep.")] = None,
    duplicate: Annotated[str | None, typer.Option(help="Copies of columns: keep, exclude, drop or error.")] = None,
    jobs: Annotated[int, typer.Option(help="Of several files, how many at a time; -1 for one per core.")] = -1,
    backend: Annotated[str, typer.Option(help="Where several files run: loky (this machine), dask or ray.")] = "loky",
    address: Annotated[str | None, typer.Option(help="Address of a Dask scheduler or a Ray cluster.")] = None,
) -> None:
    """Discover the causal graph of a table and print it.

    Nothing is written unless --out or --report asks for it. Several files need --out: each gets a folder in it.
    """
    if out is not None:
        refuse_unwritable(out)
    read = {
        "max_rows": max_rows,
        "separator": "\t" if separator in ("\\t", "tab") else separator,
        "header": header,
        "sql": sql,
        "drop": drop,
        "nominal": nominal,
        "constant": constant,
        "empty": empty,
        "identifier": identifier,
        "duplicate": duplicate,
    }
    stated = {
        "tiers": tuple(_tier(text) for text in tier or ()),
        "forbidden": tuple(forbid or ()),
        "required": tuple(require or ()),
        "upstream": tuple(upstream or ()),
        "not_upstream": tuple(not_upstream or ()),
        "roots": tuple(root or ()),
        "sinks": tuple(sink or ()),
        "forbid_within_tiers": forbid_within_tiers,
    }
    analysis = _analysis(options, read, stated)
    chosen = {
        "n_passes": _passes(n_passes),
        "random_state": random_state,
        "threshold": threshold,
        "protocol": protocol,
        "checkpoint": checkpoint,
        "device": device,
    }
    if len(files) > 1:
        engine = {"jobs": jobs, "backend": backend, "address": address}
        _discover_many(files, out, analysis, {**chosen, **engine}, show=not quiet)
        return
    (file,) = files
    if out is not None:
        refuse_replacing(out, file, options)
    result = _discover(file, analysis, chosen, show=not quiet)
    if apply_suggestions:
        applied = analysis.with_fixes(result.findings)
        if applied != analysis:
            result, analysis = _discover(file, applied, chosen, show=not quiet), applied
    if out is not None:
        result.save(out, embed_rows=embed_rows)
    if report is not None:
        result.to_html(report, embed_rows=embed_rows)
    with printing():
        if outcome is not None:
            print_table(result.causes(outcome), f"What affects {outcome!r}", json)
        elif json:
            print_json(result.to_json(embed_rows=embed_rows))
        elif not quiet:
            _print(result, file, analysis, out, applied=apply_suggestions)


def _discover(file: str, analysis: Analysis, options: dict[str, Any], *, show: bool) -> Result:
    from foundcause import api

    with readable(file) as place, ProgressOnStderr(show=show) as progress:
        return api.discover(place, read=analysis.read, knowledge=analysis.knowledge, progress=progress, **options)


def _discover_many(
    files: list[str], out: Path | None, analysis: Analysis, options: dict[str, Any], *, show: bool
) -> None:
    """Discover several files, print the summary, and end with 2 when some were refused."""
    import pandas as pd

    from foundcause.many import SUMMARY_FILE, discover_many

    if out is None:
        raise ConfigError("several tables need a folder for their results; name one with --out")
    failed = 0
    with ProgressOnStderr(show=show) as progress:
        answers = discover_many(
            files, out=out, read=analysis.read, knowledge=analysis.knowledge, progress=progress, **options
        )
        for file, answer in zip(files, answers, strict=True):
            if isinstance(answer, Exception):
                failed += 1
                print(f"{file}: {answer}", file=sys.stderr)
    if show:
        with printing():
            print_table(pd.read_csv(out / SUMMARY_FILE).fillna(""), f"Results in {out}", as_json=False)
    if failed:
        raise typer.Exit(2)


def _print(result: Result, file: str, analysis: Analysis, out: Path | None, *, applied: bool) -> None:
    """The answer, and the command that follows the suggestions, or what they changed."""
    from foundcause.report.terminal import print_result, say

    print_result(result, out)
    if applied:
        text = analysis.to_toml().strip()
        say(f"\nOptions with the suggestions applied:\n{text}" if text else "\nThe findings suggest no change.")
        return
    suggested = analysis.with_fixes(result.findings)
    if suggested != analysis:
        say(f"\nTo follow the suggestions: {shlex.join(['foundcause', 'discover', file, *suggested.arguments()])}")


def _analysis(options: Path | None, read: dict[str, Any], stated: dict[str, Any]) -> Analysis:
    """The options file, with the options of the command line on top."""
    from foundcause.analysis import Analysis
    from foundcause.data.options import ReadOptions
    from foundcause.knowledge import Knowledge

    start = Analysis() if options is None else Analysis.from_file(options)
    given = {option: value for option, value in read.items() if value is not None}
    for option in ("drop", "nominal"):
        given[option] = (*getattr(start.read, option), *given.get(option, ()))
    knowledge = (start.knowledge or Knowledge()).merged(Knowledge(**stated))
    if stated["forbid_within_tiers"] and not knowledge.tiers:
        raise ConfigError("--forbid-within-tiers needs tiers; give them with --tier or --options")
    return replace(start, read=ReadOptions.of(start.read, **given), knowledge=knowledge or None)


def _passes(text: str) -> int | Literal["auto"]:
    """A number of passes, or auto."""
    if text == "auto":
        return "auto"
    try:
        return int(text)
    except ValueError:
        raise ConfigError(f"--n-passes {text!r} is not a number; give one, such as 10, or auto") from None


def _tier(text: str) -> tuple[str, ...]:
    """The columns of one tier; as in a CSV file, a name that holds a comma stands in double quotes."""
    try:
        (names,) = csv.reader([text], skipinitialspace=True, strict=True)
    except (csv.Error, ValueError):  # a quote that belongs to a name
        names = text.split(",")
    return tuple(name.strip() for name in names if name.strip())
