"""The reliability picture."""

from __future__ import annotations

from pathlib import Path

import pytest

from foundcause.errors import CheckpointError
from foundcause.model.checkpoints import save
from foundcause.model.config import TINY
from foundcause.model.network import FoundCause
from foundcause.training.model_card import plot_reliability


def test_picture_of_a_calibrated_checkpoint(tmp_path: Path) -> None:
    bins = [[0.05, 0.04, 900], [0.5, 0.55, 40], [0.9, 0.88, 20]]
    calibration = {"reliability": {"bins": bins, "ece_after": 0.012}, "fitted_on": {"tasks": 50}}
    save(tmp_path / "c.safetensors", FoundCause(TINY), metadata={"calibration": calibration})
    assert plot_reliability(tmp_path / "c.safetensors", tmp_path / "r.png").read_bytes().startswith(b"\x89PNG")


def test_a_checkpoint_without_calibration_is_refused(tmp_path: Path) -> None:
    save(tmp_path / "c.safetensors", FoundCause(TINY), metadata={})
    with pytest.raises(CheckpointError, match="train calibrate"):
        plot_reliability(tmp_path / "c.safetensors", tmp_path / "r.png")
    assert not (tmp_path / "r.png").exists()
