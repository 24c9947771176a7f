"""Our own method in the benchmark, with an untrained network: the plumbing, not the quality."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from foundcause.bench import datasets
from foundcause.bench.baselines import METHODS, our_methods
from foundcause.bench.baselines.method import Table
from foundcause.bench.case import Answer
from foundcause.bench.judgement import judge, judge_pair


@pytest.fixture(scope="module")
def weights(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    import torch

    from foundcause.model.architectures import build_network
    from foundcause.model.checkpoints import save
    from tiny_network import tiny_paper

    torch.manual_seed(0)
    path = tmp_path_factory.mktemp("weights") / "untrained.safetensors"
    network = build_network(tiny_paper())
    with torch.no_grad():
        for parameter in network.parameters():  # parts that start at zero could be switched off without a trace
            parameter.add_(0.3 * torch.randn_like(parameter))
    save(path, network, metadata={})
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(our_methods.CHECKPOINT_VARIABLE, str(path))
        yield path


def test_the_named_checkpoint_is_the_one_evaluated(weights: Path) -> None:
    assert our_methods.chosen_checkpoint() == weights
    digest = our_methods.checkpoint_digest()
    assert digest is not None and len(digest) == 12
    assert METHODS["foundcause"].unavailable() is None


def test_whole_tables_get_every_metric(weights: Path) -> None:
    case = datasets.load("confounded_10", 0)
    answer = METHODS["foundcause_one_pass"].run(Table(values=case.values, seed=0))
    metrics = judge(answer, case)
    assert metrics["acyclic"] == 1
    for name in ("auroc", "auprc", "ece", "brier", "confounding_auroc", "confounding_auprc", "confounding_brier"):
        value = metrics[name]
        assert isinstance(value, float) and 0 <= value <= 1
    assert sum(metrics["reliability_count"]) == 90  # type: ignore[arg-type]


def test_pairs_are_decided_by_the_two_probabilities(weights: Path) -> None:
    rng = np.random.default_rng(0)
    x = rng.standard_normal(200)
    case = datasets.Case(
        dataset="pair",
        seed=0,
        values=np.stack([x, x**2 + rng.standard_normal(200)], axis=1),
        names=("x", "y"),
        adjacency=np.array([[False, True], [False, False]]),
    )
    answer = METHODS["foundcause_one_pass"].run(Table(values=case.values, seed=0))
    assert answer.scores is not None
    verdict = judge_pair(answer, case)
    assert verdict["correct"] == int(answer.scores[0, 1] > answer.scores[1, 0])


def confounded() -> Table:
    return Table(values=datasets.load("confounded_10", 1).values, seed=0)


@pytest.fixture(scope="module")
def whole(weights: Path) -> Answer:
    return METHODS["foundcause"].run(confounded())


@pytest.mark.parametrize("part", our_methods.PARTS)
def test_ablations_change_the_answer_and_are_undone(weights: Path, whole: Answer, part: str) -> None:
    from foundcause.model.checkpoints import load_network

    network = load_network(weights, "cpu")
    assert part in network.parts  # this network has all six parts
    ablated = METHODS[f"without_{part}"].run(confounded())
    again = METHODS["foundcause"].run(confounded())
    assert ablated.scores is not None and again.scores is not None and whole.scores is not None
    assert (again.scores == whole.scores).all()
    assert ablated.scores.shape == whole.scores.shape
    assert np.abs(ablated.scores - whole.scores).max() > 1e-6  # ten times what rounding could do


def test_parts_a_network_lacks_cannot_be_ablated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from foundcause.errors import ConfigError
    from foundcause.model.architectures import preset
    from foundcause.model.checkpoints import save
    from foundcause.model.network import FoundCause

    path = tmp_path / "direct.safetensors"
    save(path, FoundCause(preset("TINY")), metadata={})
    monkeypatch.setenv(our_methods.CHECKPOINT_VARIABLE, str(path))
    lacking = set(our_methods.PARTS) - set(FoundCause.parts)
    assert lacking == {"max_pool", "confounder_feedback", "constant_gate"}
    for part in our_methods.PARTS:
        assert (METHODS[f"without_{part}"].unavailable() is not None) == (part in lacking)
    with pytest.raises(ConfigError, match="no part"):
        METHODS["without_max_pool"].run(confounded())
