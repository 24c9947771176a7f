"""Checkpoints against one another on the same validation tasks: differences with their standard errors.

Shape letters: C checkpoints, T tasks of a suite.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from foundcause.model.interface import Network
from foundcause.training.answer_scores import score
from foundcause.training.preparation import Prepared
from foundcause.training.run_config import TrainConfig
from foundcause.training.validation import Validation, answers, validation
from foundcause.training.workers import Workers

LOSSES = ("existence_loss", "direction_loss")
_SHOWN = (*LOSSES, "f1", "direction", "auroc", "confounder_auroc")
_NOTABLE = 2.0  # standard errors from which a difference is marked


@dataclass(frozen=True, kw_only=True)
class Difference:
    """Loss of a checkpoint less that of the first on the same tasks, and its standard error over tasks."""

    loss: float
    error: float

    @property
    def notable(self) -> bool:
        """Whether it is more than two standard errors from nothing."""
        return abs(self.loss) > _NOTABLE * self.error


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """Scores of every task: ``scores[suite][metric]`` is (C, T), NaN where a task cannot say."""

    names: tuple[str, ...]
    scores: Mapping[str, Mapping[str, np.ndarray]]

    def mean(self, checkpoint: int, metric: str) -> float:
        """Mean over suites of the mean over their tasks."""
        means = [_mean(found[metric][checkpoint]) for found in self.scores.values()]
        return _mean(np.array(means))

    def loss(self, checkpoint: int) -> float:
        """As validation has it: means over suites of both log-losses, added."""
        return sum(m for m in (self.mean(checkpoint, metric) for metric in LOSSES) if not np.isnan(m))

    def difference(self, checkpoint: int, suites: Collection[str] | None = None) -> Difference:
        """From the first checkpoint, over all suites or some."""
        chosen = [found for name, found in self.scores.items() if suites is None or name in suites]
        # a task with an edge has a say in both log-losses, so its two parts are added before they are squared
        parts: list[list[np.ndarray]] = [[] for _ in chosen]
        loss = 0.0
        for metric in LOSSES:
            gaps = [found[metric][checkpoint] - found[metric][0] for found in chosen]
            known = [k for k, gap in enumerate(gaps) if np.isfinite(gap).any()]
            for k in known:
                gap, say = gaps[k], np.isfinite(gaps[k])
                loss += gap[say].mean() / len(known)
                parts[k].append(np.where(say, gap - gap[say].mean(), 0.0) / (say.sum() * len(known)))
        variance = sum(
            np.square(np.sum(part, axis=0)).sum() * part[0].size / max(part[0].size - 1, 1) for part in parts if part
        )
        return Difference(loss=loss, error=float(np.sqrt(variance)))

    def table(self) -> str:
        """Checkpoints, then the suites in which they differ."""
        width = max(len(name) for name in (*self.names, *self.scores, "checkpoint")) + 2
        lines = [f"{'checkpoint':<{width}}{'loss':>8}  {'difference':<20}" + "".join(f"{n:>17}" for n in _SHOWN)]
        for k, name in enumerate(self.names):
            against = _difference_text(self.difference(k)) if k else ""
            lines.append(
                f"{name:<{width}}{self.loss(k):>8.4f}  {against:<20}"
                + "".join(f"{self.mean(k, metric):>17.4f}" for metric in _SHOWN)
            )
        if len(self.names) > 1:
            lines += ["", f"{'suite':<{width}}" + "".join(f"{name:>24}" for name in self.names[1:])]
            for suite in self.scores:
                texts = (_difference_text(self.difference(k, [suite])) for k in range(1, len(self.names)))
                lines.append(f"{suite:<{width}}" + "".join(f"{text:>24}" for text in texts))
            lines.append(
                f"\ndifferences are losses less those of {self.names[0]} on the same tasks, with standard errors over "
                f"tasks; * is more than {_NOTABLE:g} of them"
            )
        return "\n".join(lines)


def compare(
    networks: Sequence[tuple[str, Network]], settings: TrainConfig, workers: Workers, say: Callable[[str], None]
) -> Comparison:
    """The named networks, in evaluation mode, on the validation suites of ``settings``."""
    suites: dict[tuple[object, ...], Validation] = {}  # networks that read the same features share them
    found: list[dict[str, dict[str, np.ndarray]]] = []
    for name, network in networks:
        reads = (network.config.features, network.config.rows_read, network.config.fills_gaps)
        if reads not in suites:
            suites[reads] = validation(settings, network.config, workers, say=say)
        say(f"answering with {name}")
        found.append({suite: _scores(network, items) for suite, items in suites[reads].suites.items()})
    return Comparison(
        names=tuple(name for name, _ in networks),
        scores={
            suite: {metric: np.stack([one[suite][metric] for one in found]) for metric in _SHOWN} for suite in found[0]
        },
    )


def _scores(network: Network, items: Sequence[Prepared]) -> dict[str, np.ndarray]:
    tasks = [score(answer) for answer in answers(network, items)]
    return {metric: np.array([task[metric] for task in tasks]) for metric in _SHOWN}


def _difference_text(difference: Difference) -> str:
    return f"{difference.loss:+.4f} ({difference.error:.4f}){'*' if difference.notable else ' '}"


def _mean(values: np.ndarray) -> float:
    known = values[np.isfinite(values)]
    return float(known.mean()) if known.size else float("nan")
