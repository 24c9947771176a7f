"""What a method is given, what it answers and what it is judged by. Shape letters: N rows, D variables."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from foundcause.bench.records import Version
from foundcause.errors import InputError


@dataclass(frozen=True, kw_only=True)
class Case:
    """One table with its true graph."""

    dataset: str
    """Name of the data set it was drawn from."""
    seed: int
    """Seed of the draw (and of the column order in which methods see it)."""
    values: np.ndarray
    """(N, D) float64; NaN marks a missing cell."""
    names: tuple[str, ...]
    """D column names."""
    adjacency: np.ndarray
    """(D, D) bool; [i, j] means i causes j."""
    confounding: np.ndarray | None = None
    """(D, D) symmetric bool: pairs with a hidden common cause; None when unknown."""
    discrete: bool = False
    """Whether every column holds category codes."""
    weight: float = 1.0
    """Weight of the case in an average (the Tuebingen pairs have unequal ones)."""

    def __post_init__(self) -> None:
        variables = len(self.names)
        if self.values.ndim != 2 or self.values.shape[1] != variables:
            raise InputError(f"case '{self.dataset}': values have shape {self.values.shape}, names are {variables}")
        if self.adjacency.shape != (variables, variables) or self.adjacency.dtype != np.bool_:
            raise InputError(f"case '{self.dataset}': adjacency must be a bool matrix of side {variables}")
        if self.adjacency.diagonal().any():
            raise InputError(f"case '{self.dataset}': adjacency has a self loop")

    @property
    def rows(self) -> int:
        """N."""
        return self.values.shape[0]

    @property
    def variables(self) -> int:
        """D."""
        return self.values.shape[1]

    @property
    def edges(self) -> int:
        """Number of true edges."""
        return int(self.adjacency.sum())

    def with_values(self, values: np.ndarray) -> Case:
        """The same case with other values (corrupted, or fewer rows)."""
        return replace(self, values=values)

    def permuted(self, order: np.ndarray) -> Case:
        """The same case with columns in the given order: new column k is old column order[k]."""
        grid = np.ix_(order, order)
        return replace(
            self,
            values=self.values[:, order],
            names=tuple(self.names[k] for k in order),
            adjacency=self.adjacency[grid],
            confounding=None if self.confounding is None else self.confounding[grid],
        )


PUBLISHED_FAMILIES = ("bnlearn", "published Gaussian network", "bnrep")
ORIGINS = ("measured", "published network", "simulated equations")


@dataclass(frozen=True, kw_only=True)
class Dataset:
    """An entry of the registry: where a data set comes from and how a case of it is made."""

    name: str
    """Name used on the command line and in results."""
    family: str
    """Group of data sets with the same origin."""
    source: str
    """Where the data or the network come from."""
    licence: str
    """Licence of the data, or what is known about it."""
    recipe: str
    """How a case is made from the source."""
    variables: int | None
    """D every case must have; None when it varies."""
    rows: int | None
    """N every case must have; None when it varies."""
    edges: int | None
    """Number of true edges every case must have; None when it varies."""
    simulated: bool
    """Whether the seed changes the rows (real data: only the column order)."""
    load: Callable[[int], Case]
    """Seed to case, before the size check."""
    missing: Callable[[], str | None]
    """Why it cannot be had on this machine, or None when it can."""
    paper_edges: int | None = None
    """Edges in the paper's version where it differs from what is published."""
    discrete: bool = False
    """Whether all columns hold category codes."""
    note: str = ""
    """A deviation from the paper that a reader must know."""
    version: Version | None = None
    """The plug-in it comes from, or None; part of the identity of a result."""

    @property
    def origin(self) -> str:
        """Where rows come from: measurements, a published network with its parameters, or a simulation of equations."""
        if not self.simulated:
            return "measured"
        return "published network" if self.family in PUBLISHED_FAMILIES else "simulated equations"

    def case(self, seed: int) -> Case:
        """The case of this seed, its size checked against the registry."""
        case = self.load(seed)
        found = (case.variables, case.rows, case.edges)
        expected = (
            self.variables or case.variables,
            self.rows or case.rows,
            self.edges if self.edges is not None else case.edges,
        )
        if found != expected:
            raise InputError(
                f"data set '{self.name}' has (variables, rows, edges) {found}, expected {expected}; "
                "the files on this machine are not the published ones: fetch them again"
            )
        return case


def adjacency_from_edges(names: tuple[str, ...], edges: list[tuple[str, str]]) -> np.ndarray:
    """(D, D) bool matrix of a list of (cause, effect) names."""
    position = {name: k for k, name in enumerate(names)}
    adjacency = np.zeros((len(names), len(names)), dtype=bool)
    for cause, effect in edges:
        adjacency[position[cause], position[effect]] = True
    return adjacency


def always_available() -> str | None:
    """For data sets that are simulated from nothing but our own code."""
    return None


@dataclass(frozen=True, kw_only=True)
class Answer:
    """A predicted graph over the columns a method was given."""

    adjacency: np.ndarray
    """(D, D) bool arcs; an undirected edge is both arcs."""
    scores: np.ndarray | None = None
    """(D, D) how strongly each arc is believed; None for methods that only decide."""
    probabilistic: bool = False
    """Whether the scores are meant as probabilities (then they are checked for calibration)."""
    confounding: np.ndarray | None = None
    """(D, D) symmetric: belief (0 or 1 for methods that only decide) that the pair has a hidden common cause."""

    def permuted(self, order: np.ndarray) -> Answer:
        """The answer for columns in another order: new column k is old column order[k]."""
        grid = np.ix_(order, order)
        return replace(
            self,
            adjacency=self.adjacency[grid],
            scores=None if self.scores is None else self.scores[grid],
            confounding=None if self.confounding is None else self.confounding[grid],
        )


def generator(purpose: str, seed: int) -> np.random.Generator:
    """A generator that depends on both; the same on every machine and in every process."""
    return np.random.default_rng([zlib.crc32(purpose.encode()), seed])


def integer(purpose: str, seed: int) -> int:
    """A 31-bit seed for libraries that want an integer."""
    return int(generator(purpose, seed).integers(2**31))
