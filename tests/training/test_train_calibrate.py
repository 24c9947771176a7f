"""Calibration recovers what was distorted, and its threshold rule earns F1."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from foundcause.model.calibration import Calibration
from foundcause.training.answer_scores import Answer
from foundcause.training.calibrate import apply, f1_curve, fit, fit_rule


def _sigmoid(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-x))


def _world(count: int, *, stretch: float = 1.0, shift: float = 0.0, turn: float = 1.0, seed: int = 0) -> list[Answer]:
    """Graphs drawn from known probabilities; the answers state logits times ``stretch`` plus ``shift``."""
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(count):
        d = int(rng.integers(4, 20))
        existence = np.triu(rng.normal(-2.0, 2.0, (d, d)), 1)
        existence = existence + existence.T
        direction = np.triu(rng.normal(0, 2.0, (d, d)), 1)
        direction = direction - direction.T
        exists = np.triu(rng.random((d, d)) < _sigmoid(existence), 1)
        forward = rng.random((d, d)) < _sigmoid(direction)
        adjacency = (exists & forward) | (exists & ~forward).T
        shared = np.triu(rng.random((d, d)) < _sigmoid(existence - 1), 1)
        found.append(
            Answer(
                adjacency=adjacency, confounding=shared | shared.T, existence=_sigmoid(stretch * existence + shift),
                direction=_sigmoid(turn * direction), shared=_sigmoid(2 * (existence - 1)), rows=200,
            )
        )  # fmt: skip
    return found


def test_temperatures_are_recovered() -> None:
    found = fit(_world(300, stretch=2.0, shift=1.0, turn=0.5))
    # The answers state l' = 2 l + 1, so l = (l' - 1) / 2.
    assert found["edge_temperature"] == pytest.approx(2.0, rel=0.1)
    assert found["edge_bias"] == pytest.approx(-1.0, abs=0.15)
    assert found["direction_temperature"] == pytest.approx(0.5, rel=0.15)
    assert found["confounding"]["temperature"] == pytest.approx(2.0, rel=0.15)
    quality = found["reliability"]
    assert quality["ece_after"] < 0.01 < quality["ece_before"]
    json.dumps(found, allow_nan=False)
    read = Calibration.from_metadata({"calibration": found})
    assert read.edge_bias == found["edge_bias"] and read.cut.log_rows == found["threshold"]["log_rows"]


def test_applied_as_decode_applies_it() -> None:
    from foundcause.inference.probabilities import factored_probabilities

    answer = _world(1)[0]
    found = fit(_world(40, stretch=1.5))
    logits = [np.log(p / (1 - p)) for p in (answer.existence, answer.direction)]
    theirs = factored_probabilities(*logits, Calibration.from_metadata({"calibration": found}))
    off = ~np.eye(len(theirs), dtype=bool)
    assert np.allclose(apply(found, answer).edges[off], theirs[off], atol=1e-6)


def test_threshold_rule_beats_a_constant_when_certainty_differs() -> None:
    rng = np.random.default_rng(3)
    answers = []
    for k, answer in enumerate(_world(300, seed=5)):
        logits = np.log(answer.existence / (1 - answer.existence))
        existence = _sigmoid(0.4 * logits - 1.0 if k % 2 else 3.0 * logits + 2.0)  # vague tables beside clear ones
        direction = _sigmoid(3 * np.log(answer.direction / (1 - answer.direction)))
        exists = np.triu(rng.random(existence.shape) < existence, 1)
        forward = rng.random(existence.shape) < direction
        adjacency = (exists & forward) | (exists & ~forward).T
        answers.append(replace(answer, adjacency=adjacency, existence=existence, direction=direction))
    rule, held_out = fit_rule(answers)
    assert held_out["fitted"] > held_out["constant"] + 0.005
    assert held_out["fitted"] > held_out["expected_f1"] - 0.01
    assert rule["expected_f1"] > 0


def test_f1_curve_counts_one_direction_per_pair() -> None:
    adjacency = np.array([[False, True], [False, False]])
    half = np.full((2, 2), 0.6)
    direction = np.array([[0.5, 0.7], [0.3, 0.5]])
    answer = Answer(adjacency=adjacency, confounding=adjacency, existence=np.ones((2, 2)) * 0.9, direction=direction,
                    shared=half)  # fmt: skip
    curve = f1_curve(answer)
    assert curve[0] == 1.0  # the reverse direction (0.27) is above the lowest cut, but does not count
    assert curve[-1] == 0.0


def test_degenerate_answers_do_not_break_the_fit() -> None:
    empty = np.zeros((2, 2), dtype=bool)
    quiet = Answer(adjacency=empty, confounding=empty, existence=np.full((2, 2), 0.01),
                   direction=np.full((2, 2), 0.5), shared=np.full((2, 2), 0.01), rows=10)  # fmt: skip
    found = fit([quiet, quiet, quiet])
    assert found["direction_temperature"] == 1.0
    json.dumps(found, allow_nan=False)
