"""Textbook simulations by gCastle: repeatable, acyclic, of the size they say, and without traces in the process."""

from __future__ import annotations

import logging

import networkx as nx
import numpy as np
import pytest
import torch

from foundcause.bench import datasets
from foundcause.bench.datasets import gcastle_simulations
from foundcause.bench.experiments import EXPERIMENTS

pytest.importorskip("castle", reason="gCastle is not installed; pip install 'foundcause[bench]'")
SLOW = {"er2_gp", "sf4_gp_add"}  # Gaussian processes drawn exactly


@pytest.mark.parametrize("name", [name for name in gcastle_simulations.MODELS if name not in SLOW])
def test_cases_are_repeatable_standardised_and_acyclic(name: str) -> None:
    case, again, other = datasets.load(name, 0), datasets.load(name, 0), datasets.load(name, 1)
    assert (case.values == again.values).all() and (case.adjacency == again.adjacency).all()
    assert not np.allclose(case.values, other.values) and (case.adjacency != other.adjacency).any()
    assert nx.is_directed_acyclic_graph(nx.DiGraph(case.adjacency))
    assert np.allclose(case.values.mean(axis=0), 0.0) and np.allclose(case.values.std(axis=0), 1.0)
    per_variable = case.edges / case.variables
    assert abs(per_variable - gcastle_simulations.MODELS[name].edges) < 1.0


def test_nothing_of_the_process_changes() -> None:
    np.random.seed(3)
    expected = np.random.random()
    np.random.seed(3)
    level = logging.getLogger().level
    datasets.load("er2_gauss", 0)
    assert np.random.random() == expected
    assert torch.get_default_dtype() == torch.float32 and logging.getLogger().level == level


def test_linear_weights_have_both_signs() -> None:
    case = datasets.load("sf2_gauss", 0)
    links = np.corrcoef(case.values.T)[case.adjacency]
    assert (links > 0).any() and (links < 0).any()


def test_the_experiment_has_them_all() -> None:
    assert EXPERIMENTS["textbook"].datasets == tuple(gcastle_simulations.MODELS)
