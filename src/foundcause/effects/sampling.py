"""Draw acyclic graphs that agree with edge and confounding probabilities.

Shapes: n graphs, D columns, K passes. ``[..., i, j]`` is the edge from i to j.

A graph is drawn in two steps. First a causal order from a log-linear distribution over orders. Its pair weights are
adjusted until "i before j" is at least as probable as the edge i → j, for all pairs. Then edges that follow the order.
Given the order they are drawn so that the share of graphs with an edge equals its probability. What the passes of the
network disagree about together appears together: deviations of the passes load on shared normal factors, which move
order, edges and confounded pairs of one graph at once (a Gaussian copula).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from foundcause.errors import InputError

_SWEEPS = 18  # adjustments of the pair weights; the last third only samples
_LOGISTIC_VARIANCE = np.pi**2 / 3


@dataclass(frozen=True, kw_only=True)
class PassDeviations:
    """How single passes deviate from their mean, in logits.

    Parameters
    ----------
    existence, direction, confounding : ndarray of shape (K, D, D)
        Logit of each pass minus the mean over passes.
    """

    existence: np.ndarray
    direction: np.ndarray
    confounding: np.ndarray


def draw_graphs(
    probabilities: np.ndarray,
    confounding: np.ndarray,
    n: int,
    *,
    rng: np.random.Generator,
    before: np.ndarray | None = None,
    deviations: PassDeviations | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Draw directed acyclic graphs with confounded pairs.

    Parameters
    ----------
    probabilities : ndarray of shape (D, D)
        Probability of each directed edge. 1 is always drawn and 0 never.
    confounding : ndarray of shape (D, D)
        Symmetric probability of a hidden common cause.
    n : int
        Number of graphs.
    rng : numpy.random.Generator
        Source of randomness.
    before : ndarray of shape (D, D) or None
        Pairs whose order is known: i precedes j. Must be acyclic together with the edges of probability 1.
    deviations : PassDeviations or None
        What the passes disagree about. None draws edges independently, given the order.

    Returns
    -------
    directed : ndarray of shape (n, D, D), bool
        Acyclic graphs.
    confounded : ndarray of shape (n, D, D), bool
        Symmetric.
    """
    if n < 1:
        raise InputError(f"n={n} must be at least 1")
    D = len(probabilities)
    factors = rng.standard_normal((n, 0 if deviations is None else len(deviations.existence)))
    fixed = probabilities >= 1
    fixed = fixed if before is None else fixed | before
    precedes = _draw_orders(probabilities, fixed, factors, deviations, rng)
    existence = None if deviations is None else deviations.existence
    latent = _latent_normals(existence, factors, (n, D, D), rng)
    directed = _threshold_to(probabilities, latent, precedes)
    hidden = None if deviations is None else deviations.confounding
    latent = _latent_normals(hidden, factors, (n, D, D), rng)
    upper = np.triu(np.ones((D, D), dtype=bool), 1)
    confounded = _threshold_to(np.where(upper, confounding, 0.0), latent, np.broadcast_to(upper, (n, D, D)))
    return directed, confounded | np.swapaxes(confounded, 1, 2)


def _draw_orders(
    probabilities: np.ndarray,
    fixed: np.ndarray,
    factors: np.ndarray,
    deviations: PassDeviations | None,
    rng: np.random.Generator,
) -> np.ndarray:
    """Draw "i precedes j" (n, D, D) of one order a graph, by Gibbs sampling over positions."""
    forward, backward = probabilities, probabilities.T
    existence = np.clip(forward + backward, 1e-9, 1.0)
    # Pairs without an edge leave the order open, the more so the less probable the edge. Any order distribution
    # between "edge forward" and "no edge backward" will do.
    decided = np.sqrt(existence)
    lean = decided * forward / existence + (1 - decided) / 2
    toward = forward + (1 - existence) * lean
    weights = np.log((toward + 1e-4) / (toward.T + 1e-4))
    own: np.ndarray | float = 0.0
    if deviations is not None:
        own = np.einsum("nk,kij->nij", factors, deviations.direction / max(len(deviations.direction) - 1, 1) ** 0.5)
    orders = np.tile(_topological_order(fixed, weights), (len(factors), 1))
    for sweep in range(_SWEEPS):
        _sweep(orders, weights + own, fixed, rng)
        precedes = _precedence(orders)
        share = precedes.mean(axis=0)
        if sweep < 2 * _SWEEPS // 3:
            # An edge i → j needs i before j: the share of such orders must reach its probability.
            lacking = np.maximum(forward - share, 0) - np.maximum(backward - share.T, 0)
            weights = weights + 6.0 * lacking / (1 + sweep / 8)
    return precedes


