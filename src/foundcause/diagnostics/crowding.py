"""Hidden common causes that are too many to be read one by one: when they are, what to say of it, which ones to draw.

Shapes: D columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from foundcause.result import HiddenCause, Result

_LEAST = 12  # pairs; fewer can be looked at one by one
_ONE_OF = 3  # pairs: with more than every third, one cause of many columns explains more than many of two each
_FOLLOWED = 3  # arcs for each column that an eye can still follow
_HARDLY = 0.1  # of the other columns
_NAMED = 5


def is_crowded(shown: int, columns: int) -> bool:
    """Whether ``shown`` pairs are too many to be read one by one, among so many columns that could share causes."""
    return shown >= _LEAST and _ONE_OF * shown > pairs_of(columns)


def pairs_of(columns: int) -> int:
    """Pairs that so many columns make."""
    return columns * (columns - 1) // 2


def crowding_warnings(
    shared: np.ndarray, names: Sequence[str], *, part: np.ndarray, roots: np.ndarray | None = None
) -> list[str]:
    """A warning when most columns seem to share one hidden cause, and which ones do not; else nothing.

    shared: (D, D) bool, pairs shown to share a hidden common cause. part: (D,) bool, columns that took part.
    roots: (D,) bool, columns that nothing causes, by the user's word.
    """
    able = part if roots is None else part & ~roots
    shown, columns = int(np.triu(shared, 1).sum()), int(able.sum())
    if not is_crowded(shown, columns):
        return []
    apart = ", roots apart," if able.sum() < part.sum() else ""
    partners = (shared | shared.T).sum(axis=1)
    free = [repr(names[k]) for k in np.flatnonzero(able & (partners <= _HARDLY * (columns - 1))).tolist()]
    untouched = f" It touches {', '.join(free)} hardly or not at all." if 0 < len(free) <= _NAMED else ""
    return [
        f"{shown} of {pairs_of(columns)} pairs of columns{apart} seem to share a hidden common cause: something that "
        "no column tells (a general factor, a size, a trend, a group) seems to move most columns at once."
        f"{untouched} Do not read single arcs; add the column that would explain it if you have it, or look at parts "
        "of the table"
    ]


def sharing_columns(result: Result) -> int:
    """How many columns of a result could share a hidden cause: those that took part, but for roots."""
    idle = {column.name for column in result.columns if column.role != "variable"}
    roots = set(result.knowledge.roots) if result.knowledge else set()
    return len(set(result.names) - idle - roots)


def drawn_pairs(result: Result) -> list[HiddenCause]:
    """The pairs that a picture shows, most probable first.

    That is all of them, or of too many for an eye to follow the strongest, one for each column.
    """
    pairs, columns = result.hidden_causes, sharing_columns(result)
    if is_crowded(len(pairs), columns) or len(pairs) > _FOLLOWED * columns:
        return pairs[:columns]
    return pairs
