"""Special tasks: pairs, fog, sparse graphs, subpopulations, pooled experiments, Gaussian and discrete networks.

V nodes, N rows. Those of the paper are made on either generation path, by a fair coin.
"""

from __future__ import annotations

import dataclasses

import numpy as np

from foundcause.simulate.components.paths import coin, draw_blueprint, draw_graph, draw_scene
from foundcause.simulate.draws import log_uniform, pick, signed, uniform
from foundcause.simulate.extension import component
from foundcause.simulate.graphs import MAX_PARENTS, TOPOLOGIES, limit_parents, sequential_attachment
from foundcause.simulate.hidden_causes import choose_hidden, marginalize, with_circumstances
from foundcause.simulate.noise import NOISE_FAMILIES, gaussian
from foundcause.simulate.scene_building import Blueprint, Samples
from foundcause.simulate.settings import Mixture
from foundcause.simulate.task import Scene

# The paper does not say how its pairs are built beyond their difficulty: mostly an edge, sometimes nothing,
# sometimes a hidden common cause with or without an edge.
_PAIR_STRUCTURES = {"edge": 0.7, "nothing": 0.1, "confounded": 0.1, "edge_and_confounded": 0.1}


@component("bivariate", two_columns=True, copies=False)
def bivariate(rng: np.random.Generator, mixture: Mixture, *, rows: int, variables: int) -> Scene:
    """Two variables. Easy ones have an edge, noise in the lowest part of its range and no hidden cause."""
    path = coin(rng)
    easy = bool(rng.random() < mixture.specials.easy_pairs)
    structure = "edge" if easy else pick(rng, _PAIR_STRUCTURES)
    if easy:
        mixture = dataclasses.replace(
            mixture,
            dowhy=dataclasses.replace(mixture.dowhy, noise_scale=uniform(0.01, 0.05)),
            diverse=dataclasses.replace(mixture.diverse, noise_scale=uniform(0.05, 0.2)),
            artifacts=dataclasses.replace(mixture.artifacts, correlated_noise=0.0),
        )
    confounded = structure in ("confounded", "edge_and_confounded")
    graph = np.zeros((3, 3), dtype=bool)
    graph[0, 1:] = confounded
    graph[1, 2] = structure in ("edge", "edge_and_confounded")
    if not confounded:
        graph = graph[1:, 1:]
    hidden = np.arange(len(graph)) < len(graph) - 2
    scene = draw_scene(rng, mixture, path, rows=rows, variables=2, graph=graph, hidden=hidden)
    return _noted(scene, structure=structure, easy=easy)


@component("ultra_sparse")
def ultra_sparse(rng: np.random.Generator, mixture: Mixture, *, rows: int, variables: int) -> Scene:
    """A graph with edge density in [0.01, 0.04]: mostly unrelated variables."""
    path = coin(rng)
    density = mixture.specials.sparse_density.draw(rng)
    extra = mixture.hiding.draw(rng, variables)
    nodes = variables + extra
    graph = np.triu(rng.random((nodes, nodes)) < density, 1)
    hidden = choose_hidden(rng, graph, extra)
    scene = draw_scene(rng, mixture, path, rows=rows, variables=variables, graph=graph, hidden=hidden)
    return _noted(scene, density=density)


@component("interventions")
def interventions(rng: np.random.Generator, mixture: Mixture, *, rows: int, variables: int) -> Scene:
    """Rows pooled over experimental conditions, each with a target that is set, randomized or shifted."""
    count = mixture.specials.conditions.draw_integer(rng)
    scene = draw_scene(rng, mixture, coin(rng), rows=rows, variables=variables, conditions=count)
    return _noted(scene, conditions=count)


@component("subpopulation")
def subpopulation(rng: np.random.Generator, mixture: Mixture, *, rows: int, variables: int) -> Scene:
    """Rows of two unrelated models with one causal order. An edge or hidden cause of either counts."""
    path = coin(rng)
    first = int(rng.uniform(0.25, 0.75) * rows)
    parts = [draw_scene(rng, mixture, path, rows=size, variables=variables) for size in (first, rows - first)]
    labels = [marginalize(part.graph, part.hidden, part.confounded) for part in parts]
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


@component("discrete", copies=False)
def discrete_network(rng: np.random.Generator, mixture: Mixture, *, rows: int, variables: int) -> Scene:
    """A discrete Bayesian network with Dirichlet tables on a graph of either path."""
    path = coin(rng)
    extra = mixture.hiding.draw(rng, variables)
    graph, topology = draw_graph(rng, mixture, path, variables + extra)
    hidden = choose_hidden(rng, graph, extra)
    plain = dataclasses.replace(mixture.artifacts, correlated_noise=0.0)  # codes have no additive noise to share
    blueprint = draw_blueprint(rng, dataclasses.replace(mixture, artifacts=plain), graph, rows=rows, hidden=hidden)
    blueprint, samples = sample_tables(rng, blueprint)
    return samples.scene(blueprint, path=path, topology=topology)


def _noted(scene: Scene, **notes: object) -> Scene:
    return dataclasses.replace(scene, record={**scene.record, **notes})


_MOST_TABLE_PARENTS = 4
_MOST_LEVELS = 6


