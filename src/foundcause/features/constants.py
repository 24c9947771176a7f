"""Random Fourier constants of the cause-residual dependence features (M frequencies with one phase each)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from foundcause.errors import InputError

PAPER_CONSTANTS_SEED = 20250
PAPER_FREQUENCIES = 16


@dataclass(frozen=True, eq=False)
class RffConstants:
    """frequencies: M draws from N(0, 1). phases: M draws from U(0, 2 pi). Official checkpoints carry their own 32."""

    frequencies: Tensor
    phases: Tensor

    def __post_init__(self) -> None:
        if self.frequencies.ndim != 1 or self.frequencies.shape != self.phases.shape or len(self.phases) == 0:
            raise InputError(
                f"RFF constants need one phase per frequency, got shapes {tuple(self.frequencies.shape)} and "
                f"{tuple(self.phases.shape)}; pass two vectors of the same length"
            )


def drawn_constants(seed: int, count: int) -> RffConstants:
    """Constants from a seed; RandomState streams never change between numpy versions, so neither do features."""
    rng = np.random.RandomState(seed)
    frequencies = rng.standard_normal(count)
    phases = rng.uniform(0.0, 2.0 * np.pi, count)
    return RffConstants(torch.tensor(frequencies, dtype=torch.float32), torch.tensor(phases, dtype=torch.float32))


PAPER_CONSTANTS = drawn_constants(PAPER_CONSTANTS_SEED, PAPER_FREQUENCIES)
