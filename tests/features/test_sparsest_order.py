"""The sparsest order: moves against orders made anew, features against plain regressions, and tables that are known."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from statistics_helpers import SPARSEST, sparsest_order_statistics
from test_residual_order import linear_table, residual

from foundcause.features.sparsest_order import FURTHEST, Factor, sparsest_order
from foundcause.features.standardize import prepare


def correlations(D: int, N: int, seed: int) -> np.ndarray:
    values, _ = linear_table(D, N, seed, noise="standard_normal")
    return np.corrcoef(values.T)


def cost_twin(C: np.ndarray, order: tuple[int, ...], rows: float, price: float) -> float:
    """Cost of an order by one regression after the other."""
    cost = 0.0
    for place, j in enumerate(order):
        before = list(order[:place])
        if before:
            inverse = np.linalg.inv(C[np.ix_(before, before)])
            slopes = inverse @ C[before, j]
            left = C[j, j] - C[j, before] @ slopes
            cost += np.minimum(0.5 * rows * slopes**2 / (np.diagonal(inverse) * left), price).sum()
    return float(cost)


def features(values: np.ndarray) -> dict[str, np.ndarray]:
    found = sparsest_order_statistics(torch.from_numpy(values), torch.ones(values.shape, dtype=torch.bool)).numpy()
    return {feature.name: found[..., k] for k, feature in enumerate(SPARSEST.features)}


@settings(max_examples=25, deadline=None)
@given(D=st.integers(2, 9), seed=st.integers(0, 10_000))
def test_gains_of_all_moves(D: int, seed: int) -> None:
    C, order = correlations(D, 150, seed), np.random.default_rng(seed).permutation(D)
    factor = Factor(C, order, 150.0, 4.0)
    now = cost_twin(C, tuple(order), 150.0, 4.0)
    assert factor.costs.sum() == pytest.approx(now, rel=1e-9, abs=1e-9)
    gains = factor.gains()
    for place in range(D):
        for target in range(D):
            moved = np.insert(np.delete(order, place), target, order[place])
            assert now - cost_twin(C, tuple(moved), 150.0, 4.0) == pytest.approx(gains[place, target], abs=1e-7)


def test_far_moves_are_not_tried() -> None:
    D = FURTHEST + 6
    gains = Factor(correlations(D, 400, 1), np.arange(D), 400.0, 4.0).gains()
    far = np.abs(np.subtract.outer(np.arange(D), np.arange(D))) > FURTHEST
    assert np.isneginf(gains[far]).all()
    assert np.isfinite(gains[~far]).all()


@pytest.mark.parametrize("seed", range(6))
def test_no_move_betters_what_is_found_and_advantage_is_what_a_turn_costs(seed: int) -> None:
    D = 6
    C = correlations(D, 300, seed)
    found = sparsest_order(C, np.arange(D), rows=300.0, price=5.0)
    cost = cost_twin(C, tuple(found.order), 300.0, 5.0)
    assert found.cost == pytest.approx(cost)
    assert cost <= cost_twin(C, tuple(range(D)), 300.0, 5.0) + 1e-9
    for i in range(D):
        for j in range(i + 1, D):
            turned = []
            for place in (i, j):
                for target in range(D):
                    moved = np.insert(np.delete(found.order, place), target, found.order[place]).tolist()
                    if moved.index(found.order[i]) > moved.index(found.order[j]):
                        turned.append(cost_twin(C, tuple(moved), 300.0, 5.0) - cost)
            assert min(turned) > -2e-3
            assert found.advantage[i, j] == pytest.approx(max(min(turned), 0.0), abs=1e-7)
            assert found.advantage[j, i] == -found.advantage[i, j]


def test_few_columns_find_the_cheapest_order_of_all() -> None:
    right = 0
    for seed in range(20):
        C = correlations(5, 500, seed)
        found = sparsest_order(C, np.arange(5), rows=500.0, price=5.0)
        right += found.cost <= min(cost_twin(C, order, 500.0, 5.0) for order in permutations(range(5))) + 1e-2
    assert right >= 16, "a search by single moves may end in a hollow, but seldom does"


def test_features_are_those_of_plain_regressions() -> None:
    values, _ = linear_table(6, 500, seed=7, noise="standard_normal")
    x = prepare(torch.from_numpy(values), torch.ones(values.shape, dtype=torch.bool)).x.double().numpy()
    told = features(values)
    order = np.argsort((told["sparse_place"] < 0).sum(0) - (told["sparse_place"] > 0).sum(0))[::-1]
    for place, j in enumerate(order):
        before = order[:place]
        rest = residual(x[:, j], [x[:, k] for k in before])
        explained = 1 - rest.var() / x[:, j].var()
        assert told["sparse_explained_effect"][(j + 1) % 6, j] == pytest.approx(explained, abs=1e-3)
        for k, i in enumerate(before):
            design = x[:, before]
            slope = np.linalg.lstsq(design, x[:, j], rcond=None)[0][k]
            spread = np.linalg.inv(design.T @ design)[k, k] * (rest**2).sum() / (500 - 3)
            t = abs(slope) / np.sqrt(spread)
            assert told["sparse_t_forward"][i, j] == pytest.approx(np.arcsinh(t / 4), rel=5e-3, abs=5e-3)
            assert told["sparse_t_forward"][j, i] == 0


def test_a_dense_gaussian_table_tells_its_edges() -> None:
    """Four causes a column: too many for scores of small sets."""
    values, graph = linear_table(18, 2000, seed=11, noise="standard_normal", density=0.45)
    told = features(values)
    drawn = 4 * np.sinh(told["sparse_t_forward"]) > 3.5
    assert 2 * (drawn & graph).sum() / (drawn.sum() + graph.sum()) > 0.85
    assert (told["sparse_place"][graph] > 0).mean() > 0.9


def test_a_chain_has_no_direction_and_a_collider_has() -> None:
    rng = np.random.default_rng(3)
    a, b, e = rng.normal(size=(3, 3000))
    chain = features(np.stack([a, a + b, a + b + e], 1))
    collider = features(np.stack([a, a + b + e, b], 1))
    # found from either end: one move then turns the first of its edges at no cost
    first = (0, 1) if chain["sparse_place"][0, 1] > 0 else (2, 1)
    assert abs(chain["sparse_advantage"][first]) < 0.3
    assert collider["sparse_advantage"][0, 1] > 1
    assert collider["sparse_advantage"][2, 1] > 1
    assert abs(collider["sparse_advantage"][0, 2]) < 0.3


def test_copies_are_one_column() -> None:
    values, _ = linear_table(5, 400, seed=4)
    told, alone = features(np.c_[values, values[:, 2]]), features(values)
    for name, matrix in told.items():
        np.testing.assert_allclose(matrix[5, :2], matrix[2, :2], atol=1e-6)
        if name != "sparse_place":  # in units of the columns there are
            np.testing.assert_allclose(matrix[:5, :5], alone[name], atol=1e-5, err_msg=name)


def test_columns_of_one_sum_in_any_order() -> None:
    values, _ = linear_table(5, 400, seed=9)
    whole = np.c_[values, values[:, 0] + values[:, 1] + values[:, 4]]
    told = features(whole)
    for seed in range(4):
        order = np.random.default_rng(seed).permutation(6)
        for name, matrix in features(whole[:, order]).items():
            np.testing.assert_allclose(matrix, told[name][np.ix_(order, order)], atol=5e-3, err_msg=name)
