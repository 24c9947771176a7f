"""A tiny untrained network whose calibration spreads its answers over (0, 1), so that graphs are not empty."""

from __future__ import annotations

from pathlib import Path

CALIBRATION = {
    "edge_temperature": 0.15,
    "edge_bias": 2.0,
    "direction_temperature": 0.1,
    "confounding": {"temperature": 0.3, "bias": 2.0},
    "threshold": {"low": 0.1, "high": 0.8},
}


def save_tiny(path: Path, *, features: str = "paper", **changes: object) -> Path:
    """Write its checkpoint; ``changes`` replace entries of the calibration."""
    import dataclasses

    from foundcause.model import checkpoint
    from foundcause.model.config import TINY
    from foundcause.model.network import FoundCause

    network = FoundCause(dataclasses.replace(TINY, features=features), seed=3)
    return checkpoint.save(path, network, metadata={"calibration": {**CALIBRATION, **changes}})
