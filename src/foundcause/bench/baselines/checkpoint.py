"""Which weights our own results belong to."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

from foundcause.bench import version
from foundcause.errors import CheckpointError

VARIABLE = "FOUNDCAUSE_BENCH_CHECKPOINT"
"""Weights to evaluate instead of those that ``discover`` would choose; workers inherit it."""


def chosen() -> Path | None:
    """The checkpoint under evaluation, or None when there is none."""
    from foundcause.api import checkpoint_path

    try:
        path = checkpoint_path(os.environ.get(VARIABLE) or None)
    except CheckpointError:
        return None
    return path if path.is_file() else None


def digest() -> str | None:
    """First 12 hex digits of the sha256 of the checkpoint under evaluation, or None when there is none."""
    path = chosen()
    return None if path is None else _digest(path, path.stat().st_mtime_ns)


@cache
def _digest(path: Path, modified: int) -> str:
    return version.digest(path.read_bytes())


def named() -> version.Version | None:
    """The checkpoint under evaluation as results name it, or None when there is none."""
    path, content = chosen(), digest()
    return None if path is None or content is None else version.Version(file=path.name, sha256=content)
