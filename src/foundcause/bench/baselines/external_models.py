"""Models that need an environment of their own (AVICI, CDFM): called as a command that a user sets up.

The command is given two paths: an npz with ``values`` (N, D; mean-imputed and standardised) and the place for a npy of
(D, D) edge probabilities, [i, j] meaning i causes j. docs/evaluation.md shows the few lines for each model.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np

from foundcause.bench.baselines.method import Method, Table, on_complete, standardised
from foundcause.bench.case import Answer
from foundcause.errors import InputError


def variable(name: str) -> str:
    """The environment variable that holds the command of a model."""
    return f"FOUNDCAUSE_{name.upper()}_COMMAND"


def _reason(name: str) -> str | None:
    if os.environ.get(variable(name)):
        return None
    return f"needs its own environment and weights; set {variable(name)} to a command (docs/evaluation.md)"


def _run(name: str) -> Callable[[np.ndarray, Table], Answer]:
    def solve(values: np.ndarray, table: Table) -> Answer:
        command = shlex.split(os.environ[variable(name)])
        with tempfile.TemporaryDirectory() as folder:
            given, wanted = Path(folder) / "table.npz", Path(folder) / "probabilities.npy"
            np.savez(given, values=standardised(values), seed=table.seed)
            done = subprocess.run([*command, str(given), str(wanted)], capture_output=True, text=True, check=False)
            if done.returncode or not wanted.is_file():
                raise InputError(f"{variable(name)} failed ({done.returncode}): {done.stderr.strip()[-500:]}")
            probabilities = np.load(wanted, allow_pickle=False).astype(float)
        if probabilities.shape != (values.shape[1],) * 2:
            raise InputError(f"{variable(name)} wrote shape {probabilities.shape}, expected {(values.shape[1],) * 2}")
        return Answer(adjacency=probabilities > 0.5, scores=probabilities, probabilistic=True)

    return solve


METHODS = tuple(
    Method(
        name,
        label,
        on_complete(_run(name)),
        "external command, mean imputation, standardised, threshold 0.5",
        paper=paper,
        pairs=True,
        reason=partial(_reason, name),
    )
    for name, label, paper in (("avici", "AVICI", "AVICI"), ("cdfm", "CDFM", None))
)
