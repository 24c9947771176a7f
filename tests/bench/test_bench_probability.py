"""Rankings, calibration, adjustment distance and uncertainty against obvious twins."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score, roc_auc_score

from foundcause.bench.graph_metrics import cpdag, parent_aid
from foundcause.bench.judgement import auprc, auroc, brier, mean_interval, off_diagonal, paired, reliability, upper
from foundcause.errors import InputError


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 2**31), st.integers(2, 60), st.integers(1, 6))
def test_rankings_equal_scikit_learn_with_ties(seed: int, size: int, levels: int) -> None:
    rng = np.random.default_rng(seed)
    scores, truth = rng.integers(levels, size=size) / levels, rng.random(size) < 0.4
    if truth.all() or not truth.any():
        assert auroc(scores, truth) is None
    else:
        assert auroc(scores, truth) == pytest.approx(roc_auc_score(truth, scores))
        assert auprc(scores, truth) == pytest.approx(average_precision_score(truth, scores))


def test_auroc_of_a_graph_is_its_single_operating_point() -> None:
    predicted, truth = np.array([1, 1, 0, 0, 0]), np.array([1, 0, 1, 0, 0], dtype=bool)
    assert auroc(predicted, truth) == pytest.approx((0.5 + (1 - 1 / 3)) / 2)  # mean of sensitivity and specificity


def test_triangles_of_a_matrix() -> None:
    matrix = np.arange(9).reshape(3, 3)
    assert off_diagonal(matrix).tolist() == [1, 2, 3, 5, 6, 7]
    assert upper(matrix).tolist() == [1, 2, 5]


def test_reliability_and_brier_by_hand() -> None:
    curve = reliability(np.array([0.05, 0.15, 0.15, 0.95, 1.0]), np.array([0, 0, 1, 1, 1], dtype=bool))
    assert curve.count.tolist() == [1, 2, 0, 0, 0, 0, 0, 0, 0, 2]
    assert curve.true.tolist() == [0, 1, 0, 0, 0, 0, 0, 0, 0, 2]
    assert curve.error == pytest.approx((0.05 + abs(0.3 - 1) + abs(1.95 - 2)) / 5)
    assert (curve + curve).error == pytest.approx(curve.error)
    assert brier(np.array([0.0, 1.0, 0.5]), np.array([0, 1, 1])) == pytest.approx(0.25 / 3)


def test_parent_aid_of_right_reversed_and_equivalent_graphs() -> None:
    chain = np.array([[0, 1, 0], [0, 0, 1], [0, 0, 0]], dtype=bool)
    assert parent_aid(chain, chain) == 0.0
    assert parent_aid(chain.T, chain) == 1.0
    undirected = parent_aid(cpdag(chain), chain)
    assert undirected is not None and 0 < undirected <= 1
    collider = np.array([[0, 0, 1], [0, 0, 1], [0, 0, 0]], dtype=bool)
    assert parent_aid(cpdag(collider), collider) == 0.0


def test_parent_aid_is_undefined_where_it_must_be() -> None:
    dag = np.triu(np.ones((3, 3), dtype=bool), 1)
    cycle = np.array([[0, 1, 0], [0, 0, 1], [1, 0, 0]], dtype=bool)
    assert parent_aid(cycle, dag) is None
    assert parent_aid(dag, cycle) is None
    # 0 -> 1 - 2 with 0, 2 apart is no CPDAG: Meek's first rule would orient 1 -> 2
    assert parent_aid(np.array([[0, 1, 0], [0, 0, 1], [0, 1, 0]], dtype=bool), dag) is None


def test_interval_holds_its_mean_and_narrows() -> None:
    values = np.random.default_rng(1).normal(0.5, 0.1, 400)
    wide, narrow = mean_interval(values[:10]), mean_interval(values)
    for interval in (wide, narrow):
        assert interval.low <= interval.mean <= interval.high
    assert narrow.high - narrow.low < wide.high - wide.low
    assert narrow.high - narrow.low == pytest.approx(2 * 1.96 * values.std() / 20, rel=0.15)
    with pytest.raises(InputError):
        mean_interval(np.array([]))


def test_a_weighted_interval_counts_values_by_weight() -> None:
    values = np.array([1.0, 0.0, 0.0])
    interval = mean_interval(values, weights=np.array([2.0, 1.0, 1.0]))
    assert interval.mean == pytest.approx(0.5)
    assert (interval.low, interval.high) == (0.0, 1.0)
    assert mean_interval(values, weights=np.ones(3)) == mean_interval(values)


def test_paired_comparison_is_exact_for_few_sets() -> None:
    better = paired(np.array([0.6, 0.7, 0.8]), np.array([0.5, 0.5, 0.5]))
    assert (better.wins, better.ties, better.losses) == (3, 0, 0)
    assert better.p == pytest.approx(2 / 8)  # of 8 sign patterns only the two uniform ones are as extreme
    same = paired(np.array([0.5, 0.5]), np.array([0.5, 0.5]))
    assert (same.ties, same.p) == (2, 1.0)
    many = paired(np.ones(20), np.zeros(20))
    assert 0 < many.p < 1e-3  # sampled, and what was observed is one of the samples
    with pytest.raises(InputError):
        paired(np.array([1.0]), np.array([1.0, 2.0]))
