"""Checkpoints compared on the same tasks: what differs, and how sure that is."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from standins import small_mixture
from typer.testing import CliRunner

from foundcause.cli.app import build
from foundcause.model.checkpoints import save
from foundcause.model.config import TINY
from foundcause.model.network import FoundCause
from foundcause.training.comparison import LOSSES, Comparison, Difference, compare
from foundcause.training.run_config import TrainConfig
from foundcause.training.validation import validation
from foundcause.training.workers import Workers


def _comparison(**losses: np.ndarray) -> Comparison:
    """Two checkpoints; each family has existence losses (2, T) and no edges, hence no direction to judge."""
    empty = {name: np.full(found.shape, np.nan) for name, found in losses.items()}
    metrics = ("direction_loss", "f1", "direction", "auroc", "confounder_auroc")
    return Comparison(
        names=("a", "b"),
        scores={n: {"existence_loss": found, **dict.fromkeys(metrics, empty[n])} for n, found in losses.items()},
    )


def test_a_difference_has_the_error_of_paired_tasks() -> None:
    rng = np.random.default_rng(3)
    hard = rng.normal(5.0, 4.0, size=400)  # what tasks have in common cancels
    gap = rng.normal(0.1, 0.5, size=400)
    found = _comparison(one=np.stack([hard, hard + gap])).difference(1)
    assert found.loss == pytest.approx(gap.mean())
    assert found.error == pytest.approx(gap.std(ddof=1) / 20)
    assert found.notable


def test_families_weigh_the_same_and_both_losses_of_a_task_belong_together() -> None:
    rng = np.random.default_rng(4)
    gaps = {"large": rng.normal(size=300), "small": rng.normal(size=50)}
    both = _comparison(**{name: np.stack([np.zeros_like(gap), gap]) for name, gap in gaps.items()})
    found = both.difference(1)
    assert found.loss == pytest.approx((gaps["large"].mean() + gaps["small"].mean()) / 2)
    assert found.error == pytest.approx(np.sqrt(sum(gap.var(ddof=1) / gap.size for gap in gaps.values())) / 2)
    assert both.difference(1, ["small"]).loss == pytest.approx(gaps["small"].mean())
    # the same gap in both losses doubles the error, which would be 1.4 times were they apart
    scores = {**both.scores["small"], "direction_loss": both.scores["small"]["existence_loss"]}
    doubled = Comparison(names=("a", "b"), scores={"small": scores}).difference(1)
    assert doubled.error == pytest.approx(2 * gaps["small"].std(ddof=1) / np.sqrt(50))


def test_equal_networks_do_not_differ_and_the_loss_is_that_of_validation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FOUNDCAUSE_CACHE", str(tmp_path))
    monkeypatch.setattr("foundcause.training.validation.validation_suites", lambda _: {"few": small_mixture()})
    settings = TrainConfig(steps=1, validation_tasks=6)
    first, other = FoundCause(TINY, seed=1).eval(), FoundCause(TINY, seed=2).eval()
    with Workers(0) as workers:
        found = compare([("a", first), ("again", first), ("b", other)], settings, workers, lambda _: None)
        result = validation(settings, TINY, workers, say=lambda _: None).evaluate(other)
    assert found.difference(1) == Difference(loss=0.0, error=0.0)
    assert not found.difference(1).notable
    assert found.loss(2) == pytest.approx(result.loss)
    assert found.loss(2) - found.loss(0) == pytest.approx(found.difference(2).loss)
    assert found.difference(2).error > 0
    assert all(found.mean(2, metric) == pytest.approx(result.mean(metric)) for metric in (*LOSSES, "f1", "direction"))
    table = found.table()
    assert "few" in table and "less those of a" in table


def test_long_preparation_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FOUNDCAUSE_CACHE", str(tmp_path))
    monkeypatch.setattr(
        "foundcause.training.validation.validation_suites", lambda _: dict.fromkeys("ab", small_mixture())
    )
    said: list[str] = []
    for silence in (1e9, 0.0):
        monkeypatch.setattr("foundcause.training.validation._SILENCE", silence)
        with Workers(0) as workers:
            validation(TrainConfig(steps=1, validation_tasks=2), TINY, workers, say=said.append)
    opening = "preparing the validation suites"
    assert said == [opening, opening, "1 of 2 suites are ready", "2 of 2 suites are ready"]


def test_the_command_compares_two_files_and_refuses_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FOUNDCAUSE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr("foundcause.training.validation.validation_suites", lambda _: {"few": small_mixture()})
    paths = [tmp_path / f"{seed}.safetensors" for seed in (1, 2)]
    for seed, path in enumerate(paths):
        save(path, FoundCause(TINY, seed=seed))
    arguments = ["train", "compare", *map(str, paths), "--tasks", "3", "--workers", "0"]
    told = CliRunner().invoke(build(), arguments)
    assert told.exit_code == 0, told.output
    assert "few" in told.output and str(paths[1]) in told.output
    refused = CliRunner().invoke(build(), ["train", "compare", str(paths[0])])
    assert refused.exit_code != 0 and "two or more" in str(refused.exception or refused.output)
