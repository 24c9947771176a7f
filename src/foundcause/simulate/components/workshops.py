"""Things made in batches: settings, materials, tools that wear, measures with an optimum, defects. N rows (pieces).

Settings have few levels and are held for a while. Pieces of one batch are alike, and operators correct in steps. A
cause may move the spread as well as the mean, and a piece is bad on either side of its tolerance. V nodes, B batches.
"""

from __future__ import annotations

import numpy as np

from foundcause.simulate.components.column_kinds import COLUMNS, Written, partly_explained
from foundcause.simulate.extension import field_component
from foundcause.simulate.graphs import wire
from foundcause.simulate.hidden_causes import hide_some
from foundcause.simulate.random_functions import random_noise, smooth_noise, standard
from foundcause.simulate.scene_building import Builder
from foundcause.simulate.task import Scene

ROOTS = {"setting": 0.4, "material": 0.25, "wear": 0.1, "ambient": 0.1, "piece": 0.15}
"""Kinds of nodes without causes. There is at most one clock of wear, because two would be confounded."""
KINDS = {"process": 0.4, "dimension": 0.3, "correction": 0.15, "defect": 0.15}
_FORMS = ("layered", "plain", "hubs", "tree", "gates", "chain")


@field_component("workshops")
def draw(rng: np.random.Generator, *, rows: int, variables: int) -> Scene:
    """A log of production: ``variables`` observed columns."""
    hidden = int(rng.uniform(0.0, 0.3) * variables)
    shape = str(rng.choice(_FORMS))
    graph = wire(rng, nodes=variables + hidden, form=shape, edges_per_node=rng.uniform(0.8, 2.0), most_parents=5)
    unseen = hide_some(rng, graph, hidden)
    batch = _batches(rng, rows)
    alike = float(rng.choice([0.0, rng.uniform(0.1, 0.7)], p=[0.4, 0.6]))  # share of chance that a batch has in common
    explained = rng.uniform(0.25, 0.9)
    curvature = rng.uniform(0.2, 0.7)
    spread = rng.choice([0.0, rng.uniform(0.1, 0.5)])  # share of columns whose spread a cause moves
    builder = Builder(rows)
    scores: list[np.ndarray] = []
    worn = False
    for node in range(len(graph)):
        parents = np.flatnonzero(graph[:, node])
        if len(parents) == 0:
            kind = str(rng.choice(list(ROOTS), p=list(ROOTS.values())))
            kind = "piece" if kind == "wear" and worn else kind
            worn |= kind == "wear"
            column, score, discrete = _given(rng, batch, kind)
        else:
            causes = [scores[k] for k in parents]
            own = _own(rng, batch, alike)
            if rng.random() < spread:
                own = standard(own * np.exp(rng.uniform(0.2, 0.8) * np.clip(causes[0], -3.0, 3.0)))
            latent = partly_explained(rng, causes, own, explained=explained, curvature=curvature)
            column, score, discrete = _made(rng, latent)
        scores.append(standard(score))
        builder.add(column, parents.tolist(), hidden=unseen[node], discrete=discrete)
    batches = int(batch[-1]) + 1
    return builder.scene(shape=shape, latents=hidden, batches=batches, alike=round(alike, 3))


def _batches(rng: np.random.Generator, rows: int) -> np.ndarray:
    """The batch of every piece in order of time, (N,) int: 0 .. B - 1, of uneven sizes.

    Many enough that what two columns do by batch is no likeness by chance.
    """
    count = int(np.exp(rng.uniform(np.log(min(40.0, rows / 4.0)), np.log(rows / 3.0))))
    bounds = np.sort(rng.choice(np.arange(1, rows), size=count - 1, replace=False))
    return np.searchsorted(bounds, np.arange(rows), side="right")


def _own(rng: np.random.Generator, batch: np.ndarray, alike: float) -> np.ndarray:
    """Own noise, standardized (N,): chance of the piece, and of its batch."""
    alone = random_noise(rng, len(batch))
    if alike == 0.0:
        return standard(alone)
    share = np.clip(alike + 0.2 * rng.normal(), 0.0, 0.95)
    return standard(np.sqrt(share) * rng.normal(size=batch[-1] + 1)[batch] + np.sqrt(1.0 - share) * alone)


def _given(rng: np.random.Generator, batch: np.ndarray, kind: str) -> Written:
    """A column without causes, what its effects follow, and whether few values remain."""
    rows, count = len(batch), int(batch[-1]) + 1
    if kind == "setting":
        levels = np.cumsum(rng.choice([1.0, 1.0, 2.0], int(rng.integers(2, 9)))) * float(rng.choice([0.5, 5.0, 20.0]))
        # Set for a batch, or anew for every piece as in an experiment.
        held = rng.random() < 0.6
        chosen = rng.integers(len(levels), size=count)[batch] if held else rng.integers(len(levels), size=rows)
        chosen[[0, -1]] = [0, len(levels) - 1]
        return levels[chosen] + rng.uniform(0.0, 200.0), levels[chosen], True
    if kind == "material":
        # The same number in all pieces of a batch would identify it, and with it all else that it has in common.
        value = random_noise(rng, count)[batch] + rng.choice([0.4, 0.7, 1.0]) * rng.normal(size=rows)
        return value * rng.uniform(0.5, 10.0) + rng.uniform(20.0, 100.0), value, False
    if kind == "wear":
        # Pieces made since the last service.
        serviced = rng.random(rows) < rng.integers(2, 20) / rows
        serviced[0] = True
        time = np.arange(rows)
        since = time - np.maximum.accumulate(np.where(serviced, time, 0)) + 1.0
        return since, since ** rng.choice([0.5, 1.0, 2.0]), False
    if kind == "ambient":
        value = smooth_noise(rng, rows, 1, np.array([rng.uniform(0.8, 0.99)]))[:, 0]
        return np.round(value * rng.uniform(1.0, 6.0) + 20.0, 1), value, False
    value = random_noise(rng, rows)
    return value * rng.uniform(0.01, 5.0) + rng.uniform(20.0, 100.0), value, False


def _made(rng: np.random.Generator, latent: np.ndarray) -> Written:
    """What happens in the process, a measure of the piece, a correction by hand, or a defect."""
    kind = str(rng.choice(list(KINDS), p=list(KINDS.values())))
    if kind == "process":
        return COLUMNS[str(rng.choice(["normal", "amount", "percent"], p=[0.5, 0.3, 0.2]))](rng, latent, 5)
    if kind == "dimension":
        tolerance = np.exp(rng.uniform(-4.0, 1.0))
        value = rng.uniform(5.0, 100.0) + tolerance * latent
        if rng.random() < 0.6:
            gauge = tolerance * rng.choice([0.02, 0.1, 0.3])
            value = np.round(value / gauge) * gauge
        return value, latent, len(np.unique(value)) <= 12
    if kind == "correction":
        step = rng.uniform(0.4, 1.5)
        code = np.round(latent / step)
        if np.ptp(code) == 0.0:
            code = (latent > 0.0).astype(np.float64)
        return code * rng.choice([0.5, 1.0, 10.0]), code, True
    beyond = np.abs(latent - rng.uniform(-1.0, 1.0)) if rng.random() < 0.6 else latent
    if rng.random() < 0.5:
        bad = (beyond > np.quantile(beyond, rng.uniform(0.6, 0.96))).astype(np.float64)
        return bad, bad, True
    faults = rng.poisson(np.exp(np.clip(rng.uniform(0.5, 1.2) * standard(beyond) + rng.uniform(-1.0, 2.0), -5.0, 5.0)))
    return faults.astype(np.float64), np.sqrt(faults), True
