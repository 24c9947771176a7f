"""Findings about the answer: empty, guessed or undecided graphs, and dense confounding.

Shapes: D columns. ``[i, j]`` is the edge from i to j.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from foundcause.findings import Finding

if TYPE_CHECKING:
    from foundcause.result import Result

UNDECIDED = 0.65  # share of the probability of both directions that the drawn one has at least when it is decided
_MOSTLY_WRONG = 0.4
_FEW_EDGES = 4

_LEAST_DENSE = 12  # pairs; fewer can be examined one by one
_ONE_IN = 3  # pairs: beyond, one cause of many columns is likelier than many causes of two columns each
_FOLLOWED = 3  # pairs for each column that a picture can show
_HARDLY = 0.1  # of the other columns
_MOST_UNTOUCHED = 5


def network_findings(metadata: Mapping[str, Any], *, columns: int, n_passes: int, own_scale: bool) -> list[Finding]:
    """Report what the checkpoint's header says about its probabilities.

    Parameters
    ----------
    metadata : mapping
        Header of the checkpoint.
    columns : int
        Columns that take part.
    n_passes : int
        Passes that were averaged.
    own_scale : bool
        Whether the protocol brings its own calibration.

    Returns
    -------
    list of Finding
    """
    found = []
    if columns < 2:
        found.append(Finding(code="no-graph"))
    calibration = metadata.get("calibration") or {}
    if not calibration:
        found.append(Finding(code="uncalibrated"))
    fitted_on = calibration.get("fitted_on") or {}
    if fitted_on.get("runs") == 1 and n_passes > 1 and not own_scale:
        found.append(Finding(code="calibrated-on-single-passes", details={"n_passes": n_passes}))
    return found


def edge_findings(
    edges: np.ndarray,
    adjacency: np.ndarray,
    names: Sequence[str],
    *,
    active: np.ndarray,
    threshold: float,
    given: bool,
    required: np.ndarray,
    forbidden: np.ndarray,
    contradicting: np.ndarray,
) -> list[Finding]:
    """Report what makes the edges shown unreliable.

    Parameters
    ----------
    edges : ndarray of shape (D, D)
        Probabilities.
    adjacency : bool ndarray of shape (D, D)
        Edges shown.
    names : sequence of str
    active : bool ndarray of shape (D,)
        Columns that take part.
    threshold : float
        Probability that edges had to exceed.
    given : bool
        Whether the user chose the threshold.
    required, forbidden : bool ndarray of shape (D, D)
        Edges that knowledge requires and forbids.
    contradicting : bool ndarray of shape (D, D)
        Probable edges left out because they contradict knowledge together with others.

    Returns
    -------
    list of Finding
    """
    found = []
    if not adjacency.any() and active.sum() > 1:
        part = np.ix_(active, active)
        some = [name for name, takes_part in zip(names, active, strict=True) if takes_part]
        found.append(_empty_graph(edges[part], some, threshold=threshold, given=given, forbidden=forbidden[part]))
    guessed = adjacency & ~required
    probabilities = edges[guessed]
    if len(probabilities) >= _FEW_EDGES and probabilities.mean() < _MOSTLY_WRONG:
        details = {"edges": len(probabilities), "expected": round(float(probabilities.sum()))}
        found.append(Finding(code="mostly-guessed", details={**details, "threshold": threshold, "given": given}))
    share = edges / np.maximum(edges + edges.T, 1e-300)
    for code, chosen in (
        ("contradicts-knowledge", contradicting),
        ("undecided-direction", guessed & (share < UNDECIDED)),
        ("unsupported-edge", required & ~(active[:, None] & active[None, :])),
    ):
        if chosen.any():
            pairs = [[names[i], names[j]] for i, j in np.argwhere(chosen)]
            found.append(
                Finding(
                    code=code,
                    columns=[name for pair in pairs for name in pair],
                    details={"edges": pairs},
                )
            )
    return found


def _empty_graph(
    edges: np.ndarray, names: Sequence[str], *, threshold: float, given: bool, forbidden: np.ndarray
) -> Finding:
    """Why no edge is shown."""
    itself = np.eye(len(names), dtype=bool)
    i, j = divmod(int(np.argmax(edges)), len(names))
    details = {"threshold": threshold, "probability": float(edges[i, j]), "edge": [names[i], names[j]]}
    if (forbidden | itself).all():
        reason = "all-forbidden"
    elif edges[i, j] > threshold:
        reason = "unstable"
    elif given:
        reason = "below-threshold"
    elif (forbidden & forbidden.T & ~itself).any():
        reason = "allowed-are-improbable"
    else:
        reason = "improbable"
    return Finding(code="empty-graph", details={**details, "reason": reason})


def is_dense(pairs: int, columns: int) -> bool:
    """Whether so many confounded pairs of so many columns are better read as one common cause of most columns."""
    return pairs >= _LEAST_DENSE and _ONE_IN * pairs > pairs_of(columns)


def pairs_of(columns: int) -> int:
    """Count the pairs of so many columns."""
    return columns * (columns - 1) // 2


def confounding_findings(
    confounded: np.ndarray, names: Sequence[str], *, active: np.ndarray, roots: np.ndarray
) -> list[Finding]:
    """Report dense confounding: most columns seem to share one hidden cause.

    Parameters
    ----------
    confounded : bool ndarray of shape (D, D)
        Pairs above the threshold of hidden common causes.
    names : sequence of str
    active : bool ndarray of shape (D,)
        Columns that take part.
    roots : bool ndarray of shape (D,)
        Columns that nothing causes, and that therefore share no hidden cause.

    Returns
    -------
    list of Finding
    """
    able = active & ~roots
    pairs, columns = int(np.triu(confounded, 1).sum()), int(able.sum())
    if not is_dense(pairs, columns):
        return []
    partners = (confounded | confounded.T).sum(axis=1)
    untouched = [names[k] for k in np.flatnonzero(able & (partners <= _HARDLY * (columns - 1))).tolist()]
    few = untouched if len(untouched) <= _MOST_UNTOUCHED else []
    without_roots = bool((active & roots).any())
    details = {"pairs": pairs, "of": pairs_of(columns), "without_roots": without_roots, "untouched": few}
    touched = [names[k] for k in np.flatnonzero(able).tolist() if names[k] not in untouched]
    return [Finding(code="dense-confounding", columns=touched, details=details)]


def drawn_pairs(result: Result) -> list[dict[Hashable, Any]]:
    """Return the confounded pairs that a picture shows, the most probable first.

    None of them under dense confounding, which a sentence says better. The strongest if they are more than a picture
    can show.
    """
    pairs, columns = result.confounded_pairs.to_dict("records"), sharing_columns(result)
    if is_dense(len(pairs), columns):
        return []
    return pairs[:columns] if len(pairs) > _FOLLOWED * columns else pairs


def sharing_columns(result: Result) -> int:
    """Count the columns that can share a hidden cause: those that take part, but no roots."""
    excluded = {column.name for column in result.column_info if column.role != "variable"}
    roots: Collection[str] = result.knowledge.roots if result.knowledge else ()
    return len(set(result.names) - excluded - set(roots))
