"""Whole runs: kill and resume, clean interruption, and every kind of trouble with a clear end."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import torch
from standins import options, run_folder
from typer.testing import CliRunner

from foundcause.cli.app import build
from foundcause.errors import CheckpointError, ConfigError, OutputError, TrainingError
from foundcause.model.checkpoints import describe, load
from foundcause.training import loop
from foundcause.training.loop import train
from foundcause.training.run_config import TrainConfig, resumed, train_config
from foundcause.training.run_folder import RunFolder

HERE = Path(__file__).parent


@pytest.fixture(autouse=True)
def _own_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("FOUNDCAUSE_CACHE", str(tmp_path / "cache"))


def _quiet(_: str) -> None:
    return None


def _start(out: Path, settings: dict, *flags: str, own_group: bool = False) -> subprocess.Popen:
    return subprocess.Popen(
        [sys.executable, str(HERE / "run_training.py"), str(out), json.dumps(settings), *flags],
        env={**os.environ, "OMP_NUM_THREADS": "1"}, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        start_new_session=own_group,
    )  # fmt: skip


def _steps(out: Path) -> list[int]:
    return [e["step"] for e in RunFolder(out).read_log() if e["kind"] == "step"]


def test_killed_and_resumed_equals_uninterrupted(tmp_path: Path) -> None:
    settings = options(
        steps=60, optimizer="schedule-free", workers=1, replay=0.2, checkpoint_minutes=0.003,
    )  # fmt: skip
    whole = _start(tmp_path / "whole", settings)
    assert whole.wait(timeout=200) == 0, whole.stderr.read()

    out = tmp_path / "killed"
    process = _start(out, settings)
    deadline = time.monotonic() + 150
    while not (RunFolder(out).state.exists() and len(_steps(out)) >= 10):
        assert process.poll() is None and time.monotonic() < deadline, process.stderr.read()
        time.sleep(0.005)
    process.send_signal(signal.SIGKILL)
    process.wait()
    interrupted_at = RunFolder(out).read_state()["step"]
    assert 0 < interrupted_at < 60
    again = _start(out, settings, "--resume")
    assert again.wait(timeout=200) == 0, again.stderr.read()

    first, second = RunFolder(tmp_path / "whole").read_state(), RunFolder(out).read_state()
    assert second["step"] == first["step"] == 60
    assert second["streams"] == first["streams"]
    assert second["learner"]["adaptive"] == first["learner"]["adaptive"]
    for name, weights in first["learner"]["network"].items():
        assert torch.equal(weights, second["learner"]["network"][name]), name
    averages = [load(RunFolder(tmp_path / name).last)[0].state_dict() for name in ("whole", "killed")]
    assert all(torch.equal(averages[0][name], averages[1][name]) for name in averages[0])
    assert _steps(out) == list(range(1, 61)), "the log continues without gaps or repeats"


def test_loss_falls_and_files_describe_the_run(tmp_path: Path) -> None:
    config = TrainConfig(**options(steps=40, lr=0.01, validate_minutes=60, validation_tasks=3,
                                   validation_suites=("pairs", "linear_gaussian"), calibration_tasks=12))  # fmt: skip
    folder = train(config, run_folder(tmp_path), say=_quiet)
    losses = [e["loss"] for e in folder.read_log() if e["kind"] == "step"]
    assert sum(losses[-10:]) < 0.95 * sum(losses[:10])
    check = next(e for e in folder.read_log() if e["kind"] == "validation")
    assert set(check["families"]) == {"pairs", "linear_gaussian"}
    for path in (folder.last, folder.best, folder.model):
        metadata = describe(path)["metadata"]
        assert metadata["training"]["seed"] == 3 and metadata["step"] == 40
    calibration = describe(folder.model)["metadata"]["calibration"]
    assert {"edge_temperature", "direction_temperature", "confounding", "threshold"} <= set(calibration)
    from foundcause.model.calibration import Calibration

    assert Calibration.from_metadata({"calibration": calibration}).edge_temperature == calibration["edge_temperature"]
    from foundcause.training.run_log import plot_curves

    assert plot_curves(folder.path).stat().st_size > 10_000


@pytest.mark.parametrize("group", [False, True])
def test_interrupt_saves_and_ends_cleanly(tmp_path: Path, group: bool) -> None:
    """To the trainer alone, or to its workers too, as ``timeout``, ``torchrun`` and job schedulers do."""
    out = run_folder(tmp_path)
    process = _start(out, options(minutes=30, workers=2 if group else 0), own_group=group)
    deadline = time.monotonic() + 150
    while len(_steps(out)) < 3:
        assert process.poll() is None and time.monotonic() < deadline, process.stderr.read()
        time.sleep(0.05)
    if group:
        os.killpg(process.pid, signal.SIGTERM)
    else:
        process.send_signal(signal.SIGTERM)
    _, errors = process.communicate(timeout=60)  # returns when the last worker has let go of the pipe, too
    assert process.returncode == 0, errors
    folder = RunFolder(out)
    assert folder.read_log()[-1]["done"] is False and not folder.finished()
    assert folder.read_state()["step"] == _steps(out)[-1]
    assert folder.read_state()["elapsed"] > 0


def test_a_folder_with_a_run_is_not_overwritten(tmp_path: Path) -> None:
    config = TrainConfig(**options(steps=2))
    train(config, run_folder(tmp_path), say=_quiet)
    with pytest.raises(OutputError, match="--resume"):
        train(config, run_folder(tmp_path), say=_quiet)


def test_two_runs_do_not_share_a_folder(tmp_path: Path) -> None:
    folder = train(TrainConfig(**options(steps=2)), run_folder(tmp_path), say=_quiet)
    logged = folder.read_log()
    with folder.claimed():  # as another process does while it learns
        for resume in (True, False):
            with pytest.raises(OutputError, match=r"another process .*--out"):
                train(TrainConfig(**options(steps=4)), folder.path, resume=resume, say=_quiet)
    assert folder.read_log() == logged
    train(TrainConfig(**options(steps=4)), folder.path, resume=True, say=_quiet)
    assert folder.read_state()["step"] == 4


def test_a_start_that_was_killed_early_leaves_no_lines(tmp_path: Path) -> None:
    folder = RunFolder(run_folder(tmp_path))
    folder.prepare()
    folder.append_log({"kind": "step", "step": 20, "loss": 1.0})
    train(TrainConfig(**options(steps=2)), folder.path, say=_quiet)
    assert _steps(folder.path) == [step for step in _steps(folder.path) if step <= 2]
    assert [entry["kind"] for entry in folder.read_log()].count("start") == 1


def test_unwritable_folder(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match="--out"):
        train(TrainConfig(**options(steps=1)), tmp_path / "file" / "run", say=_quiet)


def test_checkpoint_of_another_preset(tmp_path: Path) -> None:
    folder = train(TrainConfig(**options(steps=2)), run_folder(tmp_path), say=_quiet)
    with pytest.raises(ConfigError, match="preset"):
        resumed(folder.read_config(), {"preset": "SMALL"})
    wider = TrainConfig(**options(steps=4, model={"direct_width": 8}))
    with pytest.raises(ConfigError, match="direct_width"):
        train(wider, folder.path, resume=True, say=_quiet)
    with pytest.raises(CheckpointError, match="direct_width"):
        train(wider, tmp_path / "other", init=folder.last, say=_quiet)
    folder.state.write_bytes(folder.state.read_bytes()[:1000])
    with pytest.raises(CheckpointError, match="damaged"):
        train(TrainConfig(**options(steps=4)), folder.path, resume=True, say=_quiet)
    with pytest.raises(CheckpointError, match="without --resume"):
        train(TrainConfig(**options(steps=4)), tmp_path / "empty", resume=True, say=_quiet)


def test_init_starts_from_weights(tmp_path: Path) -> None:
    first = train(TrainConfig(**options(steps=3)), run_folder(tmp_path), say=_quiet)
    second = train(TrainConfig(**options(steps=1, lr=1e-12, min_lr=0.0)), tmp_path / "b", init=first.last, say=_quiet)
    before, after = load(first.last)[0].state_dict(), load(second.last)[0].state_dict()
    assert all(torch.allclose(before[name], after[name], atol=1e-6) for name in before)


def test_a_resumed_run_takes_no_other_weights(tmp_path: Path) -> None:
    folder = train(TrainConfig(**options(steps=2)), run_folder(tmp_path), say=_quiet)
    logged = folder.read_log()
    with pytest.raises(ConfigError, match=r"--resume .*--init"):
        train(TrainConfig(**options(steps=4)), folder.path, resume=True, init=folder.last, say=_quiet)
    assert folder.read_log() == logged


def test_a_start_that_cannot_succeed_prepares_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = train(TrainConfig(**options(steps=1)), run_folder(tmp_path), say=_quiet)

    def prepared(*_: object, **__: object) -> None:
        raise AssertionError("the suites were prepared first")

    monkeypatch.setattr(loop, "validation", prepared)
    settings = options(steps=1, validate_minutes=9)
    with pytest.raises(CheckpointError, match=r"absent\.safetensors"):
        train(TrainConfig(**settings), tmp_path / "a", init=tmp_path / "absent.safetensors", say=_quiet)
    with pytest.raises(ConfigError, match="without 'sensors'"):
        train(TrainConfig(**settings | {"without": ("sensors",)}), tmp_path / "b", say=_quiet)
    deeper = TrainConfig(**settings | {"preset": "PAPER_SMALL"})
    with pytest.raises(CheckpointError, match=r"architecture .*'pairs', not 'paper'.*cannot grow") as refused:
        train(deeper, tmp_path / "c", init=first.last, say=_quiet)
    assert "may be larger" not in str(refused.value)
    with pytest.raises(ConfigError, match=r"nope"):
        train(TrainConfig(**options(steps=1, model={"features": "nope"})), tmp_path / "d", say=_quiet)
    with pytest.raises(ConfigError, match=r"no weight 'colour'; known: .*direction"):
        train(TrainConfig(**options(steps=1, loss_weights={"colour": 2.0})), tmp_path / "e", say=_quiet)
    assert not any((tmp_path / name).exists() for name in "abcde")
    (tmp_path / "mine").mkdir()
    for place in (tmp_path / "mine", tmp_path / "f" / "g"):
        with pytest.raises(ConfigError, match=r"no weight"):
            train(TrainConfig(**options(steps=1, loss_weights={"colour": 2.0})), place, say=_quiet)
    assert (tmp_path / "mine").exists() and not (tmp_path / "f").exists()


def test_an_interrupted_command_does_not_look_done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """``train && calibrate`` must not calibrate half a run."""
    given = [
        f"--option={name}={json.dumps(value)}" for name, value in options(steps=4).items() if value not in (None, {})
    ]

    def stopped(run: loop.Run) -> bool:
        run._interrupted = run.step == 2
        return run._interrupted

    with monkeypatch.context() as patch:
        patch.setattr(loop.Run, "_done", stopped)
        half = CliRunner().invoke(build(), ["train", "--out", str(run_folder(tmp_path)), *given])
    assert "interrupted; the state is saved" in half.output and half.exit_code != 0
    whole = CliRunner().invoke(build(), ["train", "--out", str(run_folder(tmp_path)), "--resume"])
    assert whole.exit_code == 0, whole.output
    assert RunFolder(run_folder(tmp_path)).finished()


class _Broken:
    """An objective that is NaN on chosen steps."""

    name = "broken"

    def __init__(self, bad: range) -> None:
        from foundcause.training.objectives import objective

        self.inner, self.bad, self.calls = objective("shipped"), bad, 0

    def __call__(self, *arguments: object) -> object:
        loss, terms, state = self.inner(*arguments)
        self.calls += 1
        return (loss * float("nan") if self.calls in self.bad else loss), terms, state


def test_a_few_nans_are_skipped_and_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loop, "objective", lambda *_: _Broken(range(3, 6)))
    folder = train(TrainConfig(**options(steps=10)), run_folder(tmp_path), say=_quiet)
    state = folder.read_state()
    assert state["learner"]["skipped"] == 3
    assert all(torch.isfinite(w).all() for w in state["learner"]["network"].values())
    assert [e["skipped"] for e in folder.read_log() if e["kind"] == "step"][-1] == 3


def test_persistent_nans_stop_with_an_explanation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loop, "objective", lambda *_: _Broken(range(3, 1000)))
    with pytest.raises(TrainingError, match=r"not finite in 5 consecutive steps.*--lr"):
        train(TrainConfig(**options(steps=100, nonfinite_limit=5)), run_folder(tmp_path), say=_quiet)


def test_a_full_disk_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = train(TrainConfig(**options(steps=3)), run_folder(tmp_path), say=_quiet)
    before = folder.state.read_bytes()
    real = torch.save

    def full(content: object, path: Path, *rest: object) -> None:
        real({"a": torch.zeros(10)}, path)
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(torch, "save", full)
    with pytest.raises(OutputError, match=r"No space left.*previous state\.pt is untouched"):
        train(TrainConfig(**options(steps=6)), folder.path, resume=True, say=_quiet)
    assert folder.state.read_bytes() == before
    assert not [p for p in folder.path.iterdir() if p.name.endswith(".tmp")]
    monkeypatch.setattr(torch, "save", real)
    train(TrainConfig(**options(steps=6)), folder.path, resume=True, say=_quiet)
    assert folder.read_state()["step"] == 6


def test_extended_budget_continues_time(tmp_path: Path) -> None:
    folder = train(TrainConfig(**options(minutes=0.03)), run_folder(tmp_path), say=_quiet)
    first = folder.read_state()
    assert first["elapsed"] >= 1.8
    longer = resumed(folder.read_config(), {"minutes": first["elapsed"] / 60 + 0.03})
    train(longer, folder.path, resume=True, say=_quiet)
    second = folder.read_state()
    assert second["elapsed"] >= first["elapsed"] + 1.79 and second["step"] > first["step"]


def test_config_survives_the_round_trip() -> None:
    config = TrainConfig(**options(steps=5, without=("fog",), model={"direct_width": 8}))
    assert train_config(json.loads(json.dumps(config.as_dict()))) == config


def test_tensorboard_events_tell_what_the_log_tells(tmp_path: Path) -> None:
    reader = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator")
    config = TrainConfig(**options(steps=4, log_every=2, tensorboard=True))
    folder = train(config, run_folder(tmp_path), say=_quiet)
    events = reader.EventAccumulator(str(folder.path / "tensorboard"))
    events.Reload()
    logged = {e["step"]: e["loss"] for e in folder.read_log() if e["kind"] == "step"}
    shown = {event.step: event.value for event in events.Scalars("step/loss")}
    assert shown == pytest.approx(logged, rel=1e-4) and len(shown) == 2


@pytest.mark.slow
def test_a_compiled_network_learns_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Traced by dynamo and autograd, but without the C++ compiler that machines may lack."""
    from functools import partial

    monkeypatch.setattr(torch, "compile", partial(torch.compile, backend="aot_eager"))
    plain = train(TrainConfig(**options(steps=2)), tmp_path / "plain", say=_quiet)
    traced = train(TrainConfig(**options(steps=2, compile=True)), tmp_path / "traced", say=_quiet)
    for one, other in zip(load(plain.last)[0].parameters(), load(traced.last)[0].parameters(), strict=True):
        torch.testing.assert_close(one, other, rtol=1e-3, atol=1e-5)
