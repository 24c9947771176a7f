"""``foundcause train``: train a network, and calibrate, validate and plot what was trained."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from foundcause.errors import ConfigError

SuiteTasks = Annotated[
    int, typer.Option(min=2, help="Tasks of each suite (of pairs and excerpts, four times as many).")
]
SuiteNames = Annotated[list[str] | None, typer.Option("--suite", help="Only this suite; may be repeated.")]
SuiteWorkers = Annotated[int, typer.Option(min=0, help="Simulating processes, when suites are not in the cache.")]


class _ResumeWord(TyperGroup):
    """Reads ``--resume`` alone as ``--resume yes``, for which typer has no option kind."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        words: list[str] = []
        for position, word in enumerate(args):
            words.append(word)
            if word == "--resume" and args[position + 1 : position + 2] not in (["auto"], ["yes"]):
                words.append("yes")
        return super().parse_args(ctx, words)


def register(app: typer.Typer) -> None:
    """Add ``train`` and its sub-commands."""
    group = typer.Typer(cls=_ResumeWord, invoke_without_command=True, no_args_is_help=True)
    group.callback()(train)
    group.command()(calibrate)
    group.command()(evaluate)
    group.command()(compare)
    group.command()(curves)
    group.command()(reliability)
    group.command()(card)
    group.command()(average)
    app.add_typer(group, name="train")


def train(
    context: typer.Context,
    out: Annotated[Path | None, typer.Option(help="Run folder; created when missing.")] = None,
    recipe: Annotated[str | None, typer.Option(help="Options by name: paper, statistics-only; others win.")] = None,
    config: Annotated[Path | None, typer.Option(help="TOML file of options; options here win.")] = None,
    resume: Annotated[
        str, typer.Option(help="Continue the run in --out; auto: if there is one.", metavar="[auto]")
    ] = "no",
    init: Annotated[Path | None, typer.Option(help="Start from the weights of this checkpoint.")] = None,
    preset: Annotated[str | None, typer.Option(help="Model preset: SMALL, TINY, BASE or PAPER_SMALL.")] = None,
    mixture: Annotated[str | None, typer.Option(help="Task distribution: SHIPPED or PAPER.")] = None,
    only: Annotated[list[str] | None, typer.Option(help="Train on this component alone; may be repeated.")] = None,
    without: Annotated[list[str] | None, typer.Option(help="Leave out a component; may be repeated.")] = None,
    features: Annotated[str | None, typer.Option(help="Feature set of the model, e.g. paper+extended.")] = None,
    objective: Annotated[str | None, typer.Option(help="Loss: shipped or paper.")] = None,
    minutes: Annotated[float | None, typer.Option(help="Budget in minutes of wall time, over all resumes.")] = None,
    steps: Annotated[int | None, typer.Option(help="Budget in optimizer steps.")] = None,
    seed: Annotated[int | None, typer.Option(help="Seed of weights, tasks and every draw.")] = None,
    lr: Annotated[float | None, typer.Option(help="Peak learning rate.")] = None,
    optimizer: Annotated[str | None, typer.Option(help="adamw, muon or schedule-free.")] = None,
    batch_budget: Annotated[float | None, typer.Option(help="Sum of D squared over the tasks of a batch.")] = None,
    feature_dropout: Annotated[float | None, typer.Option(help="Rate of feature dropout.")] = None,
    replay: Annotated[float | None, typer.Option(help="Share of hard tasks replayed in each batch.")] = None,
    shards: Annotated[str | None, typer.Option(help="Folder of simulated tasks to read.")] = None,
    workers: Annotated[int | None, typer.Option(help="Simulating processes.")] = None,
    threads: Annotated[int | None, typer.Option(help="Torch threads of the trainer; 0 for torch's choice.")] = None,
    device: Annotated[str | None, typer.Option(help="cpu, cuda or auto.")] = None,
    checkpoint_minutes: Annotated[float | None, typer.Option(help="Minutes between checkpoints.")] = None,
    validate_minutes: Annotated[float | None, typer.Option(help="Minutes between validations; 0 for none.")] = None,
    memory: Annotated[str | None, typer.Option(help="Memory limit of a step, such as 40G.")] = None,
    tensorboard: Annotated[bool | None, typer.Option("--tensorboard/--no-tensorboard", help="Write events.")] = None,
    logger: Annotated[
        list[str] | None, typer.Option(help="module:function that takes every entry of the log; may be repeated.")
    ] = None,
    set_: Annotated[list[str] | None, typer.Option("--set", help="key=value of the model; may be repeated.")] = None,
    option: Annotated[
        list[str] | None, typer.Option("--option", help="key=value of the training options; may be repeated.")
    ] = None,
) -> None:
    """Train a network on simulated tasks; see docs/training.md for every option."""
    if context.invoked_subcommand is not None:
        return
    names = (
        "preset", "mixture", "objective", "minutes", "steps", "seed", "lr", "optimizer", "batch_budget",
        "feature_dropout", "replay", "shards", "workers", "threads", "device", "checkpoint_minutes", "validate_minutes",
        "memory", "tensorboard",
    )  # fmt: skip
    given: dict[str, Any] = {name: context.params[name] for name in names if context.params[name] is not None}
    given |= _pairs(option or [])
    given |= {name: tuple(names) for name, names in (("only", only), ("without", without)) if names}
    model = _pairs(set_ or []) | ({"features": features} if features else {})
    if out is None and recipe is None:
        raise ConfigError("say where the run goes: foundcause train --out runs/a --minutes 150")

    from foundcause.training.loop import train as run
    from foundcause.training.run_config import read_recipe, read_toml, resumed, train_config
    from foundcause.training.run_folder import RunFolder
    from foundcause.training.run_log import logger_at

    out = out or Path("runs") / str(recipe)
    continues = _continues(resume, RunFolder(out))
    options: dict[str, Any] = {}
    # A run that is resumed has its recipe's options in its folder.
    of_recipe = read_recipe(recipe) if recipe and not continues else {}
    for further in (of_recipe, read_toml(config) if config else {}, given):
        if "minutes" in further or "steps" in further:
            options = {key: value for key, value in options.items() if key not in ("minutes", "steps")}
        joined = {**options.get("model", {}), **further.get("model", {})}
        options |= further | ({"model": joined} if joined else {})
    if model:
        options["model"] = {**options.get("model", {}), **model}
    settings = resumed(RunFolder(out).read_config(), options) if continues else train_config(options)
    loggers = [logger_at(address) for address in logger or ()]
    folder = run(settings, out, resume=continues, init=init, say=_say, loggers=loggers)
    if not folder.finished():
        raise KeyboardInterrupt  # the state is saved, but whoever waits for a whole run must not go on


