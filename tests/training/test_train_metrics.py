"""Metrics against scikit-learn and by hand."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import average_precision_score, roc_auc_score

from foundcause.training.answer_scores import Answer, auprc, auroc, calibration_error, f1, score, summary


@pytest.mark.parametrize("levels", [3, 1000])
def test_ranking_metrics_agree_with_sklearn(levels: int) -> None:
    rng = np.random.default_rng(levels)
    scores = rng.integers(0, levels, 200) / levels
    truth = rng.random(200) < 0.2 + 0.3 * scores
    assert auroc(scores, truth) == pytest.approx(roc_auc_score(truth, scores))
    assert auprc(scores, truth) == pytest.approx(average_precision_score(truth, scores))
    assert np.isnan(auroc(scores, np.zeros(200, dtype=bool)))
    assert np.isnan(auprc(scores, np.zeros(200, dtype=bool)))


def test_f1_by_hand() -> None:
    assert f1(np.array([True, True, False]), np.array([True, False, True])) == pytest.approx(0.5)
    assert f1(np.zeros(3, dtype=bool), np.zeros(3, dtype=bool)) == 1.0


def _answer() -> Answer:
    """0 -> 1 found and turned right, 1 -> 2 found but reversed, nothing between 0 and 2."""
    adjacency = np.zeros((3, 3), dtype=bool)
    adjacency[0, 1] = adjacency[1, 2] = True
    existence = np.array([[0, 0.9, 0.1], [0.9, 0, 0.8], [0.1, 0.8, 0]])
    direction = np.full((3, 3), 0.5)
    direction[0, 1], direction[1, 0] = 0.9, 0.1
    direction[1, 2], direction[2, 1] = 0.3, 0.7
    shared = np.zeros((3, 3), dtype=bool)
    shared[0, 2] = shared[2, 0] = True
    return Answer(adjacency=adjacency, confounding=shared, existence=existence, direction=direction,
                  shared=shared * 0.5, rows=50)  # fmt: skip


def test_scores_by_hand() -> None:
    found = score(_answer())
    assert found["f1"] == pytest.approx(0.5)
    assert found["skeleton_f1"] == 1.0
    assert found["direction"] == pytest.approx(0.5)
    assert found["confounder_auroc"] == 1.0
    assert found["auroc"] == pytest.approx(7 / 8)  # only 2 -> 1 (0.56) outranks a true edge (1 -> 2, 0.24)
    assert set(summary([_answer(), _answer()])) == {*found, "ece"}


def test_calibration_error_by_hand() -> None:
    said = np.array([0.1, 0.1, 0.9, 0.9])
    assert calibration_error(said, np.array([False, False, True, True])) == pytest.approx(0.1)
    assert calibration_error(said, np.array([False, True, True, True])) == pytest.approx(0.5 * 0.4 + 0.5 * 0.1)
