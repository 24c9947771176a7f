"""From the logits of all passes to one graph: average, calibrate, respect knowledge, cut, prune, make acyclic.

This works on stored passes, so that other knowledge or another threshold never runs the network again.
Shapes: K passes, A columns of the passes, D columns of the table; ``[i, j]`` means i causes j.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from foundcause.inference.acyclicity import greedy_acyclic, maximum_acyclic
from foundcause.inference.probabilities import (
    CONFOUNDING_CUT,
    confounding_probabilities,
    factored_probabilities,
    joint_probabilities,
    learned_cut,
    sigmoid,
)
from foundcause.inference.protocols import DEFAULT, Protocol
from foundcause.knowledge import Knowledge
from foundcause.model.calibration import Calibration

if TYPE_CHECKING:
    from foundcause.features.series import RowDependence


@dataclass(frozen=True, kw_only=True)
class Passes:
    """Logits of K passes over A columns of a table.

    edges, existence, direction, confounding: (K, A, A); ``[k, i, j]`` speaks of the i-th and j-th of ``columns``.
    factored: whether existence and direction were trained as such; of the released weights only ``edges`` counts.
    protocol: how they were drawn, and how they are turned into a graph.
    names: all D columns of the table, dropped ones aside; empty where the passes are of a bare matrix.
    columns: (A,) positions among these of the columns that the passes saw.
    left_out: names of dropped columns, which knowledge must not name.
    statistics: (A, A, F) of the first pass; None where they were not kept.
    """

    edges: np.ndarray
    existence: np.ndarray
    direction: np.ndarray
    confounding: np.ndarray
    factored: bool
    protocol: Protocol = DEFAULT
    names: tuple[str, ...] = ()
    columns: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=int))
    left_out: tuple[str, ...] = ()
    statistics: np.ndarray | None = None

    def __post_init__(self) -> None:
        if not self.names:  # of a bare matrix
            A = self.edges.shape[-1]
            object.__setattr__(self, "names", tuple(f"x{k}" for k in range(A)))
            object.__setattr__(self, "columns", np.arange(A))

    def __len__(self) -> int:
        return len(self.edges)

    def first(self, count: int) -> Passes:
        """The first ``count`` of them."""
        logits = {name: getattr(self, name)[:count] for name in ("edges", "existence", "direction", "confounding")}
        return replace(self, **logits)

    def in_table_order(self) -> Passes:
        """The same with the columns in the order of the table."""
        order = np.argsort(self.columns)
        inside = np.ix_(order, order)
        logits = {
            name: getattr(self, name)[:, inside[0], inside[1]]
            for name in ("edges", "existence", "direction", "confounding")
        }
        statistics = None if self.statistics is None else self.statistics[inside]
        return replace(self, **logits, columns=self.columns[order], statistics=statistics)


@dataclass(frozen=True, kw_only=True)
class Decoded:
    """One graph: every array (D, D); ``adjacency`` is acyclic and obeys knowledge.

    contradicting: edges that stood in the passes but contradict knowledge that spans several edges.
    """

    edges: np.ndarray
    existence: np.ndarray
    confounding: np.ndarray
    adjacency: np.ndarray
    agreement: np.ndarray
    threshold: float
    confounding_threshold: float
    contradicting: np.ndarray = field(default_factory=lambda: np.zeros((0, 0), dtype=bool))


def decode(
    passes: Passes,
    calibration: Calibration,
    knowledge: Knowledge | None = None,
    threshold: float | None = None,
    rows: RowDependence | int = 0,
) -> Decoded:
    """Turn passes into one graph over all columns of their table.

    Parameters
    ----------
    passes : Passes
        Of a table with named columns.
    calibration : Calibration
        Of the network that ran them.
    knowledge : Knowledge, optional
        The answer never violates it.
    threshold : float, optional
        Probability from which an edge is shown; by default the protocol's rule.
    rows : RowDependence or int
        Effective sample size.

    Returns
    -------
    Decoded
        Columns that the passes did not see have no edges but required ones.
    """
    known, D, columns = knowledge or Knowledge(), len(passes.names), passes.columns
    forbidden, required = known.masks(passes.names, left_out=passes.left_out)
    if len(columns) < 2:
        free = without_edges(D, threshold=0.5 if threshold is None else threshold)
    else:
        inside = np.ix_(columns, columns)
        decoded = decide(
            passes,
            calibration,
            rows=rows if isinstance(rows, int) else rows.n_effective,
            threshold=threshold,
            forbidden=forbidden[inside],
            required=required[inside],
            odds=known.odds(passes.names)[inside] if known.beliefs else None,
        )
        free = spread(decoded, columns, D)
    found = apply_knowledge(free, required, known.before(passes.names), known.uncaused(passes.names))
    if known.upstream or known.not_upstream or known.unconfounded:
        from foundcause.inference.statements import apply_statements  # networkx is slow to import

        found = apply_statements(found, known, passes.names)
    return replace(found, contradicting=free.adjacency & ~found.adjacency)


def decide(
    passes: Passes,
    calibration: Calibration | None = None,
    *,
    rows: int,
    threshold: float | None = None,
    forbidden: np.ndarray | None = None,
    required: np.ndarray | None = None,
    odds: np.ndarray | None = None,
) -> Decoded:
    """Turn passes into one graph over the A columns that they saw, with knowledge as (A, A) masks and odds."""
    protocol = passes.protocol
    calibration = (calibration or Calibration()).at(len(passes))
    A = passes.edges.shape[-1]
    forbidden = np.eye(A, dtype=bool) if forbidden is None else forbidden | np.eye(A, dtype=bool)
    required = np.zeros((A, A), dtype=bool) if required is None else required

    single, edges, existence = edge_probabilities(passes, calibration)
    if odds is not None:
        single, _ = weigh_beliefs(single, _existence(single), odds)
        edges, existence = weigh_beliefs(edges, existence, odds)
    single, _ = constrain(single, _existence(single), forbidden, required)
    edges, existence = constrain(edges, existence, forbidden, required)
    if threshold is None:
        threshold = _threshold(protocol, calibration, edges, rows)

    agreed = np.where(required, 1.0, agreement(single, threshold))
    stands = agreed >= protocol.min_agreement
    if protocol.acyclicity == "maximum":
        candidates = (edges > threshold) & stands | required
        adjacency = maximum_acyclic(np.where(candidates, log_odds_gain(edges, threshold), 0.0), required)
    else:
        candidates = binarize(edges, threshold) & stands | required
        adjacency = greedy_acyclic(np.where(required, 2.0, np.where(candidates, np.maximum(edges, 1e-12), 0.0)))
    return Decoded(
        edges=edges,
        existence=existence,
        confounding=confounding_probabilities(_mean(passes.confounding), calibration),
        adjacency=adjacency,
        agreement=agreed,
        threshold=float(threshold),
        confounding_threshold=CONFOUNDING_CUT,
    )


def preliminary(passes: Passes, calibration: Calibration, rows: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Edge probabilities, the graph without acyclicity, and agreement, each (A, A), without knowledge."""
    calibration = calibration.at(len(passes))
    single, edges, _ = edge_probabilities(passes, calibration)
    threshold = _threshold(passes.protocol, calibration, edges, rows)
    agreed = agreement(single, threshold)
    return edges, binarize(edges, threshold) & (agreed >= passes.protocol.min_agreement), agreed


