from __future__ import annotations

from dataclasses import replace

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from foundcause.errors import CheckpointError, ConfigError, KnowledgeError
from foundcause.inference.decoding import Passes, constrain, decide, decode
from foundcause.inference.probabilities import (
    CONFOUNDING_CUT,
    HIGHEST_CUT,
    LOWEST_CUT,
    confounding_probabilities,
    expected_f1_cut,
    factored_probabilities,
    joint_probabilities,
    learned_cut,
)
from foundcause.inference.protocols import PROTOCOL_NAMES, protocol_named
from foundcause.knowledge import Knowledge
from foundcause.model.calibration import Calibration, CutCoefficients


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
@given(st.integers(0, 10_000), st.integers(2, 9), st.sampled_from(PROTOCOL_NAMES), st.booleans())
def test_knowledge_is_never_violated_and_graphs_are_acyclic(seed, D, protocol, factored):
    names = [f"v{k}" for k in range(D)]
    passes = replace(random_passes(seed, D, factored=factored), protocol=protocol_named(protocol))
    forbidden, required = random_knowledge(seed, names).masks(names)
    free = decide(passes, rows=500)
    found = decide(passes, rows=500, forbidden=forbidden, required=required)
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
    assert learned_cut(found, calibration.cut, rows=100) == pytest.approx(1 / (1 + np.exp(1.0)))


@pytest.mark.parametrize(
    "entries",
    [
        {"edge_temperature": 0},
        {"edge_temperature": "warm"},
        {"confounding": {"temperature": -1}},
        {"by_passes": {"few": {}}},
        {"by_passes": {"1": {"edge_temperature": 0}}},
        {"threshold": {"intercept": float("nan")}},
    ],
)
def test_damaged_calibration_is_refused(entries):
    with pytest.raises(CheckpointError):
        Calibration.from_metadata({"calibration": entries})


def test_expected_f1_cut_beats_fixed_cuts_on_calibrated_graphs():
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
            cut = learned_cut(edges, CutCoefficients(), rows=500) if name == "adaptive" else float(name)
            kept = (edges > cut) & (edges >= edges.T)
            hits = (kept & truth.astype(bool)).sum()
            total = kept.sum() + truth.sum()
            values.append(1.0 if total == 0 else 2 * hits / total)
    means = {name: np.mean(values) for name, values in scores.items()}
    assert means["adaptive"] >= max(means["0.3"], means["0.5"], means["0.7"]) - 0.005


def test_expected_f1_cut_small_cases():
    assert expected_f1_cut(np.zeros((1, 1))) == 0.5
    sure = np.array([[0, 0.95], [0.02, 0]])
    assert expected_f1_cut(sure) < 0.95
    unlikely = np.array([[0, 0.05], [0.05, 0]])
    assert expected_f1_cut(unlikely) > 0.05


def test_agreement_prunes_an_edge_that_few_passes_show():
    """One loud pass lifts the averaged logit over the cut, four quiet ones do not show the edge."""
    direction = np.zeros((5, 2, 2))
    direction[:, 0, 1], direction[:, 1, 0] = 6, -6
    existence = np.full((5, 2, 2), -1.0)
    existence[0] = 15.0
    passes = Passes(edges=direction, existence=existence, direction=direction, confounding=direction * 0, factored=True)
    found = decide(passes, rows=100, threshold=0.5)
    assert found.edges[0, 1] > 0.5 and found.agreement[0, 1] == pytest.approx(0.2) and not found.adjacency.any()


def test_user_threshold_is_used_and_unknown_protocol_refused():
    assert decide(random_passes(0, 5), rows=10, threshold=0.77).threshold == 0.77
    assert not decide(random_passes(0, 5), rows=10, threshold=0.9999).adjacency.any()
    with pytest.raises(ConfigError, match=r"'papers'.*default, paper, release"):
        protocol_named("papers")


def test_the_policy_of_the_cut_is_not_the_headers():
    """A header may hold a floor of its own from before; the decoder's holds."""
    for low, high, intercept, expected in ((0.01, 0.02, -50.0, LOWEST_CUT), (0.97, 0.98, 50.0, HIGHEST_CUT)):
        entries = {"threshold": {"low": low, "high": high, "intercept": intercept}, "confounding": {"threshold": 0.9}}
        calibration = Calibration.from_metadata({"calibration": entries})
        found = decide(random_passes(0, 5), calibration, rows=100)
        assert found.threshold == expected and found.confounding_threshold == CONFOUNDING_CUT


