"""Check a graph against a table.

Shapes: D columns.

Four things are looked at: independences that the graph implies, edges without support in the rows, a penalized score of
the whole graph against graphs with shuffled names, and what the network's probabilities say of each pair.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from foundcause.effects.design import Block
from foundcause.effects.independence import IndependenceTests
from foundcause.effects.scores import GraphScores
from foundcause.effects.separation import connected, reachability

if TYPE_CHECKING:
    import pandas as pd

_NETWORK = 5.0
"""Weight of the network's log-odds. Penalized likelihoods count small misfits of many rows, so that unweighted log-odds
would say little. Chosen on 140 systems made for a trial (research/training_log.md)."""


@dataclass(frozen=True, kw_only=True, eq=False)
class GraphCheck:
    """What a table says about a graph.

    Parameters
    ----------
    violated : DataFrame
        Implied independences that the rows contradict: first, second, given, p_value.
    missing : DataFrame
        Pairs without an edge that the rows ask for: first, second, p_value, probability (of an edge, by the network).
    unsupported : DataFrame
        Edges that add nothing to the other parents: cause, effect, p_value, probability.
    reversed : DataFrame
        Edges that the network turns around: cause, effect, probability, reverse_probability.
    tested : int
        Number of implied independences that were tested.
    score : float
        Evidence for the graph: penalized score plus five times the network's log-odds. Compare graphs of one table.
    permutation_p_value : float
        Share of graphs with shuffled names that fit at least as well.
    """

    violated: pd.DataFrame
    missing: pd.DataFrame
    unsupported: pd.DataFrame
    reversed: pd.DataFrame
    tested: int
    score: float
    permutation_p_value: float

    @property
    def passed(self) -> bool:
        """Whether no implied independence is violated and shuffled names fit worse."""
        return bool(self.violated.empty and self.permutation_p_value <= 0.05)


def check_graph(
    blocks: Sequence[Block],
    directed: np.ndarray,
    confounded: np.ndarray,
    *,
    probabilities: np.ndarray | None = None,
    alpha: float = 0.01,
    n_permutations: int = 99,
    rng: np.random.Generator | None = None,
) -> GraphCheck:
    """Check a graph against the rows, and against the probabilities of the network where they are given.

    Parameters
    ----------
    blocks : sequence of Block
        Columns of the table, in the order of the matrices.
    directed : ndarray of shape (D, D), bool
        Acyclic graph.
    confounded : ndarray of shape (D, D), bool
        Symmetric pairs with a hidden common cause.
    probabilities : ndarray of shape (D, D) or None
        Edge probabilities of a result on the same table.
    alpha : float, default=0.01
        Error rate of the tests; false discovery rate for implied independences.
    n_permutations : int, default=99
        Graphs with shuffled names.
    rng : numpy.random.Generator or None
        Source of the shuffles. None starts from seed 0.

    Returns
    -------
    GraphCheck
    """
    import pandas as pd

    rng = np.random.default_rng(0) if rng is None else rng
    names = [block.name for block in blocks]
    tests, scores = IndependenceTests(blocks), GraphScores(blocks)
    implied = implied_independences(directed, confounded)
    p_values = np.array([tests.p_value(i, j, given) for i, j, given in implied])
    rejected = _false_discoveries(p_values, alpha)
    violated = pd.DataFrame(
        [
            (names[i], names[j], tuple(names[k] for k in given), p)
            for (i, j, given), p, bad in zip(implied, p_values, rejected, strict=True)
            if bad
        ],
        columns=["first", "second", "given", "p_value"],
    )
    chance = np.full(directed.shape, np.nan) if probabilities is None else probabilities
    either = np.minimum(chance + chance.T, 1.0)
    missing = violated.drop(columns="given").assign(
        probability=[
            either[names.index(a), names.index(b)] for a, b in zip(violated["first"], violated["second"], strict=True)
        ]
    )
    unsupported, turned = [], []
    for i, j in np.argwhere(directed).tolist():
        others = [k for k in np.flatnonzero(directed[:, j]).tolist() if k != i]
        p = tests.p_value(i, j, others)
        if p > alpha and not chance[i, j] > 0.5:
            unsupported.append((names[i], names[j], p, chance[i, j]))
        if chance[j, i] > 2 * chance[i, j] and chance[j, i] > 0.3:
            turned.append((names[i], names[j], chance[i, j], chance[j, i]))
    own = scores.score(directed, confounded)
    shuffled = [scores.score(*_shuffled(directed, confounded, rng)) for _ in range(n_permutations)]
    return GraphCheck(
        violated=violated.sort_values("p_value", ignore_index=True),
        missing=missing.sort_values("p_value", ignore_index=True),
        unsupported=pd.DataFrame(unsupported, columns=["cause", "effect", "p_value", "probability"]),
        reversed=pd.DataFrame(turned, columns=["cause", "effect", "probability", "reverse_probability"]),
        tested=len(implied),
        score=float(own) + (0.0 if probabilities is None else _NETWORK * network_log_odds(directed, probabilities)),
        permutation_p_value=(1 + sum(score >= own for score in shuffled)) / (1 + n_permutations),
    )


def network_log_odds(directed: np.ndarray, probabilities: np.ndarray) -> float:
    """Sum the log probability of the state of each pair (forward, backward or no edge).

    Parameters
    ----------
    directed : ndarray of shape (D, D), bool
    probabilities : ndarray of shape (D, D)

    Returns
    -------
    float
        In nats.
    """
    absent = np.clip(1 - probabilities - probabilities.T, 1e-4, 1.0)
    pair = np.triu(np.ones_like(directed), 1)
    neither = pair & ~directed & ~directed.T
    return float(np.log(np.clip(probabilities[directed], 1e-4, 1.0)).sum() + np.log(absent[neither]).sum())


def implied_independences(directed: np.ndarray, confounded: np.ndarray) -> list[tuple[int, int, tuple[int, ...]]]:
    """List one independence for each pair that some set of columns separates.

    Parameters
    ----------
    directed, confounded : ndarray of shape (D, D), bool

    Returns
    -------
    list of (int, int, tuple of int)
        Two columns and the set that separates them: those ancestors of both that matter.
    """
    D = len(directed)
    graph, pairs = directed[None], confounded[None]
    above = reachability(graph)
    found = []
    for i in range(D):
        for j in range(i + 1, D):
            if directed[i, j] or directed[j, i] or confounded[i, j]:
                continue
            candidates = (above[0, :, i] | above[0, :, j]) & ~np.isin(np.arange(D), [i, j])
            first, second = (j, i) if above[0, i, j] else (i, j)
            reached = connected(graph, pairs, first, candidates, above)[0]
            if reached[second]:
                continue  # an inducing path: no set separates them
            found.append((i, j, tuple(np.flatnonzero(candidates & reached).tolist())))
    return found


def _false_discoveries(p_values: np.ndarray, alpha: float) -> np.ndarray:
    """Benjamini and Hochberg: which p-values are rejected at this false discovery rate."""
    n = len(p_values)
    order = np.argsort(p_values)
    below = np.flatnonzero(p_values[order] <= alpha * np.arange(1, n + 1) / max(n, 1))
    rejected = np.zeros(n, dtype=bool)
    if len(below):
        rejected[order[: below[-1] + 1]] = True
    return rejected


def _shuffled(directed: np.ndarray, confounded: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    order = rng.permutation(len(directed))
    index = np.ix_(order, order)
    return directed[index], confounded[index]
