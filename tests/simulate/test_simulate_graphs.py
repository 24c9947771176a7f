"""Graphs are acyclic, have the roots and the density asked for, and look like their family."""

from __future__ import annotations

import numpy as np
import pytest

from foundcause.simulate import dowhy_path
from foundcause.simulate.graphs import TOPOLOGIES, limit_parents, sequential_attachment
from foundcause.simulate.mixture import PAPER


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


def test_dowhy_graphs_keep_the_table_of_the_paper() -> None:
    rng = np.random.default_rng(6)
    last, fractions = [], []
    for _ in range(2000):
        graph = dowhy_path.draw_graph(rng, PAPER.dowhy, 50)
        fractions.append((graph.sum(axis=0) == 0).mean())
        last.append(graph[:, -1].sum())
    assert min(fractions) >= 0.04 and max(fractions) <= 0.40
    assert abs(np.mean(fractions) - 0.225) < 0.02
    # Expected in-degree of the last node is 49 * min(density, 4 / 49); density is uniform in [0.02, 0.40].
    cap = 4 / 49
    mean = 49 * ((cap**2 - 0.02**2) / 2 + cap * (0.40 - cap)) / 0.38
    assert abs(np.mean(last) - mean) < 0.15


def test_limit_on_parents() -> None:
    graph = limit_parents(np.random.default_rng(7), np.triu(np.ones((30, 30), dtype=bool), 1), 10)
    assert graph.sum(axis=0).max() == 10
    assert (graph.sum(axis=0)[:11] == np.arange(11)).all()
