"""How tables with gaps reach methods that want complete columns. Shape letters: N rows, D variables, K kept ones."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from foundcause.bench.answer import Answer
from foundcause.bench.baselines.method import Table


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
