"""Pictures of a run from its log: loss terms, validation, learning rate and where the time went."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from foundcause.errors import InputError
from foundcause.files import replacing
from foundcause.training.files import RunFolder


def plot(run: Path, target: Path | None = None) -> Path:
    """Draw the curves of a run into ``target`` (``curves.png`` in the run folder) and return its path."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    folder = RunFolder(run)
    entries = folder.read_log()
    steps = [e for e in entries if e["kind"] == "step" and e["loss"] is not None]
    checks = [e for e in entries if e["kind"] == "validation"]
    if not steps:
        raise InputError(f"{folder.log} holds no step yet; is {run} a run folder that has trained for a while?")
    figure, axes = pyplot.subplots(2, 3, figsize=(15, 8), constrained_layout=True)
    _lines(axes[0, 0], steps, ["loss"], "loss")
    _lines(axes[0, 1], steps, [f"terms.{name}" for name in steps[-1]["terms"]], "loss terms")
    _lines(axes[1, 0], steps, ["learning_rate"], "learning rate")
    _lines(axes[1, 1], steps, [f"share.{name}" for name in steps[-1]["share"]], "share of time")
    if checks:
        _lines(axes[0, 2], checks, [f"mean.{name}" for name in checks[-1]["mean"]], "validation, mean over families")
        _lines(axes[1, 2], checks, [f"families.{name}.f1" for name in checks[-1]["families"]], "F1 by family")
    for axis in axes.flat:
        axis.set_xlabel("minutes")
        axis.grid(alpha=0.3)
    path = target or folder.path / "curves.png"
    with replacing(path) as partial:
        figure.savefig(partial, dpi=110)
    pyplot.close(figure)
    return path


def _lines(axis: Any, entries: list[dict[str, Any]], names: list[str], title: str) -> None:
    for name in names:
        points = [(e["elapsed"] / 60, value) for e in entries if (value := _dig(e, name)) is not None]
        if points:
            parts = name.split(".")
            axis.plot(*zip(*points, strict=True), label=parts[1] if len(parts) > 1 else name, marker=".")
    axis.set_title(title)
    if len(names) > 1:
        axis.legend(fontsize=7)


def _dig(entry: dict[str, Any], name: str) -> Any:
    found: Any = entry
    for part in name.split("."):
        found = found.get(part) if isinstance(found, dict) else None
    return found
