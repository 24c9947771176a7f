"""Discrete networks as experts write them: diagnosis, fault trees, reports, and processes over time.

N rows, V nodes (hidden ones too), K states. Families of tables are in ``expert_tables``.
"""

from __future__ import annotations

import numpy as np

from foundcause.simulate.task import Scene
from foundcause.simulate.worlds import expert_tables as tables
from foundcause.simulate.worlds.wiring import hide_some, wire

NAME = "expert"

_FORM_SHARES = {
    "layered": 0.24,
    "tree": 0.15,
    "hubs": 0.15,
    "gates": 0.1,
    "chain": 0.1,
    "modules": 0.13,
    "slices": 0.05,
    "plain": 0.08,
}
# What each form's authors reach for, before a scene's own taste is drawn.
_BASE_TASTE = {
    "ordered_logit": 1.6,
    "softmax": 0.6,
    "noisy_max": 1.3,
    "logic": 0.7,
    "context": 0.9,
    "report": 1.0,
    "pooled": 0.6,
    "free": 1.1,
}
_STATE_STYLES = {
    "binary": ([2], [1.0]),
    "small": ([2, 3, 4], [0.5, 0.33, 0.17]),
    "medium": ([2, 3, 4, 5, 6], [0.25, 0.3, 0.25, 0.12, 0.08]),
    "large": ([2, 3, 4, 5, 6, 8, 10], [0.25, 0.2, 0.2, 0.12, 0.1, 0.08, 0.05]),
}


def draw(rng: np.random.Generator, *, rows: int, variables: int) -> Scene:
    """A sample of a random expert network with ``variables`` observed discrete columns."""
    extra = int(rng.integers(1, max(2, variables // 6 + 1))) if variables >= 4 and rng.random() < 0.25 else 0
    nodes = variables + extra
    form = str(rng.choice(list(_FORM_SHARES), p=list(_FORM_SHARES.values())))
    graph = wire(
        rng,
        nodes=nodes,
        form=form,
        edges_per_node=rng.uniform(0.8, 2.2) if nodes > 3 else rng.uniform(0.4, 1.0),
        most_parents=int(rng.choice([3, 4, 5, 7], p=[0.25, 0.35, 0.25, 0.15])),
        isolated=0.08,
    )
    style = str(rng.choice(list(_STATE_STYLES), p=[0.3, 0.4, 0.22, 0.08]))
    sizes, shares = _STATE_STYLES[style]
    states = rng.choice(sizes, size=nodes, p=shares)
    rare = float(rng.choice([0.05, 0.25, 0.6]))
    grid = float(rng.choice([0.0, 0.001, 0.01, 0.05, 0.1], p=[0.45, 0.15, 0.15, 0.2, 0.05]))
    taste = _taste(rng, form)

    menu = rng.choice(list(taste), size=(nodes, 2), p=list(taste.values())).tolist()

    codes = np.zeros((rows, nodes), dtype=np.int64, order="F")
    used: dict[str, int] = {}
    for node in range(nodes):
        parents = rng.permutation(np.flatnonzero(graph[:, node]))
        column, family, shown = _child(rng, codes[:, parents], states[parents], int(states[node]), menu[node], grid)
        graph[parents[~shown], node] = False
        if column is None:
            column = tables.sample(rng, tables.prior(rng, int(states[node]), rare)[None, :], rows)
        else:
            used[family] = used.get(family, 0) + 1
        codes[:, node] = _lively(rng, column, int(states[node]))

    coding = str(rng.choice(["ordered", "alphabetical", "mixed"], p=[0.45, 0.4, 0.15]))
    return Scene(
        values=_coded(rng, codes, states, coding).astype(np.float64),
        graph=graph,
        hidden=hide_some(rng, graph, extra),
        confounded=np.zeros((nodes, nodes), dtype=bool),
        discrete=np.ones(nodes, dtype=bool),
        record={
            "world": NAME,
            "form": form,
            "families": used,
            "states": style,
            "coding": coding,
            "grid": grid,
            "rare": rare,
        },
    )


def _taste(rng: np.random.Generator, form: str) -> dict[str, float]:
    """How often this network's authors use each family: one network leans on few."""
    base = dict(_BASE_TASTE)
    if form == "gates":
        base.update(logic=3.5, noisy_max=2.5)
    if form == "slices":
        base.update(report=2.5)
    if form == "layered":
        base.update(noisy_max=2.2, logic=1.2)
    weight = rng.gamma(0.9 * np.array(list(base.values()))) + 1e-3
    return dict(zip(base, (weight / weight.sum()).tolist(), strict=True))


def _child(
    rng: np.random.Generator, codes: np.ndarray, cards: np.ndarray, states: int, menu: list[str], grid: float
) -> tuple[np.ndarray | None, str, np.ndarray]:
    """A column (N,) that shows an effect of its parents (N, P), its family of tables, and (P,) which parents it shows.

    Families of the ``menu`` are tried first. A parent that no table shows, say because the others tell all about it, is
    left out; where none is left there is no column.
    """
    rows = len(codes)
    shown = np.ones(len(cards), dtype=bool)
    attempt = 0
    while shown.any():
        family = menu[attempt] if attempt < len(menu) else "ordered_logit"
        parents = np.flatnonzero(shown)
        probabilities = tables.FAMILIES[family](rng, codes[:, parents], cards[parents], states)
        if grid:
            probabilities = tables.rounded(probabilities, grid)
        column = tables.sample(rng, probabilities)
        lively = np.bincount(column).max() <= rows - max(3, 0.01 * rows)
        idle = tables.idle_parent(codes[:, parents], cards[parents], probabilities)
        if idle is None and (lively or attempt >= len(menu)):
            return column, family, shown
        if idle is not None and attempt >= len(menu):
            shown[parents[idle]] = False
        attempt += 1
    return None, "", shown


def _lively(rng: np.random.Generator, column: np.ndarray, states: int) -> np.ndarray:
    """The column with a few random rows reset when it would be (nearly) constant."""
    short = max(3, round(0.01 * len(column))) - (len(column) - int(np.bincount(column).max()))
    if short > 0:
        usual = int(np.bincount(column).argmax())
        place = rng.choice(len(column), size=short, replace=False)
        column = column.copy()
        column[place] = (usual + rng.integers(1, states, size=short)) % states
    return column


def _coded(rng: np.random.Generator, codes: np.ndarray, states: np.ndarray, coding: str) -> np.ndarray:
    """State numbers as a table shows them: in order, or in the alphabetical order of names that carry none."""
    out = codes.copy()
    for node, count in enumerate(states):
        shuffled = coding == "alphabetical" or (coding == "mixed" and rng.random() < 0.5)
        if shuffled:
            # 'no' < 'yes' and 'false' < 'true' keep two states in order more often than not.
            keep = count == 2 and rng.random() < 0.5
            code = np.arange(count) if keep else rng.permutation(count)
            out[:, node] = code[codes[:, node]]
        elif rng.random() < 0.1:
            out[:, node] = count - 1 - codes[:, node]
    return out
