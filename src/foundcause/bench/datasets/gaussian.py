"""Tables sampled from published Gaussian networks with the parameters that were fitted to real measurements.

Expression of genes (ecoli70, arth150) and traits of wheat and rice beside their genetic markers (magic_niab,
magic_irri), as bundled in pgmpy. Shape letters: N rows, D variables.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

import networkx as nx
import numpy as np

from foundcause.bench.case import Case, Dataset
from foundcause.bench.datasets.bnlearn import LICENCE
from foundcause.bench.datasets.seeding import generator
from foundcause.bench.location import network_absent, network_file

ROWS = 2000

# name: (file, variables, edges)
_SIZES = {
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
def read(path: Path) -> GaussianNetwork:
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


def _load(name: str, file: str, seed: int) -> Case:
    network = read(network_file(file))
    values = network.sample(ROWS, generator(name, seed))
    return Case(dataset=name, seed=seed, values=values, names=network.names, adjacency=network.adjacency)


DATASETS = tuple(
    Dataset(
        name=name,
        family="published Gaussian network",
        source=f"bnlearn repository, {file} as bundled in pgmpy 1.1.2, graph and parameters",
        licence=LICENCE,
        recipe=f"{ROWS} rows by ancestral sampling with the published coefficients and variances",
        variables=variables,
        rows=ROWS,
        edges=edges,
        simulated=True,
        load=partial(_load, name, file),
        missing=partial(network_absent, file),
    )
    for name, (file, variables, edges) in _SIZES.items()
)
