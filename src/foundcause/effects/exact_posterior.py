"""Exact probabilities of edges in small tables of categories, and graphs drawn from them.

Shapes: D columns, at most 12. Sets of columns are bit masks.

The weight of a graph is a product over columns: the BDeu score of a column given its parents, tempered because the
network has read the same rows, times the network's odds of the edges. Sums over all orders of the columns are exact
(Koivisto and Sood, "Exact Bayesian structure discovery in Bayesian networks", 2004).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from itertools import combinations

import numpy as np

MAX_COLUMNS = 12
MAX_PARENTS = 3
_CLIP = 1e-4


class ExactPosterior:
    """The distribution over orders and parent sets.

    Parameters
    ----------
    local_score : callable
        Log score of a column (int) given its parents (tuple of int).
    probabilities : ndarray of shape (D, D)
        The network's edge probabilities. 0 rules an edge out and 1 demands it.
    tempering : float
        Power of the scores.
    before : ndarray of shape (D, D), bool, or None
        Pairs whose order is known: i precedes j.
    """

    def __init__(
        self,
        local_score: Callable[[int, tuple[int, ...]], float],
        probabilities: np.ndarray,
        *,
        tempering: float,
        before: np.ndarray | None = None,
    ) -> None:
        self.D = len(probabilities)
        self._subsets = np.arange(1 << self.D)
        self._log_odds = _log_odds(probabilities)
        required = probabilities >= 1
        must_precede = required if before is None else required | before
        self._predecessors = [
            int(sum(1 << i for i in np.flatnonzero(must_precede[:, j]).tolist())) for j in range(self.D)
        ]
        self._weights = [
            self._parent_weights(j, local_score, tempering, np.flatnonzero(required[:, j]).tolist())
            for j in range(self.D)
        ]

    def _parent_weights(
        self, column: int, local_score: Callable[[int, tuple[int, ...]], float], tempering: float, required: list[int]
    ) -> np.ndarray:
        """Log weight of each parent set (2^D,); -inf where it is not considered."""
        log_weight = np.full(1 << self.D, -np.inf)
        others = [
            k for k in range(self.D) if k != column and np.isfinite(self._log_odds[k, column]) and k not in required
        ]
        for size in range(max(MAX_PARENTS - len(required), 0) + 1):
            for chosen in combinations(others, size):
                parents = tuple(sorted((*chosen, *required)))
                weight = tempering * local_score(column, parents) + sum(self._log_odds[k, column] for k in chosen)
                log_weight[sum(1 << k for k in parents)] = weight
        return log_weight

    @cached_property
    def _within(self) -> list[np.ndarray]:
        """For each column, the log sum over parent sets inside each set of predecessors (2^D,)."""
        found = []
        for column, log_weight in enumerate(self._weights):
            sums = _sum_over_subsets(log_weight, self.D)
            mask = self._predecessors[column]
            found.append(np.where(self._subsets & mask == mask, sums, -np.inf))
        return found

    @cached_property
    def _prefix(self) -> np.ndarray:
        """Log sum over all orders of each set of columns that comes first (2^D,)."""
        return self._accumulate(lambda column, chosen: self._within[column][chosen])

    @cached_property
    def _suffix(self) -> np.ndarray:
        """Log sum over all orders of each set of columns that comes last (2^D,)."""
        full = (1 << self.D) - 1
        return self._accumulate(lambda column, chosen: self._within[column][full ^ chosen ^ (1 << column)])

    def _accumulate(self, weight: Callable[[int, np.ndarray], np.ndarray]) -> np.ndarray:
        total = np.full(1 << self.D, -np.inf)
        total[0] = 0.0
        sizes = np.array([bin(subset).count("1") for subset in self._subsets])
        for size in range(1, self.D + 1):
            chosen = self._subsets[sizes == size]
            terms = np.full((self.D, len(chosen)), -np.inf)
            for column in range(self.D):
                inside = (chosen >> column) & 1 == 1
                rest = chosen[inside] ^ (1 << column)
                terms[column, inside] = total[rest] + weight(column, rest)
            total[chosen] = np.logaddexp.reduce(terms, axis=0)
        return total

    @cached_property
    def probabilities(self) -> np.ndarray:
        """(D, D) probability of each edge."""
        full = (1 << self.D) - 1
        found = np.zeros((self.D, self.D))
        for j in range(self.D):
            first = self._subsets[(self._subsets >> j) & 1 == 0]
            mask = self._predecessors[j]
            first = first[first & mask == mask]
            context = self._prefix[first] + self._suffix[full ^ first ^ (1 << j)] - self._prefix[full]
            for i in range(self.D):
                if i != j:
                    with_i = np.where((self._subsets >> i) & 1 == 1, self._weights[j], -np.inf)
                    found[i, j] = np.exp(context + _sum_over_subsets(with_i, self.D)[first]).sum()
        return np.clip(found, 0.0, 1.0)

    def draw(self, n: int, rng: np.random.Generator) -> np.ndarray:
        """Draw acyclic graphs.

        Parameters
        ----------
        n : int
        rng : numpy.random.Generator

        Returns
        -------
        ndarray of shape (n, D, D), bool
        """
        directed = np.zeros((n, self.D, self.D), dtype=bool)
        for graph in directed:
            left = (1 << self.D) - 1
            while left:  # the last column of the order first
                columns = [k for k in range(self.D) if left >> k & 1]
                rest = [left ^ (1 << k) for k in columns]
                weight = np.array([self._prefix[r] + self._within[k][r] for k, r in zip(columns, rest, strict=True)])
                column = columns[_choose(weight, rng)]
                left ^= 1 << column
                inside = np.flatnonzero(np.isfinite(self._weights[column]) & (self._subsets & ~left == 0))
                parents = int(inside[_choose(self._weights[column][inside], rng)])
                graph[:, column] = [parents >> k & 1 for k in range(self.D)]
        return directed


def _log_odds(probabilities: np.ndarray) -> np.ndarray:
    """Log odds of an edge against none; -inf where it is ruled out."""
    absent = np.clip(1 - probabilities - probabilities.T, _CLIP, 1.0)
    odds = np.log(np.clip(probabilities, _CLIP, 1.0) / absent)
    return np.where(probabilities > 0, odds, -np.inf)


def _sum_over_subsets(log_weight: np.ndarray, D: int) -> np.ndarray:
    """Log sum of the weights of all subsets of each set (2^D,)."""
    top = log_weight.max()
    if not np.isfinite(top):
        return log_weight.copy()
    sums = np.exp(log_weight - top).reshape((2,) * D)
    for axis in range(D):
        sums = np.cumsum(sums, axis=axis)
    with np.errstate(divide="ignore"):
        return np.log(sums.reshape(-1)) + top


def _choose(log_weight: np.ndarray, rng: np.random.Generator) -> int:
    return int(np.argmax(log_weight + rng.gumbel(size=len(log_weight))))
