"""Apparatus: settings that nobody disturbs, physical laws that hardly err, sensors that quantise.

N rows, V nodes. A scene is one or more rigs (``sensors_rigs``) on a bench, trimmed to the number of columns asked for.
"""

from __future__ import annotations

import numpy as np

from foundcause.simulate.task import Scene
from foundcause.simulate.worlds.sensors_kit import Kit
from foundcause.simulate.worlds.sensors_rigs import RIGS

NAME = "sensors"

# Rigs in which many settings meet at many sensors are the ones that people record.
WEIGHTS = {"optics": 2.0, "air": 1.2, "heat": 1.0, "circuit": 0.5, "motion": 1.2, "unnamed": 2.0}


def draw(rng: np.random.Generator, *, rows: int, variables: int) -> Scene:
    """Recorded settings and readings of random apparatus: ``variables`` observed columns."""
    kit = Kit(rng, rows)
    names = list(RIGS)
    favourites = rng.dirichlet(0.5 * np.array([WEIGHTS[name] for name in names]))
    used: list[str] = []
    while len(kit.builder) < variables or not used:
        name = str(rng.choice(names, p=favourites))
        used.append(name)
        RIGS[name](rng, kit, variables - len(kit.builder))
    values, graph, hidden, discrete = kit.builder.assemble()
    kept = _trim(rng, graph, hidden, variables)
    values, graph, hidden, discrete = values[:, kept], graph[np.ix_(kept, kept)], hidden[kept], discrete[kept]
    return Scene(
        values=values,
        graph=graph,
        hidden=hidden,
        confounded=np.zeros_like(graph),
        discrete=discrete,
        record={"world": NAME, "rigs": used, "settings": kit.style, "noise": round(kit.noise, 5), "bits": kit.bits},
    )


def _trim(rng: np.random.Generator, graph: np.ndarray, hidden: np.ndarray, variables: int) -> np.ndarray:
    """Which nodes stay, (kept,) sorted, when only ``variables`` observed ones may.

    A node may leave without a trace in the labels when it has no effect (a reading), or no cause and a single effect (a
    setting that was not written down, which becomes noise of its reading).
    """
    alive = np.ones(len(graph), dtype=bool)
    while (alive & ~hidden).sum() > variables:
        effects = (graph & alive[None, :]).sum(axis=1)
        causes = (graph & alive[:, None]).sum(axis=0)
        leaf = effects == 0
        unwritten = (causes == 0) & (effects == 1)
        # A setting whose last reading has left is the first to go after it; readings of much are kept longest.
        weight = np.where(leaf, np.where(causes == 0, 30.0, 1.0 / (1.0 + causes)), np.where(unwritten, 2.0, 0.0))
        weight *= alive & ~hidden
        alive[rng.choice(len(graph), p=weight / weight.sum())] = False
    effects = (graph & alive[None, :]).sum(axis=1)
    return np.flatnonzero(alive & ~(hidden & (effects == 0)))
