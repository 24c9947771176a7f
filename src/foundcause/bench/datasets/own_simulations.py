"""Suites that are simulated here. Shape letters: N rows, D observed variables, V observed and hidden ones.

- Wide graphs, and graphs with hidden common causes. They are written apart from ``foundcause.simulate`` on purpose: the
  training generator would be home ground.
- Systems in time, one row a moment: vector autoregressions and what makes them hard to read. A variable causes another
  when it enters its equation, in the same row or a later one. Also apart from ``foundcause.simulate``, and plainer.
- The paper's growing graphs by its recipe: the DoWhy path of its mixture at 50 to 100 variables. This is the generator
  of ``foundcause.simulate``, because the paper describes its suites by its training generator: 600 rows, root fraction
  0.05 to 0.40, up to 30% hidden variables, linear, additive and non-additive neural mechanisms. A share of our training
  tasks is of this path, with seeds of their own.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from functools import partial

import networkx as nx
import numpy as np

from foundcause.bench.case import Case, Dataset, always_available, generator
from foundcause.bench.datasets.published_networks import linear_gaussian, nonlinear
from foundcause.errors import DataUnavailableError
from foundcause.simulate.draws import uniform
from foundcause.simulate.mixture import PAPER, Mixture, make_task
from foundcause.simulate.settings import Sizes

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


def _synthetic(name: str, family: str, variables: int, load: partial[Case], recipe: str) -> Dataset:
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

SYNTHETIC = (
    *(_synthetic(f"synthetic_{d}", DIMENSION_FAMILY, d, partial(_wide, d), _MODELS) for d in (50, 60, 70, 80, 90, 100)),
    *(
        _synthetic(
            f"confounded_{d}",
            CONFOUNDED_FAMILY,
            d,
            partial(_confounded, d),
            f"{_MODELS}; 20% extra variables hidden, those with two or more children first",
        )
        for d in (10, 20, 40)
    ),
)


DOWHY_FAMILY = "the paper's growing graphs"
_ATTEMPTS = 50


def suite(variables: int) -> Mixture:
    """The DoWhy path at this size, without artefacts or missing cells."""
    return dataclasses.replace(
        PAPER.only("dowhy").clean(),
        dowhy=dataclasses.replace(PAPER.dowhy, graph="attachment"),  # the published figures are of these graphs
        sizes=Sizes(variables=((1.0, uniform(variables, variables)),), rows=uniform(ROWS, ROWS)),
        hiding=PAPER.hiding,
    )


def _dowhy(variables: int, seed: int) -> Case:
    from foundcause.training.run_config import RESERVED_SEEDS  # imports torch, which listing data sets must not

    mixture = suite(variables)
    for attempt in range(_ATTEMPTS):
        task = make_task(mixture, RESERVED_SEEDS["benchmark"], _ATTEMPTS * seed + attempt)
        # A column that came out constant is no column of the paper's table.
        if task.adjacency.shape[0] == variables and task.observed.all() and task.adjacency.any():
            break
    else:
        raise DataUnavailableError(f"no complete table of {variables} varying columns in {_ATTEMPTS} attempts")
    return Case(
        dataset=f"dowhy_{variables}",
        seed=seed,
        values=task.values.astype(np.float64),
        names=tuple(f"v{k}" for k in range(variables)),
        adjacency=task.adjacency.astype(bool),
        confounding=task.confounding.astype(bool),
    )


DOWHY = tuple(
    Dataset(
        name=f"dowhy_{size}",
        family=DOWHY_FAMILY,
        source="simulated here",
        licence="ours",
        recipe=f"{ROWS} rows; the DoWhy path of the mixture PAPER, without artefacts and missing cells",
        variables=size,
        rows=ROWS,
        edges=None,
        simulated=True,
        load=partial(_dowhy, size),
        missing=always_available,
    )
    for size in (50, 60, 70, 80, 90, 100)
)


SERIES_VARIABLES, SERIES_ROWS, SERIES_DEGREE = 10, 500, 3.0
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


def _load_series(name: str, system: System, seed: int) -> Case:
    rng = generator(name, seed)
    while True:
        graph = random_dag(SERIES_VARIABLES, degree=SERIES_DEGREE, scale_free=False, rng=rng)
        values = simulate_series(graph, system, rng)
        if graph.any() and np.abs(values).max() < _LARGEST:
            break
    confounding = np.zeros_like(graph)
    if system.rhythm:
        moved = np.arange(SERIES_VARIABLES) < _moved_by_rhythm()
        confounding = np.outer(moved, moved) & ~np.eye(SERIES_VARIABLES, dtype=bool)
    names = tuple(f"v{k}" for k in range(SERIES_VARIABLES))
    return Case(dataset=name, seed=seed, values=values, names=names, adjacency=graph, confounding=confounding)


def simulate_series(graph: np.ndarray, system: System, rng: np.random.Generator) -> np.ndarray:
    """(N, D) rows of a system on an acyclic graph (D, D)."""
    moments = _LEAD_IN + SERIES_ROWS * system.every
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
    return 6 * SERIES_VARIABLES // 10


def _felt(values_D: np.ndarray, system: System, turns_DD: np.ndarray) -> np.ndarray:
    """(D, D) what each variable is to each effect."""
    if not system.bent:
        return np.repeat(values_D[:, None], len(values_D), axis=1)
    bounded = np.clip(values_D, -4.0, 4.0)[:, None]
    return np.where(turns_DD, 0.5 * bounded**2 - 1.0, 2.0 * np.tanh(bounded))


SERIES = tuple(
    Dataset(
        name=name,
        family="systems in time",
        source="simulated by foundcause, apart from its training generator",
        licence="none needed",
        recipe=f"vector autoregression on a random graph of mean degree {SERIES_DEGREE:g}, weights +-[0.3, 0.9], "
        f"{SERIES_ROWS} rows: {system.recipe}",
        variables=SERIES_VARIABLES,
        rows=SERIES_ROWS,
        edges=None,
        simulated=True,
        load=partial(_load_series, name, system),
        missing=always_available,
    )
    for name, system in SYSTEMS.items()
)
