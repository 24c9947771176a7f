"""Every mechanism family is a function of its parents; noise families have the scale they say."""

from __future__ import annotations

import numpy as np
import pytest

from foundcause.simulate import noise
from foundcause.simulate.hidden_causes import shared_noise
from foundcause.simulate.mechanisms import MECHANISMS, centered

ROWS = 800


def inputs(parents: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return rng.standard_normal((parents, ROWS), dtype=np.float32), rng.standard_normal(ROWS, dtype=np.float32)


def test_there_are_enough_families() -> None:
    named = "gaussian_process tanh_mlp sigmoid_mlp michaelis_menten hill piecewise_linear polynomial step interaction"
    named += " competitive_inhibition sinusoidal exponential logarithmic log_space threshold_binary categorical linear"
    assert set(named.split()) <= set(MECHANISMS)
    assert len(MECHANISMS) >= 18


@pytest.mark.parametrize("name", sorted(MECHANISMS))
@pytest.mark.parametrize("parents", [1, 2, 7])
def test_family_is_finite_reproducible_and_follows_its_parents(name: str, parents: int) -> None:
    family = MECHANISMS[name]
    x, e = inputs(parents)
    swapped = x[:, ::-1]
    follows = 0
    for seed in range(5):
        values = family.function(np.random.default_rng(seed), x, e)
        assert values.shape == (ROWS,)
        assert np.isfinite(values).all()
        np.testing.assert_array_equal(values, family.function(np.random.default_rng(seed), x.copy(), e.copy()))
        other = family.function(np.random.default_rng(seed), swapped, e)
        follows += not np.array_equal(values, other)
        if family.additive:  # rows are treated alike, and the noise is the caller's
            np.testing.assert_allclose(other[::-1], values, rtol=1e-4, atol=1e-4)
            np.testing.assert_array_equal(values, family.function(np.random.default_rng(seed), x, -e))
        else:
            assert not np.array_equal(values, family.function(np.random.default_rng(seed), x, -e))
        if family.discrete:
            np.testing.assert_array_equal(values, np.round(values))
            assert values.min() >= 0
    assert follows >= 4


def test_extreme_parents_do_not_overflow() -> None:
    x, e = inputs(3)
    for family in MECHANISMS.values():
        assert np.isfinite(family.function(np.random.default_rng(0), 50 * x, 50 * e)).all()


@pytest.mark.parametrize("name", sorted(noise.NOISE_FAMILIES))
def test_noise_has_unit_scale(name: str) -> None:
    drawn = np.concatenate([noise.NOISE_FAMILIES[name](np.random.default_rng(seed), 20000) for seed in range(20)])
    assert drawn.dtype == np.float32
    if name == "cauchy":
        assert np.abs(drawn).max() == noise.CAUCHY_LIMIT
        assert abs(np.median(np.abs(drawn)) - 1.0) < 0.02  # of a standard Cauchy
    else:
        assert abs(drawn.mean()) < 0.02
        assert abs(drawn.std() - 1.0) < 0.05


@pytest.mark.parametrize("name", sorted(noise.ROOT_FAMILIES))
def test_roots_vary_and_are_finite(name: str) -> None:
    drawn = noise.ROOT_FAMILIES[name](np.random.default_rng(1), 5000)
    assert drawn.dtype == np.float32
    assert np.isfinite(drawn).all() and drawn.std() > 0.05


def test_root_mixture_spreads_as_the_paper_says() -> None:
    rng = np.random.default_rng(2)
    drawn = np.concatenate([noise.gaussian_mixture(rng, 200) for _ in range(2000)])
    # Means are uniform in [-3, 3], components have standard deviation 0.4.
    assert abs(drawn.std() - np.sqrt(3.0 + 0.16)) < 0.05


def test_shared_noise_correlates_exactly_its_pairs() -> None:
    rng = np.random.default_rng(3)
    shared = shared_noise(rng, 12, 20000)
    mixed = np.stack([shared.mix(k, noise.gaussian(rng, 20000)) for k in range(12)])
    correlation = np.abs(np.corrcoef(mixed))
    np.fill_diagonal(correlation, 0.0)
    assert shared.confounded.any()
    assert (shared.confounded == shared.confounded.T).all()
    assert correlation[shared.confounded].min() > 0.25
    assert correlation[~shared.confounded].max() < 0.04
    assert np.abs(mixed.std(axis=1) - 1.0).max() < 0.03


def test_centered_handles_constants() -> None:
    assert (centered(np.full(5, 3.0, dtype=np.float32)) == 0.0).all()
