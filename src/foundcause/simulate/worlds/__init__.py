"""Worlds: priors built from how fields make data. Each ``draw(rng, *, rows, variables)`` returns a ``Scene``."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from foundcause.simulate.task import Scene
from foundcause.simulate.worlds import (
    bodies,
    days,
    ecology,
    expert,
    flows,
    laws,
    markets,
    regions,
    sensors,
    signalling,
    studies,
    surveys,
    telemetry,
    workshops,
)


class Draw(Protocol):
    """Draws a scene with ``variables`` observed columns and ``rows`` rows."""

    def __call__(self, rng: np.random.Generator, *, rows: int, variables: int) -> Scene: ...


_WORLDS = (
    expert,
    signalling,
    telemetry,
    sensors,
    surveys,
    laws,
    days,
    regions,
    bodies,
    workshops,
    flows,
    markets,
    studies,
    ecology,
)
WORLDS: dict[str, Draw] = {world.NAME: world.draw for world in _WORLDS}
