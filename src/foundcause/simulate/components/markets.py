"""Prices, quantities and money of goods, firms, homes or weeks. N rows, V nodes.

Amounts live in logarithms: elasticities, margins in percent, sizes over orders of magnitude, of which the small
fluctuate most. Accounts multiply, subtract and divide with errors that are mostly small, decisions fall at thresholds,
and prices are written as people write prices.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from foundcause.simulate.components.column_kinds import ROOTS, Written, curved
from foundcause.simulate.extension import field_component
from foundcause.simulate.graphs import wire
from foundcause.simulate.hidden_causes import hide_some
from foundcause.simulate.random_functions import random_noise, smooth_noise, standard
from foundcause.simulate.scene_building import Builder
from foundcause.simulate.task import Scene

LAWS = {"elastic": 0.5, "account": 0.2, "decision": 0.12, "orders": 0.1, "rating": 0.08}
GIVEN = {"amount": 0.55, "binary": 0.12, "nominal": 0.1, "grid": 0.13, "age": 0.1}
_FORMS = ("layered", "plain", "hubs", "tree", "chain", "modules")
_WIDEST = 2.5  # deviation of a logarithm
_FARTHEST = 8.0  # logarithm of an amount over its typical one


@dataclass(frozen=True, kw_only=True)
class Trade:
    """Parameters that the columns of a scene share.

    memory: how much of last week is in this one. None where rows are goods, firms or homes.
    explained: typical share of a logarithm that its causes explain.
    width: typical deviation of logarithms.
    unrest: how much more the small fluctuate than the large.
    """

    memory: float
    explained: float
    width: float
    unrest: float


@field_component("markets")
def draw(rng: np.random.Generator, *, rows: int, variables: int) -> Scene:
    """A ledger of ``variables`` observed columns."""
    hidden = int(rng.uniform(0.0, 0.3) * variables)
    shape = str(rng.choice(_FORMS))
    graph = wire(rng, nodes=variables + hidden, form=shape, edges_per_node=rng.uniform(0.8, 2.0), most_parents=5)
    unseen = hide_some(rng, graph, hidden)
    trade = Trade(
        memory=float(rng.choice([0.0, rng.uniform(0.3, 0.97)], p=[0.7, 0.3])),
        explained=float(rng.uniform(0.25, 0.9)),
        width=float(np.exp(rng.uniform(np.log(0.1), np.log(1.5)))),
        unrest=float(rng.choice([0.0, rng.uniform(0.1, 0.4)])),
    )
    builder = Builder(rows)
    logs: list[np.ndarray] = []  # centered logarithms of amounts, or what effects feel of anything else
    for node in range(len(graph)):
        parents = np.flatnonzero(graph[:, node])
        if len(parents):
            column, log, discrete = _traded(rng, [logs[k] for k in parents], trade)
        else:
            column, log, discrete = _given(rng, rows, trade)
        logs.append(log)
        builder.add(column, parents.tolist(), hidden=unseen[node], discrete=discrete)
    return builder.scene(shape=shape, latents=hidden, memory=round(trade.memory, 3), width=round(trade.width, 3))


def _given(rng: np.random.Generator, rows: int, trade: Trade) -> Written:
    """A column without causes, what its effects feel, and whether few values remain."""
    kind = str(rng.choice(list(GIVEN), p=list(GIVEN.values())))
    width = _width(rng, trade)
    if kind != "amount":
        column, signal, discrete = ROOTS[kind](rng, rows)
        return column, width * standard(signal), discrete
    if trade.memory == 0.0 and rng.random() < 0.3:
        # Few are large, many are small.
        sizes = np.log1p(np.minimum(rng.pareto(rng.uniform(0.8, 3.0), size=rows), 1e6))
        return _written(rng, sizes - sizes.mean())
    return _written(rng, width * _chance(rng, rows, trade))


def _chance(rng: np.random.Generator, rows: int, trade: Trade) -> np.ndarray:
    """Standardized (N,): of every row anew, or of a market that remembers."""
    if trade.memory == 0.0:
        return standard(random_noise(rng, rows))
    own = np.array([np.clip(trade.memory + 0.1 * rng.normal(), 0.0, 0.98)])
    return standard(smooth_noise(rng, rows, 1, own)[:, 0])


def _width(rng: np.random.Generator, trade: Trade) -> float:
    return float(np.clip(trade.width * np.exp(0.4 * rng.normal()), 0.05, _WIDEST))


def _traded(rng: np.random.Generator, causes: list[np.ndarray], trade: Trade) -> Written:
    """A column made by its causes, what its effects feel, and whether few values remain."""
    law = str(rng.choice(list(LAWS), p=list(LAWS.values())))
    rows = len(causes[0])
    if law == "account" and len(causes) > 1:
        return _account(rng, causes)
    total = np.zeros(rows)
    for cause in causes:
        weight = np.clip(np.exp(rng.normal(0.0, 0.4)), 0.4, 2.5) * rng.choice([1.0, 1.0, -1.0])
        scaled = standard(cause)
        total = total + weight * (standard(curved(rng, scaled)) if rng.random() < 0.25 else scaled)
    share = np.clip(rng.beta(4.0 * trade.explained, 4.0 * (1.0 - trade.explained)), 0.05, 0.98)
    unrest = np.exp(-trade.unrest * np.clip(standard(total), -3.0, 3.0))
    latent = standard(np.sqrt(share) * standard(total) + np.sqrt(1.0 - share) * unrest * _chance(rng, rows, trade))
    width = _width(rng, trade)
    if law == "decision":
        code = (latent > np.quantile(latent, rng.uniform(0.2, 0.9))).astype(np.float64)
        return code, width * standard(code), True
    if law == "orders":
        # Few orders that hardly differ would not show their causes.
        mean = np.exp(np.clip(max(width, 0.4) * latent + rng.uniform(1.0, 4.0), -5.0, 9.0))
        orders = rng.poisson(mean).astype(np.float64)
        return orders, np.log1p(orders) - np.log1p(orders).mean(), len(np.unique(orders)) <= 20
    if law == "rating":
        stars = np.clip(np.round(2.0 * (latent * rng.uniform(0.5, 1.2) + rng.uniform(3.0, 4.3))) / 2.0, 1.0, 5.0)
        return stars, width * standard(stars), True
    return _written(rng, width * latent)


def _account(rng: np.random.Generator, causes: list[np.ndarray]) -> Written:
    """A product, a difference or a share of two amounts or more, and a small error."""
    rows = len(causes[0])
    error = np.exp(rng.uniform(np.log(0.01), np.log(0.3)))
    amounts = [np.exp(np.clip(cause, -6.0, 6.0)) for cause in causes]
    rule = rng.random()
    if rule < 0.5:
        sign = np.array([1.0, *rng.choice([1.0, -1.0], len(causes) - 1, p=[0.75, 0.25])])
        log = sum(s * c for s, c in zip(sign, causes, strict=True)) + np.zeros(rows)
        log = log + error * log.std() * random_noise(rng, rows)
        return _written(rng, log * min(1.0, _WIDEST / log.std()))
    if rule < 0.75:
        weight = rng.uniform(0.4, 1.0, len(causes)) / np.array([a.std() for a in amounts])
        left = weight[0] * amounts[0] - sum(w * a for w, a in zip(weight[1:], amounts[1:], strict=True))
        left = standard(left + error * left.std() * random_noise(rng, rows))
        return left * np.exp(rng.uniform(1.0, 8.0)), np.arcsinh(left), False
    part = amounts[0] / sum(amounts)
    log = np.log(part / (1.0 - part))
    log = log + error * log.std() * random_noise(rng, rows)
    shown = 1.0 / (1.0 + np.exp(-log)) * rng.choice([1.0, 100.0])
    return shown, log - log.mean(), False


def _written(rng: np.random.Generator, log: np.ndarray) -> Written:
    """An amount of money or goods as a ledger shows it. Effects feel its logarithm."""
    log = np.clip(log, -_FARTHEST, _FARTHEST)
    exact = np.exp(log + rng.uniform(1.0, 9.0))
    touch = rng.random()
    if touch < 0.15:
        return np.log(exact), log, False
    value = exact
    if touch < 0.3:
        # Just below a round number.
        step = 10.0 ** np.floor(np.log10(np.median(exact))) * rng.choice([0.1, 0.5])
        value = np.maximum(np.ceil(exact / step), 1.0) * step - 0.01 * step
    elif touch < 0.55:
        digits = 10.0 ** np.floor(np.log10(exact)) * rng.choice([0.01, 0.1])
        value = np.round(exact / digits) * digits
    if np.ptp(value) == 0.0:
        value = exact
    return value, log, len(np.unique(value)) <= 12
