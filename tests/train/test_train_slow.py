"""Minutes of work: a real short run beats chance, and the paper's network takes a training step."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from standins import PLAIN, random_item

from foundcause.model.config import BASE
from foundcause.model.network import FoundCause
from foundcause.train.collate import collate
from foundcause.train.config import TrainConfig
from foundcause.train.distributed import Team
from foundcause.train.loop import train
from foundcause.train.objectives import PAPER
from foundcause.train.step import Learner

pytestmark = pytest.mark.slow


def test_two_minutes_of_tiny_beat_chance(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FOUNDCAUSE_CACHE", str(tmp_path / "cache"))
    config = TrainConfig(
        preset="TINY", minutes=2.0, lr=5e-3, validate_minutes=60, validation_tasks=20, calibration_tasks=0,
        validation_families=("linear_gaussian", "diverse", "expert"), scaling_tasks=64, warmup_steps=50,
    )  # fmt: skip
    folder = train(config, tmp_path / "run", say=lambda _: None)
    losses = [e["loss"] for e in folder.read_log() if e["kind"] == "step"]
    quarter = max(len(losses) // 4, 1)
    assert sum(losses[-quarter:]) < 0.95 * sum(losses[:quarter])
    check = next(e for e in folder.read_log() if e["kind"] == "validation")
    assert check["mean"]["auroc"] > 0.7
    assert check["mean"]["direction"] > 0.55


def test_base_takes_a_training_step() -> None:
    assert PLAIN.features == "paper"
    config = TrainConfig(preset="BASE", objective="paper", optimizer="schedule-free", steps=2, warmup_steps=0)
    network = FoundCause(BASE, seed=0)
    learner = Learner(network, PAPER, config, Team(rank=0, world=1, device=torch.device("cpu")))
    before = {name: p.detach().clone() for name, p in network.named_parameters()}
    batch = collate([random_item(1, variables=4), random_item(2, variables=3)], permute=True)
    first = learner.step(batch, number=0, rate=1e-4)
    second = learner.step(batch, number=1, rate=1e-4)
    assert first.moved and second.moved
    assert len(first.terms) == 10
    assert second.loss < first.loss
    still = [name for name, p in network.named_parameters() if torch.equal(p, before[name])]
    assert len(still) < 0.02 * len(before), still