def test_calibration_between_fitted_numbers_of_passes():
    entries = {
        "edge_temperature": 1.0,
        "confounding": {"temperature": 2.0},
        "threshold": {"intercept": 0.5},
        "fitted_on": {"runs": 10},
        "by_passes": {"1": {"edge_temperature": 1.9}, "2": {"edge_temperature": 1.4}},
    }
    calibration = Calibration.from_metadata({"calibration": entries})
    found = {k: calibration.at(k) for k in (1, 2, 4, 10, 50)}
    assert [found[k].edge_temperature for k in (1, 2, 10, 50)] == pytest.approx([1.9, 1.4, 1.0, 1.0])
    assert 1.0 < found[4].edge_temperature < 1.4  # linear in 1 / passes
    assert found[4].edge_temperature == pytest.approx(1.0 + 0.4 * (1 / 4 - 1 / 10) / (1 / 2 - 1 / 10))
    assert all(c.confounding_temperature == 2.0 and c.cut.intercept == 0.5 for c in found.values())
    plain = Calibration.from_metadata({"calibration": {"edge_temperature": 3.0, "fitted_on": {"runs": 10}}})
    assert plain.at(2).edge_temperature == 3.0


def test_decoding_again_equals_decoding_at_once():
    """Stored passes answer other knowledge and thresholds as a new run would."""
    names = ("a", "gone", "b", "c", "d", "e")
    columns = np.array([3, 0, 5, 2, 4])
    passes = replace(random_passes(4, 5), names=names, columns=columns, left_out=("dropped",))
    logits = ("edges", "existence", "direction", "confounding")
    stored = replace(passes, **{name: getattr(passes, name).astype(np.float32) for name in logits})
    known = Knowledge(roots=["b"], required=[("gone", "d")])
    with pytest.raises(KnowledgeError, match="dropped"):
        decode(passes, Calibration(), Knowledge(roots=["dropped"]))
    found = decode(passes, Calibration(), known, rows=300)
    again = decode(stored, Calibration(), known, rows=300)
    np.testing.assert_allclose(again.edges, found.edges, atol=1e-6)
    assert found.adjacency[1, 4] and not found.adjacency[:, 2].any() and not found.confounding[2].any()
    assert not found.adjacency[1, [0, 2, 3, 5]].any()
    inside = np.ix_(columns, columns)
    np.testing.assert_array_equal(decode(passes, Calibration(), rows=300).edges[inside], decide(passes, rows=300).edges)
    ordered = decode(passes.in_table_order(), Calibration(), rows=300)
    np.testing.assert_array_equal(ordered.edges, decode(passes, Calibration(), rows=300).edges)


def test_decoding_forty_columns_again_takes_a_tenth_of_a_second():
    import time

    passes = random_passes(0, 40, K=10, scale=1.5)
    known = Knowledge(tiers=[[f"x{k}" for k in range(5)], [f"x{k}" for k in range(5, 12)]])
    seconds = []
    for _ in range(3):
        started = time.process_time()
        decode(passes, Calibration(edge_bias=-3.0), known, rows=600)
        seconds.append(time.process_time() - started)
    assert min(seconds) < 0.2  # of processor time; 0.1 s on an idle machine


@pytest.mark.parametrize("name", PROTOCOL_NAMES)
def test_every_part_of_a_protocol_can_be_ablated(name):
    passes = replace(random_passes(2, 6), protocol=protocol_named(name))
    whole = decide(passes, rows=300)
    assert decide(replace(passes, protocol=replace(passes.protocol, cut=0.37)), rows=300).threshold == 0.37
    hot = decide(replace(passes, protocol=replace(passes.protocol, temperature=3.0)), rows=300)
    assert not np.allclose(hot.edges, whole.edges)
    unpruned = decide(replace(passes, protocol=replace(passes.protocol, min_agreement=0.0)), rows=300)
    assert unpruned.adjacency.sum() >= whole.adjacency.sum()
