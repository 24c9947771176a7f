"""One step of learning: forward, loss, backward, clip, update.

A batch may be computed in parts, so that little is padded. Above the memory limit the activations of a part are not
kept but recomputed, one part at a time. The loss and its gradient are always those of the whole batch.

Shape letters: B tasks, D variables.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

from foundcause.errors import TrainingError
from foundcause.model.interface import Network
from foundcause.training.batches import Batch, joined, joined_targets
from foundcause.training.distributed import Team
from foundcause.training.objectives import Objective, difficulty
from foundcause.training.optimizers import Optimizer
from foundcause.training.run_config import TrainConfig
from foundcause.training.step_costs import Split, recomputed_blocks

if TYPE_CHECKING:
    from foundcause.model.interface import Prediction

# What the objectives read of a prediction; all else is left out where parts of a batch are joined.
_JOINED = ("edge_logits", "existence_logits", "direction_logits", "confounding_logits", "gate")


@dataclass(frozen=True, kw_only=True)
class StepReport:
    """What one step did.

    loss, terms: of the batch of all processes.
    norm: of the gradient before clipping.
    moved: whether the weights changed, which needs a finite loss and gradient.
    difficulty: loss of each task of this process.
    forward, backward: seconds.
    """

    loss: float
    terms: dict[str, float]
    norm: float
    moved: bool
    difficulty: list[float] = field(default_factory=list)
    forward: float = 0.0
    backward: float = 0.0


class Learner:
    """The network, its objective and its optimizer: all that learning changes."""

    def __init__(self, network: Network, objective: Objective, config: TrainConfig, team: Team) -> None:
        self.network = network.to(team.device)
        team.start_alike(self.network)
        self.config, self.team = config, team
        self.averages: dict[str, float] = {}  # of the objective
        self.optimizer = Optimizer(self.network, config)
        self.skipped = self.skipped_in_row = 0
        self._objective = objective

    def step(
        self, parts: Sequence[Batch], *, number: int, rate: float, tasks: Sequence[int] = (),
        weight: float | None = None, split: Split | None = None,
    ) -> StepReport:  # fmt: skip
        """Learn from one batch; a non-finite loss or gradient leaves the weights and averages as they were.

        Parameters
        ----------
        parts : sequence of Batch
            The batch of this process, in parts that fit the memory.
        number : int
            Number of the step, from which random draws follow.
        rate : float
            Learning rate.
        tasks : sequence of int
            Indices of the tasks, for messages.
        weight : float, optional
            How many tasks the batch weighs; by default as many as it holds.
        split : Split, optional
            What is recomputed in the backward pass; nothing by default.

        Returns
        -------
        StepReport
        """
        started = time.perf_counter()
        self.network.train()
        self.optimizer.zero_grad()
        parts = [part.to(self.team.device) for part in parts]
        whole = joined_targets(parts)
        with (
            torch.autocast("cuda", torch.bfloat16, enabled=self.team.device.type == "cuda"),
            recomputed_blocks(self.network, split is not None and split.recompute_blocks),
        ):
            prediction = self._predict(parts, number, split is not None and split.recompute_parts)
            loss, terms, averages = self._objective(prediction, whole, self.averages, self.team.total)
            hardness = difficulty(prediction, whole)
            forward = time.perf_counter() - started
            (loss * self._share(float(whole.size) if weight is None else weight)).backward()
        self.team.sum_gradients(self.optimizer.parameters)
        norm = self.optimizer.clip_gradients()
        detached = [loss.detach(), *(term.detach() for term in terms.values())]
        summed = self.team.total(torch.stack(detached).float()).tolist()
        moved = math.isfinite(norm) and math.isfinite(summed[0])
        if moved:
            self.optimizer.step(rate)
            self.averages = averages
            self.skipped_in_row = 0
        else:
            self._note_nonfinite(number, norm, summed[0], tasks)
        return StepReport(
            loss=summed[0],
            terms=dict(zip(terms, summed[1:], strict=True)),
            norm=norm,
            moved=moved,
            difficulty=hardness.tolist(),
            forward=forward,
            backward=time.perf_counter() - started - forward,
        )

    def _predict(self, parts: Sequence[Batch], number: int, recompute: bool) -> Prediction:
        seeds = [_mixed(self.config.seed, number, self.team.rank, *([k] if k else [])) for k in range(len(parts))]
        predictions = [
            checkpoint(_forward, self.network, part, seed, use_reentrant=False, preserve_rng_state=False)
            if recompute
            else _forward(self.network, part, seed)
            for part, seed in zip(parts, seeds, strict=True)
        ]
        return predictions[0] if len(predictions) == 1 else _joined_predictions(predictions, parts)

    def _share(self, weight: float) -> float:
        """Weight of this step: that of the batch of all processes over the reference."""
        if not self.config.batch_reference:
            return 1.0
        total = self.team.total(torch.tensor(weight, device=self.team.device))
        return float(total) / self.config.batch_reference

    def _note_nonfinite(self, number: int, norm: float, loss: float, tasks: Sequence[int]) -> None:
        self.skipped += 1
        self.skipped_in_row += 1
        if self.skipped_in_row >= self.config.nonfinite_limit:
            raise TrainingError(
                f"loss or gradient was not finite in {self.skipped_in_row} consecutive steps up to step {number} "
                f"(loss {loss}, gradient norm {norm}; last tasks {list(tasks)[:8]} of seed {self.config.seed}); "
                "the weights were left as they were: resume from the last checkpoint with a lower --lr, "
                "or look at these tasks"
            )

    def state(self) -> dict[str, Any]:
        """Weights as trained (not averaged), optimizer, running averages and counters."""
        return {
            "network": {name: tensor.detach().cpu() for name, tensor in self.network.state_dict().items()},
            "optimizer": self.optimizer.state_dict(),
            "adaptive": dict(self.averages),
            "skipped": self.skipped,
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Continue from ``state``."""
        self.network.load_state_dict(state["network"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.averages = dict(state["adaptive"])
        self.skipped = state["skipped"]


def _forward(network: nn.Module, part: Batch, seed: int) -> Prediction:
    generator = torch.Generator().manual_seed(seed)
    return network(part.rows, part.observed, part.variables, statistics=part.statistics, generator=generator)


def _joined_predictions(predictions: Sequence[Prediction], parts: Sequence[Batch]) -> Prediction:
    D = max(part.variables.shape[1] for part in parts)
    first = predictions[0]
    found: dict[str, Any] = {}
    for entry in fields(first):
        values = [getattr(prediction, entry.name) for prediction in predictions]
        if entry.name == "pooling_diversity" and values[0] is not None:  # a mean over real variables
            counts = torch.stack([part.variables.sum() for part in parts]).float()
            found[entry.name] = (torch.stack(values) * counts).sum() / counts.sum()
        elif entry.name in _JOINED and values[0] is not None:
            found[entry.name] = joined(values, D)
        else:
            found[entry.name] = None if values[0] is None else values[0].new_zeros(0)
    return type(first)(**found)


def _mixed(*parts: int) -> int:
    return int(np.random.SeedSequence(parts).generate_state(1, np.uint64)[0] >> 1)
