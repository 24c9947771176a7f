"""Gaps filled from donors: what is kept, what is recovered, and what the network is told."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from foundcause.features import compute, feature_set
from foundcause.features.gap_fill import fill_gaps, gap_seed


def chain(rows: int = 800, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal((rows, 5)).cumsum(axis=1)


@settings(max_examples=60, deadline=None)
@given(
    st.integers(1, 40), st.integers(1, 6), st.floats(0.0, 1.0), st.sampled_from(["normal", "few", "flat", "huge"]),
    st.integers(0, 10_000),
)  # fmt: skip
def test_observed_cells_stay_and_gaps_take_values_of_their_column(rows, columns, share, kind, seed):
    rng = np.random.default_rng(seed)
    values = rng.standard_normal((rows, columns))
    values = {"normal": values, "few": np.round(values), "flat": values * 0 + 3, "huge": values * 1e30}[kind]
    observed = rng.random(values.shape) >= share
    filled = fill_gaps(np.where(observed, values, np.nan), observed, seed=seed)
    assert np.isfinite(filled).all()
    np.testing.assert_array_equal(filled[observed], values[observed])
    for k in range(columns):
        allowed = values[observed[:, k], k] if observed[:, k].any() else [0.0]
        assert np.isin(filled[:, k], allowed).all()


def test_seeds_choose_donors():
    values = chain()
    observed = np.random.default_rng(1).random(values.shape) > 0.2
    first = fill_gaps(values, observed, seed=4)
    np.testing.assert_array_equal(first, fill_gaps(values, observed, seed=4))
    assert (first != fill_gaps(values, observed, seed=5)).any()


def test_dependence_that_gaps_hide_is_recovered():
    """Cells go missing where another column is high; the mean of those left is biased, that of the filled is not."""
    values = chain(4000)
    driver, target = values[:, 1], values[:, 2]
    observed = np.ones(values.shape, dtype=bool)
    observed[:, 2] = np.random.default_rng(2).random(len(values)) > 1 / (1 + np.exp(-2 * driver))
    filled = fill_gaps(values, observed, seed=0)[:, 2]
    left = target[observed[:, 2]]
    assert abs(left.mean() - target.mean()) > 0.4
    assert abs(filled.mean() - target.mean()) < 0.1
    for other in (0, 1, 3):
        assert np.corrcoef(filled, values[:, other])[0, 1] == pytest.approx(
            np.corrcoef(target, values[:, other])[0, 1], abs=0.05
        )


@pytest.mark.parametrize("features", ["extended", "paper"])
def test_features_about_gaps_tell_the_truth(features):
    values = chain(300)
    observed = np.random.default_rng(3).random(values.shape) > np.linspace(0.0, 0.4, 5)
    native = compute(values, observed, features=features)
    filled = compute(values, observed, features=features, fill_seed=0)
    names = [feature.name.rpartition(".")[2] for feature in feature_set(features).features]
    off = ~torch.eye(5, dtype=torch.bool)
    for name in ("joint_share", "missing_cause", "missing_effect"):
        if name in names:
            k = names.index(name)
            torch.testing.assert_close(filled[off, k], native[off, k], atol=1e-5, rtol=1e-5)
    assert "joint_share" in names
    assert (filled != native).any()


def test_every_fourth_view_leaves_gaps_and_the_others_differ():
    seeds = [gap_seed(5, view) for view in range(10)]
    assert [view for view, seed in enumerate(seeds) if seed is None] == [3, 7]
    assert len(set(seeds)) == 9
    assert not set(seeds) - {None} & {gap_seed(6, view) for view in range(10)}


def test_complete_tables_are_not_touched():
    values = chain(200)
    torch.testing.assert_close(
        compute(values, features="extended"), compute(values, features="extended", fill_seed=3), atol=0, rtol=0
    )


def test_padding_variables_do_not_change_the_filling():
    values = chain(200).astype(np.float32)
    observed = np.random.default_rng(5).random(values.shape) > 0.2
    wide = np.zeros((200, 7), dtype=np.float32)
    wide[:, [0, 2, 3, 5, 6]] = values
    seen = np.zeros(wide.shape, dtype=bool)
    seen[:, [0, 2, 3, 5, 6]] = observed
    real = np.array([True, False, True, True, False, True, True])
    padded = compute(wide[None], seen[None], real[None], features="extended", fill_seed=1)[0]
    inner = padded[[0, 2, 3, 5, 6]][:, [0, 2, 3, 5, 6]]
    torch.testing.assert_close(inner, compute(values, observed, features="extended", fill_seed=1), atol=0, rtol=0)
