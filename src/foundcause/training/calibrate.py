"""After training: temperatures and the threshold rule, fitted on synthetic tasks that nothing else has seen.

``metadata["calibration"]`` of the checkpoint then holds what ``foundcause.inference`` reads,
p = sigmoid((l + bias) / T):

    edge_temperature, edge_bias    of the existence logit
    direction_temperature          of the direction logit
    confounding                    {"temperature", "bias"} of the confounding logit
    threshold                      fields of ``foundcause.model.calibration.CutCoefficients``
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

from foundcause.features.series import row_dependence
from foundcause.inference.decoding import Passes
from foundcause.inference.passes import plan, run_passes
from foundcause.inference.probabilities import HIGHEST_CUT, LOWEST_CUT, expected_f1_cut, sigmoid
from foundcause.inference.protocols import DEFAULT, IN_WORDS, Protocol
from foundcause.model.checkpoints import load, save
from foundcause.model.interface import Network
from foundcause.simulate.settings import Mixture
from foundcause.simulate.task import Task
from foundcause.training.answer_scores import Answer, calibration_error, reliability
from foundcause.training.preparation import recipe_for
from foundcause.training.run_config import RESERVED_SEEDS, TrainConfig, stored_options, train_config
from foundcause.training.run_folder import RunFolder
from foundcause.training.setup import mixture
from foundcause.training.validation import answers, suite
from foundcause.training.workers import Workers

_SMALLEST, _LARGEST = 1e-7, 1 - 1e-7
_NOTABLE = 0.005  # a calibration error that grows by so much
_PRIOR = 5.0  # weight of "no change", in observations: a handful of tasks must not send temperatures to their bounds
_LOG_RANGE = (float(np.log(0.1)), float(np.log(10)))

_minimize: Any = optimize.minimize  # its stubs know fewer calls than it does
_minimize_scalar: Any = optimize.minimize_scalar


_FEWER_PASSES = (1, 2, 4)  # numbers of passes that get coefficients of their own


def calibrate_run(
    folder: RunFolder, *, tasks: int | None = None, passes: int = 1, say: Callable[[str], None] = print
) -> Path:
    """Calibrate the best checkpoint of a run, or the last one if the run does not validate.

    Parameters
    ----------
    folder : RunFolder
        The run; ``model.safetensors`` is written there.
    tasks : int, optional
        Synthetic tasks to fit on, by default as the run's options say.
    passes : int, default=1
        Passes averaged for each task: 1 is quick, 10 is what ``discover`` averages.
    say : callable
        Takes lines of text for the terminal.

    Returns
    -------
    Path
        Of the calibrated checkpoint.
    """
    config = train_config(stored_options(folder.read_config()))
    chosen = folder.best.exists() and (config.validate_minutes > 0 or not folder.last.exists())
    source = folder.best if chosen else folder.last
    network, metadata = load(source)
    count = config.calibration_tasks or 600 if tasks is None else tasks
    say(f"calibrating {source.name} on {count} tasks")
    calibration = calibrate(network, config, tasks=count, passes=passes, say=say)
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
    network: Network,
    config: TrainConfig,
    *,
    tasks: int = 600,
    passes: int = 1,
    say: Callable[[str], None] | None = None,
) -> dict[str, Any]:
    """Fit the calibration of a network on tasks of a reserved seed from the whole mixture of the run."""
    network.eval()
    whole, seed = mixture(replace(config, only=(), without=())), RESERVED_SEEDS["calibration"]
    if passes > 1:
        counts = [*(count for count in _FEWER_PASSES if count < passes), passes]
        by_count = answers_by_passes(network, whole, seed=seed, tasks=tasks, counts=counts, say=say)
        found = by_count[passes]
        fewer = {str(count): _temperatures(by_count[count]) for count in counts[:-1]}
    else:
        found, fewer = _single_passes(network, config, whole, seed, tasks), {}
    about = {"tasks": len(found), "seed": seed, "mixture": config.mixture.upper(), "runs": passes}
    protocol = IN_WORDS if passes > 1 else "single passes over all rows"
    return fit(found) | {"by_passes": fewer, "fitted_on": about | {"protocol": protocol}}


def _single_passes(network: Network, config: TrainConfig, whole: Mixture, seed: int, tasks: int) -> list[Answer]:
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


_GRID = np.linspace(0.02, 0.95, 94)
_RIDGE = 1e-3
_COEFFICIENTS = ("intercept", "expected_f1", "log_variables", "log_rows")
_PLUG_IN = np.array([0.0, 1.0, 0.0, 0.0])  # the expected-F1 cut itself


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
    return dict(zip(_COEFFICIENTS, map(float, coefficients), strict=True)), held_out


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
    start = np.clip(expected_f1_cut(answer.edges * off), 1e-3, 1 - 1e-3)
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
    position = (np.clip(thresholds, LOWEST_CUT, HIGHEST_CUT) - _GRID[0]) / (_GRID[1] - _GRID[0])
    left = np.clip(position.astype(int), 0, len(_GRID) - 2)
    weight = position - left
    rows = np.arange(len(curves))
    return (1 - weight) * curves[rows, left] + weight * curves[rows, left + 1]


def ensemble_answers(
    network: Network,
    mixture: Any,
    *,
    seed: int,
    tasks: int,
    passes: int,
    protocol: Protocol = DEFAULT,
    jobs: int = 2,
    say: Callable[[str], None] | None = None,
) -> list[Answer]:
    """Uncalibrated answers of averaged passes to the first ``tasks`` tasks of a mixture, in order."""
    about: dict[str, Any] = {"seed": seed, "tasks": tasks, "protocol": protocol, "jobs": jobs, "say": say}
    return answers_by_passes(network, mixture, counts=(passes,), **about)[passes]


def answers_by_passes(
    network: Network,
    mixture: Any,
    *,
    seed: int,
    tasks: int,
    counts: Sequence[int],
    protocol: Protocol = DEFAULT,
    jobs: int = 2,
    say: Callable[[str], None] | None = None,
) -> dict[int, list[Answer]]:
    """The same for several numbers of passes; fewer passes are the first of more."""
    from joblib import Parallel, delayed

    found: dict[int, list[Answer]] = {count: [] for count in counts}
    work = (delayed(_answers)(network, mixture, seed, index, counts, protocol) for index in range(tasks))
    for number, answered in enumerate(Parallel(n_jobs=jobs, return_as="generator", batch_size=4)(work), 1):
        for count, answer in zip(counts, answered, strict=True):
            found[count].append(answer)
        if say is not None and number % 100 == 0:
            say(f"answered {number} of {tasks} tasks with {max(counts)} passes each")
    return found


def task_passes(network: Network, task: Task, *, passes: int, seed: int, protocol: Protocol = DEFAULT) -> Passes:
    """Logits of all passes over one task, its values prepared as ``discover`` prepares those of a table."""
    values = _cells(task)
    return run_passes(network, values, row_dependence(values), plan(protocol, passes, seed)).in_table_order()


def averaged_answer(task: Task, passes: Passes) -> Answer:
    """The truth and the uncalibrated probabilities of averaged logits."""
    return Answer(
        adjacency=task.adjacency.astype(bool),
        confounding=task.confounding.astype(bool),
        existence=sigmoid(passes.existence.mean(axis=0, dtype=float)),
        direction=sigmoid(passes.direction.mean(axis=0, dtype=float)),
        shared=sigmoid(passes.confounding.mean(axis=0, dtype=float)),
        rows=row_dependence(_cells(task)).n_effective,
    )


def _cells(task: Task) -> np.ndarray:
    """(N, D) values, NaN where unobserved."""
    return np.where(task.observed, task.values, np.nan)


def _answers(
    network: Network, mixture: Any, seed: int, index: int, counts: Sequence[int], protocol: Protocol
) -> list[Answer]:
    import torch

    from foundcause.simulate.tasks import make_task

    torch.set_num_threads(1)
    task = make_task(mixture, seed, index)
    passes = task_passes(network.eval(), task, passes=max(counts), seed=index, protocol=protocol)
    return [averaged_answer(task, passes.first(count)) for count in counts]
