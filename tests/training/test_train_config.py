"""Options: defaults by objective, TOML, and refusals that name the option."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

import pytest

from foundcause.errors import CheckpointError, ConfigError
from foundcause.training.run_config import TrainConfig, read_toml, resumed, stored_options, train_config
from foundcause.training.run_folder import RunFolder
from foundcause.training.setup import mixture, model_config


def test_objectives_bring_their_defaults() -> None:
    assert TrainConfig(steps=1).lr == 2e-3
    paper = TrainConfig(steps=1, objective="paper")
    assert (paper.lr, paper.min_lr, paper.weight_decay, paper.beta2, paper.replay) == (4e-4, 1e-5, 1e-4, 0.99, 0.05)
    assert TrainConfig(steps=1, objective="paper", lr=1.0).lr == 1.0
    assert (paper.thinning, paper.batch_largest) == (0.0, 32)
    ours = TrainConfig(steps=1)
    assert (ours.thinning, ours.batch_largest) == (1.0, 64)


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({}, "minutes or steps"),
        ({"steps": 1, "minutes": 2.0}, "minutes or steps"),
        ({"steps": 1, "colour": 3}, "colour"),
        ({"steps": 1, "objective": "mse"}, "objective"),
        ({"steps": 1, "optimizer": "sgd"}, "optimizer"),
        ({"steps": 0}, "steps"),
        ({"steps": 1, "lr": "fast"}, "lr"),
        ({"steps": 1, "replay": 1.0}, "replay"),
        ({"steps": 1, "memory": "forty"}, "40G"),
        ({"steps": 1, "seed": -1}, "seed"),
        ({"steps": 1, "batch_largest": 1}, "batch_largest"),
        ({"steps": 1, "mixture": {"dowhy": 1}}, "shares"),
        ({"minutes": float("nan")}, "minutes is nan; it must be a finite number"),
        ({"minutes": float("inf")}, "minutes"),
        ({"minutes": True}, "minutes"),
        ({"steps": 2.5}, "steps is 2.5; it must be a whole number"),
        ({"steps": 1, "clip": float("nan")}, "clip"),
        ({"steps": 1, "clip": None}, "clip"),
        ({"steps": 1, "tensorboard": 1}, "tensorboard is 1; it must be true or false"),
        ({"steps": 1, "only": 3}, "only is 3; it must be a list of names"),
        ({"steps": 1, "validation_suites": [3]}, "validation_suites"),
        ({"steps": 1, "memory": 3}, "memory is 3; it must be text"),
        ({"steps": 1, "loss_weights": 3}, "loss_weights is 3; it must be a table"),
        ({"steps": 1, "loss_weights": {"direction": float("nan")}}, "loss_weights.direction is nan"),
    ],
)
def test_bad_options_are_named(options: dict, named: str) -> None:
    with pytest.raises(ConfigError, match=named):
        train_config(options)


def test_toml(tmp_path: Path) -> None:
    path = tmp_path / "run.toml"
    path.write_text(
        'preset = "TINY"\nsteps = 7\nwithout = ["expert"]\n[model]\npair_width = 16\n[loss_weights]\ndirection = 2.0\n'
    )
    config = train_config(read_toml(path))
    assert (config.preset, config.steps, config.without) == ("TINY", 7, ("expert",))
    assert model_config(config).pair_width == 16
    path.write_text("steps = = 3")
    with pytest.raises(ConfigError, match=r"run\.toml"):
        read_toml(path)
    with pytest.raises(ConfigError, match="cannot read"):
        read_toml(tmp_path / "absent.toml")


def test_model_and_mixture_options() -> None:
    assert model_config(TrainConfig(steps=1, preset="tiny", feature_dropout=0.4)).feature_dropout == 0.4
    with pytest.raises(ConfigError, match="depth"):
        model_config(TrainConfig(steps=1, model={"depth": 3}))
    assert "expert" not in mixture(TrainConfig(steps=1, without=("expert",))).weights
    assert set(mixture(TrainConfig(steps=1, only=("pairs", "sensors"))).weights) == {"pairs", "sensors"}
    with pytest.raises(ConfigError, match="mixture"):
        mixture(TrainConfig(steps=1, mixture="NONE"))
    assert train_config({"steps": 1, "only": "pairs"}).only == ("pairs",)


def test_shares_of_ones_own() -> None:
    own = {"pairs": 3, "ecology": 1}
    assert mixture(TrainConfig(steps=1, shares=own)).weights == {"pairs": 0.75, "ecology": 0.25}
    assert set(mixture(TrainConfig(steps=1, shares=own, without=("ecology",))).weights) == {"pairs"}
    for wrong, named in (
        ({"pear": 1}, "pear"),
        ({"pairs": -1}, "negative"),
        ({"pairs": "a"}, "number"),
        ({"pairs": 0}, "positive"),
    ):
        with pytest.raises(ConfigError, match=named):
            mixture(TrainConfig(steps=1, shares=wrong))


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"without": ("ecology",)}, "without 'ecology'"),
        ({"mixture": "PAPER", "without": ("fog", "sensors")}, "without 'sensors'"),
        ({"only": ("pairs",), "without": ("fog",)}, "without 'fog'"),
        ({"only": ("pairs", "ecology")}, "only.*'ecology'"),
    ],
)
def test_components_that_the_mixture_lacks_are_named(options: dict, named: str) -> None:
    with pytest.raises(ConfigError, match=named):
        mixture(TrainConfig(steps=1, **options))


def test_what_a_resume_may_change() -> None:
    before = TrainConfig(minutes=5, preset="TINY", without=("fog",)).as_dict()
    assert resumed(before, {"minutes": 9.0}).minutes == 9.0
    assert resumed(before, {"steps": 4}).minutes is None
    with pytest.raises(ConfigError, match="shares"):
        resumed(before, {"shares": {"pairs": 1.0}})
    assert resumed(before, {"without": "fog"}).without == ("fog",)
    with pytest.raises(ConfigError, match="not as both"):
        resumed(before, {"steps": 4, "minutes": 9.0})
    assert resumed(before, {"preset": "tiny", "without": ("fog",)}).preset == "tiny"
    for name, value in {"preset": "SMALL", "seed": 4, "without": (), "model": {"width": 4}}.items():
        with pytest.raises(ConfigError, match=name):
            resumed(before, {name: value})


def test_folders_that_hold_no_run_are_named(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path)
    with pytest.raises(CheckpointError, match=r"config\.json"):
        RunFolder(tmp_path / "elsewhere").read_config()
    folder.write_json(folder.config, [1])
    with pytest.raises(CheckpointError, match="options of a run"):
        folder.read_config()
    with pytest.raises(CheckpointError, match="a file, not a run folder"):
        RunFolder(folder.config).read_config()


def test_options_of_older_runs_are_read() -> None:
    now = TrainConfig(minutes=5).as_dict()
    gone = {
        "reuse": 1,
        "views": 1,
        "reuse_delay": 64,
        "task_folder": "x",
        "compile": False,
        "validation_families": ["fog"],
    }
    before = {name: value for name, value in now.items() if name not in ("thinning", "memory")} | gone
    config = resumed({name: value for name, value in before.items() if name != "validation_suites"}, {})
    assert (config.thinning, config.validation_suites) == (0.0, ("fog",))
    with pytest.raises(ConfigError, match="thinning"):
        resumed(before, {"thinning": 1.0})
    with pytest.raises(ConfigError, match="reuse = 4"):
        resumed(before | {"reuse": 4}, {})
    assert train_config(stored_options(before | {"reuse": 4})).minutes == 5


@pytest.mark.parametrize(("text", "number"), [("40G", 40e9), ("512 m", 512e6), ("16GiB", 2**34), ("100", 100.0)])
def test_sizes_of_memory(text: str, number: float) -> None:
    assert TrainConfig(steps=1, memory=text).memory_limit == number
    assert TrainConfig(steps=1).memory_limit is None


def test_the_documentation_lists_every_option() -> None:
    """docs/training.md has each option with the words of the class."""
    page = (Path(__file__).parents[2] / "docs" / "training.md").read_text()
    rows = re.findall(r"^\| (`[^|]*`) \| [^|]* \| (.*) \|$", page.split("## Every option")[1], re.MULTILINE)
    listed = [name for names, _ in rows for name in re.findall(r"`(\w+)`", names)]
    assert sorted(listed) == sorted(option.name for option in dataclasses.fields(TrainConfig))
    said = " ".join((TrainConfig.__doc__ or "").replace("``", "`").split())
    assert [meaning for _, meaning in rows if meaning not in said] == []
