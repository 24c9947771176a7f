"""Linear networks: Gaussian ones of every density, and correlation fog. V nodes, N rows."""

from __future__ import annotations

import numpy as np

from foundcause.simulate import noise, paths
from foundcause.simulate.blueprint import Samples
from foundcause.simulate.chance import log_uniform, pick, signed, uniform
from foundcause.simulate.graphs import MAX_PARENTS, TOPOLOGIES, limit_parents, sequential_attachment
from foundcause.simulate.latents import choose_hidden, with_circumstances
from foundcause.simulate.settings import Mixture
from foundcause.simulate.task import Scene

_TOPOLOGIES = {"tree": 3.0, "erdos_renyi": 4.0, "barabasi_albert": 1.0, "watts_strogatz": 1.0, "hubs": 1.0}
_DEGREE = log_uniform(0.8, 6.0)
_FOG_DENSITY = uniform(0.3, 0.8)
_FOG_PARENTS = 8.0


def gaussian_network(rng: np.random.Generator, mixture: Mixture, *, rows: int, variables: int) -> Scene:
    """A linear Gaussian network with weights in +-[0.3, 2], from forests to six neighbours per node.

    In half of the networks each variable is scaled to unit variance as it is made, so that variances do not tell the
    order; in the other half values grow along the order and only the columns of the table are standardised.
    """
    extra = mixture.hiding.draw(rng, variables)
    nodes = variables + extra
    topology = pick(rng, _TOPOLOGIES)
    graph = limit_parents(rng, TOPOLOGIES[topology](rng, nodes, min(_DEGREE.draw(rng), nodes - 1.0)))
    hidden = choose_hidden(rng, graph, extra)
    if mixture.hiding.draw_circumstances(rng):
        graph, hidden = with_circumstances(rng, graph, hidden)
        nodes = len(graph)
    blueprint = paths.draw_blueprint(rng, mixture, graph, rows=rows, hidden=hidden)
    inner = bool(rng.random() < 0.5)
    low, high = sorted(rng.uniform(0.3, 2.0, 2).tolist())
    samples = Samples(nodes, rows)
    for node in range(nodes):
        parents = np.flatnonzero(graph[:, node])
        values = blueprint.shared.mix(node, noise.gaussian(rng, rows))
        if parents.size:
            values = np.float32(rng.uniform(0.5, 1.5)) * values
            values += signed(rng, low, high, parents.size) @ samples.values_VN[parents]
            samples.mechanisms["linear"] += 1
            samples.noises["gaussian"] += 1
        samples.values_VN[node] = _unit(values) if inner else values
    samples.values_VN[:] = _unit(samples.values_VN)
    return samples.scene(blueprint, topology=topology, inner_standardised=inner)


def fog(rng: np.random.Generator, mixture: Mixture, *, rows: int, variables: int) -> Scene:
    """Correlation fog: a dense linear network with next to no noise, nothing hidden; its graph is of either path."""
    path = paths.coin(rng)
    if path == "dowhy":
        density = min(_FOG_DENSITY.draw(rng), _FOG_PARENTS / (variables - 1))
        graph = sequential_attachment(rng, variables, roots=max(1, variables // 10), density=density)
        families = mixture.dowhy.noise
    else:
        topology = pick(rng, mixture.diverse.topologies)
        graph = TOPOLOGIES[topology](rng, variables, min(rng.uniform(3.0, 8.0), variables - 1.0))
        families = mixture.diverse.noise
    graph = limit_parents(rng, graph, MAX_PARENTS)
    blueprint = paths.draw_blueprint(rng, mixture, graph, rows=rows, hidden=np.zeros(variables, dtype=bool))
    samples = Samples(variables, rows)
    scales: list[float] = []
    for node in range(variables):
        parents = np.flatnonzero(graph[:, node])
        family = pick(rng, families)
        values = blueprint.shared.mix(node, noise.FAMILIES[family](rng, rows))
        if parents.size:
            signal = signed(rng, 0.5, 2.0, parents.size) @ samples.values_VN[parents]
            scales.append(mixture.specials.fog_noise.draw(rng))
            values = _unit(signal) + np.float32(scales[-1]) * values
            samples.mechanisms["linear"] += 1
            samples.noises[family] += 1
        samples.values_VN[node] = values
    return samples.scene(blueprint, path=path, noise_scales=[min(scales, default=0.0), max(scales, default=0.0)])


def _unit(values: np.ndarray) -> np.ndarray:
    """Values centred and scaled to unit variance along the last axis."""
    shifted = values - values.mean(axis=-1, keepdims=True)
    return shifted / np.maximum(shifted.std(axis=-1, keepdims=True), np.float32(1e-6))
