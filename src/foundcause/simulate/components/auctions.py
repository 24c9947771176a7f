"""Auctions: prices are second-highest bids, winners are ranks, sales need a reserve. N rows (lots), V nodes.

Held out of training, for reporting only. Effects are order statistics of their causes: which cause matters changes from
row to row, and none does on average as a term of a sum would.
"""

from __future__ import annotations

import numpy as np

from foundcause.simulate.extension import field_component
from foundcause.simulate.graphs import wire
from foundcause.simulate.hidden_causes import hide_some
from foundcause.simulate.scene_building import Builder
from foundcause.simulate.task import Scene

LAWS = {"highest": 0.2, "second": 0.2, "lowest": 0.15, "winner": 0.12, "spread": 0.13, "sold": 0.1, "shaded": 0.1}
_FORMS = ("layered", "tree", "hubs", "modules", "plain")


@field_component("auctions", role="report")
def draw(rng: np.random.Generator, *, rows: int, variables: int) -> Scene:
    """A house's lots with ``variables`` observed columns: values, bids, prices, sales."""
    hidden = int(rng.uniform(0.0, 0.25) * variables)
    form = str(rng.choice(_FORMS))
    graph = wire(rng, nodes=variables + hidden, form=form, edges_per_node=rng.uniform(0.9, 2.2), most_parents=4)
    unseen = hide_some(rng, graph, hidden)
    error = float(np.exp(rng.uniform(np.log(0.02), np.log(0.4))))
    builder = Builder(rows)
    worth: list[np.ndarray] = []  # of mean zero and unit deviation: bidders are brought to one level
    for node in range(len(graph)):
        parents = np.flatnonzero(graph[:, node])
        if len(parents):
            value, discrete = _result(rng, [worth[k] for k in parents], error)
        else:
            value, discrete = _valuation(rng, rows), False
        worth.append((value - value.mean()) / (value.std() + 1e-9))
        column = value if discrete else _priced(rng, value)
        builder.add(column, parents.tolist(), hidden=bool(unseen[node]), discrete=discrete)
    return builder.scene(form=form, error=round(error, 3), latents=hidden)


def _valuation(rng: np.random.Generator, rows: int) -> np.ndarray:
    """Private valuations of a bidder, from even to heavy-tailed."""
    kind = rng.random()
    if kind < 0.4:
        return rng.random(rows)
    return rng.standard_normal(rows) if kind < 0.7 else rng.gamma(rng.uniform(1.0, 4.0), size=rows)


def _result(rng: np.random.Generator, causes: list[np.ndarray], error: float) -> tuple[np.ndarray, bool]:
    """The result of bids that are joined by rank (N,), and whether it is a code."""
    law = str(rng.choice(list(LAWS), p=list(LAWS.values())))
    rows = len(causes[0])
    bids = np.stack(causes, axis=1) + error * rng.standard_normal((rows, len(causes)))
    # An unrecorded rival bids against a single bidder.
    rivals = np.column_stack([bids, 0.6 * rng.standard_normal(rows)]) if bids.shape[1] == 1 else bids
    ranked = np.sort(rivals, axis=1)
    if law == "winner":
        return rivals.argmax(axis=1).astype(float), True
    if law == "sold":
        top = ranked[:, -1]
        return (top > np.quantile(top, rng.uniform(0.2, 0.7))).astype(float), True
    if law == "shaded":  # each bids less the more the others hold
        return (bids - 0.3 * np.maximum(bids, 0.0) ** 2).sum(axis=1) + error * rng.standard_normal(rows), False
    if law == "spread":
        return ranked[:, -1] - ranked[:, 0] + 0.3 * bids[:, 0] + error * rng.standard_normal(rows), False
    column = {"highest": ranked[:, -1], "second": ranked[:, -2], "lowest": ranked[:, 0]}[law]
    return column + error * rng.standard_normal(rows), False


def _priced(rng: np.random.Generator, value: np.ndarray) -> np.ndarray:
    """A price in steps of an auctioneer, or a plain number."""
    scaled = np.exp(np.clip(rng.uniform(0.2, 0.8) * (value - value.mean()) / (value.std() + 1e-9), -2.5, 2.5))
    scaled = scaled * np.exp(rng.uniform(2.0, 8.0)) if rng.random() < 0.6 else value
    if rng.random() < 0.4:
        step = scaled.std() * rng.choice([0.02, 0.1])
        scaled = np.round(scaled / step) * step
    return scaled
