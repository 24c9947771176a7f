"""The DoWhy path (the paper's appendix on it): random attachment graphs with linear and neural mechanisms.

V nodes, N rows, P parents. The generator the paper used, ``dowhy.gcm.data_generator``, is in DoWhy's repository but not
in its release 0.14. With ``graph="dowhy"`` graphs have its distribution. Where the paper's text and that generator
differ, this follows the text: Gaussian weights of linear mechanisms (there uniform), noise and root families (there
Gaussian, uniform and mixtures), a log-uniform noise scale (there uniform), no clipping or binning of single nodes
(artefacts come later). Samples are drawn with one matrix product per layer. Output ranges of networks are recorded on
the first ``calibration_rows`` rows drawn, of which the table then shows the first N: the rows of the table take part in
their own calibration, which spares a second pass and changes the ranges by a sampling error only.
"""

from __future__ import annotations

import numpy as np

from foundcause.simulate import noise, roots
from foundcause.simulate.blueprint import Blueprint, Samples
from foundcause.simulate.chance import pick
from foundcause.simulate.graphs import position_attachment, sequential_attachment
from foundcause.simulate.settings import DoWhyPath

_POWER_STEPS = 6  # of power iteration; the norm is then right to a few percent
_OWN_CALIBRATION = 1000  # rows used when a task calibrates on itself
_PLAIN_ROOTS = {name: 1.0 for name in roots.FAMILIES if name != roots.MIXTURE}


def draw_graph(rng: np.random.Generator, settings: DoWhyPath, nodes: int) -> np.ndarray:
    """(V, V) graph by sequential random attachment, of the kind the settings name."""
    count = min(max(1, round(settings.root_fraction.draw(rng) * nodes)), nodes - 1)
    density = min(settings.density.draw(rng), settings.parents / (nodes - 1))
    attach = position_attachment if settings.graph == "dowhy" else sequential_attachment
    return attach(rng, nodes, roots=count, density=density)


def rows_needed(settings: DoWhyPath, rows: int) -> int:
    """Rows to draw so that N rows are calibrated as asked."""
    return max(rows, settings.calibration_rows)


def sample(rng: np.random.Generator, settings: DoWhyPath, blueprint: Blueprint, rows: int) -> Samples:
    """Values of all nodes, (V, ``rows``)."""
    nodes = len(blueprint.graph)
    samples = Samples(nodes, rows)
    calibration = settings.calibration_rows or min(rows, _OWN_CALIBRATION)
    for node in range(nodes):
        parents = np.flatnonzero(blueprint.graph[:, node])
        if parents.size == 0:
            values = _root(rng, settings, blueprint, node, samples)
        else:
            family = pick(rng, settings.noise)
            samples.noises[family] += 1
            drawn = blueprint.shared.mix(node, noise.FAMILIES[family](rng, rows))
            drawn *= np.float32(settings.noise_scale.draw(rng))
            kind = pick(rng, settings.mechanisms)
            samples.mechanisms[kind] += 1
            values = _mechanism(rng, settings, kind, samples.values_VN[parents], drawn, calibration)
        samples.values_VN[node] = blueprint.conditions.apply(rng, node, values, discrete=False)
    return samples


def _root(
    rng: np.random.Generator, settings: DoWhyPath, blueprint: Blueprint, node: int, samples: Samples
) -> np.ndarray:
    family = roots.MIXTURE if rng.random() < settings.root_mixture else pick(rng, _PLAIN_ROOTS)
    samples.roots[family] += 1
    values = roots.FAMILIES[family](rng, samples.values_VN.shape[1])
    if node not in blueprint.shared.parts:
        return values
    middle, spread = values.mean(), values.std()
    return middle + spread * blueprint.shared.mix(node, (values - middle) / max(spread, np.float32(1e-6)))


def _mechanism(
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
        return _network(rng, settings, parents_PN, calibration) + noise_N
    return _network(rng, settings, np.concatenate((parents_PN, noise_N[None])), calibration)


def _network(rng: np.random.Generator, settings: DoWhyPath, inputs_PN: np.ndarray, calibration: int) -> np.ndarray:
    """(N,) output of a random tanh network, its range on the calibration rows mapped to [-output, output]."""
    layer = inputs_PN
    for _ in range(settings.layers.draw_integer(rng)):
        units = settings.units.draw_integer(rng)
        layer = _weights(rng, units, len(layer), settings.weight_scale) @ layer
        layer += rng.uniform(-1.0, 1.0, (units, 1)).astype(np.float32)
        np.tanh(layer, out=layer)
    output = _weights(rng, 1, len(layer), settings.weight_scale)[0] @ layer
    low, high = output[:calibration].min(), output[:calibration].max()
    return (output - low) * np.float32(2.0 * settings.output / max(float(high - low), 1e-6)) - np.float32(
        settings.output
    )


def _weights(rng: np.random.Generator, units: int, inputs: int, norm: float) -> np.ndarray:
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