def calibrate(
    run: Annotated[Path, typer.Argument(help="Run folder.")],
    tasks: Annotated[int, typer.Option(min=1, help="Synthetic tasks to fit on.")] = 600,
    passes: Annotated[int, typer.Option(min=1, help="Passes averaged for each task, as in discover; 1 is quick.")] = 10,
) -> None:
    """Fit temperatures and the threshold rule of a run's best checkpoint; writes model.safetensors."""
    from foundcause.training.calibrate import calibrate_run
    from foundcause.training.run_folder import RunFolder

    _one_thread()
    calibrate_run(RunFolder(run), tasks=tasks, passes=passes, say=_say)


def evaluate(
    checkpoint: Annotated[Path, typer.Argument(help="Checkpoint to validate.")],
    tasks: SuiteTasks = 40,
    suite: SuiteNames = None,
    workers: SuiteWorkers = 1,
    json_out: Annotated[Path | None, typer.Option("--json", help="Also write the figures to this file.")] = None,
) -> None:
    """Score a checkpoint on the synthetic validation suites."""
    import json

    from foundcause.files import write_text
    from foundcause.model.checkpoints import load, weights_digest
    from foundcause.training.run_config import TrainConfig
    from foundcause.training.setup import trained_on
    from foundcause.training.validation import validation
    from foundcause.training.workers import Workers

    _one_thread()
    network, metadata = load(checkpoint)
    settings = TrainConfig(steps=1, validation_tasks=tasks, validation_suites=tuple(suite or ()))
    with Workers(workers) as pool:
        suites = validation(settings, network.config, pool, trained_on=trained_on(metadata), say=_say)
    result = suites.evaluate(network.eval())
    print(result.table())
    _say(result.line())
    if json_out:
        about = {"checkpoint": checkpoint.name, "weights": weights_digest(network), "tasks": tasks}
        write_text(json_out, json.dumps(about | result.as_dict(), indent=1) + "\n")


