"""``foundcause demo``: a simulated survey, what is known of it, and its graph."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from foundcause.cli.discover import folder_option
from foundcause.cli.streams import ProgressOnStderr, printing, refuse_replacing, refuse_unwritable
from foundcause.errors import ConfigError, OutputError

TIERS = (
    ("visit_to_asia", "smoking"),
    ("tuberculosis", "lung_cancer", "bronchitis"),
    ("tuberculosis_or_cancer",),
    ("xray", "dyspnoea"),
)
"""What anybody knows before looking at the survey: habits come before diseases, and diseases before symptoms."""


def register(app: typer.Typer) -> None:
    """Add the command to the tree."""
    app.command("demo")(demo)


def demo(
    out: Annotated[
        Path,
        typer.Option(
            "-o", "--out", help="Folder for the table, the report and the graph.", parser=folder_option, metavar="DIR"
        ),
    ] = Path("demo-output"),
    rows: Annotated[int, typer.Option(help="Rows of the simulated survey.")] = 5000,
    random_state: Annotated[int, typer.Option(help="Seed of the simulation and of the discovery.")] = 1988,
    checkpoint: Annotated[Path | None, typer.Option(help="Weights. (default: the shipped ones)")] = None,
) -> None:
    """Simulate a chest-clinic survey (eight columns of words, some cells missing) and discover its graph."""
    refuse_unwritable(out)
    refuse_replacing(out)
    if rows < 5:
        raise ConfigError(f"--rows {rows} is too few; give at least 5, better 1000")
    from foundcause import api
    from foundcause.report.terminal import print_result, say
    from foundcause.simulate.demo_survey import EDGES, is_survey, write_survey
    from foundcause.weights import CHECKPOINT_VARIABLE, SHIPPED_CHECKPOINT, checkpoint_path

    place = checkpoint_path(checkpoint)
    survey = out / "survey.csv"
    if survey.exists() and not is_survey(survey):
        raise OutputError(f"{str(survey)!r} is not a survey of this demo; choose another --out, or it is replaced")
    write_survey(survey, rows=rows, seed=random_state)
    with printing():
        network = "the network of Lauritzen and Spiegelhalter (1988)"
        say(f"A survey of {rows:,} patients, simulated from {network}: {survey}")
        say("Given beforehand: habits come before diseases, and diseases before symptoms.")
        if checkpoint is None and place != SHIPPED_CHECKPOINT:
            say(f"Using {place.name} of {CHECKPOINT_VARIABLE} instead of the shipped weights.")
    with ProgressOnStderr(show=True) as progress:
        result = api.discover(
            survey, knowledge={"tiers": TIERS}, random_state=random_state, checkpoint=place, progress=progress
        )
    result.save(out, embed_rows=400)
    shown = {(edge.cause, edge.effect) for edge in result.edges.itertuples()}
    joined = {frozenset(edge) for edge in shown}
    right, adjacent = len(shown & set(EDGES)), sum(frozenset(edge) in joined for edge in EDGES)
    with printing():
        print_result(result, out)
        say(f"Of {len(EDGES)} true edges {adjacent} are found, {right} in the right direction; {len(shown)} are shown.")
        say("\nNext steps")
        say(f"  foundcause discover {survey} --outcome dyspnoea   what affects a column")
        say(f"  foundcause ask {survey}                           what to find out next")
        say(f"  {Path(sys.argv[0]).name} serve   a page for tables of your own")
