"""Living things measured: age makes size, size makes parts, these and habits make health. N rows, V nodes.

Sizes multiply: a part is a power of the whole, a weight the product of lengths, and both err by percent. Growth slows
down, functions have set points that causes shift until they are exhausted, and events are rare.
"""

from __future__ import annotations

import numpy as np

from foundcause.simulate.components.column_kinds import COLUMNS, partly_explained
from foundcause.simulate.extension import field_component
from foundcause.simulate.graphs import parent_counts, pick_parents
from foundcause.simulate.hidden_causes import hide_some
from foundcause.simulate.random_functions import random_noise, standard
from foundcause.simulate.scene_building import Builder
from foundcause.simulate.task import Scene

LAYERS = ("given", "size", "part", "function", "event")
"""From causes without causes to what happens in the end."""
_BODY = [LAYERS.index("size"), LAYERS.index("part")]
GIVEN = {"age": 0.35, "sex": 0.2, "dose": 0.15, "breed": 0.1, "habit": 0.2}
EVENTS = {"binary": 0.35, "count": 0.35, "ordinal": 0.15, "lifetime": 0.15}


@field_component("bodies")
def draw(rng: np.random.Generator, *, rows: int, variables: int) -> Scene:
    """Records of individuals: ``variables`` observed columns."""
    hidden = int(rng.uniform(0.0, 0.3) * variables)
    nodes = variables + hidden
    layer = np.sort(rng.choice(len(LAYERS), size=nodes, p=rng.dirichlet([3.0, 3.0, 5.0, 5.0, 1.5])))
    graph = _wiring(rng, layer)
    unseen = hide_some(rng, graph, hidden)
    error = float(np.exp(rng.uniform(np.log(0.06), np.log(0.6))))  # of sizes, in logarithms
    explained = float(rng.uniform(0.15, 0.8))
    builder = Builder(rows)
    logs: list[np.ndarray] = []  # what effects multiply: standardized logarithms or levels
    for node in range(nodes):
        parents = np.flatnonzero(graph[:, node])
        causes = [logs[k] for k in parents]
        name = LAYERS[layer[node]]
        if not causes:
            column, level, discrete = _given(rng, rows, name)
        elif layer[node] in _BODY:
            column, level, discrete = _grown(rng, causes, np.isin(layer[parents], _BODY), error)
        else:
            column, level, discrete = _health(rng, causes, name, explained)
        logs.append(level)
        builder.add(column, parents.tolist(), hidden=unseen[node], discrete=discrete)
    return builder.scene(latents=hidden, error=round(error, 3), explained=round(explained, 3))


def _wiring(rng: np.random.Generator, layer: np.ndarray) -> np.ndarray:
    """(V, V) bool: causes come from the layers just before, or from the same. Given nodes have none."""
    nodes = len(layer)
    counts = parent_counts(rng, nodes=nodes, edges_per_node=rng.uniform(1.0, 2.2), most_parents=4, roots=0.05)
    counts = np.where(layer == 0, 0, np.maximum(counts, 1))
    counts[0] = 0
    gap = layer[None, :] - layer[:, None]
    scores = -rng.uniform(0.8, 2.5) * np.abs(gap - 1) + rng.uniform(0.3, 1.5) * rng.normal(size=nodes)[:, None]
    graph = pick_parents(rng, scores, counts)
    if nodes > 1 and not graph.any():
        graph[0, nodes - 1] = True
    return graph


