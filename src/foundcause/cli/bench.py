"""``foundcause bench``: data sets, methods, runs and the report of the evaluation."""

from __future__ import annotations

import json as jsonlib
import os
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

RESULTS = Path("research/results")
README = Path("README.md")
_FEW = 30  # names that a message can hold

Plugins = Annotated[
    list[Path] | None,
    typer.Option("--plugin", help="Python file with methods or data sets of your own; may be given several times."),
]


def register(app: typer.Typer) -> None:
    """Add ``bench`` and its sub-commands."""
    group = typer.Typer(no_args_is_help=True, help="Evaluate foundcause and its baselines on the paper's data sets.")
    for command in (datasets, methods, experiments, run, report, fetch):
        group.command()(command)
    app.add_typer(group, name="bench")


def _load(plugins: list[Path] | None) -> None:
    from foundcause.bench import plugin

    for path in plugins or ():
        plugin.load(path)


def datasets(
    verbose: Annotated[bool, typer.Option("--verbose", help="Show source, licence and recipe too.")] = False,
    plugin: Plugins = None,
) -> None:
    """List the data sets: size, and whether they are available here or why not."""
    _load(plugin)
    from rich.console import Console
    from rich.table import Table

    from foundcause.bench import datasets as registry

    shown = Table(
        "name", "variables", "rows", "edges", "available", *(("source", "licence", "recipe") if verbose else ())
    )
    collections = {"tuebingen": registry.TUEBINGEN, "example_pairs": registry.EXAMPLE_PAIRS}
    firsts = [registry.DATASETS[names[0]] for names in collections.values()]
    for entry in [*(e for e in registry.DATASETS.values() if e.family not in collections), *firsts]:
        many = collections.get(entry.family)
        name = f"{entry.family} ({len(many)} pairs)" if many else entry.name
        reason = entry.missing()
        edges = "varies" if entry.edges is None else str(entry.edges)
        if entry.paper_edges is not None:
            edges += f" (paper {entry.paper_edges})"
        sizes = [str(entry.variables or "varies"), str(entry.rows or "varies"), edges]
        row = [name, *sizes, "yes" if reason is None else reason]
        if verbose:
            recipe = f"{entry.recipe}. {entry.note}" if entry.note else entry.recipe
            row += [entry.source, entry.licence, recipe]
        shown.add_row(*row)
    Console(width=None if not verbose else 200).print(shown)
    here = registry.available(registry.CLEAN)
    print(f"{len(here)} of the paper's {len(registry.CLEAN)} data sets are available here.")


def methods(plugin: Plugins = None) -> None:
    """List the methods, and why one cannot be run here."""
    _load(plugin)
    from rich.console import Console
    from rich.table import Table

    from foundcause.bench.baselines import METHODS

    shown = Table("name", "settings", "tables", "pairs", "available")
    for entry in METHODS.values():
        reason = entry.unavailable()
        marks = ["yes" if flag else "" for flag in (entry.graphs, entry.pairs)]
        shown.add_row(entry.name, entry.settings, *marks, "yes" if reason is None else reason)
    Console().print(shown)


def experiments(plugin: Plugins = None) -> None:
    """List the experiments."""
    _load(plugin)
    from foundcause.bench.experiments import EXPERIMENTS

    print(f"{'effects':16} How near are total effects to those of known systems?")
    for entry in EXPERIMENTS.values():
        print(f"{entry.name:16} {entry.question} ({len(entry.datasets)} data sets, {entry.seeds} seeds)")


