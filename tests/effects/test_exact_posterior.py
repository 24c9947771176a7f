"""The exact posterior against a sum over all orders and parent sets, written out."""

from __future__ import annotations

from itertools import combinations, permutations, product

import numpy as np
import pytest

from foundcause.effects.exact_posterior import ExactPosterior


def _local_score(column: int, parents: tuple[int, ...]) -> float:
    return float(np.random.default_rng([column, *parents, 5]).normal() * 2)


def _written_out(probabilities: np.ndarray, before: np.ndarray, tempering: float) -> np.ndarray:
    D = len(probabilities)
    absent = np.clip(1 - probabilities - probabilities.T, 1e-4, 1)
    odds = np.clip(probabilities, 1e-4, 1) / absent
    total, edges = 0.0, np.zeros((D, D))
    for order in permutations(range(D)):
        place = {column: k for k, column in enumerate(order)}
        if any(place[i] > place[j] for i, j in np.argwhere(before)):
            continue
        options = []
        for k, j in enumerate(order):
            required = {i for i in range(D) if probabilities[i, j] >= 1}
            sets = [p for s in range(min(k, 3) + 1) for p in combinations(sorted(order[:k]), s)]
            allowed = [p for p in sets if required <= set(p) and all(probabilities[i, j] > 0 for i in p)]
            options.append([(j, p) for p in allowed])
        for graph in product(*options):
            weight = np.exp(sum(tempering * _local_score(j, p) for j, p in graph))
            weight *= np.prod([odds[i, j] for j, p in graph for i in p if probabilities[i, j] < 1])
            total += weight
            for j, p in graph:
                edges[list(p), j] += weight
    return edges / total


@pytest.mark.parametrize("seed", range(3))
def test_probabilities_are_the_sum_over_orders(seed: int) -> None:
    rng = np.random.default_rng(seed)
    probabilities = rng.uniform(0, 0.4, (4, 4))
    np.fill_diagonal(probabilities, 0)
    probabilities[0, 1] = probabilities[3, 2] = 0.0
    probabilities[2, 3] = 1.0
    before = np.zeros((4, 4), dtype=bool)
    before[1, 0] = seed == 1
    exact = ExactPosterior(_local_score, probabilities, tempering=0.5, before=before)
    expected = _written_out(probabilities, before, 0.5)
    assert np.abs(exact.probabilities - expected).max() < 1e-10
    drawn = exact.draw(3000, rng)
    assert np.abs(drawn.mean(axis=0) - expected).max() < 0.04
    assert drawn[:, 2, 3].all() and not drawn[:, 0, 1].any()
