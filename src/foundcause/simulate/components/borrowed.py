"""Tasks made of another component's scene: excerpts of two columns, and unrelated columns. N rows, V nodes.

Most real pairs are excerpts. The cause is an effect itself, the noise is what other causes do, links may run through
unseen nodes, and unseen nodes may drive both. Labels follow from the graph of the whole scene.
"""

from __future__ import annotations

import dataclasses

import numpy as np

from foundcause.simulate.components.pair_families import recorded
from foundcause.simulate.extension import component, component_named
from foundcause.simulate.hidden_causes import hide_constants
from foundcause.simulate.settings import Mixture
from foundcause.simulate.task import Scene

LINKED = 0.7  # share of excerpts around an edge, the others are any two columns
EXOGENOUS = 0.5  # share of those whose cause has no cause in the scene, where there is such an edge
_NODES = (3, 20)


@component("excerpts", two_columns=True, artifacts="light", as_written=True, copies=False)
def excerpts(rng: np.random.Generator, mixture: Mixture, *, rows: int, variables: int) -> Scene:
    """Two columns of a scene of another component, everything else unseen."""
    source = _source(rng, mixture, mixture.excerpt_sources)
    nodes = int(rng.integers(_NODES[0], _NODES[1] + 1))
    scene = component_named(source).draw(rng, mixture, rows=rows, variables=nodes)
    scene = cut(rng, hide_constants(scene))
    return dataclasses.replace(scene, record={**scene.record, "source": source})


@component("unrelated", artifacts="light", copies=False, derived=False)
def unrelated(rng: np.random.Generator, mixture: Mixture, *, rows: int, variables: int) -> Scene:
    """Columns of another component, shuffled apart, so that no marginal reveals such a table."""
    source = _source(rng, mixture, mixture.unrelated_sources)
    scene = component_named(source).draw(rng, mixture, rows=rows, variables=variables)
    return dataclasses.replace(take_apart(rng, scene), record={"source": source})


def _source(rng: np.random.Generator, mixture: Mixture, sources: tuple[str, ...]) -> str:
    """A component to borrow from, one that the mixture has if it can be."""
    present = [name for name in sources if mixture.weights.get(name, 0.0) > 0.0] or list(sources)
    return str(rng.choice(present))


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


def take_apart(rng: np.random.Generator, scene: Scene) -> Scene:
    """The scene with the rows of every column shuffled on their own, and so without edges and hidden causes."""
    values = rng.permuted(scene.values, axis=0)
    nothing = np.zeros_like(scene.graph)
    return dataclasses.replace(scene, values=values, graph=nothing, confounded=nothing.copy())
