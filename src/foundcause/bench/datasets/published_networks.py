"""Tables sampled from published networks, as bundled in pgmpy. Shape letters: N rows, D variables.

- discrete networks made by experts (the bnlearn repository), sampled with their own probabilities
- Gaussian networks fitted to genes and traits, sampled with their own coefficients
- published graphs with values simulated here. The paper names the families (linear Gaussian; tanh, quadratic and
  exponential with additive Gaussian noise) but not the coefficients, so those below are ours.
"""

from __future__ import annotations

import gzip
import itertools
import json
import re
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

import networkx as nx
import numpy as np

from foundcause.bench.case import Case, Dataset, adjacency_from_edges, generator
from foundcause.bench.download import missing_network, network_file
from foundcause.errors import InputError

_VARIABLE = re.compile(r"variable\s+(\S+)\s*\{\s*type\s+discrete\s*\[\s*\d+\s*\]\s*\{([^}]*)\}", re.S)
_PROBABILITY = re.compile(r"probability\s*\(\s*([^)|\s]+)\s*(?:\|\s*([^)]*))?\)\s*\{(.*?)\}", re.S)
_ROW = re.compile(r"\(([^)]*)\)\s*([^;]*);")
_TABLE = re.compile(r"table\s+([^;]*);")


@dataclass(frozen=True, kw_only=True)
class DiscreteNetwork:
    """A Bayesian network over categories."""

    names: tuple[str, ...]
    """D variables, in the order of the file."""
    states: tuple[tuple[str, ...], ...]
    """The states of each variable; a sample holds their positions."""
    parents: tuple[tuple[int, ...], ...]
    """Positions of each variable's parents."""
    tables: tuple[np.ndarray, ...]
    """Per variable: probabilities with one axis per parent and the variable's own axis last."""

    @property
    def adjacency(self) -> np.ndarray:
        """(D, D) bool."""
        matrix = np.zeros((len(self.names), len(self.names)), dtype=bool)
        for child, parents in enumerate(self.parents):
            matrix[list(parents), child] = True
        return matrix

    def sample(self, rows: int, rng: np.random.Generator) -> np.ndarray:
        """(N, D) state positions drawn in causal order."""
        values = np.zeros((rows, len(self.names)), dtype=np.int64)
        order: list[int] = list(nx.topological_sort(nx.DiGraph(self.adjacency)))
        for child in order:
            table = self.tables[child]
            row = table[tuple(values[:, p] for p in self.parents[child])] if self.parents[child] else table[None, :]
            cumulative = np.cumsum(np.broadcast_to(row, (rows, table.shape[-1])), axis=1)
            # the last column is left out: it is 1 up to rounding, and a draw above it would be no state at all
            values[:, child] = (rng.random(rows)[:, None] >= cumulative[:, :-1]).sum(axis=1)
        return values


@cache
def read_bif(path: Path) -> DiscreteNetwork:
    """The network of a (gzipped) BIF file.

    pgmpy's reader gives the same, as a test shows, but takes 2 to 16 seconds where this one takes 0.01 to 0.3.
    """
    raw = path.read_bytes()
    text = (gzip.decompress(raw) if path.suffix == ".gz" else raw).decode()
    found = {name: tuple(state.strip() for state in listed.split(",")) for name, listed in _VARIABLE.findall(text)}
    names = tuple(found)
    states = tuple(found.values())
    position = {name: k for k, name in enumerate(names)}
    parents: list[tuple[int, ...]] = [()] * len(names)
    tables: list[np.ndarray | None] = [None] * len(names)
    for child_name, listed, body in _PROBABILITY.findall(text):
        child = position[child_name]
        parents[child] = tuple(position[p.strip()] for p in listed.split(",")) if listed.strip() else ()
        tables[child] = _table(child, parents[child], states, body)
    unset = [names[k] for k, table in enumerate(tables) if table is None]
    if not names or unset:
        raise InputError(f"{path.name}: no probabilities for {', '.join(unset) or 'any variable'}")
    return DiscreteNetwork(
        names=names, states=states, parents=tuple(parents), tables=tuple(t for t in tables if t is not None)
    )


