"""One optimizer step: forward, loss, backward, clip, update; with timing and the handling of non-finite numbers."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from foundcause.errors import TrainingError
from foundcause.model.interface import Network
from foundcause.paper.losses import AdaptiveState
from foundcause.training.batches import Batch
from foundcause.training.distributed import Team
from foundcause.training.objectives import Objective, difficulty
from foundcause.training.optimizers import Optimizer
from foundcause.training.run_config import TrainConfig


@dataclass(frozen=True, kw_only=True)
class StepReport:
    """What one step did: global loss and terms, gradient norm, whether weights moved, per-task loss, seconds."""

    loss: float
    terms: dict[str, float]
    norm: float
    moved: bool
    difficulty: list[float] = field(default_factory=list)
    forward: float = 0.0
    backward: float = 0.0


class Learner:
    """The network, its objective and its optimizer; the whole of what learning changes."""

    def __init__(self, network: Network, objective: Objective, config: TrainConfig, team: Team) -> None:
        self.network = network.to(team.device)
        team.start_alike(self.network)
        self.config, self.team = config, team
        self.adaptive = AdaptiveState()
        self.optimizer = Optimizer(self.network, config)
        self.skipped = self.skipped_in_row = 0
        self._objective = objective
        core = _Loss(self.network, objective, team)
        self._loss: nn.Module = torch.compile(core) if config.compile else core  # type: ignore[assignment]

    def step(
        self, batch: Batch, *, number: int, rate: float, tasks: Sequence[int] = (), weight: float | None = None
    ) -> StepReport:
        """Learn from one batch, which weighs as many tasks as it holds unless ``weight`` says otherwise.

        A non-finite loss or gradient leaves the weights and averages as they were.
        """
        started = time.perf_counter()
        self.network.train()
        self.optimizer.zero_grad()
        batch = batch.to(self.team.device)
        generator = torch.Generator().manual_seed(_mixed(self.config.seed, number, self.team.rank))
        with torch.autocast("cuda", torch.bfloat16, enabled=self.team.device.type == "cuda"), _compiling(self.config):
            loss, terms, adaptive, hardness = self._loss(batch, self.adaptive, generator)
        forward = time.perf_counter() - started
        (loss * self._share(float(batch.size) if weight is None else weight)).backward()
        self.team.sum_gradients(self.optimizer.parameters)
        norm = self.optimizer.clip_gradients()
        summed = self.team.total(torch.stack([loss.detach(), *terms.values()]).float()).tolist()
        moved = math.isfinite(norm) and math.isfinite(summed[0])
        if moved:
            self.optimizer.step(rate)
            self.adaptive = adaptive
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

    def _share(self, weight: float) -> float:
        """Weight of this step: that of the global batch over the reference."""
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
        """Weights as trained (not averaged), optimizer, adaptive averages and counters."""
        return {
            "network": {name: tensor.detach().cpu() for name, tensor in self.network.state_dict().items()},
            "optimizer": self.optimizer.state_dict(),
            "adaptive": self.adaptive.as_dict(),
            "skipped": self.skipped,
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Continue from ``state``."""
        self.network.load_state_dict(state["network"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.adaptive = AdaptiveState(**state["adaptive"])
        self.skipped = state["skipped"]


class _Loss(nn.Module):
    """Network and objective as one module, so that both are compiled together. The loss is this rank's share."""

    def __init__(self, network: Network, objective: Objective, team: Team) -> None:
        super().__init__()
        self.network = network
        self._objective, self._team = objective, team

    def forward(
        self, batch: Batch, adaptive: AdaptiveState, generator: torch.Generator
    ) -> tuple[Tensor, dict[str, Tensor], AdaptiveState, Tensor]:
        prediction = self.network(
            batch.rows,
            batch.observed,
            batch.variables,
            statistics=batch.statistics,
            generator=generator,
        )
        loss, terms, adaptive = self._objective(prediction, batch, adaptive, self._team.total)
        detached = {name: term.detach() for name, term in terms.items()}
        return loss, detached, adaptive, difficulty(prediction, batch)


@contextmanager
def _compiling(config: TrainConfig) -> Iterator[None]:
    """Compilation happens at the first batch of each shape; what goes wrong there is not the network's fault."""
    try:
        yield
    except RuntimeError as error:
        origin = type(error).__module__
        if not config.compile or not origin.startswith(("torch._dynamo", "torch._inductor")):
            raise
        reason = str(error).strip().splitlines()[0]
        raise TrainingError(
            f"torch.compile failed on this machine ({reason}); train with --no-compile, which is as fast on CPUs"
        ) from error


def _mixed(*parts: int) -> int:
    return int(np.random.SeedSequence(parts).generate_state(1, np.uint64)[0] >> 1)
