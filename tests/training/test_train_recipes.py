"""Recipes: readable files in the package, complete, overridden by options, and good for a checkpoint."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from safetensors.torch import load_file
from typer.testing import CliRunner

from foundcause.cli.app import build
from foundcause.errors import ConfigError
from foundcause.model.checkpoints import describe, load
from foundcause.paper.config import BASE, PAPER_SMALL
from foundcause.paper.paper_network import PaperNetwork
from foundcause.training.run_config import read_recipe, recipes, train_config
from foundcause.training.setup import check_start, model_config

SMALL_RUN = [
    "--minutes", "0.02", "--workers", "0", "--set", "width=8", "--set", "heads=2", "--set", "pooling_heads=2",
    "--set", "pair_width=8", "--set", "encoder_rows=16", "--option", "batch_budget=80", "--option", "batch_largest=4",
    "--option", "validation_tasks=2", "--option", 'validation_suites=["paper"]', "--option", "calibration_tasks=6",
]  # fmt: skip


@pytest.fixture(autouse=True)
def _own_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("FOUNDCAUSE_CACHE", str(tmp_path / "cache"))


@pytest.mark.parametrize("name", recipes())
def test_every_recipe_can_start(name: str) -> None:
    config = train_config(read_recipe(name))
    check_start(config, resume=False, init=None)
    assert (config.permute and not config.replay) or config.mixture == "PAPER"
    assert config.recipe.split()[0] == name and len(config.recipe.split()[1]) == 12


def test_the_papers_recipe_has_the_papers_settings() -> None:
    config = train_config(read_recipe("paper"))
    assert (config.objective, config.optimizer, config.beta1, config.beta2) == ("paper", "schedule-free", 0.9, 0.99)
    assert (config.weight_decay, config.clip, config.min_lr, config.replay) == (1e-4, 1.0, 1e-5, 0.05)
    model = model_config(config)
    assert model.feature_dropout == BASE.feature_dropout == 0.2
    same = (
        "features", "refinement_rounds", "confounder_tokens", "confounder_layers", "pooling_heads",
        "pair_heads", "initial_logit",
    )  # fmt: skip
    for field in same:
        assert getattr(model, field) == getattr(BASE, field), field
    assert model.taps and model.global_tokens and model.pooling_queries > 1


def test_the_paper_at_our_size_has_every_part_and_fits_ten_megabytes() -> None:
    network = PaperNetwork(PAPER_SMALL)
    assert network.parameter_count <= 2_400_000

    def parts(names: list[str]) -> set[str]:
        return {".".join(part for part in name.split(".") if not part.isdigit()) for name in names}

    whole = PaperNetwork(BASE.__class__(**(BASE.to_dict() | {"width": 24, "encoder_layers": 3, "pair_width": 8})))
    assert parts(list(network.state_dict())) == parts(list(whole.state_dict()))


def test_statistics_only_differs_by_its_encoder_alone() -> None:
    paper, without = (train_config(read_recipe(name)).as_dict() for name in ("paper", "statistics-only"))
    assert without.pop("model") == {"encoder_layers": 0} and paper.pop("model") == {}
    assert without.pop("recipe") != paper.pop("recipe")
    assert without == paper


def test_the_rival_differs_by_its_network_alone() -> None:
    paper, rival = (train_config(read_recipe(name)).as_dict() for name in ("paper", "avici-like"))
    differing = {name for name in paper if paper[name] != rival[name]}
    assert differing == {"recipe", "preset", "feature_dropout"}


def test_the_rival_learns_without_statistics(tmp_path: Path) -> None:
    out = tmp_path / "run"
    given = ["--minutes", "0.02", "--workers", "0", "--set", "width=8", "--set", "heads=2", "--set", "layers=1"]
    done = CliRunner().invoke(
        build(),
        ["train", "--recipe", "avici-like", "--out", str(out), *given, *SMALL_RUN[SMALL_RUN.index("--option") :]],
    )
    assert done.exit_code == 0, done.output
    header = describe(out / "model.safetensors")
    assert header["architecture"] == "rival" and header["feature_names"] == []
    assert header["metadata"]["training"]["recipe"].startswith("avici-like ")


def test_unknown_recipes_are_refused() -> None:
    with pytest.raises(ConfigError, match="avici-like, paper, shipped, statistics-only"):
        read_recipe("papers")


def test_a_recipe_gives_a_checkpoint_that_discover_takes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(build(), ["train", "--recipe", "paper", *SMALL_RUN])
    assert done.exit_code == 0, done.output
    run = tmp_path / "runs" / "paper"
    options = json.loads((run / "config.json").read_text())
    assert options["minutes"] == 0.02 and options["steps"] is None and options["model"]["width"] == 8
    header = describe(run / "model.safetensors")
    assert header["metadata"]["training"]["objective"] == "paper"
    assert min(header["metadata"]["processor_seconds"].values()) > 0
    network, _ = load(run / "model.safetensors")
    assert network.config.encoder_layers == 3
    (tmp_path / "t.csv").write_text("a,b\n" + "\n".join(f"{k % 7},{(k * k) % 11 + k % 7}" for k in range(60)))
    found = subprocess.run(
        [sys.executable, "-m", "foundcause", "discover", "t.csv", "--checkpoint", "runs/paper/model.safetensors"],
        cwd=tmp_path, env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert found.returncode == 0, found.stderr
    again = CliRunner().invoke(build(), ["train", "--recipe", "paper", "--resume", "--minutes", "0.03"])
    assert again.exit_code == 0, again.output
    assert json.loads((run / "config.json").read_text())["model"]["width"] == 8


def test_validated_weights_are_kept_at_equal_steps(tmp_path: Path) -> None:
    options = [part for part in SMALL_RUN if part not in ("--minutes", "0.02")]
    out = tmp_path / "run"
    done = CliRunner().invoke(
        build(),
        ["train", "--recipe", "statistics-only", "--steps", "5", "--option", "validate_steps=2", *options,
         "--out", str(out)],
    )  # fmt: skip
    assert done.exit_code == 0, done.output
    kept = sorted(out.glob("step-*.safetensors"))
    assert [path.name for path in kept] == ["step-2.safetensors", "step-4.safetensors", "step-5.safetensors"]
    entries = [json.loads(line) for line in (out / "log.jsonl").read_text().splitlines()]
    found = {entry["step"]: entry for entry in entries if entry["kind"] == "validation"}
    assert list(found) == [2, 4, 5]
    seconds = [found[step]["processor"]["learning"] for step in (2, 4, 5)]
    assert 0 < seconds[0] < seconds[1] < seconds[2]
    best = max(found, key=lambda step: (found[step]["mean"]["skeleton_f1"], -step))
    assert describe(out / "best.safetensors")["metadata"]["step"] == best
    tensors = load_file(out / f"step-{best}.safetensors")
    assert all((value == tensors[name]).all() for name, value in load_file(out / "best.safetensors").items())