def _table(child: int, parents: tuple[int, ...], states: tuple[tuple[str, ...], ...], body: str) -> np.ndarray:
    shape = [len(states[p]) for p in parents] + [len(states[child])]
    table = np.full(shape, np.nan)
    whole = _TABLE.search(body)
    if whole:
        table = np.array([float(x) for x in whole.group(1).split(",")]).reshape(shape)
    for listed, numbers in _ROW.findall(body):
        keys = [key.strip() for key in listed.split(",")]
        at = tuple(states[p].index(key) for p, key in zip(parents, keys, strict=True))
        table[at] = [float(x) for x in numbers.split(",")]
    for at in itertools.product(*(range(n) for n in shape[:-1])):
        total = table[at].sum()
        if not abs(total - 1) < 0.02:
            raise InputError(f"probabilities of one variable sum to {total}")
        table[at] /= total  # files print few digits
    return table


SOURCE = "bnlearn repository, {name}.bif as bundled in pgmpy 1.1.2"
LICENCE = "pgmpy MIT; networks are published without a separate licence"

# name: (variables, rows, edges); rows of the first six are the paper's
_BNLEARN = {
    "asia": (8, 1000, 8),
    "child": (20, 1000, 25),
    "insurance": (27, 1500, 52),
    "hailfinder": (56, 5000, 66),
    "hepar2": (70, 5000, 123),
    "win95pts": (76, 5000, 112),
    "cancer": (5, 1000, 4),
    "earthquake": (5, 1000, 4),
    "survey": (6, 1000, 6),
    "sachs_discrete": (11, 1000, 17),
    "water": (32, 2000, 66),
    "mildew": (35, 2000, 46),
    "alarm": (37, 2000, 46),
    "barley": (48, 2000, 84),
}
_BNLEARN_FILES = {name: name for name in _BNLEARN} | {
    "sachs_discrete": "sachs"
}  # plain "sachs" would be the measured tables


def _file(name: str) -> str:
    return f"{_BNLEARN_FILES[name]}.bif.gz"


def _load_discrete(name: str, rows: int, seed: int) -> Case:
    network = read_bif(network_file(_file(name)))
    values = network.sample(rows, generator(name, seed)).astype(np.float64)
    return Case(
        dataset=name,
        seed=seed,
        values=values,
        names=network.names,
        adjacency=network.adjacency,
        discrete=True,
    )


DISCRETE = tuple(
    Dataset(
        name=name,
        family="bnlearn",
        source=SOURCE.format(name=_BNLEARN_FILES[name]),
        licence=LICENCE,
        recipe=f"{rows} rows by ancestral sampling; a state is coded by its position in the file",
        variables=variables,
        rows=rows,
        edges=edges,
        simulated=True,
        discrete=True,
        load=partial(_load_discrete, name, rows),
        missing=partial(missing_network, _file(name)),
    )
    for name, (variables, rows, edges) in _BNLEARN.items()
)


GAUSSIAN_ROWS = 2000

# name: (file, variables, edges)
_GAUSSIAN = {
    "magic_niab": ("magic-niab.json", 44, 66),
    "ecoli70": ("ecoli70.json", 46, 70),
    "magic_irri": ("magic-irri.json", 64, 102),
    "arth150": ("arth150.json", 107, 150),
}


