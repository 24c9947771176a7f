"""Two columns of a larger system, everything else unseen: how most real pairs come about. N rows, V nodes.

The cause is an effect itself, the noise is what other causes do, links may run through unseen nodes, and unseen nodes
may drive both. Labels follow from the graph of the whole scene (``latents.marginalise``).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

import numpy as np

from foundcause.simulate.recording import recorded
from foundcause.simulate.settings import WORLD_NAMES
from foundcause.simulate.task import Scene

NAME = "excerpts"
SOURCES = ("dowhy", "diverse", "interventions", *(world for world in WORLD_NAMES if world != "expert"))
"""Components with continuous columns that are rich enough to tell a direction; expert networks are discrete."""
LINKED = 0.7  # share of excerpts around an edge; the others are any two columns
EXOGENOUS = 0.5  # share of those whose cause has no cause in the scene, where there is such an edge
_NODES = (3, 20)


def choose_source(rng: np.random.Generator, weights: Mapping[str, float]) -> tuple[str, int]:
    """The component a whole scene comes from, one that the mixture has if it can be, and its number of variables."""
    present = [name for name in SOURCES if weights.get(name, 0.0) > 0.0] or list(SOURCES)
    return str(rng.choice(present)), int(rng.integers(_NODES[0], _NODES[1] + 1))


def cut(rng: np.random.Generator, scene: Scene) -> Scene:
    """The scene, none of its visible variables constant, with two of them left to see, recorded as pairs are."""
    seen = np.flatnonzero(~scene.hidden)
    if len(seen) < 2:
        return scene
    edges = np.argwhere(scene.graph[np.ix_(seen, seen)])
    around_edge = len(edges) > 0 and rng.random() < LINKED
    # People pick pairs whose direction is beyond doubt: ages, places, settings and seasons are causes, never effects.
    exogenous = edges[np.isin(seen[edges[:, 0]], np.flatnonzero(scene.graph.sum(axis=0) == 0))]
    if len(exogenous) > 0 and rng.random() < EXOGENOUS:
        edges = exogenous
    places = edges[rng.integers(len(edges))] if around_edge else rng.choice(len(seen), size=2, replace=False)
    pair = seen[places]
    hidden = np.ones_like(scene.hidden)
    hidden[pair] = False
    values, discrete = scene.values.astype(np.float64), scene.discrete.copy()
    touches: list[str] = []
    columns = values[:, pair]
    if not discrete[pair].any() and np.isfinite(columns).all():
        values[:, pair], discrete[pair], touches = recorded(rng, columns, linked=around_edge)
    return dataclasses.replace(
        scene, values=values, hidden=hidden, discrete=discrete, record={**scene.record, "touches": touches}
    )
