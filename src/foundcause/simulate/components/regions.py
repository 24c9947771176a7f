"""Places: neighbors are alike, and totals grow with the size of the place. N rows (places), V nodes.

In most scenes every column has a smooth map of its own in addition to its causes, so that neighbors are not
independent. Totals share the size of the place, rates do not. Coordinates, heights and distances are never effects.
"""

from __future__ import annotations

import numpy as np

from foundcause.simulate.components.column_kinds import COLUMNS, partly_explained
from foundcause.simulate.extension import field_component
from foundcause.simulate.graphs import wire
from foundcause.simulate.hidden_causes import hide_some, with_circumstances
from foundcause.simulate.random_functions import gaussian_process, standard, warp
from foundcause.simulate.scene_building import Builder
from foundcause.simulate.task import Scene

_CIRCUMSTANCES = 0.2  # share of scenes in which something unseen moves many columns

ROOTS = {"east": 0.14, "north": 0.14, "distance": 0.1, "height": 0.2, "map": 0.42}
"""Kinds of nodes without causes. The location is shown once and in one way."""
KINDS = {"normal": 0.32, "amount": 0.25, "percent": 0.25, "count": 0.1, "ordinal": 0.08}
_FORMS = ("layered", "plain", "hubs", "tree", "chain", "modules")


@field_component("regions")
def draw(rng: np.random.Generator, *, rows: int, variables: int) -> Scene:
    """An atlas of ``variables`` observed columns, some of them totals of places that differ in size."""
    sized = variables >= 3 and rng.random() < 0.5
    size_shown = sized and rng.random() < 0.6
    others = variables - size_shown
    hidden = int(rng.uniform(0.0, 0.3) * others)
    shape = str(rng.choice(_FORMS))
    graph = wire(rng, nodes=others + hidden, form=shape, edges_per_node=rng.uniform(0.8, 1.9), most_parents=5)
    unseen = hide_some(rng, graph, hidden)
    if rng.random() < _CIRCUMSTANCES:
        graph, unseen = with_circumstances(rng, graph, unseen)
    places = _places(rng, rows)
    smooth = float(rng.choice([0.0, rng.uniform(0.1, 0.8)], p=[0.35, 0.65]))
    explained = rng.uniform(0.2, 0.85)
    curvature = rng.uniform(0.1, 0.6)
    totals = rng.uniform(0.2, 0.8)
    builder = Builder(rows)
    heads = np.zeros(rows)  # logarithm of the size of a place
    if sized:
        heads = _own(rng, places, smooth if rng.random() < 0.5 else 0.0) * rng.uniform(0.3, 1.5)
        builder.add(np.round(np.exp(heads + rng.uniform(4.0, 9.0))), [], hidden=not size_shown)
    offset = int(sized)
    scores: list[np.ndarray] = []
    shown: set[str] = set()
    for node in range(len(graph)):
        parents = np.flatnonzero(graph[:, node])
        causes = (parents + offset).tolist()
        own = _own(rng, places, smooth)
        if len(parents) == 0:
            root = str(rng.choice(list(ROOTS), p=list(ROOTS.values())))
            if root != "map" and not _already_shown(root, shown, maps=smooth > 0.0):
                shown.add(root)
                column = _location(rng, places, root)
                scores.append(_felt_location(rng, column))
                builder.add(column, [], hidden=unseen[node])
                continue
        latent = partly_explained(rng, [scores[k] for k in parents], own, explained=explained, curvature=curvature)
        if sized and not unseen[node] and rng.random() < totals:
            column, score, discrete = _total(rng, heads, latent)
            causes.append(0)
        else:
            kind = str(rng.choice(list(KINDS), p=list(KINDS.values())))
            column, score, discrete = COLUMNS[kind](rng, latent, 5)
        scores.append(standard(score))
        builder.add(column, causes, hidden=unseen[node], discrete=discrete)
    return builder.scene(shape=shape, latents=hidden, smooth=round(smooth, 3), size=sized, size_shown=bool(size_shown))


def _places(rng: np.random.Generator, rows: int) -> np.ndarray:
    """Coordinates (N, 2) within about one unit of the center: anywhere, or in clusters."""
    if rng.random() < 0.6:
        return rng.uniform(-1.0, 1.0, (rows, 2))
    # By streets and avenues: towns anywhere would tie the two coordinates to each other.
    centers = rng.uniform(-1.0, 1.0, (int(rng.integers(3, 15)), 2))
    towns = np.take_along_axis(centers, rng.integers(len(centers), size=(rows, 2)), axis=0)
    return towns + rng.uniform(0.05, 0.3) * rng.normal(size=(rows, 2))


def _own(rng: np.random.Generator, places: np.ndarray, smooth: float) -> np.ndarray:
    """Own noise of a column, standardized (N,): a map, and chance in each place."""
    alone = rng.normal(size=len(places))
    if rng.random() < 0.35:
        alone = warp(rng, alone, strength=rng.uniform(0.2, 1.0), length=rng.uniform(0.6, 3.0))
    if smooth == 0.0:
        return standard(alone)
    share = np.clip(smooth + 0.2 * rng.normal(), 0.0, 0.97)
    field = gaussian_process(rng, places, np.full(2, rng.uniform(0.1, 0.6)))
    return standard(np.sqrt(share) * standard(field) + np.sqrt(1.0 - share) * alone)


def _already_shown(root: str, shown: set[str], *, maps: bool) -> bool:
    """Whether a column would follow from those there are, with no cause to show for it.

    Heights and ``maps`` are functions of the place: a table that has them does not show where a place is as well.
    """
    if root == "height":
        return bool(shown - {"height"})
    return maps or bool(shown & {root, "height"}) or ("distance" in (root, *shown) and bool(shown))


def _location(rng: np.random.Generator, places: np.ndarray, root: str) -> np.ndarray:
    """A column that only depends on where a place is, (N,)."""
    if root in ("east", "north"):
        value = places[:, int(root == "north")] * rng.uniform(2.0, 40.0) + rng.uniform(-60.0, 60.0)
        return np.round(value, int(rng.integers(1, 4)))
    if root == "height":
        field = standard(gaussian_process(rng, places, np.full(2, rng.uniform(0.2, 0.8))))
        return np.round(np.exp(rng.uniform(0.4, 1.2) * field + 0.2 * rng.normal(size=len(places)) + 5.0))
    away = np.linalg.norm(places - rng.uniform(-1.0, 1.0, 2), axis=1)
    return np.round(away * np.exp(rng.uniform(2.0, 6.0)), 1)


def _felt_location(rng: np.random.Generator, column: np.ndarray) -> np.ndarray:
    """What effects follow of a coordinate, a height or a distance: the number itself or its logarithm."""
    if column.min() > 0.0 and rng.random() < 0.4:
        return standard(np.log(column))
    return standard(column)


def _total(rng: np.random.Generator, heads: np.ndarray, latent: np.ndarray) -> tuple[np.ndarray, np.ndarray, bool]:
    """So many of the people there: a count or a sum of money, what effects follow, and whether few values remain."""
    power = 1.0 if rng.random() < 0.6 else rng.uniform(0.7, 1.3)
    log = power * heads + rng.uniform(0.1, 0.8) * latent
    if rng.random() < 0.5:
        counted = rng.poisson(np.exp(np.clip(log + rng.uniform(2.0, 6.0), -8.0, 14.0))).astype(np.float64)
        return counted, np.log1p(counted), len(np.unique(counted)) <= 20
    value = np.exp(log + rng.uniform(0.0, 9.0))
    return np.log(value) if rng.random() < 0.2 else value, log, False
