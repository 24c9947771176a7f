"""The diverse path: six and more topologies, two dozen mechanism families, and noise from bounded to Cauchy.

V nodes, N rows, P parents. Each mechanism sees its parents centred and scaled (codes of categories through random
effects), so that values neither grow nor shrink along the causal order beyond what the mechanisms imply.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from foundcause.simulate import noise, roots
from foundcause.simulate.blueprint import Blueprint, Samples
from foundcause.simulate.chance import pick
from foundcause.simulate.graphs import TOPOLOGIES, limit_parents
from foundcause.simulate.mechanisms import MECHANISMS, centred
from foundcause.simulate.settings import DiversePath

_DISCRETE = {name: 1.0 for name, family in MECHANISMS.items() if family.discrete}
_ROOTS = {**dict.fromkeys(roots.FAMILIES, 1.0), "gaussian": 3.0, roots.MIXTURE: 3.0}


def draw_graph(rng: np.random.Generator, settings: DiversePath, nodes: int) -> tuple[np.ndarray, str]:
    """(V, V) graph of a random topology, and the topology's name."""
    topology = pick(rng, settings.topologies)
    degree = min(settings.degree.draw(rng), nodes - 1.0)
    return limit_parents(rng, TOPOLOGIES[topology](rng, nodes, degree)), topology


def sample(rng: np.random.Generator, settings: DiversePath, blueprint: Blueprint, rows: int) -> Samples:
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
            values, name = _root(rng, blueprint, node, rows, settings.discrete_roots if mixed else 0.0)
            samples.roots[name] += 1
        else:
            samples.noises[family] += 1
            drawn = blueprint.shared.mix(node, noise.FAMILIES[family](rng, rows))
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
                values = (centred(values) + scale * drawn) / np.float32(np.hypot(1.0, scale))
        discrete = name in _DISCRETE
        values = blueprint.conditions.apply(rng, node, values, discrete)
        samples.discrete[node] = discrete
        samples.values_VN[node] = values
        seen_VN[node] = centred(_effects(rng, values) if name == "categorical" else values)
    return samples


def _mechanism_weights(rng: np.random.Generator, settings: DiversePath, mixed: bool) -> Mapping[str, float]:
    if mixed:
        share = rng.uniform(0.2, 0.9) / len(_DISCRETE)
        return {**settings.mechanisms, **dict.fromkeys(_DISCRETE, share)}
    if rng.random() < settings.one_mechanism:
        return {pick(rng, settings.mechanisms): 1.0}
    return settings.mechanisms


def _root(
    rng: np.random.Generator, blueprint: Blueprint, node: int, rows: int, discrete_share: float
) -> tuple[np.ndarray, str]:
    """(N,) values of a root and the name of its family."""
    if rng.random() < discrete_share:
        name = pick(rng, _DISCRETE)
        nothing = np.zeros((1, rows), dtype=np.float32)
        drawn = blueprint.shared.mix(node, noise.gaussian(rng, rows))
        return MECHANISMS[name].function(rng, nothing, drawn), name
    name = pick(rng, _ROOTS)
    values = roots.FAMILIES[name](rng, rows)
    return blueprint.shared.mix(node, centred(values)), name


def _effects(rng: np.random.Generator, codes_N: np.ndarray) -> np.ndarray:
    """(N,) a random effect of each category, since codes have no order."""
    which = codes_N.astype(int)
    return rng.standard_normal(int(which.max()) + 1, dtype=np.float32)[which]