@dataclass(frozen=True, kw_only=True)
class GaussianNetwork:
    """A linear Gaussian network: ``x_j = intercepts_j + x @ weights[:, j] + deviations_j * noise``."""

    names: tuple[str, ...]
    """D variables, in the order of the file."""
    weights: np.ndarray
    """(D, D); [i, j] is the coefficient of i in the equation of j. A parent may have the coefficient 0."""
    adjacency: np.ndarray
    """(D, D) bool."""
    intercepts: np.ndarray
    """(D,)."""
    deviations: np.ndarray
    """(D,) standard deviations of the noise."""

    def sample(self, rows: int, rng: np.random.Generator) -> np.ndarray:
        """(N, D) values drawn in causal order."""
        values = self.intercepts + self.deviations * rng.standard_normal((rows, len(self.names)))
        for child in nx.topological_sort(nx.DiGraph(self.adjacency)):
            values[:, child] += values @ self.weights[:, child]
        return values


@cache
def read_gaussian_network(path: Path) -> GaussianNetwork:
    """The network of a JSON file of pgmpy."""
    equations = json.loads(path.read_text())["cpds"]
    names = tuple(equations)
    position = {name: k for k, name in enumerate(names)}
    weights, adjacency = np.zeros((len(names),) * 2), np.zeros((len(names),) * 2, dtype=bool)
    intercepts, deviations = np.zeros(len(names)), np.zeros(len(names))
    for child, equation in enumerate(equations.values()):
        coefficients = {name: numbers[0] for name, numbers in equation["coefficients"].items()}
        intercepts[child] = coefficients.pop("(Intercept)")
        deviations[child] = np.sqrt(equation["variance"][0])
        for name, coefficient in coefficients.items():
            weights[position[name], child] = coefficient
            adjacency[position[name], child] = True
    return GaussianNetwork(
        names=names, weights=weights, adjacency=adjacency, intercepts=intercepts, deviations=deviations
    )


def _load_gaussian(name: str, file: str, seed: int) -> Case:
    network = read_gaussian_network(network_file(file))
    values = network.sample(GAUSSIAN_ROWS, generator(name, seed))
    return Case(dataset=name, seed=seed, values=values, names=network.names, adjacency=network.adjacency)


GAUSSIAN = tuple(
    Dataset(
        name=name,
        family="published Gaussian network",
        source=f"bnlearn repository, {file} as bundled in pgmpy 1.1.2, graph and parameters",
        licence=LICENCE,
        recipe=f"{GAUSSIAN_ROWS} rows by ancestral sampling with the published coefficients and variances",
        variables=variables,
        rows=GAUSSIAN_ROWS,
        edges=edges,
        simulated=True,
        load=partial(_load_gaussian, name, file),
        missing=partial(missing_network, file),
    )
    for name, (file, variables, edges) in _GAUSSIAN.items()
)


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
    network = read_bif(path)
    return network.names, network.adjacency


def _load_simulated(name: str, file: str, rows: int, linear: bool, seed: int) -> Case:
    names, adjacency = _graph(file)
    simulate = linear_gaussian if linear else nonlinear
    return Case(
        dataset=name,
        seed=seed,
        values=simulate(adjacency, rows, generator(name, seed)),
        names=names,
        adjacency=adjacency,
    )


def _simulated(
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
        load=partial(_load_simulated, name, file, rows, linear),
        missing=partial(missing_network, file),
        paper_edges=paper_edges,
        note=note,
    )


SIMULATED = (
    _simulated("asia_nonlinear", "asia.bif.gz", (8, 1000, 8), linear=False),
    _simulated("child_nonlinear", "child.bif.gz", (20, 1000, 25), linear=False),
    _simulated("sachs_nonlinear", "sachs.bif.gz", (11, 1000, 17), linear=False),
    _simulated("alarm_like", "alarm.bif.gz", (37, 2000, 46), linear=True),
    _simulated(
        "ecoli_like",
        "ecoli70.json",
        (46, 1000, 70),
        linear=True,
        paper_edges=58,
        note="ecoli70 as published has 70 arcs; the 58-edge version the paper used is not published",
    ),
)

DATASETS = (*DISCRETE, *GAUSSIAN, *SIMULATED)
