"""Minutes of work: a real short run beats chance, and the paper's network takes a training step."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest
import torch
from standins import random_item

from foundcause.model.checkpoints import load
from foundcause.paper.config import BASE
from foundcause.paper.paper_network import PaperNetwork
from foundcause.simulate.draws import uniform
from foundcause.simulate.mixture import MIXTURES
from foundcause.simulate.settings import Sizes
from foundcause.training.batches import collate
from foundcause.training.distributed import Team
from foundcause.training.loop import train
from foundcause.training.objectives import objective
from foundcause.training.run_config import RESERVED_SEEDS, TrainConfig
from foundcause.training.setup import recipe
from foundcause.training.step import Learner
from foundcause.training.validation import Validation, suite
from foundcause.training.workers import Workers

pytestmark = pytest.mark.slow


def test_two_minutes_of_tiny_beat_chance(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tables of 3 to 8 columns, so that two minutes are thousands of passes even on a busy machine."""
    monkeypatch.setenv("FOUNDCAUSE_CACHE", str(tmp_path / "cache"))
    whole = MIXTURES["SHIPPED"].only("linear_gaussian", "diverse", "expert")
    sizes = Sizes(variables=((1.0, uniform(3, 8)),), rows=uniform(150, 400))
    monkeypatch.setitem(MIXTURES, "FEW", dataclasses.replace(whole, name="FEW", sizes=sizes))
    config = TrainConfig(
        preset="TINY", mixture="FEW", minutes=2.0, lr=1e-2, validate_minutes=0, calibration_tasks=0, scaling_tasks=64,
        warmup_steps=20, batch_largest=16,
    )  # fmt: skip
    folder = train(config, tmp_path / "run", say=lambda _: None)
    losses = [e["loss"] for e in folder.read_log() if e["kind"] == "step"]
    quarter = max(len(losses) // 4, 1)
    assert sum(losses[-quarter:]) < 0.95 * sum(losses[:quarter])
    network, _ = load(folder.last)
    held_out = recipe(config, network.config, seed=RESERVED_SEEDS["validation"])
    with Workers(0) as workers:
        suites = Validation(suites={"few": suite(held_out, 100, workers)})
    result = suites.evaluate(network)
    assert result.mean("auroc") > 0.7, result.line()
    assert result.mean("direction") > 0.55, result.line()


def test_base_takes_training_steps() -> None:
    """Five, because zero-initialised parts of the refinement begin to learn one after the other."""
    config = TrainConfig(preset="BASE", objective="paper", optimizer="schedule-free", steps=5, warmup_steps=0)
    network = PaperNetwork(BASE, seed=0)
    learner = Learner(network, objective("paper"), config, Team(rank=0, world=1, device=torch.device("cpu")))
    before = {name: p.detach().clone() for name, p in network.named_parameters()}
    batch = collate([random_item(1, variables=4), random_item(2, variables=3)], permute=True)
    reports = [learner.step([batch], number=number, rate=1e-4) for number in range(5)]
    assert all(report.moved for report in reports)
    assert len(reports[0].terms) == 10
    assert reports[-1].loss < reports[0].loss
    still = [name for name, p in network.named_parameters() if torch.equal(p, before[name])]
    assert not still
