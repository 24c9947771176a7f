"""Which checkpoint of a run is the one that counts, and what no later run may overwrite."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch
from standins import options, run_folder

from foundcause.errors import CheckpointError, OutputError
from foundcause.model.checkpoints import describe
from foundcause.training.average import average
from foundcause.training.calibrate import calibrate_run
from foundcause.training.loop import train
from foundcause.training.run_config import TrainConfig
from foundcause.training.run_folder import RunFolder
from foundcause.training.validation import Result

JUDGED = {"validate_minutes": 10.0, "validation_tasks": 3}


@pytest.fixture(autouse=True)
def _own_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("FOUNDCAUSE_CACHE", str(tmp_path / "cache"))


def _trained(out: Path, *, resume: bool = False, **changes: object) -> tuple[RunFolder, list[str]]:
    said: list[str] = []
    return train(TrainConfig(**options(**changes)), out, resume=resume, say=said.append), said


def _step(path: Path) -> int:
    return describe(path)["metadata"]["step"]


def test_losses_of_other_suites_do_not_decide(tmp_path: Path) -> None:
    easy = {"validation_suites": ("ultra_sparse",), **JUDGED}
    folder, _ = _trained(run_folder(tmp_path), steps=2, **easy)
    header = describe(folder.best)["metadata"]
    assert header["judged_by"] == {"ultra_sparse": 3}
    hard = {"validation_suites": ("pairs",), **JUDGED}
    _trained(folder.path, steps=4, resume=True, **hard)
    # Two columns are far harder to tell; by the old loss nothing would ever be better.
    assert describe(folder.best)["metadata"]["validation"]["loss"] > header["validation"]["loss"]
    assert _step(folder.best) == 4


def test_a_better_checkpoint_survives_a_crash_before_the_next_save(tmp_path: Path) -> None:
    settings = {"validation_suites": ("pairs",), **JUDGED}
    folder, _ = _trained(run_folder(tmp_path), steps=2, **settings)
    early = folder.state.read_bytes()
    _trained(folder.path, steps=4, resume=True, **settings)
    _claim_loss(folder.best, -1.0)
    best = folder.best.read_bytes()
    folder.state.write_bytes(early)  # the state is older than the best
    _trained(folder.path, steps=4, resume=True, **settings)
    assert folder.best.read_bytes() == best


def _claim_loss(path: Path, loss: float) -> None:
    """Rewrite the loss in the header of a checkpoint."""
    from foundcause.model.checkpoints import load, save

    network, metadata = load(path)
    save(path, network, metadata=metadata | {"validation": {**metadata["validation"], "loss": loss}})


def test_without_validation_the_last_checkpoint_counts(tmp_path: Path) -> None:
    folder, _ = _trained(run_folder(tmp_path), steps=2, validation_suites=("pairs",), **JUDGED)
    _trained(folder.path, steps=3, resume=True)
    assert _step(calibrate_run(folder, tasks=3, say=lambda _: None)) == 3
    assert _step(folder.best) == 2


def test_an_average_is_not_overwritten(tmp_path: Path) -> None:
    first, _ = _trained(tmp_path / "a", steps=2)
    second = train(TrainConfig(**options(steps=2, seed=4)), tmp_path / "b", init=first.last, say=lambda _: None)
    mean = average([first.last, second.last], tmp_path / "mean")
    before = mean.read_bytes()
    for resume, error in ((False, OutputError), (True, CheckpointError)):
        with pytest.raises(error, match=r"another --out.*--init .*best\.safetensors"):
            _trained(tmp_path / "mean", steps=2, resume=resume)
    assert mean.read_bytes() == before


def test_a_finished_run_keeps_its_calibration(tmp_path: Path) -> None:
    folder, _ = _trained(run_folder(tmp_path), steps=2)
    calibrate_run(folder, tasks=3, passes=2, say=lambda _: None)
    before = folder.model.read_bytes()
    _, said = _trained(folder.path, steps=2, resume=True, calibration_tasks=3)
    assert folder.model.read_bytes() == before
    assert any("used up" in line for line in said)
    _trained(folder.path, steps=3, resume=True, calibration_tasks=3)
    assert folder.model.read_bytes() != before


def test_a_run_from_before_a_field_existed_goes_on(tmp_path: Path) -> None:
    folder, _ = _trained(run_folder(tmp_path), steps=2)
    state = folder.read_state()
    del state["architecture"]
    state["model"] |= {
        "evidence": "direct", "encoder_layers": 0, "refinement": "lean", "head": "factored", "scaled_features": True,
        "bent_features": True, "fills_gaps": True, "width": 768,
    }  # fmt: skip
    torch.save(state, folder.state)
    _trained(folder.path, steps=3, resume=True)
    assert folder.read_state()["step"] == 3


def test_families_without_edges_have_a_loss() -> None:
    nan = float("nan")
    metrics = {"existence_loss": 0.25, "direction_loss": nan, "auroc": nan, "f1": 1.0, "direction": nan}
    assert Result(families={"unrelated": metrics}).loss == 0.25
    assert json.dumps(Result(families={"unrelated": metrics}).as_dict())
