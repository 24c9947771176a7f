"""One optimizer step: what a batch weighs."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from foundcause.model.config import TINY
from foundcause.model.network import FoundCause
from foundcause.simulate.mixture import SHIPPED
from foundcause.training.batches import collate
from foundcause.training.distributed import Team
from foundcause.training.objectives import objective
from foundcause.training.preparation import Job, Recipe, run
from foundcause.training.run_config import TrainConfig
from foundcause.training.step import Learner

WITHOUT_DROPOUT = replace(TINY, feature_dropout=0.0)  # so that copies of a task are equal


def _step(tasks: int, reference: float, weight: float | None = None) -> tuple[float, float]:
    """Loss and norm of the gradient of a batch that holds the same pair ``tasks`` times."""
    recipe = Recipe(mixture=SHIPPED.only("pairs"), seed=1, features=TINY.features, encoder_rows=TINY.rows_read)
    item = run(Job(recipe, 0))[0]
    config = TrainConfig(steps=1, batch_reference=reference)
    team = Team(rank=0, world=1, device=torch.device("cpu"))
    learner = Learner(FoundCause(WITHOUT_DROPOUT, seed=2), objective("shipped", {}), config, team)
    report = learner.step(collate([item] * tasks), number=0, rate=0.0, weight=weight)
    return report.loss, report.norm


def test_a_batch_weighs_its_tasks_when_asked() -> None:
    loss, norm = _step(4, 8.0)
    more_loss, more_norm = _step(12, 8.0)
    assert more_norm == pytest.approx(3 * norm, rel=1e-3)
    assert more_loss == pytest.approx(loss, rel=1e-4)  # what is logged stays a mean over tasks
    assert _step(12, 0.0)[1] == pytest.approx(2 * norm, rel=1e-3)  # 4 tasks of 8 weighed one half
    assert _step(4, 8.0, weight=20.0)[1] == pytest.approx(5 * norm, rel=1e-3)  # each stands for five
    assert _step(4, 8.0, weight=20.0)[0] == pytest.approx(loss, rel=1e-4)
