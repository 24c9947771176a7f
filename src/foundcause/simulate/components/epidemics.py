"""Outbreaks in towns: attack rates solve an implicit equation, hazards add, wards overflow. N rows (towns), V nodes.

Held out of training, for reporting only. Below one secondary case an outbreak dies out and above it explodes, so that
effects have thresholds that no sum of causes has. Counts are draws from populations.
"""

from __future__ import annotations

import numpy as np

from foundcause.simulate.extension import field_component
from foundcause.simulate.graphs import wire
from foundcause.simulate.hidden_causes import hide_some
from foundcause.simulate.scene_building import Builder
from foundcause.simulate.task import Scene

LAWS = {"attack": 0.3, "hazard": 0.2, "cases": 0.2, "ward": 0.15, "closure": 0.15}
_FORMS = ("layered", "chain", "tree", "modules")
_ITERATIONS = 30  # of the fixed point of an attack rate


@field_component("epidemics", role="report")
def draw(rng: np.random.Generator, *, rows: int, variables: int) -> Scene:
    """Towns after an outbreak, with ``variables`` observed columns."""
    hidden = int(rng.uniform(0.0, 0.25) * variables)
    form = str(rng.choice(_FORMS))
    graph = wire(rng, nodes=variables + hidden, form=form, edges_per_node=rng.uniform(0.8, 2.2), most_parents=4)
    unseen = hide_some(rng, graph, hidden)
    error = float(np.exp(rng.uniform(np.log(0.05), np.log(0.5))))
    people = np.exp(rng.uniform(5.0, 8.0))
    builder = Builder(rows)
    levels: list[np.ndarray] = []  # positive, of mean one
    for node in range(len(graph)):
        parents = np.flatnonzero(graph[:, node])
        if len(parents):
            law = str(rng.choice(list(LAWS), p=list(LAWS.values())))
            column, level, discrete = _outcome(rng, law, [levels[k] for k in parents], error, people)
        else:
            column, level, discrete = _given(rng, rows)
        levels.append((level + 1e-6) / (level.mean() + 1e-6))
        builder.add(column, parents.tolist(), hidden=bool(unseen[node]), discrete=discrete)
    return builder.scene(form=form, error=round(error, 3), latents=hidden)


def _given(rng: np.random.Generator, rows: int) -> tuple[np.ndarray, np.ndarray, bool]:
    """A density of people, a share that is immune, or the week in which it began."""
    kind = rng.random()
    if kind < 0.5:
        level = np.exp(rng.uniform(0.3, 0.9) * rng.standard_normal(rows))
        return level * np.exp(rng.uniform(0.0, 6.0)), level, False
    if kind < 0.8:
        share = rng.beta(rng.uniform(1.0, 4.0), rng.uniform(1.0, 4.0), size=rows)
        return np.round(100.0 * share, 1), 0.1 + share, False
    week = rng.integers(1, 53, size=rows)
    return week.astype(float), 1.0 + 0.6 * np.cos(2.0 * np.pi * week / 52.0), True


def _outcome(
    rng: np.random.Generator, law: str, causes: list[np.ndarray], error: float, people: float
) -> tuple[np.ndarray, np.ndarray, bool]:
    """A column, its level (N,), and whether few values remain."""
    rows = len(causes[0])
    powers = rng.uniform(0.7, 1.5, len(causes)) * rng.choice([1.0, 1.0, -1.0], len(causes))
    push = np.exp(np.clip(sum(p * np.log(c) for p, c in zip(powers, causes, strict=True)), -3.0, 3.0))
    push = push / np.median(push) * np.exp(error * rng.standard_normal(rows))
    if law == "attack":  # share of people infected: z = 1 - exp(-R z), from above
        spread = rng.uniform(0.9, 1.8) * push
        attack = np.ones(rows)
        for _ in range(_ITERATIONS):
            attack = 1.0 - np.exp(-spread * attack)
        attack = attack + 0.02 * push / (1.0 + push)  # imported cases, where nothing spreads
        return 100.0 * attack, attack, False
    if law == "hazard":
        share = 1.0 - np.exp(-rng.uniform(0.2, 1.0) * push)
        return share, share, False
    if law == "cases":
        counted = rng.poisson(np.minimum(rng.uniform(0.01, 0.1) * people * push, 1e7)).astype(float)
        if np.ptp(counted) == 0.0:
            counted[np.argsort(push)[-2:]] += 1.0
        return counted, counted + 0.5, False
    if law == "ward":  # what exceeds the beds is turned away
        beds = np.quantile(push, rng.uniform(0.5, 0.9))
        turned = np.maximum(push - beds, 0.0) + 0.05 * push
        return np.round(turned * people / 10.0, 1), turned, False
    closed = (push > np.quantile(push, rng.uniform(0.3, 0.8))).astype(float)
    late = rng.random(rows) < 0.05
    closed = np.where(late, 1.0 - closed, closed)
    return closed, np.where(closed > 0, rng.uniform(0.3, 0.6), 1.0), True
