"""Adjustment identification distance: how many causal effects a predicted graph would estimate wrongly."""

from __future__ import annotations

import numpy as np

from foundcause.bench.metrics.equivalence import cpdag, is_dag


def parent_aid(predicted: np.ndarray, true: np.ndarray) -> float | None:
    """Share of ordered pairs whose effect is misjudged with the predicted graph's parents as adjustment set.

    None when the distance is not defined: the truth is cyclic, or the prediction is neither a DAG nor a CPDAG (gadjid
    compares only those), or gadjid is not installed.
    """
    try:
        import gadjid
    except ImportError:
        return None
    predicted, true = np.asarray(predicted, dtype=bool), np.asarray(true, dtype=bool)
    if not is_dag(true):
        return None
    guess = predicted.astype(np.int8) if is_dag(predicted) else _as_cpdag(predicted)
    if guess is None:
        return None
    return float(gadjid.parent_aid(true.astype(np.int8), guess, edge_direction="from row to column")[0])


def _as_cpdag(predicted: np.ndarray) -> np.ndarray | None:
    """gadjid's code (1 directed, 2 undirected) when the matrix is the CPDAG of some DAG, else None."""
    both = predicted & predicted.T
    extension = _extend(predicted)
    if extension is None or (cpdag(extension) != predicted).any():
        return None
    return np.where(np.triu(both), 2, np.where(predicted & ~both, 1, 0)).astype(np.int8)


def _extend(partial: np.ndarray) -> np.ndarray | None:
    """A DAG with the same skeleton and v-structures (Dor and Tarsi 1992), or None when there is none."""
    left = partial.copy()
    result = partial & ~partial.T
    alive = np.ones(len(partial), dtype=bool)
    while alive.any():
        for x in np.flatnonzero(alive):
            out = left[x] & ~left[:, x]
            undirected = left[x] & left[:, x]
            adjacent = left[x] | left[:, x]
            if out.any():
                continue
            if all(
                ((left[y] | left[:, y])[adjacent & (np.arange(len(partial)) != y)]).all()
                for y in np.flatnonzero(undirected)
            ):
                result[undirected, x] = True
                left[x, :] = False
                left[:, x] = False
                alive[x] = False
                break
        else:
            return None
    return result
