from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from foundcause.errors import CheckpointError, ConfigError
from foundcause.inference.constrain import constrain
from foundcause.inference.protocol import PROTOCOLS, Passes, decode, protocol_named
from foundcause.inference.temperature import (
    Calibration,
    confounding_probabilities,
    factored_probabilities,
    joint_probabilities,
)
from foundcause.inference.threshold import ThresholdRule, expected_f1_threshold
from foundcause.knowledge import Knowledge


def random_passes(seed: int, D: int, K: int = 5, *, factored: bool = True, scale: float = 2.0) -> Passes:
    rng = np.random.default_rng(seed)

    def common_and_noise() -> np.ndarray:
        return scale * (rng.normal(size=(1, D, D)) + 0.5 * rng.normal(size=(K, D, D)))

    existence, direction, confounding = common_and_noise(), common_and_noise(), common_and_noise()
    symmetric = (existence + existence.transpose(0, 2, 1)) / 2
    antisymmetric = direction - direction.transpose(0, 2, 1)
    return Passes(
        edges=common_and_noise(),
        existence=symmetric,
        direction=antisymmetric,
        confounding=confounding,
        factored=factored,
    )


def random_knowledge(seed: int, names: list[str]) -> Knowledge:
    rng = np.random.default_rng(seed)
    order = [str(name) for name in rng.permutation(names)]
    pairs = [(order[i], order[j]) for i in range(len(order)) for j in range(i + 1, len(order))]
    required = [pair for pair in pairs if rng.random() < 0.15]
    forbidden = [pair for pair in pairs + [(b, a) for a, b in pairs] if pair not in required and rng.random() < 0.15]
    cut = int(rng.integers(1, len(order)))
    tiers = [order[:cut], order[cut:]] if rng.random() < 0.5 else []
    roots = [order[0]] if rng.random() < 0.3 else []
    return Knowledge(tiers=tiers, required=required, forbidden=forbidden, roots=roots)


@settings(deadline=None, max_examples=80)
@given(st.integers(0, 10_000), st.integers(2, 9), st.sampled_from(sorted(PROTOCOLS)), st.booleans())
def test_knowledge_is_never_violated_and_graphs_are_acyclic(seed, D, protocol, factored):
    names = [f"v{k}" for k in range(D)]
    passes = random_passes(seed, D, factored=factored)
    forbidden, required = random_knowledge(seed, names).masks(names)
    free = decode(passes, PROTOCOLS[protocol], rows=500)
    found = decode(passes, PROTOCOLS[protocol], rows=500, forbidden=forbidden, required=required)
    for graph in (free, found):
        assert nx.is_directed_acyclic_graph(nx.from_numpy_array(graph.adjacency.astype(int), create_using=nx.DiGraph))
        for matrix in (graph.edges, graph.existence, graph.confounding, graph.agreement):
            assert np.isfinite(matrix).all() and (matrix >= 0).all() and (matrix <= 1).all()
            assert not np.diag(matrix).any()
        np.testing.assert_array_equal(graph.confounding, graph.confounding.T)
        np.testing.assert_allclose(graph.existence, graph.existence.T)
        assert (graph.existence >= graph.edges - 1e-9).all()
    assert found.adjacency[required].all() and not found.adjacency[forbidden].any()
    assert (found.edges[required] == 1).all() and (found.edges[forbidden] == 0).all()
    assert (found.confounding >= free.confounding).all()  # forbidding an edge never lowers confounding
    one_way = ~forbidden & forbidden.T & ~required
    assert (found.edges[one_way] >= free.edges[one_way] - 1e-9).all()


def test_one_direction_forbidden_by_hand():
    edges = np.array([[0, 0.45], [0.45, 0]])
    existence = np.array([[0, 0.9], [0.9, 0]])
    forbidden = np.array([[True, True], [False, True]])
    found, exists = constrain(edges, existence, forbidden, np.zeros((2, 2), dtype=bool))
    assert found[1, 0] == pytest.approx(0.9)  # the data could not tell: all of existence goes to what is left
    assert found[0, 1] == 0 and exists[0, 1] == exists[1, 0] == found[1, 0]


def test_factored_probabilities_sum_to_existence_and_joint_ones_stay_below_one():
    passes = random_passes(3, 6)
    edges = factored_probabilities(passes.existence[0], passes.direction[0], Calibration())
    off = ~np.eye(6, dtype=bool)
    np.testing.assert_allclose((edges + edges.T)[off], (1 / (1 + np.exp(-passes.existence[0])))[off])
    joint = joint_probabilities(passes.edges[0] + 4, Calibration())
    assert (joint + joint.T <= 1 + 1e-12).all()