def _given(rng: np.random.Generator, rows: int, layer: str) -> tuple[np.ndarray, np.ndarray, bool]:
    """A column without causes, what its effects follow, and whether few values remain."""
    if layer != "given":
        # A size or a function with unknown causes.
        level = standard(random_noise(rng, rows))
        return np.exp(rng.uniform(0.1, 0.5) * np.clip(level, -6.0, 6.0) + rng.uniform(0.0, 5.0)), level, False
    kind = str(rng.choice(list(GIVEN), p=list(GIVEN.values())))
    if kind == "age":
        years = rng.uniform(2.0, 80.0) * rng.beta(rng.uniform(0.8, 2.5), rng.uniform(0.8, 4.0), size=rows) + 0.2
        shown = np.ceil(years) if rng.random() < 0.6 else years
        if np.ptp(shown) == 0.0:
            shown = years
        # Growth is over at some age.
        over = rng.uniform(0.15, 1.5) * years.max()
        grown = np.log1p(-np.exp(-(years + 0.02 * over) / over * 2.0)) if rng.random() < 0.7 else np.log(years)
        return shown, standard(grown), len(np.unique(shown)) <= 12
    if kind in ("sex", "breed"):
        groups = 2 if kind == "sex" else int(rng.integers(3, 7))
        code = rng.choice(groups, size=rows, p=rng.dirichlet(np.full(groups, 8.0)))
        code[:groups] = np.arange(groups)
        return code.astype(np.float64), standard(rng.normal(size=groups)[code]), True
    if kind == "dose":
        levels = np.cumsum(rng.choice([1.0, 1.0, 2.0], int(rng.integers(3, 8)))) - 1.0
        dose = levels[rng.integers(len(levels), size=rows)]
        dose[:2] = levels[[0, -1]]
        return dose, standard(np.log1p(dose) if rng.random() < 0.5 else dose), True
    level = standard(random_noise(rng, rows))
    return level * rng.uniform(0.5, 10.0) + rng.uniform(0.0, 50.0), level, False


def _grown(
    rng: np.random.Generator, causes: list[np.ndarray], bodily: np.ndarray, error: float
) -> tuple[np.ndarray, np.ndarray, bool]:
    """A size as a product of powers of its causes, written in some unit. ``bodily`` marks causes that are sizes."""
    log = np.zeros(len(causes[0]))
    for cause, body in zip(causes, bodily, strict=True):
        power = rng.uniform(0.5, 1.5) if body else rng.choice([1.0, -1.0], p=[0.7, 0.3]) * rng.uniform(0.3, 1.2)
        log = log + power * cause
    own = max(error * np.exp(rng.normal(0.0, 0.6)), 0.04)
    if not bodily.any():
        # Neither age nor sex makes all bodies of one size.
        own = max(own, rng.uniform(0.3, 1.5))
    log = standard(standard(log) + own * random_noise(rng, len(log)))
    value = np.exp(rng.uniform(0.05, 0.6) * np.clip(log, -6.0, 6.0) * rng.choice([1.0, 3.0], p=[0.8, 0.2]))
    value = value * np.exp(rng.uniform(0.0, 6.0))
    if rng.random() < 0.4:
        step = 10.0 ** np.floor(np.log10(value.std() + 1e-9)) * rng.choice([0.05, 0.1, 0.5])
        value = np.round(value / step) * step
    if rng.random() < 0.1 and value.min() > 0.0:
        value = np.log(value)
    return value, log, len(np.unique(value)) <= 12


def _health(
    rng: np.random.Generator, causes: list[np.ndarray], layer: str, explained: float
) -> tuple[np.ndarray, np.ndarray, bool]:
    """A function around its set point, or an event."""
    own = random_noise(rng, len(causes[0]))
    latent = partly_explained(rng, causes, own, explained=explained, curvature=0.4)
    if rng.random() < 0.25:
        # Regulation gives way up to its limits.
        latent = standard(np.tanh(rng.uniform(0.5, 1.5) * latent + rng.normal(0.0, 0.5)))
    if layer == "function":
        return COLUMNS[str(rng.choice(["normal", "amount", "percent"], p=[0.5, 0.4, 0.1]))](rng, latent, 5)
    event = str(rng.choice(list(EVENTS), p=list(EVENTS.values())))
    if event == "lifetime":
        wait = rng.weibull(rng.uniform(0.8, 4.0), size=len(latent)) * np.exp(rng.uniform(0.3, 1.0) * latent)
        wait = np.minimum(wait, np.quantile(wait, rng.uniform(0.6, 1.0)))
        return wait * rng.uniform(1.0, 50.0), standard(np.log(wait + 1e-9)), False
    return COLUMNS[event](rng, latent, 5)
