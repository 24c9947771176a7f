"""Flows along a network: rivers, pipes, roads, grids, money. N rows in order of time, V nodes.

Amounts add where ways meet, take time, are stored and held up at capacities. Gauges follow powers of them, and delays
explode where ways are full.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.signal import lfilter

from foundcause.simulate.extension import field_component
from foundcause.simulate.graphs import wire
from foundcause.simulate.hidden_causes import hide_some
from foundcause.simulate.random_functions import random_noise, smooth_noise
from foundcause.simulate.scene_building import Builder
from foundcause.simulate.task import Scene

SOURCES = {"rain": 0.25, "spring": 0.3, "rhythm": 0.15, "valve": 0.15, "plain": 0.15}
"""Kinds of nodes without causes. There is at most one rhythm, because two would be confounded."""
LAWS = {"flow": 0.5, "gauge": 0.2, "store": 0.1, "strain": 0.1, "share": 0.1}
FORMS = {"gates": 0.4, "chain": 0.15, "tree": 0.15, "plain": 0.15, "layered": 0.15}


@dataclass(frozen=True, kw_only=True)
class Bed:
    """Parameters that the ways of a scene share.

    memory: typical share of an inflow that is left a row later.
    late: share of ways on which one row is too short to arrive.
    error: typical chance of a node's own, over the deviation of its logarithm.
    local: typical unobserved flow that joins on the way, over the deviation of what arrives.
    """

    memory: float
    late: float
    error: float
    local: float


@field_component("flows")
def draw(rng: np.random.Generator, *, rows: int, variables: int) -> Scene:
    """A record of ``variables`` observed stations."""
    hidden = int(rng.uniform(0.0, 0.3) * variables)
    shape = str(rng.choice(list(FORMS), p=list(FORMS.values())))
    graph = wire(rng, nodes=variables + hidden, form=shape, edges_per_node=rng.uniform(0.8, 1.9), most_parents=5)
    unseen = hide_some(rng, graph, hidden)
    bed = Bed(
        memory=float(rng.choice([0.0, rng.uniform(0.2, 0.95)], p=[0.4, 0.6])),
        late=float(rng.choice([0.0, rng.uniform(0.1, 0.6)])),
        error=float(np.exp(rng.uniform(np.log(0.01), np.log(0.4)))),
        local=float(rng.uniform(0.02, 0.6)),
    )
    builder = Builder(rows)
    amounts: list[np.ndarray] = []  # of mean one
    rhythm = False
    for node in range(len(graph)):
        parents = np.flatnonzero(graph[:, node])
        if len(parents) == 0:
            kind = str(rng.choice(list(SOURCES), p=list(SOURCES.values())))
            kind = "spring" if kind == "rhythm" and rhythm else kind
            rhythm |= kind == "rhythm"
            amount = _source(rng, rows, kind, bed)
        else:
            arriving = [_arriving(rng, amounts[k], bed) for k in parents]
            amount = _through(rng, arriving, bed)
        column, amount, discrete = _read(rng, amount / amount.mean())
        amounts.append(amount)
        builder.add(column, parents.tolist(), hidden=unseen[node], discrete=discrete)
    return builder.scene(shape=shape, latents=hidden, memory=round(bed.memory, 3), error=round(bed.error, 4))


def _source(rng: np.random.Generator, rows: int, kind: str, bed: Bed) -> np.ndarray:
    """A positive inflow without causes, (N,)."""
    memory = float(np.clip(bed.memory + 0.15 * rng.normal(), 0.0, 0.98)) * (bed.memory > 0.0)
    slow = smooth_noise(rng, rows, 1, np.array([memory]))[:, 0]
    if kind == "rain":
        fallen = np.maximum(slow - rng.uniform(-0.8, 0.8), 0.0) ** rng.uniform(1.0, 2.0)
        return fallen + rng.choice([0.001, 0.1]) + 1e-3 * rng.random(rows)
    if kind == "rhythm":
        turn = np.arange(rows) / rows * rng.uniform(2.0, 40.0) + rng.random()
        return np.exp(rng.uniform(0.3, 1.0) * np.sin(2 * np.pi * turn) + rng.uniform(0.05, 0.3) * slow)
    if kind == "valve":
        levels = np.linspace(rng.uniform(0.05, 0.6), 1.0, int(rng.integers(2, 8)))
        opening = slow + rng.normal(0.0, 0.05, rows)
        return levels[np.clip(((opening + 2.0) / 4.0 * len(levels)).astype(np.int64), 0, len(levels) - 1)]
    shape = slow if kind == "spring" else random_noise(rng, rows)
    return np.exp(np.clip(rng.uniform(0.1, 1.0) * shape, -5.0, 5.0))


def _arriving(rng: np.random.Generator, amount: np.ndarray, bed: Bed) -> np.ndarray:
    """An upstream amount on arrival, (N,): at once, or spread over rows."""
    if rng.random() >= bed.late:
        return amount
    stay = rng.uniform(0.1, max(0.4, bed.memory))
    return lfilter([1.0 - stay], [1.0, -stay], amount - amount[0]) + amount[0]


def _through(rng: np.random.Generator, arriving: list[np.ndarray], bed: Bed) -> np.ndarray:
    """A positive amount (N,) made of what arrives, and of chance."""
    rows = len(arriving[0])
    law = str(rng.choice(list(LAWS), p=list(LAWS.values())))
    spreads = np.array([a.std() for a in arriving]) + 1e-3
    # Steady ways carry more, or they would be drowned by the others.
    weight = np.clip(np.exp(rng.normal(0.0, 0.6, len(arriving))), 0.3, 3.0)
    weight = weight * np.minimum(np.sqrt(spreads.max() / spreads), 5.0)
    total = sum(w * a for w, a in zip(weight / weight.sum(), arriving, strict=True)) + np.zeros(rows)
    spread = max(total.std(), 1e-3)
    if law in ("flow", "store"):
        local = np.clip(bed.local * np.exp(0.5 * rng.normal()), 0.01, 1.5) * spread
        total = total + local * (random_noise(rng, rows) + 2.0).clip(0.0)
        if law == "store":
            stay = rng.uniform(0.3, 0.9)
            total = lfilter([1.0 - stay], [1.0, -stay], total - total[0]) + total[0]
        if rng.random() < 0.25:
            # Any excess stays behind or is spilled.
            limit = np.quantile(total, rng.uniform(0.6, 0.98))
            total = np.where(total > limit, limit + rng.choice([0.0, 0.1, 0.3]) * (total - limit), total)
    elif law == "gauge":
        total = np.maximum(total - rng.uniform(0.0, 0.9) * total.min(), 1e-6) ** rng.uniform(0.3, 2.5)
    elif law == "strain":
        full = total / (np.quantile(total, rng.uniform(0.7, 0.99)) * rng.uniform(1.0, 1.4))
        total = 1.0 + rng.uniform(0.2, 3.0) * np.minimum(full, 3.0) ** rng.uniform(1.5, 6.0)
        total = 1.0 / total if rng.random() < 0.5 else total  # speed or time on the way
    elif len(arriving) > 1:
        total = 0.02 + arriving[0] / (arriving[0] + total + 1e-6)
    else:
        total = 0.02 + arriving[0] / (arriving[0] + rng.uniform(0.3, 3.0))  # a process that saturates
    own = max(bed.error * np.exp(0.5 * rng.normal()), 0.04)
    # Of the spread of the logarithm, so that steady flows are not drowned.
    width = np.log(np.maximum(total, 1e-6)).std()
    return np.maximum(total, 1e-6) * np.exp(np.clip(max(own * width, 1e-3) * random_noise(rng, rows), -4.0, 4.0))


def _read(rng: np.random.Generator, amount: np.ndarray) -> tuple[np.ndarray, np.ndarray, bool]:
    """The column of a station in its unit, the amount that goes on, and whether few values remain."""
    value = amount * np.exp(rng.uniform(-2.0, 7.0))
    touch = rng.random()
    if touch < 0.12:
        value = np.log(value)
    elif touch < 0.2:
        # Cars and parcels are counted: the count itself goes on.
        value = rng.poisson(np.minimum(amount * np.exp(rng.uniform(2.0, 6.0)), 1e9)).astype(np.float64)
        amount = (value + 0.5) / (value + 0.5).mean()
    elif touch < 0.5:
        step = max(value.std(), 1e-9) * rng.choice([0.01, 0.05, 0.2])
        value = np.round(value / step) * step
    return value, amount, len(np.unique(value)) <= 12
