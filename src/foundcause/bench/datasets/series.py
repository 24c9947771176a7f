"""Systems that move in time, one row a moment: vector autoregressions and what makes them hard to read.

Written apart from ``foundcause.simulate``, and plainer: the training generator would be home ground. A variable causes
another when it enters its equation, in the same row or a later one. Shape letters: N rows, D variables.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import networkx as nx
import numpy as np

from foundcause.bench.case import Case, Dataset, always_available
from foundcause.bench.datasets.seeding import generator
from foundcause.bench.datasets.synthetic import random_dag

VARIABLES, ROWS, DEGREE = 10, 500, 3.0
_LEAD_IN = 300
_LARGEST = 1e6


@dataclass(frozen=True, kw_only=True)
class System:
    """One kind of system, in words for the registry and in numbers."""

    recipe: str
    """What is special about it."""
    late: float = 0.5
    """Share of effects that come a row later."""
    memory: tuple[float, float] = (0.3, 0.9)
    """What is left of a variable a row later."""
    tails: float | None = None
    """Degrees of freedom of Student noise; None for Gaussian noise."""
    bent: bool = False
    """Whether effects saturate or turn instead of being linear."""
    rhythm: bool = False
    """Whether a hidden cycle moves six of ten variables, each in a phase of its own."""
    every: int = 1
    """Of how many moments one row is seen."""


SYSTEMS = {
    "var_late": System(recipe="all effects come a row later", late=1.0),
    "var_both": System(recipe="half of the effects come a row later, half in the same row"),
    "var_within": System(recipe="all effects come in the same row: nothing leads", late=0.0),
    "var_heavy": System(recipe="half of the effects a row later, Student noise of 4 degrees of freedom", tails=4.0),
    "var_bent": System(recipe="half of the effects a row later, saturating or quadratic", bent=True),
    "var_drifting": System(recipe="half of the effects a row later, nearly random walks", memory=(0.97, 0.998)),
    "var_rhythm": System(recipe="half of the effects a row later, a hidden cycle moves most variables", rhythm=True),
    "var_coarse": System(recipe="all effects a moment later, one row for three moments", late=1.0, every=3),
}


def _load(name: str, system: System, seed: int) -> Case:
    rng = generator(name, seed)
    while True:
        graph = random_dag(VARIABLES, degree=DEGREE, scale_free=False, rng=rng)
        values = simulate(graph, system, rng)
        if graph.any() and np.abs(values).max() < _LARGEST:
            break
    confounding = np.zeros_like(graph)
    if system.rhythm:
        moved = np.arange(VARIABLES) < _moved_by_rhythm()
        confounding = np.outer(moved, moved) & ~np.eye(VARIABLES, dtype=bool)
    names = tuple(f"v{k}" for k in range(VARIABLES))
    return Case(dataset=name, seed=seed, values=values, names=names, adjacency=graph, confounding=confounding)


def simulate(graph: np.ndarray, system: System, rng: np.random.Generator) -> np.ndarray:
    """(N, D) rows of a system on an acyclic graph (D, D)."""
    moments = _LEAD_IN + ROWS * system.every
    weights = graph * rng.uniform(0.3, 0.9, graph.shape) * rng.choice([-1.0, 1.0], graph.shape)
    late = rng.random(graph.shape) < system.late
    turns = rng.random(graph.shape) < 0.5
    memory = rng.uniform(*system.memory, len(graph))
    noise = rng.standard_normal((moments, len(graph)))
    if system.tails is not None:
        noise = rng.standard_t(system.tails, (moments, len(graph)))
    if system.rhythm:
        time, period = np.arange(moments)[:, None], rng.uniform(8.0, 40.0)
        wave = np.sin(2 * np.pi * (time / period + rng.random(len(graph)))) * rng.uniform(0.5, 1.5, len(graph))
        noise = noise + wave * (np.arange(len(graph)) < _moved_by_rhythm())
    values = np.zeros((moments, len(graph)))
    order = list(nx.topological_sort(nx.DiGraph(graph)))
    for now in range(1, moments):
        before = values[now - 1]
        values[now] = memory * before + noise[now] + (weights * late * _felt(before, system, turns)).sum(axis=0)
        for effect in order:
            causes = graph[:, effect] & ~late[:, effect]
            if causes.any():
                felt = _felt(values[now], system, turns)[causes, effect]
                values[now, effect] += weights[causes, effect] @ felt
    return values[_LEAD_IN :: system.every]


def _moved_by_rhythm() -> int:
    return 6 * VARIABLES // 10


def _felt(values_D: np.ndarray, system: System, turns_DD: np.ndarray) -> np.ndarray:
    """(D, D) what each variable is to each effect."""
    if not system.bent:
        return np.repeat(values_D[:, None], len(values_D), axis=1)
    bounded = np.clip(values_D, -4.0, 4.0)[:, None]
    return np.where(turns_DD, 0.5 * bounded**2 - 1.0, 2.0 * np.tanh(bounded))


DATASETS = tuple(
    Dataset(
        name=name,
        family="systems in time",
        source="simulated by foundcause, apart from its training generator",
        licence="none needed",
        recipe=f"vector autoregression on a random graph of mean degree {DEGREE:g}, weights +-[0.3, 0.9], {ROWS} rows: "
        f"{system.recipe}",
        variables=VARIABLES,
        rows=ROWS,
        edges=None,
        simulated=True,
        load=partial(_load, name, system),
        missing=always_available,
    )
    for name, system in SYSTEMS.items()
)