def sample_tables(rng: np.random.Generator, blueprint: Blueprint) -> tuple[Blueprint, Samples]:
    """The blueprint, with at most four parents per node, and codes of all nodes, (V, N)."""
    graph = limit_parents(rng, blueprint.graph.copy(), _MOST_TABLE_PARENTS)
    nodes, rows = len(graph), blueprint.rows
    samples = Samples(nodes, rows)
    levels = rng.integers(2, int(rng.integers(3, _MOST_LEVELS + 2)), size=nodes)
    concentration = np.exp(rng.uniform(np.log(0.1), np.log(1.5)))
    codes_VN = np.empty((nodes, rows), dtype=np.int64)
    for node in range(nodes):
        parents = np.flatnonzero(graph[:, node])
        row = np.zeros(rows, dtype=np.int64)
        for parent in parents.tolist():
            row = row * levels[parent] + codes_VN[parent]
        table = conditional_table(rng, int(np.prod(levels[parents])), int(levels[node]), float(concentration))
        codes_VN[node] = draw_codes(rng, table, row)
        samples.values_VN[node] = codes_VN[node]
        samples.mechanisms["dirichlet_table"] += 1
    samples.discrete[:] = True
    changed = Blueprint(
        graph=graph, hidden=blueprint.hidden, shared=blueprint.shared, conditions=blueprint.conditions, rows=rows
    )
    return changed, samples


def conditional_table(rng: np.random.Generator, rows: int, levels: int, concentration: float) -> np.ndarray:
    """(rows, levels) probabilities, each row from a symmetric Dirichlet. Roots are kept from near certainty."""
    if rows == 1:
        concentration = max(concentration, 1.0)
    return rng.dirichlet(np.full(levels, concentration), size=rows)


def draw_codes(rng: np.random.Generator, table: np.ndarray, row_N: np.ndarray) -> np.ndarray:
    """(N,) codes drawn from the given rows of a probability table."""
    limits = np.cumsum(table[:, :-1], axis=1)
    return (limits[row_N] < rng.random((len(row_N), 1))).sum(axis=1)


_TOPOLOGIES = {"tree": 3.0, "erdos_renyi": 4.0, "barabasi_albert": 1.0, "watts_strogatz": 1.0, "hubs": 1.0}
_DEGREE = log_uniform(0.8, 6.0)
_FOG_DENSITY = uniform(0.3, 0.8)
_FOG_PARENTS = 8.0


@component("linear_gaussian")
def gaussian_network(rng: np.random.Generator, mixture: Mixture, *, rows: int, variables: int) -> Scene:
    """A linear Gaussian network with weights in +-[0.3, 2], from forests to six neighbors per node.

    In half of the networks each variable is scaled to unit variance as it is made, so that variances do not reveal the
    order. In the other half values grow along the order and only the columns of the table are standardized.
    """
    extra = mixture.hiding.draw(rng, variables)
    nodes = variables + extra
    topology = pick(rng, _TOPOLOGIES)
    graph = limit_parents(rng, TOPOLOGIES[topology](rng, nodes, min(_DEGREE.draw(rng), nodes - 1.0)))
    hidden = choose_hidden(rng, graph, extra)
    if mixture.hiding.draw_circumstances(rng):
        graph, hidden = with_circumstances(rng, graph, hidden)
        nodes = len(graph)
    blueprint = draw_blueprint(rng, mixture, graph, rows=rows, hidden=hidden)
    inner = bool(rng.random() < 0.5)
    low, high = sorted(rng.uniform(0.3, 2.0, 2).tolist())
    samples = Samples(nodes, rows)
    for node in range(nodes):
        parents = np.flatnonzero(graph[:, node])
        values = blueprint.shared.mix(node, gaussian(rng, rows))
        if parents.size:
            values = np.float32(rng.uniform(0.5, 1.5)) * values
            values += signed(rng, low, high, parents.size) @ samples.values_VN[parents]
            samples.mechanisms["linear"] += 1
            samples.noises["gaussian"] += 1
        samples.values_VN[node] = _unit(values) if inner else values
    samples.values_VN[:] = _unit(samples.values_VN)
    return samples.scene(blueprint, topology=topology, inner_standardized=inner)


@component("fog")
def fog(rng: np.random.Generator, mixture: Mixture, *, rows: int, variables: int) -> Scene:
    """Correlation fog: a dense linear network with almost no noise and no hidden nodes. Its graph is of either path."""
    path = coin(rng)
    if path == "dowhy":
        density = min(_FOG_DENSITY.draw(rng), _FOG_PARENTS / (variables - 1))
        graph = sequential_attachment(rng, variables, roots=max(1, variables // 10), density=density)
        families = mixture.dowhy.noise
    else:
        topology = pick(rng, mixture.diverse.topologies)
        graph = TOPOLOGIES[topology](rng, variables, min(rng.uniform(3.0, 8.0), variables - 1.0))
        families = mixture.diverse.noise
    graph = limit_parents(rng, graph, MAX_PARENTS)
    blueprint = draw_blueprint(rng, mixture, graph, rows=rows, hidden=np.zeros(variables, dtype=bool))
    samples = Samples(variables, rows)
    scales: list[float] = []
    for node in range(variables):
        parents = np.flatnonzero(graph[:, node])
        family = pick(rng, families)
        values = blueprint.shared.mix(node, NOISE_FAMILIES[family](rng, rows))
        if parents.size:
            signal = signed(rng, 0.5, 2.0, parents.size) @ samples.values_VN[parents]
            scales.append(mixture.specials.fog_noise.draw(rng))
            values = _unit(signal) + np.float32(scales[-1]) * values
            samples.mechanisms["linear"] += 1
            samples.noises[family] += 1
        samples.values_VN[node] = values
    return samples.scene(blueprint, path=path, noise_scales=[min(scales, default=0.0), max(scales, default=0.0)])


def _unit(values: np.ndarray) -> np.ndarray:
    """Values centered and scaled to unit variance along the last axis."""
    shifted = values - values.mean(axis=-1, keepdims=True)
    return shifted / np.maximum(shifted.std(axis=-1, keepdims=True), np.float32(1e-6))
