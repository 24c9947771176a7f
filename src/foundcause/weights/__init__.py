"""The trained weights that ship with the package (docs/model_card.md), and the choice of weights to use."""

from __future__ import annotations

import os
from pathlib import Path

from foundcause.errors import CheckpointError

CHECKPOINT_VARIABLE = "FOUNDCAUSE_CHECKPOINT"
"""Environment variable with the path of a checkpoint to use instead of the shipped one."""
SHIPPED_CHECKPOINT = Path(__file__).with_name("small.safetensors")


def checkpoint_path(given: str | os.PathLike[str] | None = None) -> Path:
    """Choose the given checkpoint, that of the environment, or the shipped one; in this order."""
    if given is not None:
        return Path(given)
    if os.environ.get(CHECKPOINT_VARIABLE):
        return Path(os.environ[CHECKPOINT_VARIABLE])
    if SHIPPED_CHECKPOINT.is_file():
        return SHIPPED_CHECKPOINT
    raise CheckpointError(
        "this installation ships no trained weights; train some with `foundcause train` (docs/training.md) and pass "
        f"checkpoint=PATH or set {CHECKPOINT_VARIABLE}"
    )
