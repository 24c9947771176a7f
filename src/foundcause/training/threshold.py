"""Fitting the threshold rule of ``foundcause.inference`` for the best mean F1 on calibrated synthetic answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
from scipy import optimize

from foundcause.inference.temperature import sigmoid
from foundcause.inference.threshold import ThresholdRule, expected_f1_threshold
from foundcause.training.metrics import Answer

LOW, HIGH = 0.25, 0.8  # below, edges of tables that say nothing would be shown for want of better ones
_GRID = np.linspace(0.02, 0.95, 94)
_RIDGE = 1e-3
_COEFFICIENTS = ("intercept", "expected_f1", "log_variables", "log_rows")
_PLUG_IN = np.array([0.0, 1.0, 0.0, 0.0])  # the expected-F1 cut itself

_minimize: Any = optimize.minimize  # its stubs know fewer calls than it does


def fit_rule(answers: Sequence[Answer]) -> tuple[dict[str, float], dict[str, float]]:
    """(fields of the rule, mean F1 of a constant, of the expected-F1 cut and of the fitted rule on held-out halves)."""
    features = np.array([_features(a) for a in answers])
    curves = np.array([f1_curve(a) for a in answers])
    fold = np.arange(len(answers)) % 2
    held_out = {"constant": 0.0, "expected_f1": 0.0, "fitted": 0.0}
    for k in (0, 1) if len(answers) > 1 else ():
        inside, outside = fold != k, fold == k
        choices = {
            "constant": np.full(outside.sum(), _GRID[curves[inside].mean(0).argmax()]),
            "expected_f1": sigmoid(features[outside] @ _PLUG_IN),
            "fitted": sigmoid(features[outside] @ _fit(features[inside], curves[inside])),
        }
        for name, cuts in choices.items():
            held_out[name] += float(outside.mean() * _at(curves[outside], cuts).mean())
    best = float(_GRID[curves.mean(0).argmax()])
    simplest_first = {
        "expected_f1": _PLUG_IN,
        "constant": np.array([np.log(best / (1 - best)), 0.0, 0.0, 0.0]),
        "fitted": _fit(features, curves),
    }
    coefficients = simplest_first[max(simplest_first, key=lambda name: held_out[name])]
    rule = ThresholdRule(low=LOW, high=HIGH, **dict(zip(_COEFFICIENTS, map(float, coefficients), strict=True)))
    return asdict(rule), held_out


def f1_curve(answer: Answer) -> np.ndarray:
    """F1 of directed edges at every threshold of the grid; of two directions only the more probable one counts."""
    off = ~np.eye(len(answer.edges), dtype=bool)
    edges = np.where(answer.edges >= answer.edges.T, answer.edges, 0.0)[off]
    truth = answer.adjacency[off]
    predicted = edges[None, :] > _GRID[:, None]
    hits = (predicted & truth).sum(1)
    size = predicted.sum(1) + truth.sum()
    return np.where(size > 0, 2 * hits / np.maximum(size, 1), 1.0)


def _features(answer: Answer) -> np.ndarray:
    """(4,) what the rule is linear in."""
    off = ~np.eye(len(answer.edges), dtype=bool)
    start = np.clip(expected_f1_threshold(answer.edges * off), 1e-3, 1 - 1e-3)
    return np.array([1.0, np.log(start / (1 - start)), np.log(len(answer.edges)), np.log(max(answer.rows, 1))])


def _fit(features: np.ndarray, curves: np.ndarray) -> np.ndarray:
    """Coefficients of the best mean F1, held near the expected-F1 cut by a small penalty."""
    shift, spread = features.mean(0), features.std(0) + 1e-6
    shift[0], spread[0] = 0.0, 1.0

    def unscaled(scaled: np.ndarray) -> np.ndarray:
        change = scaled / spread
        change[0] -= np.sum((change * shift)[1:])
        return _PLUG_IN + change

    def loss(scaled: np.ndarray) -> float:
        found = _at(curves, sigmoid(features @ unscaled(scaled)))
        return float(-found.mean() + _RIDGE * np.sum(scaled**2))

    starts = ([0, 0, 0, 0], [0.5, -0.5, 0, 0], [-0.5, -0.5, 0, 0])
    options = {"maxiter": 2000, "xatol": 1e-3, "fatol": 1e-6}
    fits = [_minimize(loss, np.array(start, float), method="Nelder-Mead", options=options) for start in starts]
    return unscaled(min(fits, key=lambda f: f.fun).x)


def _at(curves: np.ndarray, thresholds: np.ndarray) -> np.ndarray:
    """F1 of each task at its threshold, by linear interpolation on the grid."""
    position = (np.clip(thresholds, LOW, HIGH) - _GRID[0]) / (_GRID[1] - _GRID[0])
    left = np.clip(position.astype(int), 0, len(_GRID) - 2)
    weight = position - left
    rows = np.arange(len(curves))
    return (1 - weight) * curves[rows, left] + weight * curves[rows, left + 1]
