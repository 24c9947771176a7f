"""The mended definition against its slow twin, and the invariances that the release lacks."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from reference_paper import reference_paper

from foundcause.features import compute
from foundcause.features.row_samples import content_keys
from foundcause.paper.kernel_regression import PAPER_CONSTANTS
from foundcause.paper.pair_moments import tied_ranks
from foundcause.paper.statistic_names import PAPER, RELEASE
from foundcause.paper.statistics import _varying, paper_statistics
from statistics_tables import KINDS, table

CONSTANTS = {"frequencies": PAPER_CONSTANTS.frequencies.numpy(), "phases": PAPER_CONSTANTS.phases.numpy()}


def tolerance(expected: np.ndarray) -> np.ndarray:
    """Float32 kernel sums of fourth powers and curvatures need a little more than the rest."""
    allowed = np.full(expected.shape, 2e-5)
    allowed[..., [16, 17]] = 1e-4 + 1e-5 * np.abs(expected[..., [16, 17]])
    allowed[..., 36] = 1e-4
    return allowed


@pytest.mark.parametrize("kernel_rows", [256, 40])
@pytest.mark.parametrize("kind", KINDS)
def test_slow_twin(kind, kernel_rows):
    values, observed = table(kind)
    expected = reference_paper(values, observed, seed=3, kernel_rows=kernel_rows, **CONSTANTS)
    found = compute(values, observed, seed=3, kernel_rows=kernel_rows).numpy()
    assert np.isfinite(found).all()
    wrong = np.abs(found - expected) > tolerance(expected)
    assert not wrong.any(), (np.argwhere(wrong)[:10], found[wrong][:10], expected[wrong][:10])


@pytest.mark.parametrize("kind", KINDS)
def test_symmetry_of_every_feature(kind):
    values, observed = table(kind)
    for features in (PAPER, RELEASE):
        s = compute(values, observed, features=features)
        for k, feature in enumerate(features.features):
            if feature.symmetry == "symmetric":
                mirror = s[..., k].T
            elif feature.symmetry == "antisymmetric":
                mirror = -s[..., k].T
            else:
                mirror = s[..., features.index(feature.partner)].T
            # the released precision matrix is inverted without symmetrising, so that both sides differ in digits
            torch.testing.assert_close(s[..., k], mirror, atol=2e-5, rtol=1e-5, msg=f"{feature.name} in {kind}")


@pytest.mark.parametrize("kind", KINDS)
def test_row_order_is_invisible(kind):
    values, observed = table(kind)
    rows = np.random.default_rng(5).permutation(len(values))
    found = compute(values[rows], observed[rows], kernel_rows=50)
    torch.testing.assert_close(found, compute(values, observed, kernel_rows=50), atol=1e-6, rtol=1e-6)


@pytest.mark.parametrize("kind", KINDS)
def test_column_order_is_invisible(kind):
    values, observed = table(kind)
    columns = np.random.default_rng(6).permutation(values.shape[1])
    s = compute(values, observed, kernel_rows=50)
    found = compute(values[:, columns], observed[:, columns], kernel_rows=50)
    torch.testing.assert_close(found, s[columns][:, columns], atol=1e-4, rtol=1e-5)


@pytest.mark.parametrize("kind", ["random", "tied", "missing", "missing_tied", "long", "long_discrete", "duplicated"])
def test_scale_and_shift_are_invisible(kind):
    values, observed = table(kind)
    D = values.shape[1]
    scale, shift = np.array([1e-6, 37.0, 1e5, 1.0, 0.3])[:D], np.array([0.0, 1e3, -1e6, 5.0, -2.0])[:D]
    found = compute(values * scale + shift, observed, kernel_rows=50)
    torch.testing.assert_close(found, compute(values, observed, kernel_rows=50), atol=1e-4, rtol=1e-4)


def test_large_offsets_keep_their_digits():
    values, _ = table("random")
    offset = 2.0**33
    quantised = (values + offset) - offset
    torch.testing.assert_close(compute(values + offset), compute(quantised), atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("kind", ["random", "missing", "tied", "long"])
def test_tiles_change_nothing(kind):
    values, observed = map(torch.tensor, table(kind))
    whole = paper_statistics(values, observed, tile=2**30)
    torch.testing.assert_close(paper_statistics(values, observed, tile=500), whole, atol=5e-5, rtol=1e-5)


def test_cells_nobody_saw_and_empty_rows_are_invisible():
    values, observed = table("missing")
    s = compute(values, observed)
    other = values.copy()
    other[~observed] = np.resize([np.nan, 1e30, -7.0, np.inf], (~observed).sum())
    assert torch.equal(compute(other, observed), s)
    longer = np.concatenate([values, np.full((9, 5), 3.0)])
    mask = np.concatenate([observed, np.zeros((9, 5), bool)])
    torch.testing.assert_close(compute(longer, mask), s, atol=1e-6, rtol=1e-6)


def test_missing_cells_do_not_shift_features_much():
    """The release loses igci, its bandwidth and its curvature to missing cells; here they stay near complete data."""
    values, _ = table("long")
    observed = np.random.default_rng(1).random(values.shape) > 0.1
    names = ("igci_variance", "residual_variance", "curvature_difference", "xi", "pearson", "range_share")
    places = [PAPER.index(f"paper.{name}") for name in names]
    change = (compute(values, observed, kernel_rows=300) - compute(values, kernel_rows=300))[..., places]
    assert change.abs().amax(dim=(0, 1)).max() < 0.5


def test_hand_computed_xi_and_spearman():
    cause = np.array([1.0, 2.0, 3.0, 4.0, 5.0])
    s = compute(np.stack([cause, cause**3, np.array([2.0, 1.0, 2.0, 1.0, 2.0])], axis=1))
    xi, spearman = PAPER.index("paper.xi"), PAPER.index("paper.spearman")
    assert s[0, 1, xi] == pytest.approx(1 - 3 * 4 / 24)  # four steps of one rank among five rows
    # at most: 5 2 5 2 5, steps 12; at least: 3 5 3 5 3, sum of l (n - l) = 18
    assert s[0, 2, xi] == pytest.approx(max(1 - 5 * 12 / (2 * 18), -0.5))
    assert s[0, 1, spearman] == pytest.approx(1.0)
    assert s[0, 2, spearman] == pytest.approx(0.0, abs=1e-6)


def test_constant_columns_are_silent():
    values, _ = table("constant")
    s = compute(values)
    rest = compute(np.delete(values, 1, axis=1))
    kept = [0, 2, 3, 4]
    silent = [k for k in range(45) if k not in (41, 42, 44)]
    assert (s[1][..., silent] == 0).all() and (s[:, 1][..., silent] == 0).all()
    torch.testing.assert_close(s[kept][:, kept][..., silent], rest[..., silent], atol=1e-6, rtol=1e-6)


def mirrored(values: np.ndarray, observed: np.ndarray) -> bool:
    """Different rows share a key: rows and columns can change places together, so no placement of ties is right."""
    v, o = torch.from_numpy(values), torch.from_numpy(observed)
    kept = _varying(v, o)
    v, o = v[:, kept], o[:, kept]
    v, o = v[o.any(dim=1)], o[o.any(dim=1)]
    if not v.numel():
        return False
    ranks = torch.where(o, tied_ranks(v, o).average, -1.0)
    return len(content_keys(ranks, o).unique()) < len(ranks.unique(dim=0))


MIRRORED = np.array([[0, 0, -7.1597119208077816e16, 50], [0, 0, 0, 0], [0, 1e-300, 0, 0], [1e-300, 0, 0, 0]])


def test_mirrored_tables_are_known() -> None:
    assert mirrored(MIRRORED, np.random.default_rng(2).random((4, 4)) > 0.2)
    assert not mirrored(np.random.default_rng(0).normal(size=(9, 3)), np.ones((9, 3), dtype=bool))


@settings(max_examples=40, deadline=None)
@given(
    hnp.arrays(
        np.float64,
        st.tuples(st.integers(3, 12), st.integers(2, 4)),
        elements=st.one_of(st.floats(-1e300, 1e300), st.sampled_from([0.0, 1.0, 1e-300, -1e15])),
    ),
    st.integers(0, 2**16),
)
def test_wild_tables_stay_finite(values, seed):
    observed = np.random.default_rng(seed).random(values.shape) > 0.2
    s = compute(values, observed)
    assert s.isfinite().all()
    rows = np.random.default_rng(seed).permutation(len(values))
    if not mirrored(values, observed):
        torch.testing.assert_close(compute(values[rows], observed[rows]), s, atol=1e-5, rtol=1e-5)
