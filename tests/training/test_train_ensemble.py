"""Calibration sees what ``discover`` would say: averaged passes of the default protocol."""

from __future__ import annotations

import numpy as np
import pytest

from foundcause.features.series import row_dependence
from foundcause.inference.decoding import decide
from foundcause.inference.probabilities import sigmoid
from foundcause.inference.protocols import IN_WORDS
from foundcause.model.architectures import build_network
from foundcause.model.calibration import Calibration
from foundcause.model.config import TINY
from foundcause.model.interface import NetworkConfig
from foundcause.model.network import FoundCause
from foundcause.simulate.mixture import SHIPPED, make_task
from foundcause.training.calibrate import answers_by_passes, averaged_answer, calibrate, ensemble_answers, task_passes
from foundcause.training.run_config import TrainConfig
from tiny_network import tiny_paper

SMALL_TASKS = SHIPPED.only("pairs")


def test_answers_are_the_averaged_logits_of_each_task_in_order() -> None:
    network = FoundCause(TINY, seed=3).eval()
    found = ensemble_answers(network, SMALL_TASKS, seed=5, tasks=3, passes=4, jobs=1)
    for index, answer in enumerate(found):
        task = make_task(SMALL_TASKS, 5, index)
        passes = task_passes(network, task, passes=4, seed=index)
        assert passes.existence.shape == (4, 2, 2)
        np.testing.assert_array_equal(answer.adjacency, task.adjacency)
        np.testing.assert_allclose(answer.existence, sigmoid(passes.existence.mean(0)), atol=1e-9)
        np.testing.assert_allclose(answer.direction, averaged_answer(task, passes).direction)
        assert answer.rows == row_dependence(np.where(task.observed, task.values, np.nan)).n_effective
    # Another resampling is another opinion: averages differ from the first pass, which sees all rows.
    first = task_passes(network, make_task(SMALL_TASKS, 5, 0), passes=1, seed=0)
    assert abs(found[0].existence[0, 1] - sigmoid(first.existence[0])[0, 1]) > 1e-7


@pytest.mark.parametrize("runs", [1, 3])
def test_calibration_says_how_many_passes_it_was_fitted_on(runs: int) -> None:
    found = calibrate(FoundCause(TINY, seed=3), TrainConfig(steps=1, workers=0), tasks=6, passes=runs)
    assert found["fitted_on"]["runs"] == runs and found["fitted_on"]["tasks"] == 6
    assert found["edge_temperature"] > 0


@pytest.mark.parametrize("config", [TINY, tiny_paper()], ids=["factored", "blend"])
def test_calibration_is_fitted_on_what_decoding_applies_it_to(config: NetworkConfig) -> None:
    network = build_network(config, seed=3).eval()
    task = make_task(SHIPPED.only("diverse"), 5, 1)
    passes = task_passes(network, task, passes=3, seed=1)
    said = decide(passes, rows=len(task.values)).edges
    off = ~np.eye(len(said), dtype=bool)
    np.testing.assert_allclose(averaged_answer(task, passes).edges[off], said[off], atol=1e-9)


def test_single_passes_do_not_claim_the_protocol_of_discover() -> None:
    fitted = [
        calibrate(FoundCause(TINY, seed=3), TrainConfig(steps=1, workers=0), tasks=4, passes=runs)["fitted_on"]
        for runs in (1, 2)
    ]
    assert fitted[0]["protocol"] != IN_WORDS == fitted[1]["protocol"]


def test_calibration_has_coefficients_for_fewer_passes() -> None:
    network = FoundCause(TINY, seed=3)
    found = calibrate(network, TrainConfig(steps=1, workers=0), tasks=4, passes=3)
    assert sorted(found["by_passes"]) == ["1", "2"]
    by_count = answers_by_passes(network, SMALL_TASKS, seed=5, tasks=2, counts=(1, 3), jobs=1)
    again = ensemble_answers(network, SMALL_TASKS, seed=5, tasks=2, passes=1, jobs=1)
    for fewer, alone in zip(by_count[1], again, strict=True):
        np.testing.assert_allclose(fewer.existence, alone.existence)
    assert Calibration.from_metadata({"calibration": found}).at(1).edge_temperature == pytest.approx(
        found["by_passes"]["1"]["edge_temperature"]
    )
