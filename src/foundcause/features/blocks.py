"""Which expensive blocks a selection of the 45 features needs."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

FEATURES = 45
_KERNEL = frozenset({7, 8, 13, 14, 15, 16, 17, 22, 23, 32, 33, 36})
_RANDOM_FEATURES = frozenset({13, 14})
_BINS = frozenset({18, 24, 25, 26, 27})
_ORDER = frozenset({19, 30, 31, 34, 35})
_COLLIDER = frozenset({37, 39, 40})


@dataclass(frozen=True, kw_only=True)
class Blocks:
    """Switches of the blocks; features of a block that is off stay 0."""

    kernel: bool = True
    random_features: bool = True
    bins: bool = True
    order: bool = True
    collider: bool = True


def blocks_for(wanted: Collection[int]) -> Blocks:
    """The blocks behind feature positions 0 .. 44."""
    positions = frozenset(wanted)
    return Blocks(
        kernel=bool(positions & _KERNEL),
        random_features=bool(positions & _RANDOM_FEATURES),
        bins=bool(positions & _BINS),
        order=bool(positions & _ORDER),
        collider=bool(positions & _COLLIDER),
    )
