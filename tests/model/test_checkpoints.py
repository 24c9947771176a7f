"""Checkpoints come back bit for bit, and everything that does not fit is refused by name."""

from __future__ import annotations

import json
import os
import pickle
import time
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from safetensors import safe_open
from safetensors.torch import load_file, save_file

import foundcause
from foundcause.errors import CheckpointError, ConfigError, OutputError
from foundcause.model import checkpoints
from foundcause.model.architectures import build_network
from foundcause.model.calibration import Calibration
from foundcause.model.config import SMALL, TINY
from foundcause.model.network import FoundCause
from foundcause.weights import SHIPPED_CHECKPOINT

METADATA = {
    "provenance": {"mixture": "shipped", "seed": 3, "step": 1000},
    "calibration": {"edge_temperature": 0.9, "direction_temperature": 1.1, "threshold": {"10": 0.4}},
}


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    network = FoundCause(TINY, seed=4)
    network.scaling.feature_mean.uniform_(-1, 1, generator=torch.Generator().manual_seed(0))
    return checkpoints.save(tmp_path / "tiny.safetensors", network, metadata=METADATA)


def rewritten(path: Path, *, drop: str = "", add: str = "", **changes: object) -> Path:
    """The same file with tensors dropped or added, or header entries changed."""
    with safe_open(str(path), framework="pt") as file:
        header = json.loads(file.metadata()["foundcause"])
    tensors = {name: tensor for name, tensor in load_file(path).items() if name != drop}
    if add:
        tensors[add] = torch.zeros(2)
    save_file(tensors, path, metadata={"foundcause": json.dumps({**header, **changes})})
    return path


def test_a_round_trip_keeps_every_bit_and_the_metadata(saved: Path) -> None:
    network = FoundCause(TINY, seed=4)
    network.scaling.feature_mean.uniform_(-1, 1, generator=torch.Generator().manual_seed(0))
    loaded, metadata = checkpoints.load(saved)
    assert metadata == METADATA
    assert loaded.config == TINY and not loaded.training
    state = loaded.state_dict()
    assert all(torch.equal(tensor, state[name]) for name, tensor in network.state_dict().items())
    assert all(parameter.requires_grad for parameter in loaded.parameters())
    values = torch.randn(1, 20, 4, generator=torch.Generator().manual_seed(1))
    features = torch.randn(1, 4, 4, network.features.count, generator=torch.Generator().manual_seed(2))
    with torch.no_grad():
        expected = network.eval()(values, None, None, features).edge_logits
        assert torch.equal(loaded(values, None, None, features).edge_logits, expected)


def test_a_loaded_network_can_be_trained_on(saved: Path) -> None:
    loaded, _ = checkpoints.load(saved)
    values, features = torch.randn(1, 20, 4), torch.randn(1, 4, 4, loaded.features.count)
    loaded.train()(values, None, None, features).edge_logits.sum().backward()
    assert loaded.direct.out.weight.grad is not None


