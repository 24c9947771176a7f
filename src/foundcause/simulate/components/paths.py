"""The two generation paths of the paper, ``dowhy`` and ``diverse``. V nodes, N rows, P parents.

The generator the paper used, ``dowhy.gcm.data_generator``, is in DoWhy's repository but not in its release 0.14. With
``graph="dowhy"`` graphs have its distribution. Where the paper's text and that generator differ, this follows the text:
Gaussian weights of linear mechanisms (there uniform), noise and root families (there Gaussian, uniform and mixtures), a
log-uniform noise scale (there uniform), no clipping or binning of single nodes (artifacts come later). Output ranges of
networks are recorded on the first ``calibration_rows`` rows drawn, of which the table then shows the first N.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from foundcause.simulate.draws import pick
from foundcause.simulate.extension import component
from foundcause.simulate.graphs import TOPOLOGIES, limit_parents, position_attachment, sequential_attachment
from foundcause.simulate.hidden_causes import choose_hidden, no_shared_noise, shared_noise, with_circumstances
from foundcause.simulate.mechanisms import MECHANISMS, centered
from foundcause.simulate.noise import NOISE_FAMILIES, ROOT_FAMILIES, ROOT_MIXTURE, gaussian
from foundcause.simulate.scene_building import Blueprint, Conditions, Samples, draw_conditions
from foundcause.simulate.settings import DiversePath, DoWhyPath, Mixture
from foundcause.simulate.task import Scene

PATHS = ("dowhy", "diverse")


@component("dowhy")
def dowhy(rng: np.random.Generator, mixture: Mixture, *, rows: int, variables: int) -> Scene:
    """A scene of the DoWhy path."""
    return draw_scene(rng, mixture, "dowhy", rows=rows, variables=variables)


@component("diverse")
def diverse(rng: np.random.Generator, mixture: Mixture, *, rows: int, variables: int) -> Scene:
    """A scene of the diverse path."""
    return draw_scene(rng, mixture, "diverse", rows=rows, variables=variables)


def coin(rng: np.random.Generator) -> str:
    """One of the two paths, half each."""
    return PATHS[int(rng.random() < 0.5)]


def draw_graph(rng: np.random.Generator, mixture: Mixture, path: str, nodes: int) -> tuple[np.ndarray, str]:
    """(V, V) graph of the path, and the name of its topology."""
    if path == "dowhy":
        return dowhy_graph(rng, mixture.dowhy, nodes), "sequential_attachment"
    return diverse_graph(rng, mixture.diverse, nodes)


def draw_blueprint(
    rng: np.random.Generator,
    mixture: Mixture,
    graph: np.ndarray,
    *,
    rows: int,
    hidden: np.ndarray,
    drawn_rows: int | None = None,
    conditions: int = 0,
) -> Blueprint:
    """The graph with its hidden nodes, sometimes correlated noise, and ``conditions`` experiments (0: none)."""
    nodes, drawn_rows = len(graph), drawn_rows or rows
    correlated = rng.random() < mixture.artifacts.correlated_noise
    return Blueprint(
        graph=graph,
        hidden=hidden,
        shared=shared_noise(rng, nodes, drawn_rows) if correlated else no_shared_noise(nodes),
        conditions=draw_conditions(rng, nodes, drawn_rows, conditions) if conditions else Conditions(),
        rows=rows,
    )


def draw_scene(
    rng: np.random.Generator,
    mixture: Mixture,
    path: str,
    *,
    rows: int,
    variables: int,
    graph: np.ndarray | None = None,
    hidden: np.ndarray | None = None,
    conditions: int = 0,
) -> Scene:
    """A scene of the path with ``variables`` observed nodes. A given graph comes with its hidden nodes."""
    topology = "given"
    if graph is None:
        extra = mixture.hiding.draw(rng, variables)
        graph, topology = draw_graph(rng, mixture, path, variables + extra)
        hidden = choose_hidden(rng, graph, extra)
        if mixture.hiding.draw_circumstances(rng):
            graph, hidden = with_circumstances(rng, graph, hidden)
    if hidden is None:
        hidden = np.zeros(len(graph), dtype=bool)
    drawn_rows = rows_needed(mixture.dowhy, rows) if path == "dowhy" else rows
    blueprint = draw_blueprint(
        rng, mixture, graph, rows=rows, hidden=hidden, drawn_rows=drawn_rows, conditions=conditions
    )
    if path == "dowhy":
        samples = sample_dowhy(rng, mixture.dowhy, blueprint, drawn_rows)
    else:
        samples = sample_diverse(rng, mixture.diverse, blueprint, drawn_rows)
    return samples.scene(blueprint, path=path, topology=topology)


_POWER_STEPS = 6  # of power iteration, after which the norm is right to a few percent
_OWN_CALIBRATION = 1000  # rows used when a task calibrates on itself
_PLAIN_ROOTS = {name: 1.0 for name in ROOT_FAMILIES if name != ROOT_MIXTURE}


def dowhy_graph(rng: np.random.Generator, settings: DoWhyPath, nodes: int) -> np.ndarray:
    """(V, V) graph by sequential random attachment, of the kind the settings name."""
    count = min(max(1, round(settings.root_fraction.draw(rng) * nodes)), nodes - 1)
    density = min(settings.density.draw(rng), settings.parents / (nodes - 1))
    attach = position_attachment if settings.graph == "dowhy" else sequential_attachment
    return attach(rng, nodes, roots=count, density=density)


def rows_needed(settings: DoWhyPath, rows: int) -> int:
    """Rows to draw so that N rows are calibrated as asked."""
    return max(rows, settings.calibration_rows)


def sample_dowhy(rng: np.random.Generator, settings: DoWhyPath, blueprint: Blueprint, rows: int) -> Samples:
    """Values of all nodes, (V, ``rows``)."""
    nodes = len(blueprint.graph)
    samples = Samples(nodes, rows)
    calibration = settings.calibration_rows or min(rows, _OWN_CALIBRATION)
    for node in range(nodes):
        parents = np.flatnonzero(blueprint.graph[:, node])
        if parents.size == 0:
            values = _dowhy_root(rng, settings, blueprint, node, samples)
        else:
            family = pick(rng, settings.noise)
            samples.noises[family] += 1
            drawn = blueprint.shared.mix(node, NOISE_FAMILIES[family](rng, rows))
            drawn *= np.float32(settings.noise_scale.draw(rng))
            kind = pick(rng, settings.mechanisms)
            samples.mechanisms[kind] += 1
            values = _dowhy_mechanism(rng, settings, kind, samples.values_VN[parents], drawn, calibration)
        samples.values_VN[node] = blueprint.conditions.apply(rng, node, values, discrete=False)
    return samples


def _dowhy_root(
    rng: np.random.Generator, settings: DoWhyPath, blueprint: Blueprint, node: int, samples: Samples
) -> np.ndarray:
    family = ROOT_MIXTURE if rng.random() < settings.root_mixture else pick(rng, _PLAIN_ROOTS)
    samples.roots[family] += 1
    values = ROOT_FAMILIES[family](rng, samples.values_VN.shape[1])
    if node not in blueprint.shared.parts:
        return values
    middle, spread = values.mean(), values.std()
    return middle + spread * blueprint.shared.mix(node, (values - middle) / max(spread, np.float32(1e-6)))


def _dowhy_mechanism(
    rng: np.random.Generator,
    settings: DoWhyPath,
    kind: str,
    parents_PN: np.ndarray,
    noise_N: np.ndarray,
    calibration: int,
) -> np.ndarray:
    if kind == "linear":
        return rng.standard_normal(len(parents_PN), dtype=np.float32) @ parents_PN + noise_N
    if kind == "additive_mlp":
        return _tanh_network(rng, settings, parents_PN, calibration) + noise_N
    return _tanh_network(rng, settings, np.concatenate((parents_PN, noise_N[None])), calibration)


def _tanh_network(rng: np.random.Generator, settings: DoWhyPath, inputs_PN: np.ndarray, calibration: int) -> np.ndarray:
    """(N,) output of a random tanh network, its range on the calibration rows mapped to [-output, output]."""
    layer = inputs_PN
    for _ in range(settings.layers.draw_integer(rng)):
        units = settings.units.draw_integer(rng)
        layer = _random_weights(rng, units, len(layer), settings.weight_scale) @ layer
        layer += rng.uniform(-1.0, 1.0, (units, 1)).astype(np.float32)
        np.tanh(layer, out=layer)
    output = _random_weights(rng, 1, len(layer), settings.weight_scale)[0] @ layer
    low, high = output[:calibration].min(), output[:calibration].max()
    return (output - low) * np.float32(2.0 * settings.output / max(float(high - low), 1e-6)) - np.float32(
        settings.output
    )


def _random_weights(rng: np.random.Generator, units: int, inputs: int, norm: float) -> np.ndarray:
    """(units, inputs) Gaussian weights scaled to the spectral norm ``norm``, estimated by power iteration."""
    weight = rng.standard_normal((units, inputs), dtype=np.float32)
    if units == 1 or inputs == 1:
        size = float(np.sqrt((weight * weight).sum()))
    else:
        gram = weight @ weight.T if units < inputs else weight.T @ weight
        vector = gram[0]
        for _ in range(_POWER_STEPS):
            vector = gram @ vector
            vector = vector / np.float32(max(float(np.sqrt(vector @ vector)), 1e-12))
        size = float(np.sqrt(max(float(vector @ (gram @ vector)), 1e-12)))
    return weight * np.float32(norm / max(size, 1e-6))


_DISCRETE = {name: 1.0 for name, family in MECHANISMS.items() if family.discrete}
_DIVERSE_ROOTS = {**dict.fromkeys(ROOT_FAMILIES, 1.0), "gaussian": 3.0, ROOT_MIXTURE: 3.0}


def diverse_graph(rng: np.random.Generator, settings: DiversePath, nodes: int) -> tuple[np.ndarray, str]:
    """(V, V) graph of a random topology, and the topology's name."""
    topology = pick(rng, settings.topologies)
    degree = min(settings.degree.draw(rng), nodes - 1.0)
    return limit_parents(rng, TOPOLOGIES[topology](rng, nodes, degree)), topology


