"""Graphs are acyclic, have the roots and the density asked for, and look like their family."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.sparse.csgraph import connected_components

from foundcause.errors import ConfigError
from foundcause.simulate.components import paths
from foundcause.simulate.graphs import TOPOLOGIES, limit_parents, position_attachment, sequential_attachment
from foundcause.simulate.mixture import PAPER, SHIPPED

# Statistics of what DoWhy's generate_random_dag draws; the file says of which version.
DOWHY = json.loads((Path(__file__).parent / "dowhy_graphs.json").read_text())["settings"]


@pytest.mark.parametrize("topology", sorted(TOPOLOGIES))
def test_every_topology_is_in_causal_order_at_every_size(topology: str) -> None:
    rng = np.random.default_rng(1)
    for nodes in [2, 3, 4, 7, 30, 100]:
        for degree in [0.8, 2.0, 5.0]:
            graph = TOPOLOGIES[topology](rng, nodes, min(degree, nodes - 1.0))
            assert graph.shape == (nodes, nodes)
            assert graph.dtype == bool
            assert not np.tril(graph).any()


@pytest.mark.parametrize(
    "topology", ["erdos_renyi", "stochastic_block", "watts_strogatz", "barabasi_albert", "geometric"]
)
def test_degree_is_about_what_is_asked(topology: str) -> None:
    rng = np.random.default_rng(2)
    degrees = [TOPOLOGIES[topology](rng, 60, 4.0).sum() * 2 / 60 for _ in range(60)]
    assert 3.0 < np.mean(degrees) < 4.6  # borders and repeated links lose a little


def test_hubs_and_scale_free_graphs_are_uneven() -> None:
    rng = np.random.default_rng(3)

    def largest(name: str) -> float:
        graphs = [TOPOLOGIES[name](rng, 60, 2.0) for _ in range(60)]
        return float(np.mean([(g | g.T).sum(axis=0).max() for g in graphs]))

    assert largest("hubs") > 1.5 * largest("erdos_renyi")
    assert largest("barabasi_albert") > 1.3 * largest("erdos_renyi")


def test_tree_has_one_parent_each() -> None:
    graph = TOPOLOGIES["tree"](np.random.default_rng(4), 50, 2.0)
    assert (graph.sum(axis=0)[1:] == 1).all()


def test_sequential_attachment_has_exactly_its_roots() -> None:
    rng = np.random.default_rng(5)
    for roots in [1, 5, 12]:
        graph = sequential_attachment(rng, 30, roots=roots, density=0.03)
        assert (graph.sum(axis=0) == 0).sum() == roots
        assert not np.tril(graph).any()


def _is_like(ours: np.ndarray, mean: list[float], std: list[float], graphs: int) -> bool:
    """Whether means over graphs, (G, V), agree with DoWhy's within five standard errors of the difference."""
    error = np.sqrt(ours.var(axis=0, ddof=1) / len(ours) + np.square(std) / graphs)
    return bool((np.abs(ours.mean(axis=0) - mean) <= 5 * error + 1e-5).all())


@pytest.mark.parametrize("dowhy", DOWHY, ids=lambda d: f"{d['roots']}-{d['children']}-{d['density']}")
def test_position_attachment_draws_the_graphs_of_dowhy(dowhy: dict[str, Any]) -> None:
    rng = np.random.default_rng(8)
    roots, nodes = dowhy["roots"], dowhy["roots"] + dowhy["children"]
    graphs = [position_attachment(rng, nodes, roots=roots, density=dowhy["density"]) for _ in range(1000)]
    connected = [connected_components(graph, directed=True, connection="weak")[0] == 1 for graph in graphs]
    assert dowhy["weakly_connected"] == dowhy["graphs"] and all(connected)
    assert dowhy["root_counts"] == sorted({int((~graph.any(axis=0)).sum()) for graph in graphs}) == [roots]
    assert not any(np.tril(graph).any() for graph in graphs)
    edges = np.array([[graph.sum()] for graph in graphs])
    assert _is_like(edges, dowhy["edges"][:1], dowhy["edges"][1:], dowhy["graphs"])
    for axis, degree in ((1, "in_degree"), (2, "out_degree")):
        ours = np.array(graphs).sum(axis=axis)
        assert _is_like(ours, dowhy[f"{degree}_mean"], dowhy[f"{degree}_std"], dowhy["graphs"]), degree


def test_independent_picks_are_told_from_dowhy() -> None:
    """The parity test can fail: the graphs of SHIPPED have other in-degrees and fall apart."""
    rng, dowhy = np.random.default_rng(9), DOWHY[-2]
    nodes = dowhy["roots"] + dowhy["children"]
    graphs = [sequential_attachment(rng, nodes, roots=dowhy["roots"], density=dowhy["density"]) for _ in range(300)]
    assert not _is_like(np.array(graphs).sum(axis=1), dowhy["in_degree_mean"], dowhy["in_degree_std"], dowhy["graphs"])
    assert any(connected_components(graph, directed=True, connection="weak")[0] > 1 for graph in graphs)


def test_position_attachment_agrees_with_an_installed_dowhy() -> None:
    dowhy = pytest.importorskip("dowhy.gcm.data_generator", reason="not in DoWhy's releases up to 0.14")
    import networkx as nx

    rng = np.random.default_rng(10)
    theirs = np.array([nx.to_numpy_array(dowhy.generate_random_dag(4, 16, 0.2)) > 0 for _ in range(500)]).sum(axis=1)
    ours = np.array([position_attachment(rng, 20, roots=4, density=0.2) for _ in range(500)]).sum(axis=1)
    assert _is_like(ours, theirs.mean(axis=0), theirs.std(axis=0, ddof=1), 500)


def test_mixtures_name_their_graphs() -> None:
    assert (PAPER.dowhy.graph, SHIPPED.dowhy.graph) == ("dowhy", "attachment")
    with pytest.raises(ConfigError, match="lattice"):
        dataclasses.replace(PAPER.dowhy, graph="lattice")


@pytest.mark.parametrize("kind", ["dowhy", "attachment"])
def test_dowhy_graphs_keep_the_table_of_the_paper(kind: str) -> None:
    rng = np.random.default_rng(6)
    last, fractions = [], []
    for _ in range(2000):
        graph = paths.dowhy_graph(rng, dataclasses.replace(PAPER.dowhy, graph=kind), 50)
        fractions.append((graph.sum(axis=0) == 0).mean())
        last.append(graph[:, -1].sum())
    assert min(fractions) >= 0.04 and max(fractions) <= 0.40
    assert abs(np.mean(fractions) - 0.225) < 0.02
    # Density is uniform in [0.02, 0.40], then capped. The last node has 49 before it, each a parent with that
    # probability; DoWhy gives it one parent and that share of the other 48.
    cap = 4 / 49
    mean = ((cap**2 - 0.02**2) / 2 + cap * (0.40 - cap)) / 0.38
    expected = {"attachment": 49 * mean, "dowhy": 1 + 48 * mean}[kind]
    assert abs(np.mean(last) - expected) < 0.15


def test_limit_on_parents() -> None:
    graph = limit_parents(np.random.default_rng(7), np.triu(np.ones((30, 30), dtype=bool), 1), 10)
    assert graph.sum(axis=0).max() == 10
    assert (graph.sum(axis=0)[:11] == np.arange(11)).all()