def _sweep(orders: np.ndarray, weights: np.ndarray, fixed: np.ndarray, rng: np.random.Generator) -> None:
    """Move every column once to a new position, in all orders, given the positions of the others."""
    n, D = orders.shape
    rows = np.arange(n)[:, None]
    steps = np.arange(D)
    pairwise = weights if weights.ndim == 3 else np.broadcast_to(weights, (n, D, D))
    for column in rng.permutation(D):
        place = np.argmax(orders == column, axis=1)
        others = orders[rows, steps[:-1] + (steps[:-1] >= place[:, None])]  # (n, D-1) without the column
        # Position p puts the column behind p others. Each of them gains w[other, column] instead of w[column, other].
        gains = -pairwise[rows, column, others]
        log_odds = np.concatenate([np.zeros((n, 1)), np.cumsum(gains, axis=1)], axis=1)
        earliest = np.where(fixed[others, column], steps[1:], 0).max(axis=1, initial=0)
        latest = np.where(fixed[column, others], steps[:-1], D - 1).min(axis=1, initial=D - 1)
        allowed = (steps >= earliest[:, None]) & (steps <= latest[:, None])
        chosen = np.where(allowed, log_odds + rng.gumbel(size=(n, D)), -np.inf).argmax(axis=1)
        behind = steps[:-1] >= chosen[:, None]
        orders[rows, steps[:-1] + behind] = others
        orders[np.arange(n), chosen] = column


def _precedence(orders: np.ndarray) -> np.ndarray:
    """(n, D, D) whether i stands before j."""
    positions = np.argsort(orders, axis=1)
    return positions[:, :, None] < positions[:, None, :]


def _topological_order(fixed: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return an order that respects ``fixed``, columns that tend to come first in front."""
    D = len(fixed)
    left = np.ones(D, dtype=bool)
    order = []
    tendency = weights.sum(axis=1)
    for _ in range(D):
        free = left & ~(fixed & left[:, None]).any(axis=0)
        if not free.any():
            raise InputError("required edges and tiers contradict each other: they form a cycle; remove one of them")
        column = int(np.argmax(np.where(free, tendency, -np.inf)))
        order.append(column)
        left[column] = False
    return np.array(order)


def _latent_normals(
    deviations: np.ndarray | None, factors: np.ndarray, shape: tuple[int, int, int], rng: np.random.Generator
) -> np.ndarray:
    """Standard normals (n, D, D) that share what the passes disagree about; high values draw an edge."""
    noise = rng.standard_normal(shape)
    if deviations is None:
        return noise
    loadings = deviations / max(len(deviations) - 1, 1) ** 0.5
    scale = np.sqrt((loadings**2).sum(axis=0) + _LOGISTIC_VARIANCE)
    common = np.einsum("nk,kij->nij", factors, loadings)
    return (common + _LOGISTIC_VARIANCE**0.5 * noise) / scale


def _threshold_to(probabilities: np.ndarray, latent: np.ndarray, eligible: np.ndarray) -> np.ndarray:
    """Draw the pairs with the highest latent values until each pair reaches its probability.

    Counting the graphs of the sample, instead of drawing each by itself, takes most of the sampling error out.
    """
    n = len(latent)
    ranked = np.where(eligible, latent, -np.inf)
    # Fractions of a graph are rounded up or down at random (by one latent value a pair), so that n = 1 works too.
    expected = probabilities * n
    chance = np.clip(expected - np.floor(expected), 1e-12, 1 - 1e-12)
    wanted = np.floor(expected) + (latent[0] > -ndtri(chance))
    wanted = np.minimum(wanted, eligible.sum(axis=0)).astype(int)
    descending = np.argsort(-ranked, axis=0, kind="stable")
    position = np.empty_like(descending)
    np.put_along_axis(position, descending, np.arange(n)[:, None, None], axis=0)
    return (position < wanted) & eligible
