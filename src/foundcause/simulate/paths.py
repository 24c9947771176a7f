"""From a mixture's settings to a scene of one of the two generation paths. V nodes, N rows."""

from __future__ import annotations

import numpy as np

from foundcause.simulate import diverse_path, dowhy_path
from foundcause.simulate.blueprint import Blueprint, Conditions, draw_conditions
from foundcause.simulate.latents import choose_hidden, with_circumstances
from foundcause.simulate.noise import no_shared_noise, shared_noise
from foundcause.simulate.settings import Mixture
from foundcause.simulate.task import Scene

PATHS = ("dowhy", "diverse")


def coin(rng: np.random.Generator) -> str:
    """One of the two paths, half each."""
    return PATHS[int(rng.random() < 0.5)]


def draw_graph(rng: np.random.Generator, mixture: Mixture, path: str, nodes: int) -> tuple[np.ndarray, str]:
    """(V, V) graph of the path, and the name of its topology."""
    if path == "dowhy":
        return dowhy_path.draw_graph(rng, mixture.dowhy, nodes), "sequential_attachment"
    return diverse_path.draw_graph(rng, mixture.diverse, nodes)


def draw_blueprint(
    rng: np.random.Generator,
    mixture: Mixture,
    graph: np.ndarray,
    *,
    rows: int,
    hidden: np.ndarray,
    drawn_rows: int | None = None,
    conditions: int = 0,
) -> Blueprint:
    """The graph with its hidden nodes, sometimes correlated noise, and ``conditions`` experiments (0: none)."""
    nodes, drawn_rows = len(graph), drawn_rows or rows
    correlated = rng.random() < mixture.artefacts.correlated_noise
    return Blueprint(
        graph=graph,
        hidden=hidden,
        shared=shared_noise(rng, nodes, drawn_rows) if correlated else no_shared_noise(nodes),
        conditions=draw_conditions(rng, nodes, drawn_rows, conditions) if conditions else Conditions(),
        rows=rows,
    )


def draw_scene(
    rng: np.random.Generator,
    mixture: Mixture,
    path: str,
    *,
    rows: int,
    variables: int,
    graph: np.ndarray | None = None,
    hidden: np.ndarray | None = None,
    conditions: int = 0,
) -> Scene:
    """A scene of the path with ``variables`` observed nodes; a given graph comes with its hidden nodes."""
    topology = "given"
    if graph is None:
        extra = mixture.hiding.draw(rng, variables)
        graph, topology = draw_graph(rng, mixture, path, variables + extra)
        hidden = choose_hidden(rng, graph, extra)
        if mixture.hiding.draw_circumstances(rng):
            graph, hidden = with_circumstances(rng, graph, hidden)
    if hidden is None:
        hidden = np.zeros(len(graph), dtype=bool)
    drawn_rows = dowhy_path.rows_needed(mixture.dowhy, rows) if path == "dowhy" else rows
    blueprint = draw_blueprint(
        rng, mixture, graph, rows=rows, hidden=hidden, drawn_rows=drawn_rows, conditions=conditions
    )
    if path == "dowhy":
        samples = dowhy_path.sample(rng, mixture.dowhy, blueprint, drawn_rows)
    else:
        samples = diverse_path.sample(rng, mixture.diverse, blueprint, drawn_rows)
    return samples.scene(blueprint, path=path, topology=topology)