def edge_probabilities(passes: Passes, calibration: Calibration) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Probabilities of single passes (K, A, A), and edge and existence probabilities of all together (A, A)."""
    protocol = passes.protocol
    passes = replace(
        passes,
        edges=passes.edges.astype(float),
        existence=passes.existence.astype(float),
        direction=passes.direction.astype(float),
    )
    if protocol.temperature is not None:
        single = sigmoid(passes.edges / protocol.temperature)
        together = sigmoid(_mean(passes.edges) / protocol.temperature)
        edges = together if protocol.average == "logits" else single.mean(axis=0)
        off_diagonal = ~np.eye(edges.shape[-1], dtype=bool)
        return single * off_diagonal, edges * off_diagonal, _existence(edges * off_diagonal)
    if passes.factored:
        single = factored_probabilities(passes.existence, passes.direction, calibration)
        edges = factored_probabilities(_mean(passes.existence), _mean(passes.direction), calibration)
    else:
        single = joint_probabilities(passes.edges, calibration)
        edges = joint_probabilities(_mean(passes.edges), calibration)
    return single, edges, np.minimum(edges + edges.T, 1.0)


def binarize(probabilities: np.ndarray, threshold: float) -> np.ndarray:
    """(..., D, D) bool: of each pair over the threshold (strictly), the likelier direction (ties: the first)."""
    reverse = np.swapaxes(probabilities, -1, -2)
    D = probabilities.shape[-1]
    first = np.triu(np.ones((D, D), dtype=bool), 1)
    wins = np.where(first, probabilities >= reverse, probabilities > reverse)
    return wins & (np.maximum(probabilities, reverse) > threshold) & ~np.eye(D, dtype=bool)


def agreement(single: np.ndarray, threshold: float) -> np.ndarray:
    """(D, D) share of the K passes (K, D, D) whose binary graph holds each edge."""
    return binarize(single, threshold).mean(axis=0)


def log_odds_gain(probabilities: np.ndarray, threshold: float) -> np.ndarray:
    """How many nats an edge lies above the cut: the weight that makes the heaviest graph the most probable one."""
    clipped = np.clip(probabilities, 1e-9, 1 - 1e-9)
    cut = min(max(threshold, 1e-9), 1 - 1e-9)
    gain = np.log(clipped / (1 - clipped)) - np.log(cut / (1 - cut))
    return np.maximum(gain, 1e-9)


def constrain(
    probabilities: np.ndarray, existence: np.ndarray, forbidden: np.ndarray, required: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Edge and existence probabilities (..., D, D) that respect the (D, D) bool masks.

    When i -> j is impossible, the data speak only between j -> i and no edge. Knowing the order makes the one direction
    left twice as likely beforehand (before, the two directions shared the prior). With e the probability of an edge
    and q that of j -> i, the new probability is ``2 q / (2 q + 1 - e)``. It equals e when the data could not tell the
    direction, rises above e when they pointed to j -> i, falls when they pointed the other way, and is never below q.
    """
    one_way = ~forbidden & forbidden.T
    doubled = 2 * probabilities
    renormalized = doubled / np.maximum(doubled + 1 - np.minimum(existence, 1.0), 1e-300)
    edges = np.where(one_way, renormalized, probabilities)
    edges = np.where(forbidden, 0.0, edges)
    edges = np.where(required, 1.0, np.where(required.T, 0.0, edges))
    touched = forbidden | forbidden.T | required | required.T
    exists = np.where(touched, np.maximum(edges, np.swapaxes(edges, -1, -2)), existence)
    return edges, exists * ~np.eye(edges.shape[-1], dtype=bool)


