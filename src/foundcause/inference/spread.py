"""The answer over the columns that took part as an answer over the whole table, with all that is known beforehand.

Shapes: D columns; ``[i, j]`` speaks of the edge from i to j.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from foundcause.inference.acyclic import maximum_acyclic
from foundcause.inference.protocol import Decoded, log_odds_gain


def spread(decoded: Decoded, chosen: np.ndarray, columns: int) -> Decoded:
    """The answer over the columns ``chosen`` as an answer over all, in table order; the others have no edges."""

    def whole(part: np.ndarray) -> np.ndarray:
        full = np.zeros((columns, columns), dtype=part.dtype)
        full[np.ix_(chosen, chosen)] = part
        return full

    return replace(
        decoded,
        edges=whole(decoded.edges),
        existence=whole(decoded.existence),
        confounding=whole(decoded.confounding),
        adjacency=whole(decoded.adjacency),
        agreement=whole(decoded.agreement),
    )


def without_edges(columns: int, *, threshold: float, confounding_threshold: float) -> Decoded:
    """The answer when too few columns can take part."""
    nothing = np.zeros((columns, columns))
    return Decoded(
        edges=nothing,
        existence=nothing.copy(),
        confounding=nothing.copy(),
        adjacency=nothing.astype(bool),
        agreement=nothing.copy(),
        threshold=threshold,
        confounding_threshold=confounding_threshold,
    )


def obeying(answer: Decoded, required: np.ndarray, before: np.ndarray, roots: np.ndarray | None = None) -> Decoded:
    """The answer with what decoding did not see of the knowledge, because it spans several edges or idle columns.

    Required edges at columns that took no part stand all the same and close no cycle with the others; no path leads
    from a later tier to an earlier one. Of the edges that contradict this together, the least probable ones go.
    What nothing causes shares no hidden cause either.
    before: (D, D) bool, the tier of i is earlier than that of j. roots: (D,) bool, columns that nothing causes.
    """
    if roots is not None and roots.any():
        answer = replace(answer, confounding=np.where(roots[:, None] | roots[None, :], 0.0, answer.confounding))
    if answer.adjacency[required].all() and not before.any():
        return answer
    either = required | required.T
    weights = np.where(answer.adjacency, log_odds_gain(answer.edges, answer.threshold), 0.0)
    # A step to a later tier is kept like a required edge while cycles are removed, though it is no edge of the graph.
    ordered = maximum_acyclic(weights, required | before)
    return replace(
        answer,
        edges=np.where(required, 1.0, answer.edges),
        existence=np.where(either, 1.0, answer.existence),
        adjacency=ordered & (answer.adjacency | required),
        agreement=np.where(required, 1.0, answer.agreement),
    )