def compare(
    checkpoints: Annotated[list[Path], typer.Argument(help="Checkpoints; the first is what others are measured by.")],
    tasks: SuiteTasks = 40,
    suite: SuiteNames = None,
    workers: SuiteWorkers = 1,
) -> None:
    """Compare checkpoints on the same validation tasks: differences of loss with their standard errors."""
    from foundcause.model.checkpoints import load
    from foundcause.training.comparison import compare as compared
    from foundcause.training.run_config import TrainConfig
    from foundcause.training.workers import Workers

    if len(checkpoints) < 2:
        raise ConfigError("one checkpoint has nothing to be compared with; give two or more, or use train evaluate")
    _one_thread()
    networks = [(str(path), load(path)[0].eval()) for path in checkpoints]
    settings = TrainConfig(steps=1, validation_tasks=tasks, validation_suites=tuple(suite or ()))
    with Workers(workers) as pool:
        print(compared(networks, settings, pool, _say).table())


def card(
    checkpoint: Annotated[Path, typer.Argument(help="Calibrated checkpoint, a run's model.safetensors.")],
    validation: Annotated[Path, typer.Option(help="What `train evaluate --json` wrote for it.")],
    tasks: Annotated[
        int | None, typer.Option(help="Tasks of each suite, for a validation that does not say it.")
    ] = None,
) -> None:
    """Print the figures of a model card as Markdown."""
    import json

    from foundcause.training.model_card import model_card

    try:
        found = json.loads(validation.read_text())
    except (OSError, ValueError) as error:
        raise ConfigError(f"cannot read the validation {validation}: {error}") from None
    print(model_card(checkpoint, found, tasks=tasks), end="")


def average(
    checkpoints: Annotated[list[Path], typer.Argument(help="Checkpoints of one configuration, the newest last.")],
    out: Annotated[Path, typer.Option(help="Run folder to write; calibrate it next.")],
) -> None:
    """Average the weights of several runs that started from one another."""
    from foundcause.training.average import average as mean

    print(f"wrote {mean(checkpoints, out)}")


def curves(
    run: Annotated[Path, typer.Argument(help="Run folder.")],
    out: Annotated[Path | None, typer.Option(help="Picture to write; curves.png in the run folder by default.")] = None,
) -> None:
    """Plot loss, validation and time split of a run."""
    from foundcause.training.run_log import plot_curves

    _say(f"wrote {plot_curves(run, out)}")


def reliability(
    checkpoint: Annotated[Path, typer.Argument(help="Calibrated checkpoint.")],
    out: Annotated[Path, typer.Option(help="Picture to write.")] = Path("reliability.png"),
) -> None:
    """Plot what a calibrated checkpoint says against how often that was true on held-out synthetic tasks."""
    from foundcause.training.model_card import plot_reliability

    _say(f"wrote {plot_reliability(checkpoint, out)}")


def _continues(resume: str, folder: Any) -> bool:
    """Whether a run is resumed; with ``auto``, if the folder has a state."""
    if resume not in ("no", "yes", "auto"):
        raise ConfigError(f"--resume {resume} is not known; give --resume alone, or --resume auto")
    return resume == "yes" or (resume == "auto" and folder.state.exists())


def _pairs(texts: list[str]) -> dict[str, Any]:
    """key=value texts with values read as TOML (numbers, true, lists), else as text."""
    import tomllib

    found: dict[str, Any] = {}
    for text in texts:
        key, sign, value = text.partition("=")
        if not sign or not key:
            raise ConfigError(f"{text!r} is not of the form key=value")
        try:
            found[key] = tomllib.loads(f"x = {value}")["x"]
        except tomllib.TOMLDecodeError:
            found[key] = None if value.lower() == "none" else value
    return found


def _one_thread() -> None:
    import torch

    torch.set_num_threads(1)


def _say(text: str) -> None:
    from rich.console import Console

    Console(highlight=False, soft_wrap=True).print(text, markup=False)
