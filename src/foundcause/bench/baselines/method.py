"""What the runner knows about a method. Shape letters: N rows, D variables."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from foundcause.bench.answer import Answer
from foundcause.bench.version import Version


@dataclass(frozen=True, kw_only=True)
class Table:
    """What a method is given: nothing but the columns, their kind and a seed."""

    values: np.ndarray
    """(N, D) float64; NaN marks a missing cell."""
    seed: int
    """Seed for methods that draw."""
    discrete: bool = False
    """Whether all columns hold category codes."""


@dataclass(frozen=True, kw_only=True)
class Method:
    """An entry of the registry of methods."""

    name: str
    """Name used on the command line and in results."""
    label: str
    """Name used in reports."""
    run: Callable[[Table], Answer]
    """The method itself; imports its library when called."""
    settings: str
    """What was chosen, in words; part of the identity of a result."""
    paper: str | None = None
    """The row of the paper's tables that this method reproduces."""
    needs: tuple[str, ...] = ()
    """Packages that must be installed."""
    random: bool = False
    """Whether its answer depends on the seed (then every seed is run on real data too)."""
    discrete_only: bool = False
    """Whether it is meant for category codes alone."""
    graphs: bool = True
    """Whether it handles more than two columns."""
    pairs: bool = False
    """Whether it orients a single pair."""
    series: bool = False
    """Whether it takes the order of rows for time: then it is run where rows stand in that order, or when named."""
    ours: bool = False
    """Whether it needs a checkpoint of ours."""
    reason: Callable[[], str | None] = lambda: None
    """A further reason why it cannot be run here, or None."""
    version: Version | None = None
    """The plug-in it comes from, or None; part of the identity of a result."""

    def unavailable(self) -> str | None:
        """Why it cannot be run here, or None when it can."""
        absent = [name for name in self.needs if importlib.util.find_spec(name) is None]
        if absent:
            return f"{', '.join(absent)} not installed; `pip install 'foundcause[bench]'`"
        return self.reason()
