"""The model card says what the checkpoint and its validation say."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from foundcause.cli import build
from foundcause.errors import CheckpointError
from foundcause.model.checkpoint import save
from foundcause.model.config import TINY
from foundcause.model.network import FoundCause
from foundcause.train.card import model_card
from foundcause.train.config import TrainConfig

METRICS = {"auroc": 0.9123, "f1": 0.5, "direction": 0.75, "confounder_auroc": None}
VALIDATION = {"families": {"pairs": METRICS}, "mean": METRICS}
CALIBRATION = {
    "edge_temperature": 1.25,
    "direction_temperature": 0.5,
    "fitted_on": {"tasks": 7, "runs": 10},
    "reliability": {"ece_before": 0.02, "ece_after": 0.01},
}


def _checkpoint(path: Path, **metadata: object) -> Path:
    return save(path / "small.safetensors", FoundCause(TINY), metadata=metadata)


def test_the_card_tells_the_checkpoint_and_its_validation(tmp_path: Path) -> None:
    training = TrainConfig(steps=9, reuse=3, without=("sensors",)).as_dict()
    about = {"step": 9, "passes": 3000, "elapsed_minutes": 90.0, "trained_variables": 100}
    path = _checkpoint(tmp_path, training=training, calibration=CALIBRATION, **about)
    (tmp_path / "validation.json").write_text(json.dumps(VALIDATION))
    arguments = ["train", "card", str(path), "--validation", str(tmp_path / "validation.json"), "--tasks", "11"]
    shown = CliRunner().invoke(build(), arguments)
    assert shown.exit_code == 0, shown.output
    said = (
        "3,000 passes over about 1,000 tasks",
        "90 minutes",
        "1.25 (existence)",
        "10 passes averaged",
        "11 tasks of each family",
        "Never trained on: sensors, ecology",
        "| pairs | 0.912 | 0.500 | – | 0.750 | – |",
    )
    for text in said:
        assert text in shown.output


def test_an_uncalibrated_checkpoint_has_no_card(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match="not a calibrated checkpoint"):
        model_card(_checkpoint(tmp_path), VALIDATION, tasks=3)
