"""Synthetic suites that only the benchmark uses: wide graphs, and graphs with hidden common causes.

They are written apart from ``foundcause.simulate`` on purpose: the training generator would be home ground.
Shape letters: N rows, D observed variables, V observed and hidden ones.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from foundcause.bench.case import Case, Dataset, always_available
from foundcause.bench.datasets.continuous import linear_gaussian, nonlinear
from foundcause.bench.datasets.seeding import generator

DIMENSION_FAMILY = "synthetic, wide"
CONFOUNDED_FAMILY = "synthetic, hidden causes"
ROWS = 600
TASKS = 20
"""Seeds 0..19 are the twenty tasks of a suite."""


def random_dag(variables: int, degree: float, scale_free: bool, rng: np.random.Generator) -> np.ndarray:
    """(V, V) bool graph in random order: Erdos-Renyi, or preferential attachment, with this mean degree."""
    order = rng.permutation(variables)
    adjacency = np.zeros((variables, variables), dtype=bool)
    if not scale_free:
        drawn = np.triu(rng.random((variables, variables)) < degree / (variables - 1), 1)
        adjacency[np.ix_(order, order)] = drawn
        return adjacency
    attractiveness = np.ones(variables)
    for k in range(1, variables):
        count = min(k, max(1, rng.poisson(degree / 2)))
        weights = attractiveness[:k] / attractiveness[:k].sum()
        chosen = rng.choice(k, size=count, replace=False, p=weights)
        attractiveness[chosen] += 1
        adjacency[order[chosen], order[k]] = True
    return adjacency


def marginalise(graph: np.ndarray, hidden: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Graph over V and (V,) hidden to (D, D) adjacency and (D, D) confounding of the observed variables.

    i causes j when a directed path from i to j passes hidden variables only; two variables are confounded when one
    hidden variable reaches both in that way (the paper's section on hidden confounders).
    """
    within = graph & hidden[None, :] & hidden[:, None]
    reach = np.eye(len(graph), dtype=bool) & hidden[:, None]  # hidden to hidden, through hidden, in any number of steps
    while True:
        longer = reach | ((reach.astype(int) @ within.astype(int)) > 0)
        if (longer == reach).all():
            break
        reach = longer
    exits = (reach.astype(int) @ graph.astype(int)) > 0  # hidden to any, through hidden
    through = ((graph & hidden[None, :]).astype(int) @ exits.astype(int)) > 0
    shown = ~hidden
    adjacency = (graph | through)[np.ix_(shown, shown)]
    sources = exits[np.ix_(hidden, shown)].astype(int)
    confounding = (sources.T @ sources) > 0
    np.fill_diagonal(confounding, False)
    return adjacency, confounding


def _values(graph: np.ndarray, rng: np.random.Generator, seed: int) -> np.ndarray:
    values = linear_gaussian(graph, ROWS, rng) if seed % 2 else nonlinear(graph, ROWS, rng)
    return (values - values.mean(axis=0)) / values.std(axis=0)


def _wide(variables: int, seed: int) -> Case:
    rng = generator(f"synthetic_{variables}", seed)
    graph = random_dag(variables, degree=3.0, scale_free=seed % 4 >= 2, rng=rng)
    return Case(
        dataset=f"synthetic_{variables}",
        seed=seed,
        values=_values(graph, rng, seed),
        names=tuple(f"v{k}" for k in range(variables)),
        adjacency=graph,
        confounding=np.zeros_like(graph),
    )


def _confounded(variables: int, seed: int) -> Case:
    rng = generator(f"confounded_{variables}", seed)
    extra = max(1, round(0.2 * variables))
    graph = random_dag(variables + extra, degree=3.0, scale_free=seed % 4 >= 2, rng=rng)
    children = graph.sum(axis=1)
    order = np.lexsort((rng.random(len(graph)), children < 2))  # nodes with two or more children first, else at random
    hidden = np.zeros(len(graph), dtype=bool)
    hidden[order[:extra]] = True
    values = _values(graph, rng, seed)[:, ~hidden]
    adjacency, confounding = marginalise(graph, hidden)
    return Case(
        dataset=f"confounded_{variables}",
        seed=seed,
        values=values,
        names=tuple(f"v{k}" for k in range(variables)),
        adjacency=adjacency,
        confounding=confounding,
    )


def _dataset(name: str, family: str, variables: int, load: partial[Case], recipe: str) -> Dataset:
    return Dataset(
        name=name,
        family=family,
        source="simulated here",
        licence="ours",
        recipe=recipe,
        variables=variables,
        rows=ROWS,
        edges=None,
        simulated=True,
        load=load,
        missing=always_available,
    )


_MODELS = (
    f"{ROWS} rows; mean degree 3; Erdos-Renyi and preferential attachment in turn, "
    "linear Gaussian and nonlinear in turn; columns standardised"
)

DATASETS = (
    *(_dataset(f"synthetic_{d}", DIMENSION_FAMILY, d, partial(_wide, d), _MODELS) for d in (50, 60, 70, 80, 90, 100)),
    *(
        _dataset(
            f"confounded_{d}",
            CONFOUNDED_FAMILY,
            d,
            partial(_confounded, d),
            f"{_MODELS}; 20% extra variables hidden, those with two or more children first",
        )
        for d in (10, 20, 40)
    ),
)
