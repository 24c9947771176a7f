"""A tiny untrained network whose calibration spreads its answers over (0, 1), so that graphs are not empty."""

from __future__ import annotations

from pathlib import Path

import pytest

CALIBRATION = {
    "edge_temperature": 0.15,
    "edge_bias": 2.0,
    "direction_temperature": 0.1,
    "confounding": {"temperature": 0.3, "bias": 2.0},
    "threshold": {"low": 0.1, "high": 0.8},
}


@pytest.fixture(scope="session")
def tiny_checkpoint(tmp_path_factory) -> Path:
    from foundcause.model import checkpoint
    from foundcause.model.config import TINY
    from foundcause.model.network import FoundCause

    path = tmp_path_factory.mktemp("weights") / "tiny.safetensors"
    return checkpoint.save(path, FoundCause(TINY, seed=3), metadata={"calibration": CALIBRATION})
