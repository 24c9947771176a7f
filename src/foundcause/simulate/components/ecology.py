"""Sites and species: terrain makes climate and soil, these make niches, and species feed on one another.

This component is never trained on. It stands in for fields that we did not think of: networks answer here by
transfer. N rows (sites), V nodes.
"""

from __future__ import annotations

import numpy as np

from foundcause.simulate.extension import field_component
from foundcause.simulate.graphs import parent_counts, pick_parents
from foundcause.simulate.random_functions import standard
from foundcause.simulate.scene_building import Builder
from foundcause.simulate.task import Scene

RECORDS = {"count": 0.35, "density": 0.25, "presence": 0.15, "cover": 0.15, "classes": 0.1}


@field_component("ecology", role="thresholds")
def draw(rng: np.random.Generator, *, rows: int, variables: int) -> Scene:
    """A survey of sites: environment and species, ``variables`` observed columns."""
    environment = int(np.clip(round(rng.uniform(0.25, 0.6) * variables), 1, variables))
    effort = variables >= 4 and rng.random() < 0.3
    builder = Builder(rows)
    gradients: list[np.ndarray] = []
    graph = _wiring(rng, variables, environment)
    observer = builder.add(0.4 * rng.standard_normal(rows), [], hidden=True) if effort else None
    offset = 0 if observer is None else 1
    noise = rng.uniform(0.2, 1.0)
    habits = dict(zip(RECORDS, rng.dirichlet(2 * np.array(list(RECORDS.values()))), strict=True))
    for node in range(variables):
        parents = np.flatnonzero(graph[:, node])
        if node < environment:
            level, column = _gradient(rng, rows, [gradients[k] for k in parents], noise)
            gradients.append(level)
            builder.add(column, (parents + offset).tolist())
            continue
        log_size = _population(rng, [gradients[k] for k in parents], parents < environment, rows, noise)
        gradients.append(standard(log_size))
        causes = (parents + offset).tolist()
        seen = log_size
        if observer is not None and rng.random() < 0.7:
            seen = log_size + builder.column(observer)
            causes.append(observer)
        column, discrete = _recorded(rng, seen, str(rng.choice(list(habits), p=list(habits.values()))))
        builder.add(column, causes, discrete=discrete)
    return builder.scene(environment=environment, effort=effort, noise=round(float(noise), 3))


def _wiring(rng: np.random.Generator, nodes: int, environment: int) -> np.ndarray:
    """(V, V) bool, causes before effects: species need some environment, and eat the species before them."""
    counts = parent_counts(rng, nodes=nodes, edges_per_node=rng.uniform(0.9, 2.0), most_parents=4)
    scores = rng.uniform(0.0, 1.0) * rng.standard_normal(nodes)[:, None] * np.ones((1, nodes))
    species = np.arange(nodes) >= environment
    scores += np.where(species[:, None] & species[None, :], rng.uniform(-1.0, 1.5), 0.0)
    return pick_parents(rng, scores, counts)


def _gradient(
    rng: np.random.Generator, rows: int, causes: list[np.ndarray], noise: float
) -> tuple[np.ndarray, np.ndarray]:
    """An environmental variable: its standardized level, and the column in its units, (N,) each."""
    if causes:
        level = sum(rng.choice([-1.0, 1.0]) * rng.uniform(0.4, 1.2) * _curved(rng, cause) for cause in causes)
        level = standard(np.asarray(level)) + noise * rng.standard_normal(rows)
    else:
        # Sites lie along transects, in clusters, or anywhere.
        kind = rng.random()
        if kind < 0.4:
            level = rng.beta(rng.uniform(0.7, 2.5), rng.uniform(0.7, 2.5), size=rows)
        elif kind < 0.7:
            level = rng.standard_normal(9)[rng.integers(0, int(rng.integers(3, 10)), rows)] + 0.4 * rng.standard_normal(
                rows
            )
        else:
            level = rng.standard_normal(rows)
    level = standard(level)
    unit = rng.random()
    if unit < 0.3:
        return level, np.exp(rng.uniform(0.2, 0.8) * level)
    return level, np.round(level, 1) if unit < 0.45 else level * rng.uniform(0.5, 20.0) + rng.normal(0.0, 20.0)


def _population(
    rng: np.random.Generator, causes: list[np.ndarray], abiotic: np.ndarray, rows: int, noise: float
) -> np.ndarray:
    """Logarithm of the size of a population, (N,): niches along gradients, food, enemies, and chance."""
    log_size = np.full(rows, rng.normal(1.0, 0.8))
    for cause, is_gradient in zip(causes, abiotic, strict=True):
        if is_gradient and rng.random() < 0.6:
            optimum, tolerance = rng.normal(0.0, 0.8), rng.uniform(0.6, 1.8)
            log_size = log_size - (cause - optimum) ** 2 / (2.0 * tolerance**2)
        elif is_gradient:
            log_size = log_size + rng.choice([-1.0, 1.0]) * rng.uniform(0.4, 1.2) * cause
        else:
            food = rng.random() < 0.6
            # Food saturates, enemies do not.
            log_size = log_size + (rng.uniform(0.5, 1.5) * np.tanh(cause) if food else -rng.uniform(0.3, 1.0) * cause)
    return log_size + noise * rng.standard_normal(rows)


def _recorded(rng: np.random.Generator, log_size: np.ndarray, record: str) -> tuple[np.ndarray, bool]:
    """The column of the field sheet, (N,), and whether it has codes or counts."""
    size = np.exp(np.clip(log_size, -8.0, 8.0))
    if record == "count":
        return rng.poisson(size * rng.gamma(2.0, 0.5, len(size)) * rng.uniform(1.0, 8.0)).astype(np.float64), True
    if record == "presence":
        share = rng.uniform(0.2, 0.8)
        caught = log_size + 0.5 * rng.standard_normal(len(size))
        return (caught > np.quantile(caught, share)).astype(np.float64), True
    if record == "cover":
        return np.round(100.0 * size / (size + np.median(size))), False
    if record == "classes":
        steps = np.quantile(log_size, np.sort(rng.uniform(0.1, 0.9, int(rng.integers(2, 5)))))
        return (log_size[:, None] > steps).sum(axis=1).astype(np.float64), True
    return (np.log1p(size) if rng.random() < 0.5 else size), False


def _curved(rng: np.random.Generator, level: np.ndarray) -> np.ndarray:
    kind = rng.random()
    if kind < 0.6:
        return level
    return np.tanh(1.5 * level) if kind < 0.8 else np.minimum(level, rng.normal(0.3, 0.5))
