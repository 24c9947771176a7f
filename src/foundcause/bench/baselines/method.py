"""What the runner knows about a method, and how tables with gaps reach methods that want complete columns.

Shape letters: N rows, D variables, K kept ones.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass

import numpy as np

from foundcause.bench.case import Answer
from foundcause.bench.records import Version


@dataclass(frozen=True, kw_only=True)
class Table:
    """What a method is given: nothing but the columns, their kind and a seed."""

    values: np.ndarray
    """(N, D) float64; NaN marks a missing cell."""
    seed: int
    """Seed for methods that draw."""
    discrete: bool = False
    """Whether all columns hold category codes."""


@dataclass(frozen=True)
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
    _: KW_ONLY
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


def varying(values: np.ndarray) -> np.ndarray:
    """(K,) positions of the columns with at least two distinct observed values."""
    return np.array([k for k, column in enumerate(values.T) if len(np.unique(column[np.isfinite(column)])) > 1], int)


def imputed(values: np.ndarray) -> np.ndarray:
    """(N, D) with the mean of its column in each missing cell (the paper's rule)."""
    observed = np.isfinite(values)
    mean = np.where(observed, values, 0.0).sum(axis=0) / np.maximum(observed.sum(axis=0), 1)
    return np.where(observed, values, mean)


def mode_imputed(values: np.ndarray) -> np.ndarray:
    """(N, D) with the commonest code of its column in each missing cell, and codes renumbered from 0."""
    result = np.empty(values.shape, dtype=np.int64)
    for k, column in enumerate(values.T):
        codes, counts = np.unique(column[np.isfinite(column)], return_counts=True)
        filled = np.where(np.isfinite(column), column, codes[counts.argmax()])
        result[:, k] = np.searchsorted(codes, filled)
    return result


def standardised(values: np.ndarray) -> np.ndarray:
    """(N, D) complete columns with zero mean and unit variance."""
    return (values - values.mean(axis=0)) / values.std(axis=0)


def pairwise_covariance(values: np.ndarray) -> np.ndarray:
    """(D, D) covariance from the rows that both columns have, made positive semidefinite by clipping eigenvalues."""
    observed = np.isfinite(values)
    filled = np.where(observed, values, 0.0)
    weight = observed.astype(float)
    count = np.maximum(weight.T @ weight, 1)
    mean_i = (filled.T @ weight) / count  # mean of i over the rows in which j is observed too
    covariance = (filled.T @ filled) / count - mean_i * mean_i.T
    eigenvalues, vectors = np.linalg.eigh((covariance + covariance.T) / 2)
    return (vectors * np.maximum(eigenvalues, 0)) @ vectors.T


def rows_with_covariance(covariance: np.ndarray) -> np.ndarray:
    """(2D, D) centred rows whose covariance (divided by their number) is the given one.

    Least-squares methods see data only through the covariance, so these rows stand for a table with gaps.
    """
    eigenvalues, vectors = np.linalg.eigh(covariance)
    root = (vectors * np.sqrt(np.maximum(eigenvalues, 0))) @ vectors.T * np.sqrt(len(covariance))
    return np.concatenate([root, -root])


def on_complete(solve: Callable[[np.ndarray, Table], Answer]) -> Callable[[Table], Answer]:
    """Run on mean-imputed varying columns; constant columns come back without edges."""

    def run(table: Table) -> Answer:
        kept = varying(table.values)
        return spread(solve(imputed(table.values[:, kept]), table), kept, table.values.shape[1])

    return run


def on_codes(solve: Callable[[np.ndarray, Table], Answer]) -> Callable[[Table], Answer]:
    """Run on mode-imputed category codes; constant columns come back without edges."""

    def run(table: Table) -> Answer:
        kept = varying(table.values)
        return spread(solve(mode_imputed(table.values[:, kept]), table), kept, table.values.shape[1])

    return run


def on_gaps(solve: Callable[[np.ndarray, Table], Answer]) -> Callable[[Table], Answer]:
    """Run on varying columns with their gaps; constant columns come back without edges."""

    def run(table: Table) -> Answer:
        kept = varying(table.values)
        return spread(solve(table.values[:, kept], table), kept, table.values.shape[1])

    return run


def spread(answer: Answer, kept: np.ndarray, variables: int) -> Answer:
    """An answer over the kept columns as one over all of them."""

    def wide(matrix: np.ndarray | None) -> np.ndarray | None:
        if matrix is None:
            return None
        result = np.zeros((variables, variables), dtype=matrix.dtype)
        result[np.ix_(kept, kept)] = matrix
        return result

    adjacency = wide(answer.adjacency)
    assert adjacency is not None
    return Answer(
        adjacency=adjacency,
        scores=wide(answer.scores),
        probabilistic=answer.probabilistic,
        confounding=wide(answer.confounding),
    )
