"""A tiny untrained network whose calibration spreads its answers over (0, 1), so that graphs are not empty."""

from __future__ import annotations

from pathlib import Path
from typing import Any

CALIBRATION = {
    "edge_temperature": 0.15,
    "edge_bias": 2.0,
    "direction_temperature": 0.1,
    "confounding": {"temperature": 0.3, "bias": 2.0},
    "threshold": {"low": 0.1, "high": 0.8},
}


def tiny_paper() -> Any:
    """Configuration of the paper's network, every part of it, at a size that tests can afford."""
    from foundcause.paper.config import PaperConfig

    return PaperConfig(
        name="tiny_paper",
        width=8,
        encoder_layers=1,
        heads=2,
        global_tokens=2,
        guarded=False,
        encoder_rows=32,
        bias_width=8,
        pooling_queries=2,
        pooling_heads=2,
        gate_width=8,
        confounder_tokens=2,
        confounder_layers=1,
        confounder_bias_width=8,
        pair_width=8,
        refinement_rounds=1,
    )


def save_tiny(path: Path, *, features: str = "paper", **changes: object) -> Path:
    """Write its checkpoint; ``changes`` replace entries of the calibration."""
    import dataclasses

    from foundcause.model import checkpoints
    from foundcause.model.config import TINY
    from foundcause.model.network import FoundCause

    network = FoundCause(dataclasses.replace(TINY, features=features), seed=3)
    return checkpoints.save(path, network, metadata={"calibration": {**CALIBRATION, **changes}})
