"""Continuous tables simulated on published graphs. Shape letters: N rows, D variables.

The paper names the families (linear Gaussian; tanh, quadratic and exponential with additive Gaussian noise) but not the
coefficients, so those below are ours.
"""

from __future__ import annotations

import json
from functools import partial

import networkx as nx
import numpy as np

from foundcause.bench.case import Case, Dataset, adjacency_from_edges
from foundcause.bench.datasets import bif
from foundcause.bench.datasets.seeding import generator
from foundcause.bench.location import network_absent, network_file

LICENCE = "pgmpy MIT; networks are published without a separate licence"
LINEAR = "linear Gaussian: weights of random sign and size in [0.5, 1.5], unit noise, columns not rescaled"
NONLINEAR = (
    "each edge tanh(2x), x^2 or exp(x) of the standardised parent (equally likely), rescaled to unit variance, times a "
    "weight of random sign and size in [0.5, 1.5]; Gaussian noise of unit variance; every column standardised"
)


def linear_gaussian(adjacency: np.ndarray, rows: int, rng: np.random.Generator) -> np.ndarray:
    """(N, D) values of a linear Gaussian model on the graph."""
    values = rng.standard_normal((rows, len(adjacency)))
    weights = adjacency * _signed(rng, adjacency.shape)
    for child in _causal_order(adjacency):
        values[:, child] += values @ weights[:, child]
    return values


def nonlinear(adjacency: np.ndarray, rows: int, rng: np.random.Generator) -> np.ndarray:
    """(N, D) standardised values of a nonlinear additive-noise model on the graph."""
    values = rng.standard_normal((rows, len(adjacency)))
    for child in _causal_order(adjacency):
        for parent in np.flatnonzero(adjacency[:, child]):
            shape = _SHAPES[rng.integers(len(_SHAPES))]
            values[:, child] += _signed(rng, ()) * _standardise(shape(values[:, parent]))
        values[:, child] = _standardise(values[:, child])
    return values


def _causal_order(adjacency: np.ndarray) -> list[int]:
    return list(nx.topological_sort(nx.DiGraph(adjacency)))


_SHAPES = (lambda x: np.tanh(2 * x), lambda x: x**2, lambda x: np.exp(x))


def _signed(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    return rng.uniform(0.5, 1.5, shape) * rng.choice([-1.0, 1.0], shape)


def _standardise(x: np.ndarray) -> np.ndarray:
    return (x - x.mean()) / x.std()


def _graph(file: str) -> tuple[tuple[str, ...], np.ndarray]:
    path = network_file(file)
    if file.endswith(".json"):
        content = json.loads(path.read_text())
        names = tuple(content["nodes"])
        return names, adjacency_from_edges(names, [(a, b) for a, b in content["arcs"]])
    network = bif.read(path)
    return network.names, network.adjacency


def _load(name: str, file: str, rows: int, linear: bool, seed: int) -> Case:
    names, adjacency = _graph(file)
    simulate = linear_gaussian if linear else nonlinear
    return Case(
        dataset=name,
        seed=seed,
        values=simulate(adjacency, rows, generator(name, seed)),
        names=names,
        adjacency=adjacency,
    )


def _dataset(
    name: str, file: str, size: tuple[int, int, int], *, linear: bool, paper_edges: int | None = None, note: str = ""
) -> Dataset:
    variables, rows, edges = size
    return Dataset(
        name=name,
        family="simulated on a published graph",
        source=f"graph of {file} as bundled in pgmpy 1.1.2; values simulated here",
        licence=LICENCE,
        recipe=LINEAR if linear else NONLINEAR,
        variables=variables,
        rows=rows,
        edges=edges,
        simulated=True,
        load=partial(_load, name, file, rows, linear),
        missing=partial(network_absent, file),
        paper_edges=paper_edges,
        note=note,
    )


DATASETS = (
    _dataset("asia_nonlinear", "asia.bif.gz", (8, 1000, 8), linear=False),
    _dataset("child_nonlinear", "child.bif.gz", (20, 1000, 25), linear=False),
    _dataset("sachs_nonlinear", "sachs.bif.gz", (11, 1000, 17), linear=False),
    _dataset("alarm_like", "alarm.bif.gz", (37, 2000, 46), linear=True),
    _dataset(
        "ecoli_like",
        "ecoli70.json",
        (46, 1000, 70),
        linear=True,
        paper_edges=58,
        note="ecoli70 as published has 70 arcs; the 58-edge version the paper used is not published",
    ),
)
