"""Lists of columns within a sentence."""

from __future__ import annotations

from collections.abc import Sequence

_SHOWN = 5
_GROUPS = 10


def joined(items: Sequence[str]) -> str:
    """All items: ``a``, ``a and b``, ``a, b and c``."""
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} and {items[-1]}"


def listed(items: Sequence[str]) -> str:
    """The first five items, and how many there are more."""
    return ", ".join(items[:_SHOWN]) + (f" and {len(items) - _SHOWN} more" if len(items) > _SHOWN else "")


def grouped(groups: Sequence[str]) -> str:
    """The first ten groups of columns, and how many there are more; a group may hold commas."""
    return "; ".join(groups[:_GROUPS]) + (f"; and {len(groups) - _GROUPS} more" if len(groups) > _GROUPS else "")


def together(names: Sequence[str]) -> str:
    """The columns of a group: all of up to six, else the first five and how many there are more."""
    quoted = [repr(name) for name in names]
    return joined(quoted) if len(quoted) <= _SHOWN + 1 else listed(quoted)