def weigh_beliefs(edges: np.ndarray, existence: np.ndarray, odds: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return edge and existence probabilities (..., D, D) with beliefs as independent evidence.

    A pair is in one of three states: i causes j, j causes i, or no edge. ``odds`` (D, D) multiply the weight of an
    edge, and the three probabilities are normalized again.
    """
    if (odds == 1).all():
        return edges, existence
    reverse = np.swapaxes(edges, -1, -2)
    neither = np.maximum(1 - np.minimum(edges + reverse, 1.0), 0.0)
    total = edges * odds + reverse * odds.T + neither
    weighed = edges * odds / np.maximum(total, 1e-300)
    touched = (odds != 1) | (odds.T != 1)
    edges = np.where(touched, weighed, edges)
    return edges, np.where(touched, np.minimum(edges + np.swapaxes(edges, -1, -2), 1.0), existence)


def spread(decoded: Decoded, columns: np.ndarray, D: int) -> Decoded:
    """The answer over ``columns`` as an answer over all D, in table order; the others have no edges."""

    def full(part: np.ndarray) -> np.ndarray:
        matrix = np.zeros((D, D), dtype=part.dtype)
        matrix[np.ix_(columns, columns)] = part
        return matrix

    return replace(
        decoded,
        edges=full(decoded.edges),
        existence=full(decoded.existence),
        confounding=full(decoded.confounding),
        adjacency=full(decoded.adjacency),
        agreement=full(decoded.agreement),
    )


def without_edges(D: int, *, threshold: float) -> Decoded:
    """The answer when the passes saw too few columns."""
    zeros = np.zeros((D, D))
    return Decoded(
        edges=zeros,
        existence=zeros.copy(),
        confounding=zeros.copy(),
        adjacency=zeros.astype(bool),
        agreement=zeros.copy(),
        threshold=threshold,
        confounding_threshold=CONFOUNDING_CUT,
    )


def apply_knowledge(
    answer: Decoded, required: np.ndarray, before: np.ndarray, roots: np.ndarray | None = None
) -> Decoded:
    """The answer with knowledge that spans several edges or columns that the passes did not see.

    Required edges at such columns stand all the same and close no cycle with the others; no path leads
    from a later tier to an earlier one. Of the edges that contradict this together, the least probable ones go.
    Columns that nothing causes share no hidden cause either.

    Parameters
    ----------
    answer : Decoded
        Of D columns.
    required : ndarray of shape (D, D)
        Edges that must stand.
    before : ndarray of shape (D, D)
        True where the tier of i is earlier than that of j.
    roots : ndarray of shape (D,), optional
        True for columns that nothing causes.
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


def _threshold(protocol: Protocol, calibration: Calibration, edges: np.ndarray, rows: int) -> float:
    if protocol.cut is None:
        return learned_cut(edges, calibration.cut, rows=min(rows, protocol.max_rows))
    return protocol.cut(edges) if callable(protocol.cut) else protocol.cut


def _mean(logits: np.ndarray) -> np.ndarray:
    """Mean over passes in double precision, whatever they are stored in."""
    return logits.mean(axis=0, dtype=np.float64)


def _existence(edges: np.ndarray) -> np.ndarray:
    """Chance of an edge in either direction: the sum for rivals, never above what independent directions would give."""
    other = np.swapaxes(edges, -1, -2)
    return np.where(edges + other <= 1, edges + other, edges + other - edges * other)