def sample_diverse(rng: np.random.Generator, settings: DiversePath, blueprint: Blueprint, rows: int) -> Samples:
    """Values of all nodes, (V, ``rows``)."""
    nodes = len(blueprint.graph)
    samples = Samples(nodes, rows)
    seen_VN = np.empty((nodes, rows), dtype=np.float32)  # what children see of a node
    mixed = rng.random() < settings.mixed_types
    mechanisms = _mechanism_weights(rng, settings, mixed)
    noises = {pick(rng, settings.noise): 1.0} if rng.random() < settings.one_noise else settings.noise
    uneven = rng.random() < settings.heteroscedastic
    for node in range(nodes):
        parents = np.flatnonzero(blueprint.graph[:, node])
        family = pick(rng, noises)
        if parents.size == 0:
            values, name = _diverse_root(rng, blueprint, node, rows, settings.discrete_roots if mixed else 0.0)
            samples.roots[name] += 1
        else:
            samples.noises[family] += 1
            drawn = blueprint.shared.mix(node, NOISE_FAMILIES[family](rng, rows))
            name = pick(rng, mechanisms)
            samples.mechanisms[name] += 1
            mechanism = MECHANISMS[name]
            inputs_PN = seen_VN[parents]
            values = mechanism.function(rng, inputs_PN, drawn)
            if mechanism.additive:
                scale = np.float32(settings.noise_scale.draw(rng))
                if uneven and rng.random() < 0.5:
                    drawn *= np.exp(np.clip(rng.uniform(0.2, 0.7) * inputs_PN[rng.integers(len(parents))], -2.0, 2.0))
                # Divided by the joint scale, so that roots and effects start from one variance.
                values = (centered(values) + scale * drawn) / np.float32(np.hypot(1.0, scale))
        discrete = name in _DISCRETE
        values = blueprint.conditions.apply(rng, node, values, discrete)
        samples.discrete[node] = discrete
        samples.values_VN[node] = values
        seen_VN[node] = centered(_effects(rng, values) if name == "categorical" else values)
    return samples


