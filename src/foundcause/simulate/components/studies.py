"""Studies: what people collect around an outcome, because they believe that it matters to it. N rows, V nodes.

Some things are given, some follow from these, and one to three outcomes stand at the end: each has many causes, most of
them weak, and hardly anything follows from it. In other worlds what has many neighbors is mostly a cause.
"""

from __future__ import annotations

import numpy as np

from foundcause.simulate.components.column_kinds import COLUMNS, ROOTS, partly_explained, standard_scores
from foundcause.simulate.draws import pick
from foundcause.simulate.extension import field_component
from foundcause.simulate.graphs import wire
from foundcause.simulate.hidden_causes import hide_some, with_circumstances
from foundcause.simulate.random_functions import random_noise
from foundcause.simulate.scene_building import Builder
from foundcause.simulate.task import Scene

GIVEN = {"age": 0.2, "binary": 0.22, "nominal": 0.08, "ordinal": 0.1, "normal": 0.14, "amount": 0.16, "grid": 0.1}
DESIGNED = {"grid": 0.5, "binary": 0.35, "nominal": 0.15}
"""What an experimenter sets. Nothing else moves it."""
MEASURED = {"normal": 0.3, "amount": 0.25, "binary": 0.17, "count": 0.1, "ordinal": 0.1, "percent": 0.08}
OUTCOMES = {"normal": 0.36, "amount": 0.26, "binary": 0.16, "count": 0.1, "percent": 0.07, "ordinal": 0.05}
_FORMS = ("layered", "plain", "hubs", "tree", "chain", "modules")
_MOST_CAUSES = 14
_CIRCUMSTANCES = 0.6  # share of studies, experiments apart, in which something unseen moves many candidates


@field_component("studies")
def draw(rng: np.random.Generator, *, rows: int, variables: int) -> Scene:
    """A study of ``variables`` observed columns: candidates for causes, outcomes, and sometimes what came of them."""
    outcomes = min(int(rng.choice([1, 2, 3], p=[0.6, 0.28, 0.12])), max(variables // 3, 1))
    sequels = int(rng.integers(1, 3)) if variables >= 6 and rng.random() < 0.25 else 0
    candidates = variables - outcomes - sequels
    experiment = rng.random() < 0.2
    hidden = 0 if experiment else int(rng.uniform(0.0, 0.3) * candidates)
    moved = not experiment and candidates >= 3 and rng.random() < _CIRCUMSTANCES
    explained, curvature = rng.uniform(0.2, 0.85), rng.uniform(0.05, 0.5)
    builder = Builder(rows)
    scores: list[np.ndarray] = []

    def add(causes: list[int], kinds: dict[str, float], *, unseen: bool = False) -> None:
        own = standard_scores(random_noise(rng, rows))
        latent = partly_explained(rng, [scores[k] for k in causes], own, explained=explained, curvature=curvature)
        column, score, discrete = COLUMNS[pick(rng, kinds)](rng, latent, 5)
        builder.add(column, causes, hidden=unseen, discrete=discrete)
        scores.append(standard_scores(score))

    graph, unseen = _candidates(rng, candidates, hidden, moved=moved, alone=experiment)
    for node in range(len(graph)):
        if graph[:, node].any():
            add(np.flatnonzero(graph[:, node]).tolist(), MEASURED, unseen=bool(unseen[node]))
            continue
        column, score, discrete = ROOTS[pick(rng, DESIGNED if experiment else GIVEN)](rng, rows)
        builder.add(column, [], hidden=bool(unseen[node]), discrete=discrete)
        scores.append(standard_scores(score))
    believed = rng.uniform(0.4, 1.0)  # share of the candidates that do matter
    for number in range(outcomes):
        causes = _chosen(rng, len(graph), believed)
        if number and rng.random() < 0.5:
            causes.append(len(graph) + int(rng.integers(number)))
        add(causes, OUTCOMES)
    for _ in range(sequels):
        of = len(graph) + int(rng.integers(outcomes))
        add([*_chosen(rng, len(graph), 0.15)[: int(rng.integers(0, 3))], of], MEASURED)
    return builder.scene(outcomes=outcomes, sequels=sequels, latents=int(unseen.sum()), experiment=bool(experiment))


def _candidates(
    rng: np.random.Generator, shown: int, hidden: int, *, moved: bool, alone: bool
) -> tuple[np.ndarray, np.ndarray]:
    """How candidates depend on one another (V, V), and which are not in the table (V,).

    ``alone``: not at all. Else sparsely, unless a hidden cause has ``moved`` many of them.
    """
    nodes = shown + hidden
    if alone or nodes < 2:
        return np.zeros((nodes, nodes), dtype=bool), np.zeros(nodes, dtype=bool)
    form, edges = str(rng.choice(_FORMS)), rng.uniform(0.2, 1.2)
    graph = wire(rng, nodes=nodes, form=form, edges_per_node=edges, most_parents=3, isolated=0.6)
    unseen = hide_some(rng, graph, hidden)
    return with_circumstances(rng, graph, unseen) if moved else (graph, unseen)


def _chosen(rng: np.random.Generator, nodes: int, share: float) -> list[int]:
    """Some of the candidates, at least one, at most as many as can still be distinguished."""
    number = int(np.clip(np.ceil(share * nodes), 1, _MOST_CAUSES))
    return sorted(rng.choice(nodes, size=number, replace=False).tolist())
