"""Sign and strength of the edges of one graph.

Shapes: N rows, D columns.

The strength of i → j is what i adds to a regression of j on all its causes in the graph: the standardized slope between
numbers, and the root of the partial R² where a category takes part. It describes the edge and is no total effect.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from foundcause.effects.design import Block


def edge_strengths(adjacency: np.ndarray, blocks: Sequence[Block]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Estimate the strength of each edge, given the other causes of its effect.

    Parameters
    ----------
    adjacency : ndarray of shape (D, D), bool
        Acyclic graph.
    blocks : sequence of Block
        One for each column, in the order of ``adjacency``.

    Returns
    -------
    strength : ndarray of shape (D, D)
        Standardized slope, or root of the partial R² where a category takes part. NaN without an edge, or if the
        other causes determine the cause.
    sign : ndarray of shape (D, D), int
        -1 or 1 between numbers and two-valued columns. 0 where a direction has no meaning.
    in_units : ndarray of shape (D, D)
        Slope in the columns' own units. NaN where a category takes part.
    """
    D = len(blocks)
    strength = np.full((D, D), np.nan)
    sign = np.zeros((D, D), dtype=int)
    in_units = np.full((D, D), np.nan)
    for j in np.flatnonzero(adjacency.any(axis=0)).tolist():
        causes = np.flatnonzero(adjacency[:, j]).tolist()
        rows = blocks[j].observed
        for i in causes:
            here = rows & blocks[i].observed
            others = [blocks[k].covariates[here] for k in causes if k != i]
            response = _residuals(blocks[j].values[here], others)
            cause = _residuals(blocks[i].values[here], others)
            if (
                here.sum() < 5
                or (cause**2).sum() <= 1e-8 * max(float(blocks[i].values[here].var()), 1e-12) * here.sum()
            ):
                continue
            strength[i, j], sign[i, j] = _strength(cause, response, blocks[i], blocks[j])
            if not (blocks[i].levels or blocks[j].levels):
                in_units[i, j] = strength[i, j] * blocks[j].scale / blocks[i].scale
    return strength, sign, in_units


def _strength(cause: np.ndarray, response: np.ndarray, cause_block: Block, response_block: Block) -> tuple[float, int]:
    slopes = np.linalg.lstsq(cause, response, rcond=None)[0]
    directed = cause.shape[1] == 1 and response.shape[1] == 1
    sign = int(np.sign(slopes[0, 0])) if directed else 0
    if directed and not (cause_block.levels or response_block.levels):
        return float(slopes[0, 0]), sign
    total = float((response**2).sum())
    explained = float(((cause @ slopes) ** 2).sum())
    root = float(np.sqrt(explained / total)) if total > 0 else 0.0
    return (sign * root if directed else root), sign


def _residuals(values: np.ndarray, others: list[np.ndarray]) -> np.ndarray:
    basis = np.column_stack([np.ones(len(values)), *others])
    return values - basis @ np.linalg.lstsq(basis, values, rcond=None)[0]
