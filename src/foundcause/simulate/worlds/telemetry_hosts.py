"""Metrics of machines and pipelines: loads, utilisations, queues, memory, input and output. N rows, V nodes."""

from __future__ import annotations

import numpy as np

from foundcause.simulate.worlds.builder import Builder
from foundcause.simulate.worlds.telemetry_load import smooth_noise, traffic
from foundcause.simulate.worlds.wiring import wire


def draw_hosts(rng: np.random.Generator, builder: Builder, variables: int) -> dict[str, object]:
    """Fill the builder with ``variables`` machine metrics driven by work that arrives; families used are returned."""
    unseen = int(rng.integers(1, max(2, variables // 6 + 1))) if variables >= 4 and rng.random() < 0.4 else 0
    nodes = variables + unseen
    rows = builder.rows
    form = str(rng.choice(["layered", "hubs", "chain", "tree", "modules"]))
    graph = wire(
        rng,
        nodes=nodes,
        form=form,
        edges_per_node=rng.uniform(0.8, 2.0) if nodes > 3 else rng.uniform(0.4, 1.0),
        most_parents=5,
    )
    hidden = np.zeros(nodes, dtype=bool)
    if unseen:
        # Work that nobody measures sits at the top.
        hidden[rng.permutation(min(nodes - 1, 2 * unseen))[:unseen]] = True
    memory = np.where(rng.random(nodes) < rng.choice([0.0, 0.7]), rng.uniform(0.3, 0.97, nodes), 0.0)
    noise = smooth_noise(rng, rows, nodes, memory)
    clarity = rng.uniform(0.15, 0.9)
    sources = traffic(rng, rows, services=nodes)
    values = np.zeros((rows, nodes))
    laws: dict[str, int] = {}
    for node in range(nodes):
        parents = np.flatnonzero(graph[:, node])
        if len(parents):
            law = str(
                rng.choice(
                    ["linear", "queue", "saturating", "power", "bottleneck", "step"],
                    p=[0.35, 0.15, 0.15, 0.2, 0.1, 0.05],
                )
            )
            laws[law] = laws.get(law, 0) + 1
            driven = _respond(rng, values[:, parents], law)
            explained = np.clip(rng.beta(4 * clarity, 4 * (1 - clarity)), 0.03, 0.99)
            spread = driven.std() + 1e-9
            if rng.random() < 0.6:
                # Noise that grows with the work, as most of it does.
                width = np.sqrt(1 / explained - 1) * spread / (driven.mean() + 1e-9)
                column = driven * np.exp(np.minimum(width, 1.2) * noise[:, node])
            else:
                column = driven + np.sqrt(1 / explained - 1) * spread * noise[:, node]
                column = column - min(column.min(), 0.0)
        else:
            column = sources[:, node] if rng.random() < 0.6 else np.exp(rng.uniform(0.1, 1.0) * noise[:, node])
        values[:, node] = column / (column.mean() + 1e-9)
    for node in range(nodes):
        shown, discrete = _shown(rng, values[:, node])
        builder.add(
            shown, [int(p) for p in np.flatnonzero(graph[:, node])], hidden=bool(hidden[node]), discrete=discrete
        )
    return {"form": form, "laws": laws}


def _respond(rng: np.random.Generator, work: np.ndarray, law: str) -> np.ndarray:
    """The positive response of a metric to the (N, P) positive metrics that drive it, (N,)."""
    weight = np.exp(rng.normal(0.0, 0.5, work.shape[1]))
    weight /= weight.sum()
    if law == "bottleneck":
        # Each driver is brought to one level: one that is never the largest would drive nothing.
        level = work / (np.median(work, axis=0) + 1e-9)
        return np.asarray((level * np.exp(rng.normal(0.0, 0.15, work.shape[1]))).max(axis=1))
    if law == "power":
        return np.exp(
            np.clip(
                np.log(work + 0.02) @ (rng.uniform(0.4, 1.6, work.shape[1]) * rng.choice([1, 1, 1, -1], work.shape[1])),
                -5,
                5,
            )
        )
    total = work @ weight
    if law == "queue":
        room = np.quantile(total, 0.995) * rng.uniform(1.05, 2.0)
        return 1.0 / np.maximum(1.0 - total / room, 0.02)
    if law == "saturating":
        return total / (total + rng.uniform(0.3, 2.0))
    if law == "step":
        return 0.3 + 1.0 / (1.0 + np.exp(-np.clip(8.0 * (total / (np.median(total) + 1e-9) - 1.0), -30, 30)))
    return total + rng.uniform(0.0, 1.0)


def _shown(rng: np.random.Generator, column: np.ndarray) -> tuple[np.ndarray, bool]:
    """A metric as reported: a float, a percentage that ends at 100, or a count."""
    kind = rng.random()
    if kind < 0.15:
        top = np.quantile(column, rng.uniform(0.9, 1.0))
        return 100.0 * np.minimum(column / (top + 1e-12), 1.0), False
    if kind < 0.35:
        count = rng.poisson(np.minimum(column * np.exp(rng.uniform(1.0, 7.0)), 1e8)).astype(np.float64)
        if count.std() > 0:
            return count, bool(count.max() < 40)
    return column * np.exp(rng.normal(0.0, 3.0)), False
