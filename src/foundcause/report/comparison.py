"""What changed between two graphs: edges, directions, confounded pairs, and structural measures."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from foundcause.effects.graph_files import read_graph
from foundcause.errors import InputError

if TYPE_CHECKING:
    from foundcause.result import Result

Edge = tuple[str, str]


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """What changed from a first to a second graph over their common columns.

    Parameters
    ----------
    added, removed, reversed : tuple of (cause, effect)
        Edges of the second graph that the first lacks, the other way around, and those that turned. ``reversed`` has
        them as the second graph does.
    confounded_added, confounded_removed : tuple of (first, second)
        Confounded pairs.
    only_first, only_second : tuple of str
        Columns that the other graph does not have. Their edges are not compared.
    measures : dict of str to float
        ``structural_hamming_distance`` (a reversed edge counts once), ``shared_adjacencies`` (adjacent pairs of both
        graphs among those of either), ``shared_directions`` (same direction among adjacent pairs of both) and
        ``shared_ancestors`` (pairs "is upstream of" of both among those of either).
    probabilities : tuple of (cause, effect, first, second)
        Edge probabilities that moved by at least 0.1, largest move first. Empty for graphs without probabilities.
    """

    added: tuple[Edge, ...]
    removed: tuple[Edge, ...]
    reversed: tuple[Edge, ...]
    confounded_added: tuple[Edge, ...]
    confounded_removed: tuple[Edge, ...]
    only_first: tuple[str, ...]
    only_second: tuple[str, ...]
    measures: dict[str, float]
    probabilities: tuple[tuple[str, str, float, float], ...]


_LEAST_MOVE = 0.1


def compare(first: Result | str | Path, second: Result | str | Path) -> Comparison:
    """Compare two answers, or an answer and a graph.

    Parameters
    ----------
    first, second : Result or path
        A result, a saved one (its folder or JSON file), or a graph file (GML, DOT, dagitty text, edge list). At least
        one of the two is a result, which names the columns.
    """
    one, two = _loaded(first), _loaded(second)
    results = [found for found in (one, two) if not isinstance(found, Path)]
    if not results:
        raise InputError("neither of the two is a result; give at least one folder written by discover --out")
    names = [name for name in results[0].names if all(name in found.names for found in results)]
    edges_one, pairs_one = _matrices(one, names)
    edges_two, pairs_two = _matrices(two, names)
    turned = edges_two & edges_one.T & ~edges_one
    new, gone = edges_two & ~edges_one & ~turned, edges_one & ~edges_two & ~turned.T
    joined = [edges | edges.T for edges in (edges_one, edges_two)]
    adjacent = np.triu(joined[0] & joined[1])
    measures = {
        "structural_hamming_distance": float(new.sum() + gone.sum() + turned.sum()),
        "shared_adjacencies": _ratio(adjacent.sum(), np.triu(joined[0] | joined[1]).sum()),
        "shared_directions": _ratio((edges_one & edges_two).sum(), adjacent.sum()),
        "shared_ancestors": _overlap(_upstream(edges_one), _upstream(edges_two)),
    }
    other = [{*found.names} - {*names} if not isinstance(found, Path) else set() for found in (one, two)]
    return Comparison(
        added=_named(new, names),
        removed=_named(gone, names),
        reversed=_named(turned, names),
        confounded_added=_named(np.triu(pairs_two & ~pairs_one), names),
        confounded_removed=_named(np.triu(pairs_one & ~pairs_two), names),
        only_first=tuple(sorted(other[0])),
        only_second=tuple(sorted(other[1])),
        measures=measures,
        probabilities=_moves(one, two, names),
    )


def _loaded(source: Result | str | Path) -> Any:
    """A result, or the path of a graph file."""
    from foundcause.api import load

    if not isinstance(source, str | Path):
        return source
    path = Path(source)
    return load(path) if path.is_dir() or path.suffix.lower() == ".json" or not path.exists() else path


def _matrices(found: Any, names: list[str]) -> tuple[np.ndarray, np.ndarray]:
    """Directed edges and confounded pairs (D, D) bool over the common columns."""
    if isinstance(found, Path):
        return read_graph(found, names)
    hidden = (found.confounding > found.confounding_threshold).loc[names, names].to_numpy()
    return found.adjacency.loc[names, names].to_numpy(dtype=bool), hidden


def _moves(one: Any, two: Any, names: list[str]) -> tuple[tuple[str, str, float, float], ...]:
    if isinstance(one, Path) or isinstance(two, Path):
        return ()
    before, after = (found.probabilities.loc[names, names].to_numpy() for found in (one, two))
    moved = np.argwhere(np.abs(after - before) >= _LEAST_MOVE).tolist()
    moved.sort(key=lambda pair: -abs(after[*pair] - before[*pair]))
    return tuple((names[i], names[j], float(before[i, j]), float(after[i, j])) for i, j in moved)


def _named(edges: np.ndarray, names: list[str]) -> tuple[Edge, ...]:
    return tuple((names[i], names[j]) for i, j in np.argwhere(edges).tolist())


def _upstream(edges: np.ndarray) -> np.ndarray:
    reach = edges.copy()
    for k in range(len(reach)):
        reach |= reach[:, k, None] & reach[None, k, :]
    return reach


def _overlap(one: np.ndarray, two: np.ndarray) -> float:
    return _ratio((one & two).sum(), (one | two).sum())


def _ratio(above: int, below: int) -> float:
    """A share; nothing to disagree about is full agreement."""
    return float(above / below) if below else 1.0
