"""The simulations of the literature: no hidden nodes, no corruptions, one kind of law. V nodes, N rows.

Random or scale-free graphs, sparse to dense. Linear models with weights away from zero, or one family of nonlinear
functions with added noise, on the scales that come out. What researchers compare methods on first.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from foundcause.simulate.draws import pick, signed, uniform
from foundcause.simulate.extension import component
from foundcause.simulate.graphs import TOPOLOGIES, limit_parents
from foundcause.simulate.hidden_causes import no_shared_noise
from foundcause.simulate.mechanisms import centered
from foundcause.simulate.noise import NOISE_FAMILIES
from foundcause.simulate.scene_building import Blueprint, Conditions, Samples
from foundcause.simulate.settings import Mixture
from foundcause.simulate.task import Scene

_TOPOLOGIES = {"erdos_renyi": 0.6, "barabasi_albert": 0.4}
_EDGES = uniform(0.7, 4.5)  # per node
_MOST_PARENTS = 16
_LINEAR = 0.55  # share of the scenes
_POSITIVE = 0.3  # share of the linear ones whose weights are all positive
_UNIT_NOISE = 0.5  # share of the scenes in which all noise has one size
_SCALED_INSIDE = 0.25  # share of the scenes in which every variable has unit variance as it is made
_FEATURES = 48  # random Fourier features of a Gaussian process
_UNITS = 50  # of a hidden layer


@component("textbook", artifacts="none", as_written=True, copies=False)
def textbook(rng: np.random.Generator, mixture: Mixture, *, rows: int, variables: int) -> Scene:
    """A scene of ``variables`` nodes, all of them seen."""
    topology = pick(rng, _TOPOLOGIES)
    degree = min(2.0 * _EDGES.draw(rng), variables - 1.0)
    graph = limit_parents(rng, TOPOLOGIES[topology](rng, variables, degree), _MOST_PARENTS)
    linear = rng.random() < _LINEAR
    law, draw = ("linear", _linear(rng)) if linear else _nonlinear(rng)
    family = pick(rng, _NOISES if linear else _NOISES_OF_CURVES)
    one_size, inside = rng.random() < _UNIT_NOISE, rng.random() < _SCALED_INSIDE
    samples = Samples(variables, rows)
    for node in range(variables):
        parents = np.flatnonzero(graph[:, node])
        values = TEXTBOOK_NOISES[family](rng, rows) * np.float32(1.0 if one_size else rng.uniform(0.5, 2.0))
        samples.noises[family] += 1
        if parents.size:
            values = values + draw(rng, samples.values_VN[parents])
            samples.mechanisms[law] += 1
        samples.values_VN[node] = centered(values) if inside else values
    nothing = np.zeros(variables, dtype=bool)
    blueprint = Blueprint(
        graph=graph, hidden=nothing, shared=no_shared_noise(variables), conditions=Conditions(), rows=rows
    )
    return samples.scene(blueprint, topology=topology, law=law, inner_standardized=bool(inside))


Draw = Callable[[np.random.Generator, np.ndarray], np.ndarray]


def _linear(rng: np.random.Generator) -> Draw:
    """Sums with weights within one range, most often [0.5, 2], of both signs or, in some scenes, all positive."""
    if rng.random() < 0.5:
        low, high = 0.5, 2.0
    else:
        low = rng.uniform(0.1, 0.7)
        high = low + rng.uniform(0.2, 1.5)
    if rng.random() < _POSITIVE:
        return lambda rng, parents_PN: np.abs(signed(rng, low, high, len(parents_PN))) @ parents_PN
    return lambda rng, parents_PN: signed(rng, low, high, len(parents_PN)) @ parents_PN


def _nonlinear(rng: np.random.Generator) -> tuple[str, Draw]:
    name = str(rng.choice(list(_CURVES)))
    return name, _CURVES[name]


def _layer(rng: np.random.Generator, parents_PN: np.ndarray) -> np.ndarray:
    """One hidden layer of sigmoids."""
    inner = signed(rng, 0.5, 2.0, _UNITS * len(parents_PN)).reshape(_UNITS, -1) @ parents_PN
    return signed(rng, 0.5, 2.0, _UNITS) @ (0.5 * np.tanh(0.5 * inner) + 0.5)


def _index(rng: np.random.Generator, parents_PN: np.ndarray) -> np.ndarray:
    """Waves of three weighted sums."""
    sums = signed(rng, 0.5, 2.0, 3 * len(parents_PN)).reshape(3, -1) @ parents_PN
    return np.tanh(sums[0]) + np.cos(sums[1]) + np.sin(sums[2])


def _process(rng: np.random.Generator, parents_PN: np.ndarray) -> np.ndarray:
    """A Gaussian process of all causes together, of unit length and variance."""
    frequency = rng.standard_normal((_FEATURES, len(parents_PN)), dtype=np.float32)
    phase = rng.random((_FEATURES, 1), dtype=np.float32) * np.float32(2 * np.pi)
    waves = np.cos(frequency @ parents_PN + phase)
    return (rng.standard_normal(_FEATURES, dtype=np.float32) @ waves) * np.float32(np.sqrt(2.0 / _FEATURES))


def _additive_process(rng: np.random.Generator, parents_PN: np.ndarray) -> np.ndarray:
    """A Gaussian process of each cause."""
    return np.sum([_process(rng, parent_N[None]) for parent_N in parents_PN], axis=0)


def _quadratic(rng: np.random.Generator, parents_PN: np.ndarray) -> np.ndarray:
    """Squares, products and the causes themselves, scaled first so that chains do not explode."""
    x = np.clip(np.stack([centered(parent_N) for parent_N in parents_PN]), -5.0, 5.0)
    products = x * (signed(rng, 0.5, 1.0, len(x) ** 2).reshape(len(x), -1) * (rng.random((len(x), len(x))) < 0.5) @ x)
    return (products.sum(axis=0) + signed(rng, 0.5, 1.0, len(x)) @ x) / np.float32(np.sqrt(len(x)))


_CURVES: dict[str, Draw] = {
    "layer": _layer,
    "index": _index,
    "process": _process,
    "additive_process": _additive_process,
    "quadratic": _quadratic,
}


def _exponential(rng: np.random.Generator, rows: int) -> np.ndarray:
    return rng.standard_exponential(rows, dtype=np.float32) - np.float32(1.0)


def _gumbel(rng: np.random.Generator, rows: int) -> np.ndarray:
    return ((rng.gumbel(size=rows) - 0.5772157) / 1.2825498).astype(np.float32)


TEXTBOOK_NOISES = {**NOISE_FAMILIES, "exponential": _exponential, "gumbel": _gumbel}
_NOISES = {"gaussian": 0.45, "exponential": 0.15, "gumbel": 0.1, "uniform": 0.15, "laplace": 0.1, "student_t": 0.05}
_NOISES_OF_CURVES = {"gaussian": 0.7, "uniform": 0.1, "laplace": 0.1, "gumbel": 0.1}
