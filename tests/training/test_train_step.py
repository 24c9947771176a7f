"""One step: what a batch weighs, and that splitting it changes nothing."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch
from standins import random_item

from foundcause.model.architectures import build_network
from foundcause.model.config import TINY
from foundcause.simulate.mixture import SHIPPED
from foundcause.training.batches import collate
from foundcause.training.distributed import Team
from foundcause.training.objectives import objective
from foundcause.training.preparation import Job, Recipe, run
from foundcause.training.run_config import TrainConfig
from foundcause.training.setup import model_config
from foundcause.training.step import Learner
from foundcause.training.step_costs import Split

WITHOUT_DROPOUT = replace(TINY, feature_dropout=0.0)  # so that copies of a task are equal


def _step(tasks: int, reference: float, weight: float | None = None) -> tuple[float, float]:
    """Loss and norm of the gradient of a batch that holds the same pair ``tasks`` times."""
    recipe = Recipe(mixture=SHIPPED.only("pairs"), seed=1, features=TINY.features, encoder_rows=TINY.rows_read)
    item = run(Job(recipe, 0))
    config = TrainConfig(steps=1, batch_reference=reference)
    team = Team(rank=0, world=1, device=torch.device("cpu"))
    learner = Learner(build_network(WITHOUT_DROPOUT, seed=2), objective("shipped", {}), config, team)
    report = learner.step([collate([item] * tasks)], number=0, rate=0.0, weight=weight)
    return report.loss, report.norm


def test_a_batch_weighs_its_tasks_when_asked() -> None:
    loss, norm = _step(4, 8.0)
    more_loss, more_norm = _step(12, 8.0)
    assert more_norm == pytest.approx(3 * norm, rel=1e-3)
    assert more_loss == pytest.approx(loss, rel=1e-4)  # what is logged stays a mean over tasks
    assert _step(12, 0.0)[1] == pytest.approx(2 * norm, rel=1e-3)  # 4 tasks of 8 weighed one half
    assert _step(4, 8.0, weight=20.0)[1] == pytest.approx(5 * norm, rel=1e-3)  # each stands for five
    assert _step(4, 8.0, weight=20.0)[0] == pytest.approx(loss, rel=1e-4)


@pytest.mark.parametrize(("preset", "kind"), [("TINY", "shipped"), ("PAPER_SMALL", "paper")])
def test_parts_learn_what_the_whole_batch_teaches(preset: str, kind: str) -> None:
    items = [random_item(index, variables=size) for index, size in enumerate((3, 6, 4, 5))]
    moved = []
    apart = [[0], [2], [3], [1]]
    splits = [
        Split(parts=[[0, 1, 2, 3]]),
        Split(parts=[[0, 2], [3, 1]]),
        Split(parts=[[0, 2], [3, 1]], recompute_parts=True),
        Split(parts=apart, recompute_parts=True, recompute_blocks=True),
    ]
    for split in splits:
        config = TrainConfig(steps=1, preset=preset, objective=kind, feature_dropout=0.0, warmup_steps=0, clip=1e9)
        team = Team(rank=0, world=1, device=torch.device("cpu"))
        learner = Learner(build_network(model_config(config), seed=2), objective(kind, {}), config, team)
        batches = [collate([items[k] for k in part]) for part in split.parts]
        report = learner.step(batches, number=0, rate=0.0, split=split)
        order = [k for part in split.parts for k in part]
        hardness = [report.difficulty[order.index(k)] for k in range(4)]
        gradient = torch.cat([p.grad.flatten() for p in learner.network.parameters() if p.grad is not None])
        moved.append((report.loss, report.norm, hardness, gradient))
    for loss, norm, hardness, gradient in moved[1:]:
        assert loss == pytest.approx(moved[0][0], rel=1e-5) and norm == pytest.approx(moved[0][1], rel=1e-4)
        assert hardness == pytest.approx(moved[0][2], rel=1e-4)
        assert torch.allclose(gradient, moved[0][3], atol=1e-5 * float(moved[0][3].abs().max()))
