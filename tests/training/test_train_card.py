"""The model card says what the checkpoint and its validation say."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from foundcause.cli.app import build
from foundcause.errors import CheckpointError, ConfigError
from foundcause.model.checkpoints import save, weights_digest
from foundcause.model.config import TINY
from foundcause.model.network import FoundCause
from foundcause.simulate.mixture import SHIPPED
from foundcause.training.model_card import model_card
from foundcause.training.run_config import TrainConfig

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
    training = TrainConfig(steps=9, without=("sensors",)).as_dict() | {"reuse": 3}
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
        "11 tasks of each suite",
        "Never trained on: sensors, ecology",
        "| pairs | 0.912 | 0.500 | – | 0.750 | – |",
    )
    for text in said:
        assert text in shown.output


def test_figures_of_other_weights_and_other_counts_are_refused(tmp_path: Path) -> None:
    about = {"training": TrainConfig(steps=9).as_dict(), "step": 9, "passes": 30, "elapsed_minutes": 9.0}
    path = _checkpoint(tmp_path, calibration=CALIBRATION, trained_variables=100, **about)
    digest = weights_digest(FoundCause(TINY))
    told = VALIDATION | {"weights": digest, "tasks": 4, "checkpoint": "best.safetensors"}
    assert "4 tasks of each suite" in model_card(path, told)
    with pytest.raises(ConfigError, match="other weights"):
        model_card(path, told | {"weights": weights_digest(FoundCause(TINY, seed=1))})
    with pytest.raises(ConfigError, match="had 4 tasks"):
        model_card(path, told, tasks=40)
    with pytest.raises(ConfigError, match="--tasks"):
        model_card(path, VALIDATION)
    for foreign in ({"steps": 9}, [1, 2]):
        with pytest.raises(ConfigError, match="train evaluate --json"):
            model_card(path, foreign, tasks=4)  # type: ignore[arg-type]


def _said(path: Path, **metadata: object) -> str:
    about = {"step": 9, "passes": 3000, "elapsed_minutes": 90.0, "trained_variables": 100, "calibration": CALIBRATION}
    return model_card(_checkpoint(path, **about | metadata), VALIDATION, tasks=3)


def test_what_was_never_trained_on_follows_from_the_mixture_used(tmp_path: Path) -> None:
    """Also for checkpoints from before the header said it."""
    pairs = _said(tmp_path, training=TrainConfig(steps=9, only=("pairs",)).as_dict())
    assert "tasks of pairs from the mixture `SHIPPED`" in pairs
    unseen = pairs.split("Never trained on: ")[1].split(".")[0].split(", ")
    assert {"sensors", "diverse", "excerpts", "ecology", "wide"} <= set(unseen) and "pairs" not in unseen
    paper = _said(tmp_path, training=TrainConfig(steps=9, mixture="PAPER").as_dict())
    assert "Never trained on: linear_gaussian, unrelated, pairs, excerpts, expert" in paper and "fog," not in paper


def test_what_ancestors_saw_is_not_called_unseen(tmp_path: Path) -> None:
    training = TrainConfig(steps=9, without=("sensors",)).as_dict()
    whole = sorted(SHIPPED.weights)
    card = _said(tmp_path, training=training, trained_on=whole, init="start.safetensors")
    assert "Never trained on: ecology." in card and "starting from the weights of `start.safetensors`" in card
    unknown = _said(tmp_path, training=training, trained_on=None, init="foreign.safetensors")
    assert "Never trained on" not in unknown and "not known" in unknown and "no real table" not in unknown


def test_an_uncalibrated_checkpoint_has_no_card(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match="not a calibrated checkpoint"):
        model_card(_checkpoint(tmp_path), VALIDATION, tasks=3)
