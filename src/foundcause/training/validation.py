"""Validation on fixed synthetic suites, with the prepared tasks kept on disk between runs."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch

from foundcause.model.interface import Network, NetworkConfig
from foundcause.simulate.suites import suites as validation_suites
from foundcause.training.answer_scores import Answer, summary
from foundcause.training.batches import collate
from foundcause.training.preparation import Job, Prepared, Recipe, kept, recipe_for, suite_path
from foundcause.training.run_config import RESERVED_SEEDS, TrainConfig
from foundcause.training.workers import Failure, Workers

SCORED = ("auroc", "f1", "direction")
_SILENCE = 30.0  # seconds between two words on suites that are not in the cache
_MORE_PAIRS = 4  # a pair says one bit where other tasks say dozens, and costs next to nothing
_OF_PAIRS = ("pairs", "excerpts")


@dataclass(frozen=True, kw_only=True)
class Result:
    """Metrics of every suite.

    loss: mean over suites of existence plus direction log-loss; the checkpoint with the lowest is the best, because
        it is far less noisy than anything that counts decisions.
    score: mean over suites of the mean of AUROC, F1 and direction accuracy, for people.
    """

    families: Mapping[str, Mapping[str, float]]
    left_out: tuple[str, ...] = ()
    seconds: float = 0.0

    @property
    def loss(self) -> float:
        """Mean over suites of existence plus direction log-loss; suites without an edge have existence alone."""
        terms = [self.mean("existence_loss"), self.mean("direction_loss")]
        defined = [term for term in terms if not math.isnan(term)]
        return sum(defined) if defined else math.nan

    @property
    def score(self) -> float:
        """Mean over suites of (AUROC + F1 + direction accuracy) / 3; a metric no task can say is left out."""
        return _mean([suite_score(metrics) for metrics in self.families.values()])

    def badness(self, best_by: str) -> float:
        """What the best checkpoint has the least of: the loss, or what is missing to a perfect ``skeleton_f1``."""
        return self.loss if best_by == "loss" else 1.0 - self.mean(best_by)

    def mean(self, metric: str) -> float:
        """Mean of one metric over the suites that have it."""
        return _mean([metrics[metric] for metrics in self.families.values()])

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready; an undefined metric is null."""
        return {
            "loss": _none_if_nan(self.loss),
            "score": _none_if_nan(self.score),
            "left_out_score": _none_if_nan(
                _mean([suite_score(m) for name, m in self.families.items() if name in self.left_out])
            ),
            "mean": {name: _none_if_nan(self.mean(name)) for name in next(iter(self.families.values()))},
            "families": {name: {k: _none_if_nan(v) for k, v in m.items()} for name, m in self.families.items()},
            "seconds": round(self.seconds, 2),
        }

    def line(self) -> str:
        """One line for the terminal."""
        shown = ("auroc", "f1", "skeleton_f1", "direction", "confounder_auroc", "ece")
        means = "  ".join(f"{name} {self.mean(name):.3f}" for name in shown)
        return f"validation: loss {self.loss:.4f}  score {self.score:.4f}  {means}  ({self.seconds:.1f} s)"

    def table(self) -> str:
        """All suites, one line each."""
        names = list(next(iter(self.families.values())))
        lines = [f"{'suite':<18}" + "".join(f"{name:>17}" for name in names)]
        for name, metrics in {**self.families, "mean": {metric: self.mean(metric) for metric in names}}.items():
            lines.append(f"{name:<18}" + "".join(f"{metrics[metric]:>17.3f}" for metric in names))
        return "\n".join(lines)


@dataclass(frozen=True, kw_only=True)
class Validation:
    """Prepared tasks by suite."""

    suites: Mapping[str, list[Prepared]]
    left_out: tuple[str, ...] = field(default=())

    def evaluate(self, network: Network) -> Result:
        """Metrics of a network in evaluation mode."""
        started = time.perf_counter()
        found = {name: summary(answers(network, items)) for name, items in self.suites.items()}
        return Result(families=found, left_out=self.left_out, seconds=time.perf_counter() - started)


