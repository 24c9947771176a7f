"""Learning rate as a pure function of the step and of the share of the planned budget that is used up."""

from __future__ import annotations

import math
from dataclasses import dataclass

from foundcause.errors import ConfigError


@dataclass(frozen=True, kw_only=True)
class Schedule:
    """Linear warm-up times a cosine envelope.

    peak: learning rate after warm-up.
    floor: learning rate at the end of the envelope and after it.
    warmup_steps: steps of linear warm-up from 0.
    decay_share: share of the budget after which the floor is reached; 0 keeps the rate constant.
    flat_share: share of the budget before the decay begins.
    """

    peak: float
    floor: float
    warmup_steps: int = 0
    decay_share: float = 1.0
    flat_share: float = 0.0

    def __post_init__(self) -> None:
        if not 0 <= self.floor <= self.peak:
            raise ConfigError(f"learning rates must satisfy 0 <= min_lr <= lr, not {self.floor} and {self.peak}")
        if self.warmup_steps < 0 or self.decay_share < 0:
            raise ConfigError("warmup_steps and decay_share must not be negative")
        if not 0 <= self.flat_share < 1 or (self.decay_share and self.flat_share >= self.decay_share):
            raise ConfigError(f"flat_share {self.flat_share} must lie in [0, decay_share)")

    def rate(self, step: int, progress: float) -> float:
        """Learning rate of the given step (from 0) when ``progress`` (0 to 1) of the budget is used."""
        warm = min(1.0, (step + 1) / self.warmup_steps) if self.warmup_steps else 1.0
        if self.decay_share == 0:
            return self.peak * warm
        done = (progress - self.flat_share) / (self.decay_share - self.flat_share)
        cosine = 0.5 * (1 + math.cos(math.pi * min(max(done, 0.0), 1.0)))
        return (self.floor + (self.peak - self.floor) * cosine) * warm
