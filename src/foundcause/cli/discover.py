"""``foundcause discover``, ``info`` and ``demo``.

Exit codes: 0 done; 2 refused, with one line on stderr that names the column, option or file and the remedy;
130 interrupted; 141 nobody reads the output any more; 1 only for defects of foundcause itself.
"""

from __future__ import annotations

import csv
import json as jsonlib
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, TextIO

import typer

from foundcause.errors import ConfigError, OutputError, TableError

if TYPE_CHECKING:
    from foundcause.inference.passes import Progress as Callback
    from foundcause.knowledge import Knowledge

EXIT_CLOSED_PIPE = 128 + 13  # what shells report of a program that SIGPIPE ended


def register(app: typer.Typer) -> None:
    """Add the commands to the tree."""
    app.command("discover")(discover)
    app.command("info")(info)
    app.command("demo")(demo)


def discover(
    file: Annotated[str, typer.Argument(help="CSV, TSV or Parquet file; - reads standard input.", show_default=False)],
    out: Annotated[
        Path | None,
        typer.Option(
            help="Folder for the report and graph files. (default: FILE's name + '-graph')",
            parser=_folder,
            metavar="<path>",
        ),
    ] = None,
    knowledge: Annotated[Path | None, typer.Option(help="Background knowledge, a TOML or JSON file.")] = None,
    tier: Annotated[
        list[str] | None,
        typer.Option(
            help="Columns of one tier, 'age,sex' or '\"income, total\",sex'; repeat from the earliest to the latest."
        ),
    ] = None,
    forbid: Annotated[list[str] | None, typer.Option(help="An edge that cannot be, 'bmi -> age'; repeatable.")] = None,
    require: Annotated[list[str] | None, typer.Option(help="An edge that must be, 'a -> b'; repeatable.")] = None,
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
    protocol: Annotated[str, typer.Option(help="default, paper or release.")] = "default",
    checkpoint: Annotated[Path | None, typer.Option(help="Weights. (default: the shipped ones)")] = None,
    device: Annotated[str, typer.Option(help="auto, cpu, cuda, ...")] = "auto",
    max_rows: Annotated[int, typer.Option(help="Larger files are sampled while reading.")] = 20_000,
    separator: Annotated[str | None, typer.Option(help="Separator of a text file. (default: guessed)")] = None,
    header: Annotated[
        bool | None,
        typer.Option("--header/--no-header", help="Whether the first row names columns. (default: guessed)"),
    ] = None,
    drop: Annotated[list[str] | None, typer.Option(help="A column to leave out; repeatable.")] = None,
    nominal: Annotated[
        list[str] | None, typer.Option(help="A column whose numbers are codes of categories; repeatable.")
    ] = None,
    constant: Annotated[str, typer.Option(help="Constant columns: exclude, drop or error.")] = "exclude",
    empty: Annotated[str, typer.Option(help="Empty columns: exclude, drop or error.")] = "exclude",
    identifier: Annotated[str, typer.Option(help="Identifiers: exclude, drop, error or keep.")] = "exclude",
    duplicate: Annotated[str, typer.Option(help="Copies of columns: keep, exclude, drop or error.")] = "keep",
    json: Annotated[
        bool, typer.Option("--json", help="Print the result as JSON; write files only with --out.")
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors.")] = False,
) -> None:
    """Discover the causal graph of a table; print its edges and write the report.

    Exit codes: 0 done, 2 refused with a reason, 130 interrupted.
    """
    folder = out if out is not None or json else Path(f"{_stem(file)}-graph")
    _refuse_unwritable(folder)
    _refuse_replacing(folder, file, knowledge)
    known = _knowledge(knowledge, tier, forbid, require, root, sink, forbid_within_tiers)
    from foundcause import api

    with _readable(file) as place, _Bar(show=not (quiet or json)) as progress:
        result = api.discover(
            place,
            knowledge=known,
            protocol=protocol,
            n_passes=_passes(n_passes),
            random_state=random_state,
            threshold=threshold,
            device=device,
            checkpoint=checkpoint,
            read={
                "max_rows": max_rows,
                "separator": "\t" if separator in ("\\t", "tab") else separator,
                "header": header,
                "drop": drop or (),
                "nominal": nominal or (),
                "constant": constant,
                "empty": empty,
                "identifier": identifier,
                "duplicate": duplicate,
            },
            progress=progress,
        )
    if folder is not None:
        result.save(folder)
    with _printing():
        if json:
            sys.stdout.write(_printable(result.to_json()) + "\n")
        elif not quiet:
            from foundcause.report.terminal import print_result

            print_result(result, folder)


def info(
    checkpoint: Annotated[Path | None, typer.Option(help="Weights. (default: the shipped ones)")] = None,
    json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False,
) -> None:
    """Versions, device and what the checkpoint says about itself."""
    from foundcause.report.terminal import print_facts, system_facts

    facts = system_facts(checkpoint)
    with _printing():
        print_facts(facts, as_json=json)


def demo(
    out: Annotated[
        Path,
        typer.Option(help="Folder for the table, the report and the graph files.", parser=_folder, metavar="<path>"),
    ] = Path("demo-output"),
    rows: Annotated[int, typer.Option(help="Rows of the simulated survey.")] = 5000,
    random_state: Annotated[int, typer.Option(help="Seed of the simulation and of the discovery.")] = 1988,
    checkpoint: Annotated[Path | None, typer.Option(help="Weights. (default: the shipped ones)")] = None,
) -> None:
    """Simulate a chest-clinic survey (eight columns of words, some cells missing) and discover its graph."""
    _refuse_unwritable(out)
    _refuse_replacing(out)
    if rows < 5:
        raise ConfigError(f"--rows {rows} is too few; give at least 5, better 1000")
    from foundcause import api
    from foundcause.report.terminal import print_result, say
    from foundcause.simulate.demo_survey import EDGES, is_survey, write_survey
    from foundcause.weights import CHECKPOINT_VARIABLE, SHIPPED_CHECKPOINT, checkpoint_path

    place = checkpoint_path(checkpoint)
    survey = out / "survey.csv"
    if survey.exists() and not is_survey(survey):
        raise OutputError(f"{str(survey)!r} is no survey of this demo and would be replaced; choose another --out")
    write_survey(survey, rows=rows, seed=random_state)
    with _printing():
        network = "the network of Lauritzen and Spiegelhalter (1988)"
        say(f"A survey of {rows:,} patients, simulated from {network}: {survey}")
        if checkpoint is None and place != SHIPPED_CHECKPOINT:
            say(f"Using {place.name} of {CHECKPOINT_VARIABLE} instead of the shipped weights.")
    with _Bar(show=True) as progress:
        result = api.discover(survey, random_state=random_state, checkpoint=place, progress=progress)
    result.save(out)
    found = {(edge.cause, edge.effect) for edge in result.edges.itertuples()}
    joined = {frozenset(edge) for edge in found}
    right, adjacent = len(found & set(EDGES)), sum(frozenset(edge) in joined for edge in EDGES)
    with _printing():
        print_result(result, out)
        say(f"Of {len(EDGES)} true edges {adjacent} are found, {right} in the right direction; {len(found)} are shown.")
        say(f"Would you rather click? `{sys.argv[0]} serve` opens a page for tables of your own.")


def _passes(text: str) -> int | Literal["auto"]:
    """A number of passes, or auto."""
    if text == "auto":
        return "auto"
    try:
        return int(text)
    except ValueError:
        raise ConfigError(f"--n-passes {text!r} is not a number; give one, such as 10, or auto") from None


@contextmanager
def _printing() -> Iterator[None]:
    """What is printed may find no reader, as in ``discover ... | head``, which is no defect; or no room, which is told.

    rich and click both end with 1 on a broken pipe, which would read like a defect.
    """
    out = sys.stdout
    try:
        yield
        out.flush()
    except BrokenPipeError:
        pass
    except OSError as error:
        _print_nowhere(out)
        raise OutputError(f"cannot print the result ({error.strerror}); make room, or send it elsewhere") from error
    except SystemExit as end:
        if not isinstance(end.__context__, BrokenPipeError):
            raise
    else:
        return
    _print_nowhere(out)
    raise typer.Exit(EXIT_CLOSED_PIPE)


def _print_nowhere(out: TextIO) -> None:
    """Python flushes once more when it ends, and would fail again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), out.fileno())


@contextmanager
def _readable(file: str) -> Iterator[str | Path]:
    """The file itself; for ``-``, a temporary file that holds what comes through the pipe."""
    if file != "-":
        yield file
        return
    if sys.stdin.isatty():
        raise ConfigError("standard input is the keyboard; pipe a table into it, or give a file")
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "standard-input"
        with place.open("wb") as copy:
            shutil.copyfileobj(sys.stdin.buffer, copy)
        try:
            yield place
        except TableError as error:
            raise TableError(str(error).replace(repr(str(place)), "standard input")) from error


def _printable(text: str) -> str:
    """JSON text that the terminal's encoding can show: escapes stand for what it lacks."""
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        return jsonlib.dumps(jsonlib.loads(text))
    return text


def _stem(file: str) -> str:
    name = "standard-input" if file == "-" or Path(file).is_fifo() else Path(file).name
    for suffix in (".gz", ".bz2", ".zst", ".lz4"):
        name = name.removesuffix(suffix)
    return Path(name).stem or "table"


def _folder(given: str | Path) -> Path:
    """The folder that --out names; to ``Path`` an empty name is the folder one stands in."""
    if not str(given).strip():
        raise OutputError("--out is empty; name a folder, '.' for this one, or leave the option out")
    return Path(given)


def _refuse_unwritable(folder: Path | None) -> None:
    """Say before the work, not after, that the results have no place to go."""
    if folder is None:
        return
    try:
        nearest = next(place for place in (folder, *folder.absolute().parents) if place.exists())
    except OSError as error:  # a name too long for the system
        raise OutputError(f"cannot write to {str(folder)!r} ({error.strerror}); choose another --out") from error
    if not nearest.is_dir():
        raise OutputError(f"--out {str(folder)!r}: {str(nearest)!r} is a file; give a folder")
    try:
        tempfile.TemporaryDirectory(dir=nearest).cleanup()
    except OSError as error:
        raise OutputError(f"cannot write to {str(folder)!r} ({error.strerror}); choose another --out") from error


def _refuse_replacing(folder: Path | None, *inputs: str | Path | None) -> None:
    """An answer never takes the place of what it is made from, nor of what is no answer."""
    from foundcause.report.export import FILES, refuse_replacing_others

    if folder is None:
        return
    sources = [place for given in inputs if given and (place := Path(given).expanduser()).is_file()]
    for name in FILES:
        for source in sources if (folder / name).exists() else ():
            if source.samefile(folder / name):
                raise OutputError(
                    f"the result would replace {str(source)!r}, which it is made of; choose another --out"
                )
    refuse_replacing_others(folder)


def _knowledge(
    file: Path | None,
    tiers: list[str] | None,
    forbid: list[str] | None,
    require: list[str] | None,
    roots: list[str] | None,
    sinks: list[str] | None,
    within: bool,
) -> Knowledge | None:
    if not (file or tiers or forbid or require or roots or sinks or within):
        return None
    from foundcause.knowledge import Knowledge

    given = Knowledge(
        tiers=tuple(_tier(tier) for tier in tiers or ()),
        forbidden=tuple(forbid or ()),  # type: ignore[arg-type]
        required=tuple(require or ()),  # type: ignore[arg-type]
        roots=tuple(roots or ()),
        sinks=tuple(sinks or ()),
        forbid_within_tiers=within,
    )
    known = given if file is None else Knowledge.from_file(file).merged(given)
    if within and not known.tiers:
        raise ConfigError("--forbid-within-tiers needs tiers; give them with --tier or --knowledge")
    return known


def _tier(text: str) -> tuple[str, ...]:
    """The columns of one tier; as in a CSV file, a name that holds a comma stands in double quotes."""
    try:
        (names,) = csv.reader([text], skipinitialspace=True, strict=True)
    except (csv.Error, ValueError):  # a quote that belongs to a name
        names = text.split(",")
    return tuple(name.strip() for name in names if name.strip())


class _Bar:
    """A bar on stderr that vanishes when done; entering gives what ``discover`` calls, None when nothing is shown."""

    def __init__(self, *, show: bool) -> None:
        self._show = show and sys.stderr.isatty()

    def __enter__(self) -> Callback | None:
        if not self._show:
            return None
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

        self._bar = Progress(
            TextColumn("{task.description:<12}"),
            BarColumn(),
            TimeRemainingColumn(),
            console=Console(stderr=True),
            transient=True,
        )
        self._bar.start()
        task = self._bar.add_task("reading", total=None)

        def advance(done: int, total: int, stage: str) -> None:
            self._bar.update(task, completed=done, total=total, description=stage)

        return advance

    def __exit__(self, *_: object) -> None:
        if self._show:
            self._bar.stop()
