"""What a run says about itself: averages over the last steps, lines for the terminal, TensorBoard, and its curves."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from foundcause.errors import ConfigError, InputError
from foundcause.files import replacing
from foundcause.training.run_config import TrainConfig
from foundcause.training.run_folder import RunFolder
from foundcause.training.step import Learner, StepReport
from foundcause.training.task_stream import Gathered, TaskStream
from foundcause.training.workers import Workers

Logger = Callable[[dict[str, Any]], object]
_SAY_EVERY = 15.0  # seconds between two lines on the terminal


class StepAverages:
    """Collects step reports between two log entries; the log of the folder is that of the first process."""

    def __init__(
        self, config: TrainConfig, folder: RunFolder, say: Callable[[str], None], stream: TaskStream, workers: Workers
    ) -> None:
        self.config, self.folder, self._say = config, folder, say
        self._stream, self._workers = stream, workers
        self._said = 0.0
        self._reset()

    def _reset(self) -> None:
        self._reports: list[StepReport] = []
        self._waited = self._assembled = 0.0
        self._passes = 0
        self._sizes: list[int] = []
        self._since = time.perf_counter()
        self._seconds, self._pulled = self._stream.seconds.copy(), self._stream.pulled

    def note(self, report: StepReport, gathered: Gathered, assembled: float, passes: int) -> None:
        """Add one step."""
        self._reports.append(report)
        self._waited += gathered.waited
        self._assembled += assembled
        self._passes += passes
        self._sizes += [item.variables for item in gathered.items]

    def due(self, step: int) -> bool:
        """Whether an entry is due after this many steps."""
        return step % self.config.log_every == 0

    def report(self, step: int, passes: int, elapsed: float, learner: Learner) -> None:
        """Write the entry, and now and then say it."""
        if not self._reports:
            return
        if self._stream.rank == 0:
            entry = self._entry(step, passes, elapsed, learner)
            self.folder.append_log(entry)
            if time.perf_counter() - self._said > _SAY_EVERY:
                self._said = time.perf_counter()
                self._say(line(entry))
        self._reset()

    def _entry(self, step: int, passes: int, elapsed: float, learner: Learner) -> dict[str, Any]:
        moved = [report for report in self._reports if report.moved]
        span = max(time.perf_counter() - self._since, 1e-9)
        pulled = max(self._stream.pulled - self._pulled, 1)
        simulation, statistics = (self._stream.seconds - self._seconds) / pulled
        return {
            "kind": "step",
            "step": step,
            "passes": passes,
            "elapsed": round(elapsed, 3),
            "loss": _mean([r.loss for r in moved]),
            "terms": {name: _mean([r.terms[name] for r in moved]) for name in (moved[0].terms if moved else {})},
            "gradient_norm": _mean([r.norm for r in moved]),
            "learning_rate": learner.optimizer.inner.param_groups[0]["lr"],
            "adaptive": {name: round(value, 4) for name, value in learner.averages.items()},
            "passes_per_second": round(self._passes / span, 2),
            "share": {
                "waiting": round(self._waited / span, 4),
                "assembly": round(self._assembled / span, 4),
                "forward": round(sum(r.forward for r in self._reports) / span, 4),
                "backward": round(sum(r.backward for r in self._reports) / span, 4),
            },
            "worker_seconds_per_task": {"simulation": round(simulation, 5), "statistics": round(statistics, 5)},
            "buffered": self._workers.waiting,
            "mean_variables": round(float(np.mean(self._sizes)), 2),
            "skipped": learner.skipped,
            "failed_tasks": self._stream.failed,
            "pulled": self._stream.pulled,
            "replayable": len(self._stream.reservoir),
        }


class TensorBoardLogger:
    """Writes the log as TensorBoard events into the run folder."""

    def __init__(self, folder: Path) -> None:
        try:
            from torch.utils.tensorboard import SummaryWriter
        except ImportError:
            raise ConfigError("--tensorboard needs the package tensorboard; install it with pip") from None
        self._board = SummaryWriter(str(folder / "tensorboard"))

    def __call__(self, entry: dict[str, Any]) -> None:
        """Add the numbers of one entry."""
        if entry["kind"] not in ("step", "validation"):
            return
        for name, value in entry.items():
            numbers = value.items() if isinstance(value, dict) else [("", value)]
            for part, number in numbers:
                if isinstance(number, int | float) and name != "step":
                    self._board.add_scalar(f"{entry['kind']}/{name}{'/' * bool(part)}{part}", number, entry["step"])


def logger_at(address: str) -> Logger:
    """Import the callable that an address such as ``package.module:function`` names."""
    import importlib

    module, _, name = address.partition(":")
    try:
        found = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError, ValueError) as error:
        raise ConfigError(f"cannot import the logger {address!r} ({error}); give it as package.module:name") from None
    if not callable(found):
        raise ConfigError(f"the logger {address!r} is not callable; give a function that takes one dict")
    return found


def line(entry: dict[str, Any]) -> str:
    """Say one entry in one line."""
    terms = " ".join(f"{name} {value:.3f}" for name, value in entry["terms"].items())
    loss = "not finite" if entry["loss"] is None else f"{entry['loss']:.4f}"
    share = entry["share"]
    skipped = f"  skipped {entry['skipped']}" if entry["skipped"] else ""
    return (
        f"{entry['elapsed'] / 60:6.1f} min  step {entry['step']:,}  passes {entry['passes']:,}  loss {loss} ({terms})  "
        f"{entry['passes_per_second']:.1f} tasks/s  waiting {share['waiting']:.0%} "
        f"forward {share['forward']:.0%} backward {share['backward']:.0%}{skipped}"
    )


def plot_curves(run: Path, target: Path | None = None) -> Path:
    """Draw the curves of a run.

    Parameters
    ----------
    run : Path
        Run folder.
    target : Path, optional
        Picture to write, by default ``curves.png`` in the run folder.

    Returns
    -------
    Path
        Of the picture.
    """
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
        _lines(axes[0, 2], checks, [f"mean.{name}" for name in checks[-1]["mean"]], "validation, mean over suites")
        _lines(axes[1, 2], checks, [f"families.{name}.f1" for name in checks[-1]["families"]], "F1 by suite")
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
        points = [(e["elapsed"] / 60, value) for e in entries if (value := _entry_at(e, name)) is not None]
        if points:
            parts = name.split(".")
            axis.plot(*zip(*points, strict=True), label=parts[1] if len(parts) > 1 else name, marker=".")
    axis.set_title(title)
    if len(names) > 1:
        axis.legend(fontsize=7)


def _entry_at(entry: dict[str, Any], name: str) -> Any:
    value: Any = entry
    for part in name.split("."):
        value = value.get(part) if isinstance(value, dict) else None
    return value


def _mean(values: list[float]) -> float | None:
    return round(float(np.mean(values)), 6) if values else None
