"""``foundcause effects``, ``check`` and ``ask``: what follows from a table's graph."""

from __future__ import annotations

import json as jsonlib
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from foundcause.cli.streams import print_table

if TYPE_CHECKING:
    from foundcause.result import Result

_TABLE = typer.Argument(help="The table: CSV, TSV, Parquet, ...", show_default=False)
_RESULT = typer.Option("--result", help="A result of this table, from discover --out. (default: discover it now)")
_JSON = typer.Option("--json", help="Print as JSON.")


def register(app: typer.Typer) -> None:
    """Add the commands to the tree."""
    app.command("effects")(effects)
    app.command("check")(check)
    app.command("ask")(ask)


def effects(
    file: Annotated[str, _TABLE],
    outcome: Annotated[str, typer.Option(help="The column to explain.", show_default=False)],
    treatment: Annotated[str | None, typer.Option(help="Only the effect of this column, in detail.")] = None,
    estimator: Annotated[str, typer.Option(help="auto, linear, additive, boosting or doubly-robust.")] = "auto",
    level: Annotated[float, typer.Option(help="Probability of the intervals.")] = 0.9,
    units: Annotated[bool, typer.Option("--units", help="Count in the columns' own units.")] = False,
    hidden_causes: Annotated[
        bool, typer.Option("--hidden-causes/--no-hidden-causes", help="Whether pairs may have hidden common causes.")
    ] = True,
    graphs: Annotated[int, typer.Option(help="Number of sampled graphs.")] = 200,
    result: Annotated[Path | None, _RESULT] = None,
    knowledge: Annotated[Path | None, typer.Option(help="Background knowledge, a TOML or JSON file.")] = None,
    random_state: Annotated[int, typer.Option(help="Seed.")] = 0,
    json: Annotated[bool, _JSON] = False,
) -> None:
    """Estimate total effects on an outcome, averaged over graphs that the table allows."""
    found = _result(file, result, knowledge, random_state)
    options: dict[str, Any] = {
        "level": level,
        "standardized": not units,
        "hidden_causes": hidden_causes,
        "n_graphs": graphs,
        "random_state": random_state,
    }
    if treatment is None:
        table = found.effects(outcome, file, **options)
        print_table(table, f"Total effects on {outcome!r}", json)
        if not json and hidden_causes and table["effect"].isna().any():
            print("Empty effects are not identified: hidden common causes may explain them.")
            print("See what follows without hidden causes: --no-hidden-causes")
        return
    effect = found.effect(treatment, outcome, file, estimator=estimator, **options)
    if json:
        content = {name: getattr(effect, name) for name in effect.__dataclass_fields__ if name != "draws"}
        print(jsonlib.dumps({**content, "mean": None if effect.mean != effect.mean else effect.mean}, default=float))
        return
    print(effect)
    for names, share in effect.adjustment_sets[:5]:
        print(f"  {share:4.0%} of graphs adjust for {', '.join(names) or 'nothing'}")


def check(
    file: Annotated[str, _TABLE],
    graph: Annotated[Path, typer.Option(help="GML, DOT, dagitty text or an edge list (CSV).", show_default=False)],
    result: Annotated[Path | None, _RESULT] = None,
    alpha: Annotated[float, typer.Option(help="Error rate of the tests.")] = 0.01,
    random_state: Annotated[int, typer.Option(help="Seed.")] = 0,
    json: Annotated[bool, _JSON] = False,
) -> None:
    """Check a graph of yours against a table."""
    from foundcause.effects.decisions import check as run

    found = _result(file, result, None, random_state)
    verdict = run(graph, file, result=found, alpha=alpha, random_state=random_state)
    parts = {
        "violated": ("Independences that the graph implies and the rows contradict", verdict.violated),
        "missing": ("Pairs that ask for an edge", verdict.missing),
        "unsupported": ("Edges without support in the rows", verdict.unsupported),
        "reversed": ("Edges that look turned around", verdict.reversed),
    }
    if json:
        content = {name: jsonlib.loads(table.to_json(orient="records")) for name, (_, table) in parts.items()}
        figures = {
            "passed": verdict.passed,
            "tested": verdict.tested,
            "score": verdict.score,
            "permutation_p_value": verdict.permutation_p_value,
        }
        print(jsonlib.dumps({**figures, **content}))
        return
    print("The rows do not contradict this graph." if verdict.passed else "The rows contradict this graph.")
    print(f"{verdict.tested} implied independences were tested, {len(verdict.violated)} are violated.")
    print(f"Graphs with shuffled names fit as well with probability {verdict.permutation_p_value:.2f}.")
    for title, table in parts.values():
        if len(table):
            print_table(table, title, as_json=False)


def ask(
    file: Annotated[str, _TABLE],
    out: Annotated[Path | None, typer.Option("-o", "--out", help="Write the questions as a form (TOML).")] = None,
    n: Annotated[int, typer.Option(help="Number of questions.")] = 10,
    answers: Annotated[Path | None, typer.Option(help="A filled form; with --out, write its knowledge there.")] = None,
    result: Annotated[Path | None, _RESULT] = None,
    random_state: Annotated[int, typer.Option(help="Seed.")] = 0,
) -> None:
    """Ask what would settle most of the graph. Nothing is sent anywhere."""
    from foundcause.effects.forms import answers_to_knowledge, questions_to_form
    from foundcause.files import write_text

    if answers is not None:
        text = answers_to_knowledge(answers)
    else:
        found = _result(file, result, None, random_state)
        questions = found.questions(n, random_state=random_state)
        if out is None:
            for k, question in enumerate(questions, 1):
                print(f"{k}. {question.text}  (settles {question.gain:.1f} bits)")
            return
        text = questions_to_form(questions)
    if out is None:
        print(text)
    else:
        write_text(out, text)


def _result(file: str, saved: Path | None, knowledge: Path | None, random_state: int) -> Result:
    from foundcause import api

    if saved is not None:
        return api.load(saved)
    return api.discover(file, knowledge=knowledge, random_state=random_state)
