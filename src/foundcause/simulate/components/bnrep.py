"""Published Bayesian networks of bnRep: drawn, joined, cut and altered for training, or sampled as they are.

N rows, V nodes, K states of a node. The data are not part of the package: ``networks_67.json.gz`` lies in the folder
``bnrep`` of the data folder (``FOUNDCAUSE_DATA``). ``bnrep_split.txt`` says which networks are trained on, which are
for choosing thresholds and checkpoints, and which only for reporting.
"""

from __future__ import annotations

import dataclasses
import functools
import gzip
import hashlib
import json
import os
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np

from foundcause.errors import DataUnavailableError
from foundcause.simulate.components.column_kinds import COLUMNS, partly_explained, standard_scores
from foundcause.simulate.components.expert_networks import TABLE_FAMILIES, sample_states, varied
from foundcause.simulate.draws import pick
from foundcause.simulate.extension import field_component
from foundcause.simulate.hidden_causes import hide_some
from foundcause.simulate.random_functions import random_noise
from foundcause.simulate.scene_building import Builder
from foundcause.simulate.task import Scene

FILE = "bnrep/networks_67.json.gz"
SHA256 = "ce24a407dbddca63efdac0b812f3383aab700466cb8ea0efa2980e813c60efcb"
PARTS = ("train", "choose", "report")
_LAWS = {"tables": 0.5, "expert": 0.2, "mixed": 0.3}
"""Shares of altered tables, of tables of experts on the same graph, and of mixed columns on the same graph."""
_KINDS = {"normal": 0.4, "amount": 0.25, "binary": 0.1, "count": 0.1, "ordinal": 0.1, "percent": 0.05}
_IDLE = 0.02  # largest change of a probability below which a parent does not show
_MOST_CELLS = 4096  # of a table that gets one parent more


@dataclass(frozen=True, kw_only=True)
class Network:
    """A Bayesian network, its nodes in a causal order.

    name: of the network, or of those it was joined from.
    nodes: names of the nodes.
    parents: parents of each node, by position.
    tables: (K, K of each parent) probabilities of each node. Empty for a linear Gaussian network.
    weights: intercept, a weight per parent and the deviation of each node of a linear Gaussian network.
    """

    name: str
    nodes: tuple[str, ...]
    parents: tuple[tuple[int, ...], ...]
    tables: tuple[np.ndarray, ...] = ()
    weights: tuple[np.ndarray, ...] = ()

    @property
    def graph(self) -> np.ndarray:
        """(V, V) bool."""
        graph = np.zeros((len(self.nodes), len(self.nodes)), dtype=bool)
        for child, parents in enumerate(self.parents):
            graph[list(parents), child] = True
        return graph

    def sample(self, rng: np.random.Generator, rows: int) -> np.ndarray:
        """(N, V) states, or values of a Gaussian network."""
        values = np.zeros((rows, len(self.nodes)), dtype=np.float64 if self.weights else np.int64)
        for node, parents in enumerate(self.parents):
            above = values[:, list(parents)]
            if self.weights:
                intercept, *slopes, deviation = self.weights[node]
                values[:, node] = intercept + above @ np.array(slopes) + deviation * rng.standard_normal(rows)
            elif parents:
                values[:, node] = sample_states(rng, self.tables[node][(slice(None), *above.T)].T)
            else:
                values[:, node] = sample_states(rng, self.tables[node][None, :], rows)
        return values


def missing_data() -> str | None:
    """Say why the networks cannot be had, or return None."""
    path = _path()
    if not path.is_file():
        return f"{FILE} is not in the data folder {path.parents[1]}; set FOUNDCAUSE_DATA to a folder that has it"
    if hashlib.sha256(path.read_bytes()).hexdigest() != SHA256:
        return f"{path} is not the file that it should be (its checksum differs); get it again"
    return None


def split() -> dict[str, list[str]]:
    """Return the names of the networks of each part."""
    text = files(__package__).joinpath("bnrep_split.txt").read_text(encoding="utf-8")
    names_of_parts: dict[str, list[str]] = {part: [] for part in PARTS}
    for line in text.splitlines():
        if not line.startswith("#"):
            part, _, names = line.partition(":")
            names_of_parts[part] += names.split()
    return names_of_parts


def networks(part: str) -> list[Network]:
    """Return the networks of ``train``, ``choose`` or ``report``."""
    every = _all_networks(_path())
    return [every[name] for name in split()[part]]


@field_component("bnrep", needs=missing_data)
def bnrep(rng: np.random.Generator, *, rows: int, variables: int) -> Scene:
    """A part of published networks, joined and altered, or their graph with other laws."""
    hidden = int(rng.uniform(0.0, 0.3) * variables)
    system = _assembled(rng, variables + hidden)
    law = "gaussian" if system.weights else pick(rng, _LAWS)
    if law == "mixed":
        values, discrete, graph = _mixed_columns(rng, system, rows)
    else:
        if law == "expert":
            system = _with_expert_tables(rng, system)
        values, graph = system.sample(rng, rows).astype(np.float64), system.graph
        discrete = np.full(len(graph), law != "gaussian")
        if law != "gaussian":
            lively = [varied(rng, values[:, k].astype(np.int64), len(table)) for k, table in enumerate(system.tables)]
            values = _relabeled(rng, np.stack(lively, axis=1).astype(np.float64))
    unseen = hide_some(rng, graph, hidden)
    return _scene(values, graph, unseen, discrete, {"networks": system.name, "law": law, "latents": hidden})


