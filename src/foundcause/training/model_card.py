"""The model card of a checkpoint, from its own header and the validation it was given: figures cannot disagree."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from foundcause.errors import CheckpointError, ConfigError
from foundcause.files import replacing
from foundcause.model.checkpoints import describe, load, weights_digest
from foundcause.training.setup import trained_on
from foundcause.training.validation import unseen, validation_suites

_COLUMNS = {
    "auroc": "AUROC",
    "f1": "F1",
    "skeleton_f1": "skeleton F1",
    "direction": "direction",
    "confounder_auroc": "hidden causes, AUROC",
    "existence_loss": "log-loss, existence",
    "direction_loss": "log-loss, direction",
}


def model_card(checkpoint: Path, validation: Mapping[str, Any], *, tasks: int | None = None) -> str:
    """Markdown for a calibrated checkpoint; ``validation`` is what ``foundcause train evaluate --json`` wrote.

    tasks: of each suite, for a validation that does not say it.
    """
    network, metadata = load(checkpoint)
    tasks = _tasks_of(validation, weights_digest(network), tasks)
    if "calibration" not in metadata or "training" not in metadata:
        raise CheckpointError(f"{checkpoint} is not a calibrated checkpoint of a run; use the run's model.safetensors")
    facts = {
        "network": f"preset `{network.config.name.upper()}`, {network.parameter_count:,} parameters, "
        f"{checkpoint.stat().st_size / 1e6:.1f} MB; features `{network.config.features}` "
        f"({network.features.count} per ordered pair)",
        **_training(metadata),
        "calibration": _calibration(metadata["calibration"]),
    }
    lines = [
        f"# Model card: `{checkpoint.name}`",
        "",
        "The weights behind `foundcause discover`.",
        "",
        "| | |",
        "|---|---|",
    ]
    lines += [f"| {name} | {text} |" for name, text in facts.items()]
    lines += ["", "![What it says against how often that is true](images/reliability.png)", ""]
    lines += ["## Validation on synthetic tasks", "", _validation_words(metadata, tasks), ""]
    lines += _table(validation)
    return "\n".join(lines) + "\n"


def _tasks_of(validation: Mapping[str, Any], weights: str, given: int | None) -> int:
    """Tasks of each suite in a validation, which must be one of these weights."""
    if not isinstance(validation, Mapping) or "families" not in validation:
        raise ConfigError("the validation is no output of train evaluate --json; write it with that command")
    if validation.get("weights", weights) != weights:
        raise ConfigError(
            f"the validation is of other weights ({validation.get('checkpoint')}); run train evaluate --json on these"
        )
    found = validation.get("tasks", given)
    if found is None:
        raise ConfigError("the validation does not say how many tasks it had; give --tasks, or run train evaluate anew")
    if given not in (None, found):
        raise ConfigError(f"the validation had {found} tasks of each suite, not {given}; leave --tasks out")
    return int(found)


def _training(metadata: Mapping[str, Any]) -> dict[str, str]:
    options = metadata["training"]
    fresh = metadata["passes"] // options.get("reuse", 1)
    hours = metadata["elapsed_minutes"] / 60
    processes = 1 + options["workers"]
    tasks = f"{', '.join(options['only'])} from " if options.get("only") else ""
    real = "" if trained_on(metadata) is None else "; no real table"
    start = f", starting from the weights of `{metadata['init']}`" if metadata.get("init") else ""
    columns = metadata["trained_variables"]
    return {
        "trained on": f"synthetic tasks of {tasks}the mixture `{options['mixture']}` alone (docs/simulator.md){real}",
        "training": f"{metadata['elapsed_minutes']:.0f} minutes of {processes} processes on a shared machine "
        f"(at most {processes * hours:.1f} core-hours), {metadata['passes']:,} passes over about {fresh:,} tasks, "
        f"{metadata['step']:,} steps, {options['optimizer']} with averaged weights{start}",
        "sizes seen": f"2 to {columns} columns" if columns > 2 else "2 columns",
    }


def _calibration(found: Mapping[str, Any]) -> str:
    fitted, quality = found["fitted_on"], found["reliability"]
    return (
        f"fitted on {fitted['tasks']} further synthetic tasks, {fitted.get('runs', 1)} passes averaged: temperatures "
        f"{found['edge_temperature']:.2f} (existence) and {found['direction_temperature']:.2f} (direction); expected "
        f"calibration error of directed edges {quality['ece_before']:.4f} before and {quality['ece_after']:.4f} after, "
        "on held-out halves"
    )


def _validation_words(metadata: Mapping[str, Any], tasks: int) -> str:
    seen = trained_on(metadata)
    known = f"Never trained on: {', '.join(unseen(validation_suites(), seen)) or 'none of them'}"
    if seen is None:
        known = "Which of them it was trained on is not known: a checkpoint it started from does not say"
    return (
        f"{tasks} tasks of each suite (pairs and excerpts: four times as many), reserved seeds, one pass, adjacent "
        f"from 0.4 on (`foundcause train evaluate`). {known}."
    )


def _table(validation: Mapping[str, Any]) -> list[str]:
    lines = ["| suite | " + " | ".join(_COLUMNS.values()) + " |", "|---" * (len(_COLUMNS) + 1) + "|"]
    count = len(validation["families"])
    of = "" if count >= len(validation_suites()) else f" of these {count} suites"
    rows = {**dict(sorted(validation["families"].items())), f"**mean{of}**": validation["mean"]}
    for suite, metrics in rows.items():
        lines.append(f"| {suite} | " + " | ".join(_shown(metrics.get(name)) for name in _COLUMNS) + " |")
    return lines


def _shown(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def plot_reliability(checkpoint: Path, target: Path) -> Path:
    """Draw the held-out reliability that ``foundcause train calibrate`` stored in a checkpoint, and return its path."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    calibration = describe(checkpoint)["metadata"].get("calibration")
    if not calibration or not calibration["reliability"]["bins"]:
        raise CheckpointError(f"{checkpoint} holds no calibration; run `foundcause train calibrate RUN` first")
    quality, tasks = calibration["reliability"], calibration["fitted_on"]["tasks"]
    said, true, counts = zip(*quality["bins"], strict=True)
    figure = Figure(figsize=(5, 5.2), layout="constrained")
    FigureCanvasAgg(figure)
    axis = figure.add_subplot()
    axis.plot([0, 1], [0, 1], color="#a0aec0", linewidth=1, label="what is said is true")
    axis.plot(said, true, marker="o", color="#2b6cb0", label="held-out synthetic tasks")
    for x, y, count in zip(said, true, counts, strict=True):
        axis.annotate(f"{count:,}", (x, y), textcoords="offset points", xytext=(6, -11), fontsize=7, color="#52606f")
    axis.set_xlabel("probability said of a directed edge")
    axis.set_ylabel("share of such edges that are true")
    axis.set_title(f"Calibration error {quality['ece_after']:.4f} over {tasks} tasks", fontsize=10)
    axis.legend(loc="upper left", fontsize=8)
    axis.set_aspect("equal")
    with replacing(target) as partial:
        figure.savefig(partial, dpi=120)
    return target
