"""The average of checkpoints."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest
import torch
from typer.testing import CliRunner

from foundcause.cli.app import build
from foundcause.errors import CheckpointError, ConfigError
from foundcause.model.checkpoints import load, save, weights
from foundcause.model.config import SMALL, TINY, ModelConfig
from foundcause.model.grow import start_as
from foundcause.model.network import FoundCause
from foundcause.training.average import average
from foundcause.training.run_config import TrainConfig
from foundcause.training.run_folder import RunFolder


def _checkpoint(path: Path, seed: int, config: ModelConfig = TINY, parent: Path | None = None, **about: object) -> Path:
    """A network that went its own way from a start that it shares with the others, or from its ``parent``."""
    network = FoundCause(config, seed=0)
    if parent:
        start_as(network, *weights(parent))
    random = torch.Generator().manual_seed(seed)
    for value in network.parameters():
        value.data += 0.05 * torch.randn(value.shape, generator=random)
    training = TrainConfig(steps=9, preset="tiny").as_dict()
    passes = {"step": 3, "passes": 100 * seed, "elapsed_minutes": 1.5, "calibration": {"edge_temperature": 2.0}}
    return save(path / f"{seed}.safetensors", network, metadata={"training": training, **passes, **about})


def test_weights_are_averaged_and_work_adds_up(tmp_path: Path) -> None:
    paths = [_checkpoint(tmp_path, seed) for seed in (1, 2, 3)]
    shown = CliRunner().invoke(build(), ["train", "average", *map(str, paths), "--out", str(tmp_path / "run")])
    assert shown.exit_code == 0, shown.output
    found, metadata = load(RunFolder(tmp_path / "run").best)
    states = [load(path)[0].state_dict() for path in paths]
    for name, value in found.state_dict().items():
        if value.is_floating_point():
            torch.testing.assert_close(value, torch.stack([state[name] for state in states]).mean(0))
    assert (metadata["passes"], metadata["step"], metadata["averaged"]) == (600, 9, 3)
    assert "calibration" not in metadata
    assert RunFolder(tmp_path / "run").read_config()["preset"] == "tiny"


def test_a_checkpoint_named_twice_weighs_twice_and_worked_once(tmp_path: Path) -> None:
    one, two = _checkpoint(tmp_path, 1), _checkpoint(tmp_path, 2)
    found, metadata = load(average([one, two, two], tmp_path / "run"))
    first, second = load(one)[0].state_dict(), load(two)[0].state_dict()
    for name, value in found.state_dict().items():
        if value.is_floating_point():
            torch.testing.assert_close(value, (first[name] + 2 * second[name]) / 3)
    assert (metadata["passes"], metadata["averaged"]) == (300, 3)


def test_what_the_runs_learned_from_joins(tmp_path: Path) -> None:
    pairs = _checkpoint(tmp_path, 1, trained_on=["pairs"], trained_variables=2)
    sensors = _checkpoint(tmp_path, 2, trained_on=["sensors"], trained_variables=50)
    metadata = load(average([sensors, pairs], tmp_path / "run"))[1]
    assert (metadata["trained_on"], metadata["trained_variables"]) == (["pairs", "sensors"], 50)


def test_a_smaller_network_is_grown_first(tmp_path: Path) -> None:
    small = dataclasses.replace(SMALL, refinement_rounds=1, direct_width=16, pair_width=8)
    large = dataclasses.replace(small, refinement_rounds=2)
    before = _checkpoint(tmp_path, 1, small)
    after = _checkpoint(tmp_path, 2, large, parent=before)
    found = load(average([before, after], tmp_path / "run"))[0].state_dict()
    old, new = load(before)[0].state_dict(), load(after)[0].state_dict()
    for name, value in found.items():
        torch.testing.assert_close(value, (old[name] + new[name]) / 2 if name in old else new[name])
    with pytest.raises(CheckpointError, match="refinement_rounds"):
        average([after, before], tmp_path / "other")


def test_other_networks_and_full_folders_are_refused(tmp_path: Path) -> None:
    first = _checkpoint(tmp_path, 1)
    wider = _checkpoint(tmp_path, 2, dataclasses.replace(TINY, pair_width=24))
    with pytest.raises(CheckpointError, match="pair_width"):
        average([wider, first], tmp_path / "run")
    with pytest.raises(ConfigError, match="at least two"):
        average([first], tmp_path / "run")
    average([first, first], tmp_path / "run")
    with pytest.raises(ConfigError, match="holds a run already"):
        average([first, first], tmp_path / "run")


def test_runs_that_share_no_start_are_refused(tmp_path: Path) -> None:
    strangers = [save(tmp_path / f"{seed}.safetensors", FoundCause(TINY, seed=seed), metadata={}) for seed in (1, 2)]
    with pytest.raises(ConfigError, match=r"nothing in common .* started from one another"):
        average(strangers, tmp_path / "run")
    assert not (tmp_path / "run").exists()