@field_component("bnrep_choose", role="thresholds", needs=missing_data)
def bnrep_choose(rng: np.random.Generator, *, rows: int, variables: int) -> Scene:
    """A published network of the choosing part as it is, whatever its size."""
    return _as_published(rng, "choose", rows)


@field_component("bnrep_report", role="report", needs=missing_data)
def bnrep_report(rng: np.random.Generator, *, rows: int, variables: int) -> Scene:
    """A published network of the reporting part as it is, whatever its size."""
    return _as_published(rng, "report", rows)


def _as_published(rng: np.random.Generator, part: str, rows: int) -> Scene:
    every = networks(part)
    network = every[int(rng.integers(len(every)))]
    values, seen = network.sample(rng, rows).astype(np.float64), np.zeros(len(network.nodes), dtype=bool)
    return _scene(values, network.graph, seen, ~seen & (not network.weights), {"networks": network.name})


def _scene(values: np.ndarray, graph: np.ndarray, hidden: np.ndarray, discrete: np.ndarray, record: dict) -> Scene:
    return Scene(
        values=values,
        graph=graph,
        hidden=hidden,
        confounded=np.zeros_like(graph),
        discrete=discrete,
        record=record,
    )


def _assembled(rng: np.random.Generator, nodes: int) -> Network:
    """A network of so many nodes: one or more of the training part, joined, cut to size, its tables altered."""
    every = networks("train")
    sizes = np.array([len(network.nodes) for network in every])
    chosen = every[int(rng.choice(len(every), p=np.sqrt(sizes) / np.sqrt(sizes).sum()))]
    alike = [network for network in every if bool(network.weights) == bool(chosen.weights)]
    system = chosen
    while len(system.nodes) < nodes or (len(system.nodes) < 2 * nodes and rng.random() < 0.15):
        system = _joined(rng, system, alike[int(rng.integers(len(alike)))])
    system = _cut(rng, system, nodes)
    return _altered(rng, system)


def _joined(rng: np.random.Generator, first: Network, second: Network) -> Network:
    """Two networks as one, with up to three edges from nodes of the first to nodes of the second."""
    offset = len(first.nodes)
    parents = [*first.parents, *(tuple(k + offset for k in above) for above in second.parents)]
    tables, weights = [*first.tables, *second.tables], [*first.weights, *second.weights]
    for _ in range(int(rng.integers(0, 4))):
        cause, effect = int(rng.integers(offset)), offset + int(rng.integers(len(second.nodes)))
        if cause in parents[effect]:
            continue
        if weights:
            *slopes, deviation = weights[effect]
            weights[effect] = np.array(
                [*slopes, rng.choice([-1.0, 1.0]) * rng.uniform(0.3, 1.0) * deviation, deviation]
            )
        else:
            states, table = len(tables[cause]), tables[effect]
            if table.size * states > _MOST_CELLS:
                continue
            odds = np.exp(rng.uniform(0.5, 2.0) * rng.standard_normal((len(table), states)))
            tilted = table[..., None] * odds.reshape(len(table), *[1] * (table.ndim - 1), states)
            tables[effect] = tilted / tilted.sum(axis=0)
        parents[effect] = (*parents[effect], cause)
    return Network(
        name=f"{first.name}+{second.name}",
        nodes=(*first.nodes, *second.nodes),
        parents=tuple(parents),
        tables=tuple(tables),
        weights=tuple(weights),
    )


def _cut(rng: np.random.Generator, network: Network, count: int) -> Network:
    """A connected part of ``count`` nodes where there is one. Parents outside stay in one state."""
    graph = network.graph
    near = graph | graph.T
    kept = np.zeros(len(graph), dtype=bool)
    kept[int(rng.integers(len(graph)))] = True
    while kept.sum() < min(count, len(graph)):
        frontier = np.flatnonzero(near[kept].any(axis=0) & ~kept)
        kept[int(rng.choice(frontier if frontier.size else np.flatnonzero(~kept)))] = True
    order = np.flatnonzero(kept)
    position = {int(node): k for k, node in enumerate(order)}
    typical = network.sample(rng, 1)[0]
    parents, tables, weights = [], [], []
    for node in order.tolist():
        above = network.parents[node]
        parents.append(tuple(position[k] for k in above if kept[k]))
        if network.weights:
            intercept, *slopes, deviation = network.weights[node]
            inside = [slope for slope, k in zip(slopes, above, strict=True) if kept[k]]
            weights.append(np.array([intercept, *inside, deviation]))
        else:
            tables.append(network.tables[node][(slice(None), *(slice(None) if kept[k] else typical[k] for k in above))])
    return Network(
        name=network.name,
        nodes=tuple(network.nodes[k] for k in order),
        parents=tuple(parents),
        tables=tuple(tables),
        weights=tuple(weights),
    )


