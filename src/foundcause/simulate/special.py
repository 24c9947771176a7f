"""Special tasks: pairs, subpopulations, pooled experiments, ultra-sparse graphs, discrete networks. V nodes, N rows.

Each is made on either generation path, by a fair coin, so that the two paths have half of the tasks each.
"""

from __future__ import annotations

import dataclasses

import numpy as np

from foundcause.simulate import discrete, paths
from foundcause.simulate.chance import pick, uniform
from foundcause.simulate.latents import choose_hidden, marginalise
from foundcause.simulate.settings import Mixture
from foundcause.simulate.task import Scene

# The paper does not say how its pairs are built beyond their difficulty: mostly an edge, sometimes nothing,
# sometimes a hidden common cause with or without an edge.
_PAIR_STRUCTURES = {"edge": 0.7, "nothing": 0.1, "confounded": 0.1, "edge_and_confounded": 0.1}


def bivariate(rng: np.random.Generator, mixture: Mixture, *, rows: int, variables: int) -> Scene:
    """Two variables. Easy ones have an edge, noise in the lowest part of its range and no hidden cause."""
    path = paths.coin(rng)
    easy = bool(rng.random() < mixture.specials.easy_pairs)
    structure = "edge" if easy else pick(rng, _PAIR_STRUCTURES)
    if easy:
        mixture = dataclasses.replace(
            mixture,
            dowhy=dataclasses.replace(mixture.dowhy, noise_scale=uniform(0.01, 0.05)),
            diverse=dataclasses.replace(mixture.diverse, noise_scale=uniform(0.05, 0.2)),
            artefacts=dataclasses.replace(mixture.artefacts, correlated_noise=0.0),
        )
    confounded = structure in ("confounded", "edge_and_confounded")
    graph = np.zeros((3, 3), dtype=bool)
    graph[0, 1:] = confounded
    graph[1, 2] = structure in ("edge", "edge_and_confounded")
    if not confounded:
        graph = graph[1:, 1:]
    hidden = np.arange(len(graph)) < len(graph) - 2
    scene = paths.draw_scene(rng, mixture, path, rows=rows, variables=2, graph=graph, hidden=hidden)
    return _noted(scene, structure=structure, easy=easy)


def ultra_sparse(rng: np.random.Generator, mixture: Mixture, *, rows: int, variables: int) -> Scene:
    """A graph with edge density in [0.01, 0.04]: mostly unrelated variables."""
    path = paths.coin(rng)
    density = mixture.specials.sparse_density.draw(rng)
    extra = mixture.hiding.draw(rng, variables)
    nodes = variables + extra
    graph = np.triu(rng.random((nodes, nodes)) < density, 1)
    hidden = choose_hidden(rng, graph, extra)
    scene = paths.draw_scene(rng, mixture, path, rows=rows, variables=variables, graph=graph, hidden=hidden)
    return _noted(scene, density=density)


def interventions(rng: np.random.Generator, mixture: Mixture, *, rows: int, variables: int) -> Scene:
    """Rows pooled over experimental conditions, each with a target that is set, randomised or shifted."""
    count = mixture.specials.conditions.draw_integer(rng)
    scene = paths.draw_scene(rng, mixture, paths.coin(rng), rows=rows, variables=variables, conditions=count)
    return _noted(scene, conditions=count)


def subpopulation(rng: np.random.Generator, mixture: Mixture, *, rows: int, variables: int) -> Scene:
    """Rows of two unrelated models with one causal order; an edge or hidden cause of either counts."""
    path = paths.coin(rng)
    first = int(rng.uniform(0.25, 0.75) * rows)
    parts = [paths.draw_scene(rng, mixture, path, rows=size, variables=variables) for size in (first, rows - first)]
    labels = [marginalise(part.graph, part.hidden, part.confounded) for part in parts]
    values = np.concatenate([part.values[:, ~part.hidden] for part in parts])
    return Scene(
        values=values[rng.permutation(rows)],
        graph=labels[0][0] | labels[1][0],
        hidden=np.zeros(variables, dtype=bool),
        confounded=labels[0][1] | labels[1][1],
        discrete=np.logical_and(*(part.discrete[~part.hidden] for part in parts)),
        record={
            **parts[0].record,
            "rows_of_first": first,
            "correlated_noise": any(part.record["correlated_noise"] for part in parts),
        },
    )


def discrete_network(rng: np.random.Generator, mixture: Mixture, *, rows: int, variables: int) -> Scene:
    """A discrete Bayesian network with Dirichlet tables on a graph of either path."""
    path = paths.coin(rng)
    extra = mixture.hiding.draw(rng, variables)
    graph, topology = paths.draw_graph(rng, mixture, path, variables + extra)
    hidden = choose_hidden(rng, graph, extra)
    plain = dataclasses.replace(mixture.artefacts, correlated_noise=0.0)  # codes have no additive noise to share
    blueprint = paths.draw_blueprint(
        rng, dataclasses.replace(mixture, artefacts=plain), graph, rows=rows, hidden=hidden
    )
    blueprint, samples = discrete.sample(rng, blueprint)
    return samples.scene(blueprint, path=path, topology=topology)


def _noted(scene: Scene, **notes: object) -> Scene:
    return dataclasses.replace(scene, record={**scene.record, **notes})
