"""Surveys, health tables, economies and specification sheets: mixed types, proxies of hidden traits, weak effects.

N rows (people, places, products), V nodes (hidden ones too), P parents.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from foundcause.simulate.components.column_kinds import COLUMNS, ROOTS, joined
from foundcause.simulate.extension import field_component
from foundcause.simulate.graphs import wire
from foundcause.simulate.task import Scene


@dataclass(frozen=True, kw_only=True)
class Field:
    """Proportions of a kind of table.

    roots: shares of the kinds of columns without causes.
    kinds: shares of the kinds of other columns.
    explained: range of the share of a column that its causes explain, on average over a scene.
    traits: chance that hidden traits with proxies are part of the scene.
    bend: share of effects that are not straight lines.
    """

    roots: dict[str, float]
    kinds: dict[str, float]
    explained: tuple[float, float]
    traits: float
    curvature: float


FIELDS = {
    "people": Field(
        roots={"age": 0.3, "binary": 0.25, "nominal": 0.15, "ordinal": 0.2, "normal": 0.1},
        kinds={
            "ordinal": 0.33,
            "amount": 0.15,
            "binary": 0.2,
            "count": 0.12,
            "normal": 0.1,
            "nominal": 0.05,
            "percent": 0.05,
        },
        explained=(0.08, 0.5),
        traits=0.55,
        curvature=0.25,
    ),
    "health": Field(
        roots={"age": 0.35, "binary": 0.3, "normal": 0.15, "nominal": 0.1, "amount": 0.1},
        kinds={"normal": 0.3, "amount": 0.25, "binary": 0.25, "ordinal": 0.08, "count": 0.12},
        explained=(0.1, 0.6),
        traits=0.3,
        curvature=0.3,
    ),
    "economy": Field(
        roots={"amount": 0.5, "normal": 0.2, "percent": 0.1, "binary": 0.1, "nominal": 0.1},
        kinds={"amount": 0.55, "normal": 0.2, "percent": 0.15, "count": 0.1},
        explained=(0.2, 0.85),
        traits=0.4,
        curvature=0.2,
    ),
    "products": Field(
        roots={"amount": 0.3, "grid": 0.35, "binary": 0.1, "nominal": 0.1, "age": 0.15},
        kinds={"amount": 0.6, "normal": 0.25, "ordinal": 0.05, "percent": 0.1},
        explained=(0.5, 0.95),
        traits=0.15,
        curvature=0.35,
    ),
}


@field_component("surveys")
def draw(rng: np.random.Generator, *, rows: int, variables: int) -> Scene:
    """A table of ``variables`` columns about people, patients, places or products."""
    field = str(rng.choice(list(FIELDS), p=[0.35, 0.25, 0.22, 0.18]))
    spec = FIELDS[field]
    graph, trait, proxy = _wiring(rng, variables, spec)
    nodes = len(graph)
    center = rng.uniform(*spec.explained)
    explained = np.clip(rng.beta(4.0 * center, 4.0 * (1.0 - center), size=nodes), 0.02, 0.985)
    # Items of a scale measure their trait better than demographics predict anything.
    explained = np.where(proxy, rng.uniform(0.25, 0.8, nodes), explained)
    tail = str(rng.choice(["normal", "skewed", "heavy"], p=[0.55, 0.25, 0.2]))
    likert = int(rng.choice([4, 5, 5, 7]))

    values = np.zeros((rows, nodes), order="F")
    scores = np.zeros((rows, nodes), order="F")
    discrete = np.zeros(nodes, dtype=bool)
    used: dict[str, int] = {}
    root_kinds = rng.choice(list(spec.roots), size=nodes, p=list(spec.roots.values())).tolist()
    kinds = rng.choice(list(spec.kinds), size=nodes, p=list(spec.kinds.values())).tolist()
    for node in range(nodes):
        parents = np.flatnonzero(graph[:, node])
        if len(parents):
            signal = joined(rng, scores[:, parents], spec.curvature if not proxy[node] else 0.05)
            latent = np.sqrt(explained[node]) * signal + np.sqrt(1.0 - explained[node]) * _noise(rng, rows, tail)
        elif trait[node]:
            latent = _noise(rng, rows, "normal")
        else:
            kind = root_kinds[node]
            values[:, node], scores[:, node], discrete[node] = ROOTS[kind](rng, rows)
            used[kind] = used.get(kind, 0) + 1
            continue
        if trait[node]:
            values[:, node] = scores[:, node] = latent
            continue
        kind = kinds[node]
        if proxy[node]:
            kind = "likert" if rng.random() < 0.8 else "normal"
        used[kind] = used.get(kind, 0) + 1
        values[:, node], scores[:, node], discrete[node] = COLUMNS[kind](rng, latent, likert)
    return Scene(
        values=values,
        graph=graph,
        hidden=trait,
        confounded=np.zeros_like(graph),
        discrete=discrete,
        record={"field": field, "kinds": used, "traits": int(trait.sum()), "noise": tail},
    )


def _wiring(rng: np.random.Generator, variables: int, spec: Field) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The graph (V, V) with hidden traits and their items, which nodes are traits, and which are items (V,)."""
    items = np.zeros(0, dtype=np.int64)
    if variables >= 4 and rng.random() < spec.traits:
        budget = int(rng.uniform(0.2, 0.6) * variables)
        sizes = []
        while budget >= 2:
            size = min(budget, int(rng.integers(2, 7)))
            sizes.append(size)
            budget -= size
        items = np.array(sizes, dtype=np.int64)
    traits, plain = len(items), variables - int(items.sum())
    main = plain + traits
    form = str(
        rng.choice(["layered", "plain", "chain", "hubs", "tree", "modules"], p=[0.35, 0.2, 0.12, 0.15, 0.1, 0.08])
    )
    edges = rng.uniform(0.8, 2.2) if main > 3 else rng.uniform(0.4, 1.0)
    inner = (
        wire(rng, nodes=main, form=form, edges_per_node=edges, most_parents=6, isolated=0.15)
        if main > 1
        else np.zeros((1, 1), bool)
    )
    nodes = main + variables - plain
    graph = np.zeros((nodes, nodes), dtype=bool)
    graph[:main, :main] = inner
    trait = np.zeros(nodes, dtype=bool)
    trait[rng.choice(main, size=traits, replace=False)] = True
    proxy = np.arange(nodes) >= main
    start = main
    for owner, size in zip(np.flatnonzero(trait).tolist(), items.tolist(), strict=True):
        graph[owner, start : start + size] = True
        start += size
    if proxy.any():
        # A few items also depend on who answers: age or sex shifts the answer.
        bias = (rng.random((main, nodes)) < 0.06 / max(main / 8, 1)) & proxy[None, :] & ~trait[:main, None]
        graph[:main] |= bias
    return graph, trait, proxy


def _noise(rng: np.random.Generator, rows: int, tail: str) -> np.ndarray:
    if tail == "skewed":
        shape = rng.uniform(1.0, 8.0)
        return (rng.gamma(shape, size=rows) - shape) / np.sqrt(shape)
    if tail == "heavy":
        return rng.standard_t(4.0, size=rows) / np.sqrt(2.0)
    return rng.normal(size=rows)
