"""``foundcause simulate``: write synthetic tasks, or a picture of them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from foundcause.errors import ConfigError

if TYPE_CHECKING:
    from foundcause.simulate.settings import Mixture


_FEW = 6  # components that a line can name


def register(app: typer.Typer) -> None:
    """Add the simulate command and its gallery."""
    group = typer.Typer(help="Synthetic tables with their causal graphs.", invoke_without_command=True)

    @group.callback()
    def simulate(
        context: typer.Context,
        out: Annotated[
            str | None,
            typer.Option(help="Folder to write to, or an address such as s3://bucket/tasks; a killed run resumes."),
        ] = None,
        mixture: Annotated[str, typer.Option(help="Distribution of tasks: PAPER, SHIPPED or BROAD.")] = "SHIPPED",
        start: Annotated[int, typer.Option(help="Index of the first task, for arrays of jobs.")] = 0,
        count: Annotated[int, typer.Option(help="Number of tasks.")] = 1000,
        seed: Annotated[int, typer.Option(help="Seed; the same seed gives the same bytes.")] = 0,
        jobs: Annotated[int, typer.Option(help="Processes; -1 for one per core.")] = 1,
        backend: Annotated[str, typer.Option(help="Where they run: loky (this machine), dask or ray.")] = "loky",
        address: Annotated[str | None, typer.Option(help="Address of a Dask scheduler or a Ray cluster.")] = None,
        per_shard: Annotated[int, typer.Option(help="Tasks of one shard.")] = 200,
        only: Annotated[list[str] | None, typer.Option(help="Make only this component (repeatable).")] = None,
        without: Annotated[list[str] | None, typer.Option(help="Leave this component out (repeatable).")] = None,
        csv: Annotated[
            bool, typer.Option("--csv", help="Write single readable tables and graphs instead of shards.")
        ] = False,
    ) -> None:
        """Write synthetic tasks: tables, masks, causal graphs and hidden common causes."""
        if context.invoked_subcommand is not None:
            return
        engine = {"jobs": jobs, "backend": backend, "address": address}
        _write(out, _mixture(mixture, only, without), seed, start, count, engine, per_shard, csv)

    @group.command()
    def gallery(
        out: Annotated[Path, typer.Argument(help="Picture to write (.png, .pdf, .svg).")],
        mixture: Annotated[str, typer.Option(help="Distribution of tasks: PAPER, SHIPPED or BROAD.")] = "SHIPPED",
        seed: Annotated[int, typer.Option(help="Seed of the tasks shown.")] = 0,
        only: Annotated[list[str] | None, typer.Option(help="Show only this component (repeatable).")] = None,
    ) -> None:
        """Draw one task of each component: its graph, some marginals and scatter plots."""
        from foundcause.simulate.gallery import draw_gallery

        draw_gallery(_mixture(mixture, only, None), seed, out)
        print(f"wrote {out}")

    app.add_typer(group, name="simulate")


def _mixture(name: str, only: list[str] | None, without: list[str] | None) -> Mixture:
    from foundcause.simulate.mixture import named

    mixture = named(name)
    mixture = mixture.only(*only) if only else mixture
    mixture = mixture.without(*without) if without else mixture
    return mixture.available()


def _write(
    out: str | None,
    mixture: Mixture,
    seed: int,
    start: int,
    count: int,
    engine: dict[str, Any],
    per_shard: int,
    csv: bool,
) -> None:
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    from foundcause.simulate.shard_folder import Job, run

    if out is None:
        raise ConfigError("no folder to write to; pass --out DIR")
    job = Job(mixture=mixture, seed=seed, start=start, count=count, out=out, per_shard=per_shard, csv=csv)
    done = run(job, **engine)
    earlier = next(done)  # a folder that cannot be used is refused here, before a bar is drawn
    columns = (TextColumn("simulating"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns) as progress:
        bar = progress.add_task("simulating", total=count, completed=earlier)
        for tasks in done:
            progress.advance(bar, tasks)
    kind = "tables" if csv else f"tasks in {len(job.pieces)} shards"
    few = f" ({', '.join(mixture.weights)})" if len(mixture.weights) < _FEW else ""
    print(f"{out}: {count} {kind}, mixture {mixture.name}{few}, seed {seed}")