def test_calibration_by_hand():
    metadata = {
        "calibration": {
            "edge_temperature": 2.0,
            "direction_temperature": 4.0,
            "confounding": {"temperature": 2.0, "bias": -2.0, "threshold": 0.3},
            "threshold": {"intercept": -1.0, "expected_f1": 0.0, "low": 0.1, "high": 0.9, "fitted_on": "validation"},
        }
    }
    calibration = Calibration.from_metadata(metadata)
    existence = np.array([[0.0, 2.0], [2.0, 0.0]])
    direction = np.array([[0.0, 4.0], [-4.0, 0.0]])
    sigma = 1 / (1 + np.exp(-1.0))
    found = factored_probabilities(existence, direction, calibration)
    np.testing.assert_allclose(found, [[0, sigma * sigma], [sigma * (1 - sigma), 0]])
    confounding = confounding_probabilities(np.array([[0.0, 4.0], [4.0, 0.0]]), calibration)
    np.testing.assert_allclose(confounding, [[0, sigma], [sigma, 0]])
    assert calibration.confounding_threshold == 0.3
    assert calibration.threshold(found, rows=100) == pytest.approx(1 / (1 + np.exp(1.0)))


@pytest.mark.parametrize(
    "entries",
    [
        {"edge_temperature": 0},
        {"edge_temperature": "warm"},
        {"confounding": {"temperature": -1}},
        {"confounding": {"threshold": 2}},
        {"threshold": {"low": 0.9, "high": 0.1}},
        {"threshold": {"intercept": float("nan")}},
    ],
)
def test_damaged_calibration_is_refused(entries):
    with pytest.raises(CheckpointError):
        Calibration.from_metadata({"calibration": entries})


def test_expected_f1_threshold_beats_fixed_cuts_on_calibrated_graphs():
    """Graphs drawn from the probabilities themselves, sparse and dense, small and large."""
    rng = np.random.default_rng(0)
    scores: dict[str, list[float]] = {"adaptive": [], "0.3": [], "0.5": [], "0.7": []}
    for _ in range(150):
        D = int(rng.integers(3, 40))
        density = rng.choice([0.03, 0.1, 0.4])
        exists = rng.beta(0.6 * density / (1 - density), 0.6, size=(D, D))
        direction = rng.beta(0.7, 0.7, size=(D, D))
        upper = np.triu(np.ones((D, D), dtype=bool), 1)
        edges = np.where(upper, exists * direction, 0) + np.where(upper, exists * (1 - direction), 0).T
        drawn = rng.random((D, D))
        truth = np.where(upper, drawn < edges, 0) + np.where(upper, (drawn >= edges) & (drawn < exists), 0).T
        for name, values in scores.items():
            cut = ThresholdRule()(edges, rows=500) if name == "adaptive" else float(name)
            kept = (edges > cut) & (edges >= edges.T)
            hits = (kept & truth.astype(bool)).sum()
            total = kept.sum() + truth.sum()
            values.append(1.0 if total == 0 else 2 * hits / total)
    means = {name: np.mean(values) for name, values in scores.items()}
    assert means["adaptive"] >= max(means["0.3"], means["0.5"], means["0.7"]) - 0.005


def test_expected_f1_threshold_small_cases():
    assert expected_f1_threshold(np.zeros((1, 1))) == 0.5
    sure = np.array([[0, 0.95], [0.02, 0]])
    assert expected_f1_threshold(sure) < 0.95
    unlikely = np.array([[0, 0.05], [0.05, 0]])
    assert expected_f1_threshold(unlikely) > 0.05


def test_agreement_prunes_an_edge_that_few_passes_show():
    """One loud pass lifts the averaged logit over the cut, four quiet ones do not show the edge."""
    direction = np.zeros((5, 2, 2))
    direction[:, 0, 1], direction[:, 1, 0] = 6, -6
    existence = np.full((5, 2, 2), -1.0)
    existence[0] = 15.0
    passes = Passes(edges=direction, existence=existence, direction=direction, confounding=direction * 0, factored=True)
    found = decode(passes, rows=100, threshold=0.5)
    assert found.edges[0, 1] > 0.5 and found.agreement[0, 1] == pytest.approx(0.2) and not found.adjacency.any()


def test_user_threshold_is_used_and_unknown_protocol_refused():
    assert decode(random_passes(0, 5), rows=10, threshold=0.77).threshold == 0.77
    assert not decode(random_passes(0, 5), rows=10, threshold=0.9999).adjacency.any()
    with pytest.raises(ConfigError, match=r"'papers'.*default, paper, release"):
        protocol_named("papers")
