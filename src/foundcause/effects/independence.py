"""Test conditional independence between columns of any kind, with gaps.

Shapes: N rows, P design columns.

Both sides are expanded (values and squares of numbers, indicators of levels), residualized on the expanded conditioning
set, and compared by canonical correlations with Bartlett's chi-square approximation. The square of a sum holds products
of its terms, so that squares are compared only while all products of the conditioning numbers fit into the basis.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
from scipy.special import chdtrc

from foundcause.effects.design import Block

_MOST_NUMBERS = 8  # conditioning numbers whose products are all in the basis


class IndependenceTests:
    """Conditional independence tests on one table; bases of conditioning sets are computed once.

    Parameters
    ----------
    blocks : sequence of Block
        Columns of the table.
    """

    def __init__(self, blocks: Sequence[Block]) -> None:
        self._blocks = blocks
        self._features = [_features(block) for block in blocks]
        self._cached: dict[tuple[int, ...], np.ndarray] = {}

    def p_value(self, first: int, second: int, given: Sequence[int] = ()) -> float:
        """Return the p-value of independence of two columns given others.

        Parameters
        ----------
        first, second : int
            Positions of columns.
        given : sequence of int
            Positions of the conditioning set.

        Returns
        -------
        float
            1 if too few rows are left to tell.
        """
        rows = self._blocks[first].observed & self._blocks[second].observed
        basis = self._basis(tuple(sorted(given)))
        everything = bool(rows.all())
        curved = sum(self._is_number(k) for k in given) <= _MOST_NUMBERS
        expanded = [self._features[k] if curved else self._blocks[k].values for k in (first, second)]
        sides = expanded if everything else [side[rows] for side in expanded]
        if not everything:
            basis = _orthonormal(basis[rows])
        N, used = len(sides[0]), basis.shape[1]
        one, other = (_orthonormal(side - basis @ (basis.T @ side), of=side) for side in sides)
        degrees = one.shape[1] * other.shape[1]
        left = N - used - (one.shape[1] + other.shape[1] + 1) / 2
        if not degrees or left < 5:
            return 1.0
        correlations = np.clip(np.linalg.svd(one.T @ other, compute_uv=False), 0.0, 1 - 1e-12)
        return float(chdtrc(degrees, -left * np.log1p(-(correlations**2)).sum()))

    def _basis(self, given: tuple[int, ...]) -> np.ndarray:
        if given not in self._cached:
            parts = [self._features[k] for k in given]
            gaps = [~self._blocks[k].observed[:, None] for k in given if not self._blocks[k].observed.all()]
            numbers = [self._blocks[k].values[:, 0] for k in given if self._is_number(k)]
            pairs = combinations(numbers, 2) if len(numbers) <= _MOST_NUMBERS else ()
            products = [(one * other)[:, None] for one, other in pairs]
            N = len(self._blocks[0].observed)
            self._cached[given] = _orthonormal(np.column_stack([np.ones(N), *parts, *products, *gaps]))
        return self._cached[given]

    def _is_number(self, k: int) -> bool:
        return not (self._blocks[k].levels or self._blocks[k].binary)


def _features(block: Block) -> np.ndarray:
    if block.levels or block.binary:
        return block.values
    squares = block.values**2 - 1.0
    squares[~block.observed] = 0.0
    return np.column_stack([block.values, np.clip(squares, -1.0, 8.0)])


def _orthonormal(columns: np.ndarray, *, of: np.ndarray | None = None) -> np.ndarray:
    """Orthonormal basis of columns; directions that vanish against ``of`` are left out."""
    if not columns.shape[1]:
        return columns
    left, singular, _ = np.linalg.svd(columns, full_matrices=False)
    reference = singular[0] if of is None else np.linalg.norm(of)
    return left[:, singular > 1e-7 * max(float(reference), 1e-12)]
