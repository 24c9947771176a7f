"""The reliability picture of a calibrated checkpoint: what it says against how often that is true."""

from __future__ import annotations

from pathlib import Path

from foundcause.errors import CheckpointError
from foundcause.files import replacing
from foundcause.model.checkpoint import describe


def plot(checkpoint: Path, target: Path) -> Path:
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