def validation(
    config: TrainConfig,
    model: NetworkConfig,
    workers: Workers,
    *,
    trained_on: Collection[str] | None = None,
    say: Callable[[str], None] = print,
) -> Validation:
    """Prepare the suites for a model, or read them from the cache.

    Parameters
    ----------
    config : TrainConfig
        Which suites, and how many tasks of each.
    model : NetworkConfig
        What the network reads.
    workers : Workers
        Who prepares the tasks.
    trained_on : collection of str, optional
        Components that the network learned from; other suites are scored apart.
    say : callable
        Takes lines of text for the terminal.

    Returns
    -------
    Validation
    """
    suites: dict[str, list[Prepared]] = {}
    chosen = validation_suites(config.validation_suites)
    said = time.perf_counter()
    say("preparing the validation suites")
    for name, mixture in sorted(chosen.items()):
        recipe = recipe_for(model, mixture, seed=RESERVED_SEEDS["validation"])
        count = config.validation_tasks * (_MORE_PAIRS if name in _OF_PAIRS else 1)
        suites[name] = suite(recipe, count, workers)
        if time.perf_counter() - said > _SILENCE:
            said = time.perf_counter()
            say(f"{len(suites)} of {len(chosen)} suites are ready")
    return Validation(suites=suites, left_out=unseen(chosen, trained_on))


def suite(recipe: Recipe, count: int, workers: Workers) -> list[Prepared]:
    """Prepare the first ``count`` tasks of a recipe, or read them from the cache."""

    def make() -> list[Prepared]:
        results = workers.ordered(Job(recipe, k) for k in range(count))
        return [result for result in results if not isinstance(result, Failure)]

    return kept(suite_path(recipe, count), make)


def suite_score(metrics: Mapping[str, float]) -> float:
    """Mean of AUROC, F1 and direction accuracy of one suite."""
    return _mean([metrics[name] for name in SCORED])


def _mean(values: list[float]) -> float:
    defined = [value for value in values if not math.isnan(value)]
    return sum(defined) / len(defined) if defined else float("nan")


def _none_if_nan(value: float) -> float | None:
    return None if math.isnan(value) else round(value, 5)


def unseen(suites: Mapping[str, Any], trained_on: Collection[str] | None) -> tuple[str, ...]:
    """Name the suites that a network trained on these components never learned from; none if that is not known."""
    if trained_on is None:
        return ()
    return tuple(
        name
        for name, suite in suites.items()
        if not any(weight > 0 and component in trained_on for component, weight in suite.weights.items())
    )


@torch.no_grad()
def answers(network: Network, items: Sequence[Prepared], *, budget: float = 20_000.0) -> list[Answer]:
    """Answer prepared tasks without calibration, in their order; the network must be in evaluation mode."""
    answered: list[Answer | None] = [None] * len(items)
    device = next(network.parameters()).device
    for group in _groups(items, budget):
        batch = collate([items[k] for k in group]).to(device)
        prediction = network(batch.rows, batch.observed, batch.variables, statistics=batch.statistics)
        existence = torch.sigmoid(prediction.existence_logits.float()).cpu().numpy()
        direction = torch.sigmoid(prediction.direction_logits.float()).cpu().numpy()
        shared = torch.sigmoid(prediction.confounding_logits.float()).cpu().numpy()
        for b, k in enumerate(group):
            d = items[k].variables
            answered[k] = Answer(
                adjacency=items[k].adjacency.astype(bool),
                confounding=items[k].confounding.astype(bool),
                existence=existence[b, :d, :d],
                direction=direction[b, :d, :d],
                shared=shared[b, :d, :d],
                rows=items[k].rows,
            )
    return [answer for answer in answered if answer is not None]


def _groups(items: Sequence[Prepared], budget: float) -> list[list[int]]:
    order = np.argsort([item.variables for item in items], kind="stable")
    groups: list[list[int]] = []
    for k in order:
        largest = items[k].variables
        if groups and (len(groups[-1]) + 1) * largest**2 <= budget and largest <= 1.3 * items[groups[-1][0]].variables:
            groups[-1].append(int(k))
        else:
            groups.append([int(k)])
    return groups