def run(
    experiment: Annotated[str, typer.Argument(help="Name of the experiment; `bench experiments` lists them.")],
    methods: Annotated[
        str | None,
        typer.Option(
            help="Comma-separated names, or all, fast, ours, series, ablations, protocols; else by experiment."
        ),
    ] = None,
    protocol: Annotated[str | None, typer.Option(help="Run foundcause under this protocol: paper or release.")] = None,
    only: Annotated[str | None, typer.Option(help="Comma-separated data sets; default all of the experiment.")] = None,
    seeds: Annotated[int | None, typer.Option(min=1, help="Number of seeds; default by experiment.")] = None,
    jobs: Annotated[int, typer.Option(help="Cells at once; -1 for one per core.")] = 1,
    backend: Annotated[str, typer.Option(help="Where they run: loky (this machine), dask or ray.")] = "loky",
    address: Annotated[str | None, typer.Option(help="Address of a Dask scheduler or a Ray cluster.")] = None,
    limit: Annotated[float, typer.Option(min=0.1, help="Seconds a cell may take.")] = 300.0,
    results: Annotated[Path, typer.Option(help="Folder of the results.")] = RESULTS,
    checkpoint: Annotated[Path | None, typer.Option(help="Weights of ours to evaluate.")] = None,
    retry: Annotated[bool, typer.Option("--retry", help="Run failed cells again.")] = False,
    plugin: Plugins = None,
) -> None:
    """Run an experiment; what is in the results already is not run again."""
    from rich.console import Console

    from foundcause import engines
    from foundcause.bench import datasets as registry
    from foundcause.bench.baselines import select
    from foundcause.bench.baselines.our_methods import CHECKPOINT_VARIABLE
    from foundcause.bench.experiments import experiment as named
    from foundcause.bench.records import Store
    from foundcause.bench.runner import RunProgress, outdated, pending, plan
    from foundcause.bench.runner import run as execute
    from foundcause.errors import CheckpointError, ConfigError, DataUnavailableError

    if experiment == "effects":
        _run_effects(results, only)
        return
    engines.check(backend, jobs, address)
    if checkpoint is not None:
        if not checkpoint.is_file():
            raise CheckpointError(f"there is no checkpoint {checkpoint}")
        os.environ[CHECKPOINT_VARIABLE] = str(checkpoint.resolve())
    _load(plugin)
    console = Console(highlight=False)
    chosen = named(experiment)
    wanted = tuple(name.strip() for name in only.split(",")) if only else chosen.datasets
    strangers = [name for name in wanted if name not in chosen.datasets]
    if strangers:
        there = f"{', '.join(chosen.datasets[:_FEW])}{', ...' if len(chosen.datasets) > _FEW else ''}"
        raise ConfigError(f"{', '.join(strangers)}: not part of experiment '{experiment}', which has {there}")
    if not wanted:
        raise ConfigError(f"experiment '{experiment}' has no data set; name a file that registers one with --plugin")
    missing = {name: reason for name in wanted if (reason := registry.dataset(name).missing()) is not None}
    here = [name for name in wanted if name not in missing]
    if not here:
        raise DataUnavailableError(f"no data set to run '{experiment}' on: {_grouped(missing)}")
    usable = []
    for entry in select(_under(protocol, methods) or chosen.methods, pairs=chosen.pairs):
        reason = entry.unavailable()
        if reason is None:
            usable.append(entry)
        else:
            console.print(f"skipping method {entry.name}: {reason}", markup=False)
    for name, reason in missing.items():
        console.print(f"skipping data set {name}: {reason}", markup=False)
    cells = list(plan(chosen, usable, here, seeds or chosen.seeds, limit))
    store = Store(results / f"{chosen.name}.jsonl")
    done = store.cells()
    todo = pending(cells, done, retry=retry)
    replaced = outdated(todo, done)
    if replaced:
        print(_replaces(replaced), file=sys.stderr)
    failed = 0 if retry else len(pending(cells, done, retry=True)) - len(todo)
    again = f" ({failed} of them failed; --retry runs these again)" if failed else ""
    console.print(f"{len(cells)} cells, {len(cells) - len(todo)} done before{again}, {len(todo)} to run")
    with RunProgress(console, chosen.name, len(todo)) as progress:
        execute(todo, results, jobs=jobs, backend=backend, address=address, report=progress.finished)
    console.print(progress.summary())


def _run_effects(results: Path, only: str | None) -> None:
    """Estimate effects on systems, published networks and job training; print a summary of each."""
    from foundcause.bench import effects_experiment as effects
    from foundcause.errors import ConfigError, DataUnavailableError

    groups = {"systems": lambda: effects.systems(60), "bnrep": lambda: effects.published(20), "lalonde": _lalonde}
    for name in only.split(",") if only else groups:
        if name not in groups:
            raise ConfigError(f"--only {name!r} is not part of 'effects'; choose from {', '.join(groups)}")
        try:
            records = effects.run_effects(iter(groups[name]()))
        except DataUnavailableError as error:
            print(f"skipping {name}: {error}")
            continue
        effects.write_records(records, results / f"effects_{name}.jsonl")
        print(name, jsonlib.dumps(effects.summary(records)))


