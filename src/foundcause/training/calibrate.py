"""After training: temperatures and the threshold rule, fitted on synthetic tasks that nothing else has seen.

``metadata["calibration"]`` of the checkpoint then holds what ``foundcause.inference`` reads,
p = sigmoid((l + bias) / T):

    edge_temperature, edge_bias    of the existence logit
    direction_temperature          of the direction logit
    confounding                    {"temperature", "bias"} of the confounding logit
    threshold                      fields of ``decode.threshold.ThresholdRule``
    fitted_on                      number of tasks, their seed and mixture, passes averaged for each, and the protocol
    reliability                    calibration errors before and after, bins after, and F1, all on held-out halves
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from scipy import optimize

from foundcause.inference.protocol import IN_WORDS
from foundcause.inference.temperature import sigmoid
from foundcause.model.checkpoint import load, save
from foundcause.model.network import FoundCause
from foundcause.simulate.settings import Mixture
from foundcause.training.config import RESERVED_SEEDS, TrainConfig, train_config
from foundcause.training.ensemble import ensemble_answers
from foundcause.training.files import RunFolder
from foundcause.training.metrics import Answer, calibration_error, reliability
from foundcause.training.predict import answers
from foundcause.training.prepare import recipe_for
from foundcause.training.setup import mixture
from foundcause.training.threshold import fit_rule
from foundcause.training.validate import suite
from foundcause.training.workers import Workers

_SMALLEST, _LARGEST = 1e-7, 1 - 1e-7
_NOTABLE = 0.005  # a calibration error that grows by so much
_PRIOR = 5.0  # weight of "no change", in observations: a handful of tasks must not send temperatures to their bounds
_LOG_RANGE = (float(np.log(0.1)), float(np.log(10)))

_minimize: Any = optimize.minimize  # its stubs know fewer calls than it does
_minimize_scalar: Any = optimize.minimize_scalar


def calibrate_run(path: Path, *, tasks: int | None = None, runs: int = 1, say: Callable[[str], None] = print) -> Path:
    """Calibrate the best checkpoint of a run (the last one if it does not validate) and write ``model.safetensors``.

    runs: passes averaged for each task; 1 is quick, 10 is what ``discover`` does and what a shipped checkpoint needs.
    """
    folder = RunFolder(path)
    config = train_config(folder.read_config())
    chosen = folder.best.exists() and (config.validate_minutes > 0 or not folder.last.exists())
    source = folder.best if chosen else folder.last
    network, metadata = load(source)
    count = config.calibration_tasks or 600 if tasks is None else tasks
    say(f"calibrating {source.name} on {count} tasks")
    calibration = calibrate(network, config, tasks=count, runs=runs, say=say)
    folder.write(folder.model, lambda place: save(place, network, metadata=metadata | {"calibration": calibration}))
    folder.append_log({"kind": "calibration", "step": metadata.get("step", 0), **calibration})
    quality = calibration["reliability"]
    say(
        f"calibrated {source.name}: temperatures {calibration['edge_temperature']:.2f} (existence), "
        f"{calibration['direction_temperature']:.2f} (direction); calibration error "
        f"{_rounded(quality['ece_before'])} -> {_rounded(quality['ece_after'])}; wrote {folder.model}"
    )
    before, after = quality["ece_before"], quality["ece_after"]
    if before is not None and after is not None and after > before + _NOTABLE:
        fitted = calibration["fitted_on"]["tasks"]
        say(f"note: on held-out tasks this calibration is worse than none; {fitted} tasks may be too few")
    return folder.model


def calibrate(
    network: FoundCause,
    config: TrainConfig,
    *,
    tasks: int = 600,
    runs: int = 1,
    say: Callable[[str], None] | None = None,
) -> dict[str, Any]:
    """The calibration of a network, on tasks of a reserved seed from the whole mixture of the run."""
    network.eval()
    whole, seed = mixture(replace(config, only=(), without=())), RESERVED_SEEDS["calibration"]
    if runs > 1:
        found = ensemble_answers(network, whole, seed=seed, tasks=tasks, runs=runs, say=say)
    else:
        found = _single_passes(network, config, whole, seed, tasks)
    about = {"tasks": len(found), "seed": seed, "mixture": config.mixture.upper(), "runs": runs}
    protocol = IN_WORDS if runs > 1 else "single passes over all rows"
    return fit(found) | {"fitted_on": about | {"protocol": protocol}}


def _single_passes(network: FoundCause, config: TrainConfig, whole: Mixture, seed: int, tasks: int) -> list[Answer]:
    recipe = recipe_for(network.config, whole, seed=seed)
    with Workers(config.workers, ahead=config.ahead) as workers:
        return answers(network, suite(recipe, tasks, workers))


def fit(found: Sequence[Answer]) -> dict[str, Any]:
    """Calibration from uncalibrated answers; quality is measured on the half that the measured fit did not see."""
    calibration = _temperatures(found)
    rule, held_out_f1 = fit_rule([apply(calibration, answer) for answer in found])
    calibration["threshold"] = rule
    calibration["reliability"] = _quality(found) | {"held_out_f1": held_out_f1}
    return calibration


def apply(calibration: dict[str, Any], answer: Answer) -> Answer:
    """The answer with calibrated probabilities."""
    shared = calibration["confounding"]
    return replace(
        answer,
        existence=sigmoid((_logit(answer.existence) + calibration["edge_bias"]) / calibration["edge_temperature"]),
        direction=sigmoid(_logit(answer.direction) / calibration["direction_temperature"]),
        shared=sigmoid((_logit(answer.shared) + shared["bias"]) / shared["temperature"]),
    )


def _temperatures(found: Sequence[Answer]) -> dict[str, Any]:
    existence, adjacent = _pooled(found, "existence")
    shared, confounded = _pooled(found, "shared")
    direction = np.concatenate([_logit(a.direction[a.adjacency]) for a in found])
    edge = _scale_and_bias(existence, adjacent)
    return {
        "edge_temperature": edge["temperature"],
        "edge_bias": edge["bias"],
        "direction_temperature": _temperature(direction),
        "confounding": _scale_and_bias(shared, confounded),
    }


def _pooled(found: Sequence[Answer], field: str) -> tuple[np.ndarray, np.ndarray]:
    """Logits and truths of all unordered pairs."""
    logits, truths = [], []
    for a in found:
        upper = np.triu(np.ones(a.adjacency.shape, dtype=bool), 1)
        truth = a.adjacency | a.adjacency.T if field == "existence" else a.confounding
        logits.append(_logit(getattr(a, field)[upper]))
        truths.append(truth[upper])
    return np.concatenate(logits), np.concatenate(truths).astype(float)


def _temperature(logits: np.ndarray) -> float:
    """The temperature of the least log-loss of logits whose truth is always 1, between 0.1 and 10."""
    if not logits.size:
        return 1.0
    best = _minimize_scalar(
        lambda log_t: _log_loss(logits / np.exp(log_t), np.ones(1)) + _PRIOR * log_t**2 / logits.size,
        bounds=_LOG_RANGE,
        method="bounded",
    )
    return float(np.exp(best.x))


def _scale_and_bias(logits: np.ndarray, truth: np.ndarray) -> dict[str, float]:
    """Temperature and bias of the least log-loss."""
    if truth.min(initial=1) == truth.max(initial=0):  # one kind only: nothing to learn a bias from
        return {"temperature": 1.0, "bias": 0.0}
    best = _minimize(
        lambda x: _log_loss((logits + x[1]) / np.exp(x[0]), truth) + _PRIOR * np.sum(x**2) / logits.size,
        np.zeros(2),
        method="L-BFGS-B",
        bounds=[_LOG_RANGE, (-5, 5)],
    )
    return {"temperature": float(np.exp(best.x[0])), "bias": float(best.x[1])}


def _quality(found: Sequence[Answer]) -> dict[str, Any]:
    """Calibration of held-out halves: fit on one, measure on the other, both ways."""
    before, after, truths = [], [], []
    for fit_half, other in ((found[::2], found[1::2]), (found[1::2], found[::2])):
        if not fit_half or not other:
            continue
        halfway = _temperatures(fit_half)
        for answer in other:
            off = ~np.eye(len(answer.adjacency), dtype=bool)
            before.append(answer.edges[off])
            after.append(apply(halfway, answer).edges[off])
            truths.append(answer.adjacency[off])
    if not truths:
        return {"ece_before": None, "ece_after": None, "bins": []}
    said, truth = np.concatenate(after), np.concatenate(truths)
    return {
        "ece_before": calibration_error(np.concatenate(before), truth),
        "ece_after": calibration_error(said, truth),
        "bins": [[round(p, 4), round(share, 4), count] for p, share, count in reliability(said, truth)],
    }


def _rounded(value: float | None) -> str:
    return "unknown" if value is None else f"{value:.4f}"


def _log_loss(logits: np.ndarray, truth: np.ndarray) -> float:
    return float(np.mean(np.logaddexp(0, logits) - truth * logits))


def _logit(p: np.ndarray) -> np.ndarray:
    p = np.clip(p.astype(np.float64), _SMALLEST, _LARGEST)
    return np.log(p / (1 - p))
