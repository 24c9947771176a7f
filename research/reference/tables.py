"""The tables that the reference answers speak of: about ninety, of all kinds a user may bring.

Each is a function of a folder it may write into, decorated with its options. They are pure: the same table every time.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

_MODULES = ("tables_files", "tables_frames", "tables_published", "tables_simulated")


@dataclass(frozen=True, kw_only=True)
class Example:
    """One table with the options it is discovered with.

    name: unique, the name of its function.
    make: returns what a user would pass to ``discover``; may write files into the folder it is given.
    options: in the words of ``adapter.py``.
    """

    name: str
    make: Callable[[Path], Any]
    options: dict[str, Any] = field(default_factory=dict)


_EXAMPLES: dict[str, Example] = {}


def example(**options: Any) -> Callable[[Callable[[Path], Any]], Callable[[Path], Any]]:
    """Register a function as a table with these options."""

    def register(make: Callable[[Path], Any]) -> Callable[[Path], Any]:
        add(make.__name__, make, **options)
        return make

    return register


def add(name: str, make: Callable[[Path], Any], **options: Any) -> None:
    """Register a table by name, for families of tables that a loop makes."""
    if name in _EXAMPLES:
        raise ValueError(f"two tables are called {name!r}")
    _EXAMPLES[name] = Example(name=name, make=make, options=options)


def examples() -> list[Example]:
    """Return every table, sorted by name."""
    for module in _MODULES:
        importlib.import_module(module)
    return [_EXAMPLES[name] for name in sorted(_EXAMPLES)]


def clinic(rows: int = 240, seed: int = 0) -> pd.DataFrame:
    """Return a small made-up clinic: age -> dose -> response, sex -> response, age -> pressure <- weight."""
    rng = np.random.default_rng(seed)
    age = rng.uniform(20, 80, rows)
    weight = rng.normal(75, 12, rows)
    male = rng.random(rows) < 0.5
    dose = 0.5 * age + rng.exponential(6, rows)
    pressure = 90 + 0.4 * age + 0.3 * weight + rng.normal(0, 6, rows)
    response = np.sqrt(dose) * 3 + 4 * male + rng.laplace(0, 1.5, rows)
    return pd.DataFrame(
        {
            "age": age.round(0),
            "weight": weight.round(1),
            "male": male,
            "dose": dose.round(2),
            "pressure": pressure.round(1),
            "response": response.round(3),
        }
    )


def causal_values(rows: int, columns: int, seed: int, *, nonlinear: bool = False, degree: float = 1.5) -> np.ndarray:
    """Return (rows, columns) draws from a random acyclic model, columns in shuffled order."""
    rng = np.random.default_rng(seed)
    values = np.zeros((rows, columns))
    for k in range(columns):
        noise = rng.laplace(size=rows) if k % 3 == 1 else rng.normal(size=rows)
        parents = np.flatnonzero(rng.random(k) < degree / max(k, 1))
        effect = values[:, parents] @ rng.uniform(0.5, 1.5, parents.size) * (1 if k % 2 else -1)
        values[:, k] = (np.tanh(effect) + 0.3 * effect**2 if nonlinear else effect) + 0.6 * noise
    return values[:, rng.permutation(columns)]


def causal_frame(rows: int, columns: int, seed: int, **options: Any) -> pd.DataFrame:
    """Return ``causal_values`` with the column names v0, v1, ..."""
    return pd.DataFrame(causal_values(rows, columns, seed, **options), columns=[f"v{k}" for k in range(columns)])