def _altered(rng: np.random.Generator, network: Network) -> Network:
    """The network with other numbers: tables sharper, flatter or blended, and parents that do not show left out."""
    if network.weights:
        return dataclasses.replace(
            network, weights=tuple(w * np.exp(rng.normal(0.0, 0.4, len(w))) for w in network.weights)
        )
    changed, blended = rng.uniform(0.2, 1.0), rng.uniform(0.0, 0.4)
    tables, parents = [], []
    for table, above in zip(network.tables, network.parents, strict=True):
        if rng.random() < changed:
            table = np.maximum(table, 1e-4) ** np.exp(rng.normal(0.0, 0.4))
            if rng.random() < 0.5:
                other = rng.dirichlet(np.ones(len(table)), size=table.shape[1:])
                table = (1.0 - blended) * table / table.sum(axis=0) + blended * np.moveaxis(other, -1, 0)
            table = table / table.sum(axis=0)
        shown = [k for k in range(len(above)) if np.ptp(table, axis=k + 1).max() >= _IDLE]
        index = (slice(None), *(slice(None) if k in shown else 0 for k in range(len(above))))
        tables.append(table[index])
        parents.append(tuple(above[k] for k in shown))
    return dataclasses.replace(network, tables=tuple(tables), parents=tuple(parents))


def _with_expert_tables(rng: np.random.Generator, network: Network) -> Network:
    """The network with a table of a family of experts in place of each of its own."""
    tables = []
    names = list(TABLE_FAMILIES)
    for table, above in zip(network.tables, network.parents, strict=True):
        if not above:
            tables.append(table)
            continue
        cards = np.array(table.shape[1:])
        codes = np.stack(np.unravel_index(np.arange(cards.prod()), cards), axis=1)
        drawn = TABLE_FAMILIES[str(rng.choice(names))](rng, codes, cards, len(table))
        tables.append((0.995 * drawn + 0.005 / len(table)).T.reshape(table.shape))
    return _altered(rng, dataclasses.replace(network, tables=tuple(tables)))


def _mixed_columns(rng: np.random.Generator, network: Network, rows: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Values (N, V), which are discrete (V,), and the graph, of columns of mixed kinds on the graph of a network."""
    builder = Builder(rows)
    scores: list[np.ndarray] = []
    explained, curvature = rng.uniform(0.2, 0.85), rng.uniform(0.05, 0.5)
    for parents in network.parents:
        own = standard_scores(random_noise(rng, rows))
        latent = partly_explained(rng, [scores[k] for k in parents], own, explained=explained, curvature=curvature)
        column, score, discrete = COLUMNS[pick(rng, _KINDS)](rng, latent, 5)
        builder.add(column, list(parents), discrete=discrete)
        scores.append(standard_scores(score))
    values, graph, _, discrete_V = builder.assemble()
    return values, discrete_V, graph


def _relabeled(rng: np.random.Generator, codes: np.ndarray) -> np.ndarray:
    """Codes in an order of their own in some columns, as of names in alphabetical order."""
    shuffled = codes.copy()
    for column in np.flatnonzero(rng.random(codes.shape[1]) < rng.choice([0.0, 0.5, 1.0])):
        states = rng.permutation(int(codes[:, column].max()) + 1)
        shuffled[:, column] = states[codes[:, column].astype(int)]
    return shuffled


def _path() -> Path:
    cache = os.environ.get("XDG_CACHE_HOME")
    default = (Path(cache) if cache else Path.home() / ".cache") / "foundcause" / "data"
    return Path(os.environ.get("FOUNDCAUSE_DATA") or default) / FILE


@functools.lru_cache(maxsize=2)
def _all_networks(path: Path) -> dict[str, Network]:
    if reason := missing_data():
        raise DataUnavailableError(reason)
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return {name: _network(name, content) for name, content in json.load(file).items()}


def _network(name: str, content: dict[str, Any]) -> Network:
    nodes: dict[str, Any] = content["nodes"]
    graph = nx.DiGraph([(parent, child) for child, node in nodes.items() for parent in node["parents"]])
    graph.add_nodes_from(nodes)
    order = list(nx.lexicographical_topological_sort(graph))
    position = {node: k for k, node in enumerate(order)}
    parents = tuple(tuple(position[parent] for parent in nodes[node]["parents"]) for node in order)
    if content["kind"] == "g":
        weights = tuple(np.array([*nodes[node]["coef"], *nodes[node]["sd"]], dtype=np.float64) for node in order)
        return Network(name=name, nodes=tuple(order), parents=parents, weights=weights)
    return Network(name=name, nodes=tuple(order), parents=parents, tables=tuple(_table(nodes[node]) for node in order))


def _table(node: dict[str, Any]) -> np.ndarray:
    """(K, K of each parent) probabilities. Unobserved configurations get equal ones."""
    table = np.array(node["prob"], dtype=np.float64).reshape(node["shape"])
    table = np.where(np.isfinite(table).all(axis=0), np.nan_to_num(table), 1.0)
    total = table.sum(axis=0)
    return np.where(total > 0, table / np.where(total > 0, total, 1.0), 1.0 / len(table))
