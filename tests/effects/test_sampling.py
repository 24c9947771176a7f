"""Sampled graphs: acyclic, true to the probabilities, and dependent where the passes say so."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from foundcause.effects.sampling import PassDeviations, draw_graphs
from foundcause.errors import InputError


def _acyclic(directed: np.ndarray) -> bool:
    power = directed.astype(float)
    for _ in range(directed.shape[-1]):
        if np.trace(power, axis1=1, axis2=2).any():
            return False
        power = np.minimum(power @ directed, 1.0)
    return True


def _probabilities(D: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Edge probabilities of which most respect one order, and confounding probabilities."""
    rng = np.random.default_rng(seed)
    existence = np.triu(np.where(rng.random((D, D)) < 0.2, rng.uniform(0.2, 1, (D, D)), rng.beta(0.3, 8, (D, D))), 1)
    forward = rng.beta(4, 1.2, (D, D))
    confounding = np.triu(rng.beta(0.5, 6, (D, D)), 1)
    return existence * forward + (existence * (1 - forward)).T, confounding + confounding.T


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("with_passes", [False, True])
def test_shares_of_graphs_are_the_probabilities(seed: int, with_passes: bool) -> None:
    D = 12
    probabilities, confounding = _probabilities(D, seed)
    rng = np.random.default_rng(seed)
    deviations = None
    if with_passes:
        noise = rng.normal(size=(10, D, D))
        even, odd = noise + np.swapaxes(noise, 1, 2), noise - np.swapaxes(noise, 1, 2)
        even, odd = even - even.mean(axis=0), odd - odd.mean(axis=0)
        deviations = PassDeviations(existence=even, direction=odd, confounding=even)
    directed, confounded = draw_graphs(probabilities, confounding, 1000, rng=rng, deviations=deviations)
    assert _acyclic(directed)
    assert np.abs(directed.mean(axis=0) - probabilities).mean() < 0.01
    assert np.abs(confounded.mean(axis=0) - confounding).mean() < 0.01
    assert np.array_equal(confounded, np.swapaxes(confounded, 1, 2))


def test_arrows_that_pass_together_are_drawn_together() -> None:
    probabilities = np.zeros((4, 4))
    probabilities[0, 1] = probabilities[2, 3] = 0.5
    swing = np.zeros((4, 4, 4))
    swing[:, [0, 1, 2, 3], [1, 0, 3, 2]] = np.array([-6.0, -6.0, 6.0, 6.0])[:, None]
    zero = np.zeros_like(swing)
    deviations = PassDeviations(existence=swing, direction=zero, confounding=zero)
    rng = np.random.default_rng(0)
    together, _ = draw_graphs(probabilities, np.zeros((4, 4)), 1000, rng=rng, deviations=deviations)
    apart, _ = draw_graphs(probabilities, np.zeros((4, 4)), 1000, rng=rng)
    assert np.corrcoef(together[:, 0, 1], together[:, 2, 3])[0, 1] > 0.5
    assert abs(np.corrcoef(apart[:, 0, 1], apart[:, 2, 3])[0, 1]) < 0.15


def test_certain_edges_and_known_orders_hold_in_every_graph() -> None:
    probabilities, confounding = _probabilities(8, 5)
    before = np.zeros((8, 8), dtype=bool)
    before[6, :6] = True
    probabilities[7, 6], probabilities[6, 7] = 1.0, 0.0
    probabilities[:6, 6] = 0.0
    directed, _ = draw_graphs(probabilities, confounding, 300, rng=np.random.default_rng(0), before=before)
    assert directed[:, 7, 6].all()
    assert not directed[:, :6, 6].any()
    assert _acyclic(directed)


def test_an_impossible_order_is_refused() -> None:
    before = np.zeros((3, 3), dtype=bool)
    before[0, 1] = before[1, 2] = before[2, 0] = True
    with pytest.raises(InputError):
        draw_graphs(np.zeros((3, 3)), np.zeros((3, 3)), 5, rng=np.random.default_rng(0), before=before)


def test_the_same_seed_draws_the_same_graphs() -> None:
    probabilities, confounding = _probabilities(6, 1)
    one, other = (draw_graphs(probabilities, confounding, 50, rng=np.random.default_rng(3)) for _ in range(2))
    assert np.array_equal(one[0], other[0]) and np.array_equal(one[1], other[1])


@settings(max_examples=30, deadline=None)
@given(st.integers(2, 7), st.integers(1, 40), st.integers(0, 10_000))
def test_any_matrix_gives_acyclic_graphs(D: int, n: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    probabilities = rng.uniform(0, 0.5, (D, D)) * ~np.eye(D, dtype=bool)
    confounding = np.triu(rng.random((D, D)), 1)
    directed, confounded = draw_graphs(probabilities, confounding + confounding.T, n, rng=rng)
    assert directed.shape == confounded.shape == (n, D, D)
    assert _acyclic(directed)