def _lalonde() -> list[Any]:
    from foundcause.bench.effects_experiment import lalonde

    return [lalonde()]


def _under(protocol: str | None, methods: str | None) -> str | None:
    """The methods that are asked for, foundcause under a protocol; with a protocol alone that is all."""
    if protocol is None:
        return methods
    names = [name.strip() for name in (methods or "foundcause").split(",")]
    return ",".join(f"foundcause_{protocol}_protocol" if name == "foundcause" else name for name in names)


def _replaces(records: list[dict[str, Any]]) -> str:
    """Says what goes, and how to keep it."""
    from foundcause.bench.baselines import method
    from foundcause.bench.records import recorded_version

    names = {
        f"{record['method']} with {recorded_version(record)}" if method(record["method"]).ours else record["method"]
        for record in records
    }
    return (
        f"foundcause: warning: {len(records)} earlier results, made with other weights, settings or data, are replaced "
        f"({', '.join(sorted(names))}); to keep both, name another folder with --results"
    )


def _grouped(missing: dict[str, str]) -> str:
    """Every reason once, with the data sets it holds for (the pairs of Tuebingen are many)."""
    names: dict[str, list[str]] = {}
    for name, reason in missing.items():
        names.setdefault(reason, []).append(name)
    return "; ".join(
        f"{', '.join(some) if len(some) < 4 else f'{some[0]} and {len(some) - 1} more'}: {reason}"
        for reason, some in names.items()
    )


def report(
    results: Annotated[Path, typer.Option(help="Folder of the results.")] = RESULTS,
    out: Annotated[Path | None, typer.Option(help="Where the report goes; default beside the results.")] = None,
    readme: Annotated[
        Path | None,
        typer.Option(help="README whose table is brought up to date; default README.md, for the default results."),
    ] = None,
    compact: Annotated[
        bool, typer.Option("--compact", help="First move the results to compressed files, without outdated lines.")
    ] = False,
    plugin: Plugins = None,
) -> None:
    """Write tables and pictures from the results, and the README's table."""
    from foundcause.bench.experiments import EXPERIMENTS
    from foundcause.bench.records import Store
    from foundcause.bench.report.averages import warnings
    from foundcause.bench.report.benchmark_page import readme_block, write_report
    from foundcause.errors import InputError

    if not any(results.glob("*.jsonl*")):
        raise InputError(f"{results} has no results; `foundcause bench run clean` makes some")
    _load(plugin)
    if readme is not None:
        if not readme.is_file():
            raise InputError(f"there is no README {readme}; name one that exists, or leave --readme out")
        readme_block(readme.read_text(encoding="utf-8"))  # refuses one without markers before anything is written
    elif results.resolve() == RESULTS.resolve():
        readme = _own_readme()
    if compact:
        for name in EXPERIMENTS:  # other files of the folder are not ours
            if (store := Store(results / f"{name}.jsonl")).files():
                store.compact()
    for path in write_report(results, out or results, readme):
        print(path)
    for text in warnings(results):
        print(f"foundcause: warning: {text}", file=sys.stderr)


def _own_readme() -> Path | None:
    """README.md here, if it has a place for the table."""
    from foundcause.bench.report.benchmark_page import readme_block
    from foundcause.errors import InputError

    if not README.is_file():
        return None
    try:
        readme_block(README.read_text(encoding="utf-8"))
    except InputError:
        return None
    return README


def fetch(
    only: Annotated[str, typer.Argument(help="Pattern of file names, such as 'petshop/*'.")] = "*",
    to: Annotated[Path | None, typer.Option(help="Data folder; default $FOUNDCAUSE_DATA or the user's cache.")] = None,
) -> None:
    """Download the data from the places that publish it, and check every file's content."""
    from foundcause.bench.datasets import FILES
    from foundcause.bench.download import data_folder
    from foundcause.bench.download import fetch as bring

    folder = to or data_folder()
    there = bring(FILES, folder, only=only)
    print(f"{len(there)} files in {folder}")
