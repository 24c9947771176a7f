"""Options: defaults by objective, TOML, and refusals that name the option."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

import pytest

from foundcause.errors import CheckpointError, ConfigError
from foundcause.training.run_config import TrainConfig, read_toml, resumed, train_config
from foundcause.training.run_folder import RunFolder
from foundcause.training.setup import mixture, model_config


def test_objectives_bring_their_defaults() -> None:
    assert TrainConfig(steps=1).lr == 2e-3
    paper = TrainConfig(steps=1, objective="paper")
    assert (paper.lr, paper.min_lr, paper.weight_decay, paper.beta2, paper.replay) == (4e-4, 1e-5, 1e-4, 0.99, 0.05)
    assert TrainConfig(steps=1, objective="paper", lr=1.0).lr == 1.0
    assert (paper.thinning, paper.reuse, paper.batch_largest) == (0.0, 2, 32)
    ours = TrainConfig(steps=1, reuse=3)
    assert (ours.thinning, ours.reuse, ours.batch_largest) == (1.0, 3, 64)


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
        ({"steps": 1, "views": 9}, "views"),
        ({"steps": 1, "seed": -1}, "seed"),
        ({"steps": 1, "batch_largest": 1}, "batch_largest"),
        ({"steps": 1, "mixture": {"dowhy": 1}}, "shares"),
        ({"minutes": float("nan")}, "minutes is nan; it must be a finite number"),
        ({"minutes": float("inf")}, "minutes"),
        ({"minutes": True}, "minutes"),
        ({"steps": 2.5}, "steps is 2.5; it must be a whole number"),
        ({"steps": 1, "clip": float("nan")}, "clip"),
        ({"steps": 1, "clip": None}, "clip"),
        ({"steps": 1, "compile": 1}, "compile is 1; it must be true or false"),
        ({"steps": 1, "only": 3}, "only is 3; it must be a list of names"),
        ({"steps": 1, "validation_families": [3]}, "validation_families"),
        ({"steps": 1, "task_folder": 3}, "task_folder is 3; it must be text"),
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


def test_what_a_resume_may_change(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path)
    folder.write_json(folder.config, TrainConfig(minutes=5, preset="TINY", without=("fog",)).as_dict())
    assert resumed(tmp_path, {"minutes": 9.0}).minutes == 9.0
    assert resumed(tmp_path, {"steps": 4}).minutes is None
    with pytest.raises(ConfigError, match="shares"):
        resumed(tmp_path, {"shares": {"pairs": 1.0}})
    assert resumed(tmp_path, {"without": "fog"}).without == ("fog",)
    with pytest.raises(ConfigError, match="not as both"):
        resumed(tmp_path, {"steps": 4, "minutes": 9.0})
    assert resumed(tmp_path, {"preset": "tiny", "without": ("fog",)}).preset == "tiny"
    for name, value in {"preset": "SMALL", "seed": 4, "without": (), "model": {"width": 4}}.items():
        with pytest.raises(ConfigError, match=name):
            resumed(tmp_path, {name: value})
    with pytest.raises(CheckpointError, match=r"config\.json"):
        resumed(tmp_path / "elsewhere", {})
    with pytest.raises(CheckpointError, match="a file, not a run folder"):
        resumed(folder.config, {})
    folder.write_json(folder.config, [1])
    with pytest.raises(CheckpointError, match="options of a run"):
        resumed(tmp_path, {})


def test_a_run_from_before_thinning_goes_on_without_it(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path)
    before = TrainConfig(minutes=5, reuse=2).as_dict()
    del before["thinning"]
    folder.write_json(folder.config, before)
    assert resumed(tmp_path, {}).thinning == 0.0
    with pytest.raises(ConfigError, match="thinning"):
        resumed(tmp_path, {"thinning": 1.0})


def test_the_documentation_lists_every_option() -> None:
    """docs/training.md has each option with the words of the class."""
    page = (Path(__file__).parents[2] / "docs" / "training.md").read_text()
    rows = re.findall(r"^\| (`[^|]*`) \| [^|]* \| (.*) \|$", page.split("## Every option")[1], re.MULTILINE)
    listed = [name for names, _ in rows for name in re.findall(r"`(\w+)`", names)]
    assert sorted(listed) == sorted(option.name for option in dataclasses.fields(TrainConfig))
    said = " ".join((TrainConfig.__doc__ or "").replace("``", "`").split())
    assert [meaning for _, meaning in rows if meaning not in said] == []