def test_a_network_in_use_does_not_change_with_its_file(saved: Path) -> None:
    network, _ = checkpoints.load(saved)
    before = {name: value.clone() for name, value in network.state_dict().items()}
    with open(saved, "r+b") as file:  # as `cp` writes over a file, without a new name
        file.seek(saved.stat().st_size // 2)
        file.write(b"\x01" * (saved.stat().st_size // 2))
    assert all(torch.equal(value, before[name]) for name, value in network.state_dict().items())


def test_the_header_describes_the_file(saved: Path) -> None:
    header = checkpoints.describe(saved)
    assert header["config"] == TINY.to_dict()
    assert header["package_version"] == foundcause.__version__
    assert header["feature_set"] == "paper" and len(header["feature_names"]) == 45
    assert header["metadata"]["calibration"]["edge_temperature"] == 0.9


def test_loading_small_is_quick(tmp_path: Path) -> None:
    path = checkpoints.save(tmp_path / "small.safetensors", FoundCause(SMALL), metadata={})
    times = []
    for _ in range(5):
        started = time.process_time()  # of this process alone: other work on the machine does not count
        checkpoints.load(path)
        times.append(time.process_time() - started)
    assert min(times) < 0.05


def test_no_partial_file_is_left_when_writing_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "net.safetensors"
    target.write_bytes(b"precious")

    def full(*_: object, **__: object) -> None:
        raise OSError("no space left on device")

    monkeypatch.setattr(checkpoints, "save_file", full)
    with pytest.raises(OutputError, match="no space"):
        checkpoints.save(target, FoundCause(TINY), metadata={})
    assert target.read_bytes() == b"precious"
    assert os.listdir(tmp_path) == ["net.safetensors"]


def test_metadata_must_be_plain(tmp_path: Path) -> None:
    for wrong in ({"x": object()}, {"x": float("nan")}):
        with pytest.raises(ConfigError, match="JSON"):
            checkpoints.save(tmp_path / "x.safetensors", FoundCause(TINY), metadata=wrong)
    assert not list(tmp_path.iterdir())


def test_missing_unexpected_and_misshapen_tensors_are_refused(saved: Path) -> None:
    whole = saved.read_bytes()
    with pytest.raises(CheckpointError, match=r"lacks tensors: direct\.out\.bias"):
        checkpoints.load(rewritten(saved, drop="direct.out.bias"))
    saved.write_bytes(whole)
    with pytest.raises(CheckpointError, match=r"unknown tensors: mystery"):
        checkpoints.load(rewritten(saved, add="mystery"))
    saved.write_bytes(whole)
    with pytest.raises(CheckpointError, match="expected"):
        checkpoints.load(rewritten(saved, config=replace(TINY, pair_width=32).to_dict()))


def test_other_versions_and_features_are_refused(saved: Path) -> None:
    whole = saved.read_bytes()
    for changes, words in (
        ({"format_version": 99, "package_version": "9.0"}, "format 99.*9.0"),
        ({"feature_names": ["old", "older"]}, "does not compute.*'old'"),
        ({"feature_names": None}, "does not name its features"),
        ({"config": {**TINY.to_dict(), "novelty": 1}}, "novelty"),
        ({"config": {**TINY.to_dict(), "pair_width": "wide"}}, "pair_width"),
        ({"architecture": "mystery"}, "mystery"),
        ({"config": None}, "lacks its config"),
        ({"format": "other"}, "damaged"),
    ):
        saved.write_bytes(whole)
        with pytest.raises(CheckpointError, match=words):
            checkpoints.load(rewritten(saved, **changes))


@pytest.mark.parametrize("kept", [0, 4, 100, 20_000, -1])
def test_truncated_files_are_refused(saved: Path, kept: int) -> None:
    saved.write_bytes(saved.read_bytes()[:kept])
    with pytest.raises(CheckpointError, match="truncated"):
        checkpoints.load(saved)


def test_foreign_files_are_refused_and_never_unpickled(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match="no checkpoint file"):
        checkpoints.load(tmp_path / "nowhere.safetensors")
    (tmp_path / "best.safetensors").touch()
    with pytest.raises(CheckpointError, match=r"is a folder.*best\.safetensors"):
        checkpoints.load(tmp_path)
    foreign = tmp_path / "foreign.safetensors"
    save_file({"weight": torch.zeros(3)}, foreign)
    with pytest.raises(CheckpointError, match="another program"):
        checkpoints.load(foreign)
    save_file({"weight": torch.zeros(3)}, foreign, metadata={"foundcause": "not json"})
    with pytest.raises(CheckpointError, match="damaged"):
        checkpoints.load(foreign)
    pickled = tmp_path / "pickled.safetensors"
    pickled.write_bytes(pickle.dumps(Trap(str(tmp_path / "executed"))))
    torch.save({"weight": torch.zeros(3)}, tmp_path / "torch.safetensors")
    for path in (pickled, tmp_path / "torch.safetensors"):
        with pytest.raises(CheckpointError, match="import-official"):
            checkpoints.load(path)
    assert not (tmp_path / "executed").exists()


class Trap:
    """Unpickling this writes a file."""

    def __init__(self, path: str) -> None:
        self.path = path

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return (os.mkdir, (self.path,))


def test_checkpoints_may_be_read_by_whom_other_files_may(tmp_path: Path) -> None:
    (tmp_path / "plain").write_text("")
    written = checkpoints.save(tmp_path / "a.safetensors", FoundCause(TINY))
    assert written.stat().st_mode == (tmp_path / "plain").stat().st_mode


@pytest.mark.parametrize("name", ["pairs", "paper", "statistics_only"])
def test_files_of_format_1_answer_as_they_did(name: str) -> None:
    folder = Path(__file__).with_name("data")
    answers = json.loads((folder / "format1_answers.json").read_text())
    network, metadata = checkpoints.load(folder / f"{name}_format1.safetensors")
    assert metadata == {"calibration": {"edge_temperature": 0.9}}
    assert network.architecture == ("pairs" if name == "pairs" else "paper")
    with torch.no_grad():
        found = network(torch.tensor(answers["values"])[None])
    for field, expected in answers[name].items():
        if field != "start":
            torch.testing.assert_close(getattr(found, field)[0], torch.tensor(expected), rtol=1e-5, atol=1e-5)
    start = sum(float(p.detach().double().sum()) for p in build_network(network.config, seed=5).parameters())
    assert start == pytest.approx(answers[name]["start"], rel=1e-9)  # seeds give the weights they gave


def test_files_that_mix_both_architectures_are_refused(saved: Path) -> None:
    old = {**TINY.to_dict(), "evidence": "paper", "encoder_layers": 1, "head": "factored", "scaled_features": True}
    with pytest.raises(CheckpointError, match=r"mixes both architectures.*0\.1\.0"):
        checkpoints.load(rewritten(saved, format_version=1, config=old))


def test_new_statistics_leave_trained_networks_as_they_are() -> None:
    """A network reads the features that its header names, whatever its sets have by now."""
    from foundcause.features import Statistic, feature_set, register, unregister

    shipped = Path(foundcause.__file__).with_name("weights") / "small.safetensors"
    values = torch.randn(1, 60, 4, generator=torch.Generator().manual_seed(0))
    with torch.no_grad():
        before = checkpoints.load(shipped)[0](values).edge_logits

    @register("extended", Statistic("dummy", "symmetric", "dependence", "1 for all pairs"))
    def dummy(table):  # type: ignore[no-untyped-def]
        return {"dummy": torch.ones_like(table.columns.joint)}

    try:
        assert "dummy" in feature_set("extended").names
        with torch.no_grad():
            assert torch.equal(checkpoints.load(shipped)[0](values).edge_logits, before)
    finally:
        unregister(dummy)


def test_a_network_is_loaded_once(saved: Path) -> None:
    network = checkpoints.load_network(saved, "cpu")
    assert checkpoints.load_network(saved, "cpu") is network
    assert network.metadata == METADATA
    os.utime(saved, ns=(0, 1))
    assert checkpoints.load_network(saved) is not network
    with pytest.raises(ConfigError, match="tape"):
        checkpoints.load_network(saved, "tape")


def test_a_file_beside_it_extends_the_calibration_and_headers_can_be_rewritten(saved: Path, tmp_path: Path) -> None:
    later = saved.with_suffix(".calibration.json")
    later.write_text(json.dumps({"edge_temperature": 0.7, "by_passes": {"1": {"edge_temperature": 1.5}}}))
    network, metadata = checkpoints.load(saved)
    assert metadata["calibration"] == {
        **METADATA["calibration"], "edge_temperature": 0.7, "by_passes": {"1": {"edge_temperature": 1.5}},
    }  # fmt: skip
    digest = checkpoints.weights_digest(network)
    written = checkpoints.rewrite_header(saved, tmp_path / "new.safetensors", calibration={"direction_temperature": 2})
    again, described = checkpoints.load(written)
    assert checkpoints.weights_digest(again) == digest
    assert described["calibration"] == {**metadata["calibration"], "direction_temperature": 2}
    later.write_text("[")
    with pytest.raises(CheckpointError, match=r"cannot read .*calibration\.json"):
        checkpoints.load(saved)


def test_shipped_weights_know_the_number_of_passes() -> None:
    calibration = Calibration.from_metadata(checkpoints.describe(SHIPPED_CHECKPOINT)["metadata"])
    temperatures = [calibration.at(k).direction_temperature for k in (1, 2, 4, 10)]
    assert temperatures == sorted(temperatures, reverse=True)  # fewer passes are more sure of themselves
    assert calibration.at(10) == replace(calibration, by_passes=())
