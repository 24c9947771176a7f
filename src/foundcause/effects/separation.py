"""Paths and separation in many graphs at once.

Shapes: n graphs, D columns. ``directed`` (n, D, D) are acyclic graphs, ``confounded`` (n, D, D) their symmetric pairs
with a hidden common cause. A set of columns is a mask (D,) or one mask a graph (n, D).

Adjustment sets follow van der Zander, Liśkiewicz and Textor, "Constructing separators and adjustment sets in ancestral
graphs" (2014): if any set of columns removes the confounding of x and y, then the ancestors of both that are not
forbidden do.
"""

from __future__ import annotations

import numpy as np


def reachability(directed: np.ndarray) -> np.ndarray:
    """Find which columns lead to which by directed paths of one edge or more.

    Parameters
    ----------
    directed : ndarray of shape (n, D, D), bool

    Returns
    -------
    ndarray of shape (n, D, D), bool
        ``[g, i, j]`` is whether i is an ancestor of j in graph g.
    """
    reach = directed.astype(np.float32)
    length = 1
    while length < directed.shape[-1]:
        longer = np.minimum(reach + reach @ reach, 1.0)
        if np.array_equal(longer, reach):
            break
        reach, length = longer, 2 * length
    return reach > 0


def connected(
    directed: np.ndarray, confounded: np.ndarray, start: int, given: np.ndarray, ancestors: np.ndarray | None = None
) -> np.ndarray:
    """Find the columns that an open path joins to a start, given a set (m-connection).

    Parameters
    ----------
    directed, confounded : ndarray of shape (n, D, D), bool
        Acyclic edges and symmetric pairs.
    start : int
        Where paths begin.
    given : ndarray of shape (D,) or (n, D), bool
        What is conditioned on.
    ancestors : ndarray of shape (n, D, D) or None
        ``reachability(directed)``, when it is at hand.

    Returns
    -------
    ndarray of shape (n, D), bool
        Columns that paths reach, those of ``given`` included. A column outside ``given`` that is not reached is
        independent of the start.
    """
    n, D, _ = directed.shape
    given = np.broadcast_to(given, (n, D))
    above = reachability(directed) if ancestors is None else ancestors
    # A collider is open if it or a descendant is given.
    open_collider = given | (above & given[:, None, :]).any(axis=2)
    into = (directed | confounded).astype(np.float32)  # i to j, arriving with an arrowhead
    out_of = np.swapaxes(directed, 1, 2).astype(np.float32)  # i to its parents, arriving with a tail
    along = directed.astype(np.float32)
    both = confounded.astype(np.float32)
    by_head = np.zeros((n, D), dtype=bool)  # columns reached through an arrowhead
    by_tail = np.zeros((n, D), dtype=bool)
    new_head = (into[:, start] > 0).copy()
    new_tail = out_of[:, start] > 0
    while new_head.any() or new_tail.any():
        by_head |= new_head
        by_tail |= new_tail
        # From a column reached by a tail, or by a head and not given, paths go on to its children.
        # Colliders turn back to parents and confounded partners.
        passes = (new_tail | new_head) & ~given
        turns = new_head & open_collider
        upward = (new_tail & ~given) | turns
        heads = _step(passes, along) | _step(upward, both)
        tails = _step(upward, out_of)
        new_head = heads & ~by_head
        new_tail = tails & ~by_tail
    reached = by_head | by_tail
    reached[:, start] = False
    return reached


def adjustment_sets(
    directed: np.ndarray, confounded: np.ndarray, treatment: int, outcome: int, *, usable: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Find a set of columns in each graph that removes all confounding of treatment and outcome.

    Parameters
    ----------
    directed, confounded : ndarray of shape (n, D, D), bool
    treatment, outcome : int
        Columns.
    usable : ndarray of shape (D,), bool, or None
        Columns that may be adjusted for. None allows all.

    Returns
    -------
    sets : ndarray of shape (n, D), bool
        Columns to adjust for. Columns that do not help to predict the outcome are left out.
    identified : ndarray of shape (n,), bool
        Whether the set suffices. Where it does not, no set of usable columns does.
    causal : ndarray of shape (n,), bool
        Whether the treatment is an ancestor of the outcome. Elsewhere the effect is zero.
    """
    above = reachability(directed)
    causal = above[:, treatment, outcome]
    at_or_above_outcome = above[:, :, outcome].copy()
    at_or_above_outcome[:, outcome] = True
    on_path = above[:, treatment] & at_or_above_outcome
    forbidden = on_path | (above & on_path[:, :, None]).any(axis=1)  # they and what follows from them
    forbidden[:, [treatment, outcome]] = True
    back_door = directed.copy()
    back_door[:, treatment] &= ~on_path  # without the first edges of causal paths
    candidates = (above[:, :, treatment] | above[:, :, outcome]) & ~forbidden
    if usable is not None:
        candidates &= usable
    above_back_door = reachability(back_door)
    reached = connected(back_door, confounded, outcome, candidates, above_back_door)
    identified = ~reached[:, treatment]
    return candidates & reached, identified, causal


def blocks_back_doors(
    directed: np.ndarray, confounded: np.ndarray, treatment: int, outcome: int, adjustment: np.ndarray
) -> np.ndarray:
    """Tell in which graphs a set of columns meets the back-door criterion.

    Parameters
    ----------
    directed, confounded : ndarray of shape (n, D, D), bool
    treatment, outcome : int
    adjustment : ndarray of shape (D,), bool

    Returns
    -------
    ndarray of shape (n,), bool
        The set holds no descendant of the treatment and closes all paths that enter it.
    """
    above = reachability(directed)
    without_out = directed.copy()
    without_out[:, treatment] = False
    descendants = (above[:, treatment] & adjustment).any(axis=1)
    return ~connected(without_out, confounded, treatment, adjustment)[:, outcome] & ~descendants


def _step(columns: np.ndarray, edges: np.ndarray) -> np.ndarray:
    """One step from a set of columns (n, D) along edges (n, D, D)."""
    return np.matmul(columns[:, None, :].astype(np.float32), edges)[:, 0] > 0
