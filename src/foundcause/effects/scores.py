"""Penalized scores of graphs on a table of any kind.

Shapes: N rows, D columns, P design columns.

A graph's score is a sum over columns given their parents: BDeu where the column and its parents are categories, and a
likelihood with the BIC penalty elsewhere (normal for numbers, multinomial logistic for categories). Differences of
scores are in nats.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.special import gammaln, softmax

from foundcause.effects.design import Block

_SAMPLE_SIZE = 10.0  # equivalent sample size of BDeu
_NEWTON_STEPS = 12


class GraphScores:
    """Scores of columns given parents; each is computed once.

    Parameters
    ----------
    blocks : sequence of Block
        Columns of the table.
    """

    def __init__(self, blocks: Sequence[Block]) -> None:
        self._blocks = blocks
        self._codes = [_codes(block) for block in blocks]
        self._cached: dict[tuple[int, frozenset[int]], float] = {}

    def score(self, directed: np.ndarray, confounded: np.ndarray | None = None) -> float:
        """Return the score of an acyclic graph; higher is better.

        Parameters
        ----------
        directed : ndarray of shape (D, D), bool
        confounded : ndarray of shape (D, D), bool, or None
            A confounded pair is scored as an edge that follows the order of the graph: it allows the same dependence.

        Returns
        -------
        float
        """
        return sum(self.local(j, parents) for j, parents in enumerate(_parents(directed, confounded)))

    def local(self, column: int, parents: Sequence[int]) -> float:
        """Return the score of one column given its parents."""
        key = (column, frozenset(parents))
        if key not in self._cached:
            self._cached[key] = self._compute(column, sorted(key[1]))
        return self._cached[key]

    def _compute(self, column: int, parents: list[int]) -> float:
        block = self._blocks[column]
        rows = block.observed
        codes = [code for k in (column, *parents) if (code := self._codes[k]) is not None]
        if len(codes) == 1 + len(parents):
            return _bdeu([code[rows] for code in codes])
        design = np.column_stack([np.ones(int(rows.sum())), *(_curved(self._blocks[k])[rows] for k in parents)])
        own = self._codes[column]
        if own is not None and (block.levels or block.binary):
            return _multinomial(own[rows], design)
        return _normal(block.values[rows, 0], design)


def _parents(directed: np.ndarray, confounded: np.ndarray | None) -> list[list[int]]:
    if confounded is None or not confounded.any():
        return [np.flatnonzero(directed[:, j]).tolist() for j in range(len(directed))]
    order = _topological(directed)
    position = np.argsort(order)
    joined = directed | (confounded & (position[:, None] < position[None, :]))
    return [np.flatnonzero(joined[:, j]).tolist() for j in range(len(directed))]


def _topological(directed: np.ndarray) -> np.ndarray:
    left = np.ones(len(directed), dtype=bool)
    order = []
    while left.any():
        free = np.flatnonzero(left & ~(directed & left[:, None]).any(axis=0))
        order.extend(free.tolist())
        left[free] = False
    return np.array(order)


def _codes(block: Block) -> np.ndarray | None:
    """(N,) number of the level in each row, a gap as a level of its own; None for numbers of many values."""
    if block.levels:
        codes = np.where(block.values.any(axis=1), block.values.argmax(axis=1) + 1, 0)
    else:
        values = np.unique(block.values[block.observed, 0])
        if len(values) > 5:
            return None
        codes = np.searchsorted(values, block.values[:, 0])
    codes = np.where(block.observed, codes, codes.max(initial=0) + 1)
    return np.unique(codes, return_inverse=True)[1].ravel()


def _curved(block: Block) -> np.ndarray:
    if block.levels or block.binary:
        return block.covariates
    return np.column_stack([block.covariates, np.clip(block.values**2 - 1, -1, 8) * block.observed[:, None]])


def _bdeu(codes: list[np.ndarray]) -> float:
    child, *parents = codes
    levels = int(child.max(initial=0)) + 1
    configurations = 1
    index = np.zeros(len(child), dtype=np.int64)
    for parent in parents:
        size = int(parent.max(initial=0)) + 1
        index = index * size + parent
        configurations *= size
    _, index = np.unique(index, return_inverse=True)
    counts = np.bincount(index.ravel() * levels + child, minlength=(int(index.max(initial=0)) + 1) * levels)
    counts = counts.reshape(-1, levels)
    cell = _SAMPLE_SIZE / configurations / levels
    whole = cell * levels
    return float(
        (gammaln(whole) - gammaln(whole + counts.sum(axis=1))).sum() + (gammaln(cell + counts) - gammaln(cell)).sum()
    )


def _normal(values: np.ndarray, design: np.ndarray) -> float:
    N = len(values)
    coefficients, _, rank, _ = np.linalg.lstsq(design, values, rcond=1e-8)
    residual = values - design @ coefficients
    variance = max(float(residual @ residual) / N, 1e-6)
    return -0.5 * N * (np.log(2 * np.pi * variance) + 1) - 0.5 * (rank + 1) * np.log(N)


def _multinomial(child: np.ndarray, design: np.ndarray) -> float:
    """Logistic likelihood by Newton steps with a slight ridge, and the BIC penalty."""
    N, P = design.shape
    classes = int(child.max(initial=0)) + 1
    if classes < 2:
        return 0.0
    target = np.eye(classes)[child]
    weights = np.zeros((P, classes - 1))
    for _ in range(_NEWTON_STEPS):
        chance = softmax(np.column_stack([np.zeros(N), design @ weights]), axis=1)[:, 1:]
        gradient = design.T @ (target[:, 1:] - chance) - 1e-3 * weights
        hessian = np.zeros((classes - 1, P, classes - 1, P))
        for a in range(classes - 1):
            for b in range(classes - 1):
                weight = chance[:, a] * ((a == b) - chance[:, b])
                hessian[a, :, b, :] = design.T @ (design * weight[:, None])
        matrix = hessian.reshape((classes - 1) * P, -1) + 1e-3 * np.eye((classes - 1) * P)
        step = np.linalg.solve(matrix, gradient.T.ravel()).reshape(classes - 1, P).T
        weights = weights + np.clip(step, -3, 3)
        if np.abs(step).max() < 1e-4:
            break
    logits = np.column_stack([np.zeros(N), design @ weights])
    chosen = logits[np.arange(N), child] - np.logaddexp.reduce(logits, axis=1)
    return float(chosen.sum()) - 0.5 * P * (classes - 1) * np.log(N)
