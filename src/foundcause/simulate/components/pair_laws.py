"""Amounts that follow laws: a graph whose every node is made as the effects of pairs are. N rows, V nodes.

Pairs know many laws but only two columns, the other worlds many columns but few laws. Here several causes meet in one
law, in its noise, or in a random formula, and an effect is the cause of the next.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from foundcause.simulate.components.pair_causes import blob, draw_cause, plain_cause
from foundcause.simulate.components.pair_effects import (
    NOISE_PLACES,
    PUBLISHED_FORMS,
    RESPONSES,
    effect,
    expression,
    expression_cause,
    expression_effect,
    network_effect,
    noise_size,
    polynomial_effect,
    response,
    shaped_noise,
    spline_effect,
    textbook_effect,
)
from foundcause.simulate.extension import field_component
from foundcause.simulate.graphs import wire
from foundcause.simulate.hidden_causes import hide_some
from foundcause.simulate.random_functions import random_noise, standard, warp
from foundcause.simulate.scene_building import Builder
from foundcause.simulate.task import Scene

Law = Callable[[np.random.Generator, np.ndarray, np.ndarray], np.ndarray]
LAWS: dict[str, tuple[Law, float]] = {
    "natural": (lambda rng, x, noise: effect(rng, x, noise)[0], 0.3),
    "expression": (expression_effect, 0.2),
    "network": (network_effect, 0.1),
    "polynomial": (lambda rng, x, noise: polynomial_effect(rng, x, noise, str(rng.choice(NOISE_PLACES))), 0.1),
    "response": (lambda rng, x, noise: response(rng, x, noise, str(rng.choice(RESPONSES))), 0.1),
    "splines": (spline_effect, 0.1),
    "textbook": (lambda rng, x, noise: textbook_effect(rng, x, noise, str(rng.choice(PUBLISHED_FORMS))), 0.1),
}
SOURCES: tuple[Callable[[np.random.Generator, int], np.ndarray], ...] = (
    lambda rng, rows: draw_cause(rng, rows)[0],
    expression_cause,
    plain_cause,
    blob,
)
_FORMULAS = 0.3  # share of nodes whose causes meet in a random formula
_ONE_LAW = 0.2  # share of scenes in which all nodes follow laws of one family
_SHAPES = ("tree", "plain", "hubs", "layered", "chain", "modules")
_FARTHEST = 8.0  # standard deviations of a cause that its effects still feel
_FEW_VALUES = 20


@field_component("laws")
def draw(rng: np.random.Generator, *, rows: int, variables: int) -> Scene:
    """A system of ``variables`` observed amounts and some unrecorded ones."""
    hidden = int(rng.uniform(0.0, 0.4) * variables)
    shape = str(rng.choice(_SHAPES))
    graph = wire(rng, nodes=variables + hidden, form=shape, edges_per_node=rng.uniform(0.7, 2.0), most_parents=4)
    unseen = hide_some(rng, graph, hidden)
    family = _family(rng) if rng.random() < _ONE_LAW else None
    builder = Builder(rows)
    for node in range(len(graph)):
        parents = np.flatnonzero(graph[:, node])
        causes = [np.clip(standard(builder.column(k)), -_FARTHEST, _FARTHEST) for k in rng.permutation(parents)]
        column = _effect(rng, causes, family) if causes else SOURCES[int(rng.integers(len(SOURCES)))](rng, rows)
        # A count keeps its steps. Values beyond all measure are brought back.
        column = standard(np.nan_to_num(column, posinf=0.0, neginf=0.0))
        if np.ptp(column) <= 0.0:
            # A formula that came out constant gives way to the plainest one.
            column = standard(np.sum([*causes, rng.normal(size=rows)], axis=0))
        few = len(np.unique(column)) <= _FEW_VALUES
        builder.add(np.clip(column, -30.0, 30.0), parents.tolist(), hidden=unseen[node], discrete=few)
    return builder.scene(shape=shape, law=family or "mixed", latents=hidden)


def _family(rng: np.random.Generator) -> str:
    return str(rng.choice(list(LAWS), p=[share for _, share in LAWS.values()]))


def _effect(rng: np.random.Generator, causes: list[np.ndarray], family: str | None) -> np.ndarray:
    """An effect of standardized causes, (N,): a formula of all, or a law of one that the others join."""
    rows = len(causes[0])
    if family is None and rng.random() < _FORMULAS:
        terms = [np.exp(rng.normal(0.0, 0.5)) * cause for cause in causes]
        return expression(rng, [*terms, noise_size(rng) * random_noise(rng, rows)])
    x, noise = causes[0], shaped_noise(rng, rows)
    for cause in causes[1:]:
        curved = warp(rng, cause, strength=rng.uniform(0.1, 0.8)) if rng.random() < 0.5 else cause
        pushed = rng.choice([-1.0, 1.0]) * np.exp(rng.normal(0.0, 0.6)) * curved
        # Another cause acts through the same law, or is part of the noise.
        if rng.random() < 0.5:
            x = standard(x + pushed)
        else:
            noise = standard(noise + pushed)
    return LAWS[family or _family(rng)][0](rng, x, noise)