def _mechanism_weights(rng: np.random.Generator, settings: DiversePath, mixed: bool) -> Mapping[str, float]:
    if mixed:
        share = rng.uniform(0.2, 0.9) / len(_DISCRETE)
        return {**settings.mechanisms, **dict.fromkeys(_DISCRETE, share)}
    if rng.random() < settings.one_mechanism:
        return {pick(rng, settings.mechanisms): 1.0}
    return settings.mechanisms


def _diverse_root(
    rng: np.random.Generator, blueprint: Blueprint, node: int, rows: int, discrete_share: float
) -> tuple[np.ndarray, str]:
    """(N,) values of a root and the name of its family."""
    if rng.random() < discrete_share:
        name = pick(rng, _DISCRETE)
        nothing = np.zeros((1, rows), dtype=np.float32)
        drawn = blueprint.shared.mix(node, gaussian(rng, rows))
        return MECHANISMS[name].function(rng, nothing, drawn), name
    name = pick(rng, _DIVERSE_ROOTS)
    values = ROOT_FAMILIES[name](rng, rows)
    return blueprint.shared.mix(node, centered(values)), name


def _effects(rng: np.random.Generator, codes_N: np.ndarray) -> np.ndarray:
    """(N,) a random effect of each category, since codes have no order."""
    which = codes_N.astype(int)
    return rng.standard_normal(int(which.max()) + 1, dtype=np.float32)[which]
