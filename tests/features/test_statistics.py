"""The extended statistics against their slow twins, on random, tied and missing data."""

from __future__ import annotations

import numpy as np
import pytest
import reference_linear as reference_linear
import reference_pairs as reference_pairs
import reference_statistics as reference
import reference_tables as reference_tables
import torch
from statistics_helpers import EXTENDED, extended_statistics

from foundcause.features.curves import curve_statistics
from foundcause.features.nonlinear import row_samples, whitened_functions
from foundcause.features.parent_sets import _fits, coarse_codes
from foundcause.features.row_samples import RowSample
from foundcause.features.standardize import TableState, prepare


def table(rows: int, variables: int, seed: int, *, missing: float = 0.0) -> np.ndarray:
    """Continuous, rounded, binary and heavy-tailed columns that depend on each other; NaN where missing."""
    rng = np.random.default_rng(seed)
    values = np.zeros((rows, variables))
    for j in range(variables):
        weight = rng.normal(size=j) * (rng.random(j) < 0.5)
        values[:, j] = np.tanh(values[:, :j]) @ weight + rng.laplace(size=rows)
    values[:, 1] = np.round(values[:, 1])
    values[:, 2] = values[:, 2] > 0.3
    values[:, 3] = np.round(np.clip(values[:, 3], -2, 2))
    values[:, 4] = np.sinh(values[:, 4])
    values[rng.random(values.shape) < missing] = np.nan
    return values


def ours(values: np.ndarray) -> torch.Tensor:
    observed = ~np.isnan(values)
    return extended_statistics(torch.from_numpy(np.nan_to_num(values)), torch.from_numpy(observed))


def check(found: torch.Tensor, expected: dict[str, np.ndarray], tolerance: float = 2e-3) -> None:
    names = {feature.name for feature in EXTENDED.features}
    for name, value in expected.items():
        if value.ndim == 1:
            pairs = {f"{name}_cause": np.repeat(value[:, None], len(value), 1)}
        elif name in names:
            pairs = {name: value * (1 - np.eye(len(value)))}
        else:
            off = value * (1 - np.eye(len(value)))
            pairs = {f"{name}_forward": off, f"{name}_backward": off.T}
        for feature, target in pairs.items():
            actual = found[..., EXTENDED.index(feature)].numpy()
            np.testing.assert_allclose(actual, target, atol=tolerance, rtol=tolerance, err_msg=feature)


CASES = [(300, 7, 0, 0.0), (300, 7, 1, 0.1), (60, 9, 2, 0.0), (60, 6, 3, 0.2)]


@pytest.mark.parametrize(("rows", "variables", "seed", "missing"), CASES)
class TestTwins:
    def test_columns(self, rows: int, variables: int, seed: int, missing: float) -> None:
        values = table(rows, variables, seed, missing=missing)
        expected = reference.columns(values)
        found = prepare(torch.from_numpy(np.nan_to_num(values)), torch.from_numpy(~np.isnan(values)))
        for name in ("x", "r", "g", "u", "codes", "states", "distinct"):
            np.testing.assert_allclose(getattr(found, name).numpy(), expected[name], atol=1e-4, err_msg=name)
        ascending = found.sorted_x.numpy()
        for d in range(variables):
            seen = expected["seen"][:, d]
            np.testing.assert_allclose(ascending[: seen.sum(), d], np.sort(expected["x"][seen, d]), atol=1e-4)

    def test_linear(self, rows: int, variables: int, seed: int, missing: float) -> None:
        values = table(rows, variables, seed, missing=missing)
        check(ours(values), reference_linear.linear(reference.columns(values)))

    def test_local_scores(self, rows: int, variables: int, seed: int, missing: float) -> None:
        values = table(rows, variables, seed, missing=missing)
        check(ours(values), reference_linear.local(reference.columns(values)), tolerance=5e-3)

    def test_contingency_and_discrete(self, rows: int, variables: int, seed: int, missing: float) -> None:
        values = table(rows, variables, seed, missing=missing)
        check(ours(values), reference.tables(reference.columns(values)))

    def test_moments(self, rows: int, variables: int, seed: int, missing: float) -> None:
        values = table(rows, variables, seed, missing=missing)
        check(ours(values), reference.moments(reference.columns(values)))


@pytest.mark.parametrize("seed", [0, 1])
def test_residuals_equal_their_twin(seed: int) -> None:
    values = table(180, 7, seed)
    cols = reference.columns(values)
    check(ours(values), reference_pairs.residuals(cols, "x") | reference_pairs.residuals(cols, "g"), tolerance=5e-3)


@pytest.mark.parametrize("seed", [0, 1])
def test_moments_given_all_others_equal_explicit_residuals(seed: int) -> None:
    values = table(400, 6, seed)
    cols = reference.columns(values)
    P = reference.precision(reference.correlation(cols["x"], cols["seen"]), np.full((6, 6), 400.0))
    check(ours(values), reference.conditional(cols, P), tolerance=5e-3)


@pytest.mark.parametrize("seed", [0, 1])
def test_table_scores_equal_their_twin(seed: int) -> None:
    values = table(250, 7, seed)
    check(ours(values), reference_tables.table_scores(reference.columns(values)), tolerance=2e-3)


@pytest.mark.parametrize("variables", [3, 5, 9])
def test_complete_data_fits_as_data_that_could_miss_cells(variables: int) -> None:
    values = torch.from_numpy(table(200, 9, 3)[:, :variables])
    observed = torch.ones_like(values, dtype=torch.bool)
    codes, _ = coarse_codes(prepare(values, observed))
    targets = torch.arange(variables)
    chosen = torch.stack([(targets + k) % variables for k in (4, 1, 3, 2) if k < variables], 1)
    whole, apart = _fits(codes, None, targets, chosen), _fits(codes, observed, targets, chosen)
    for name in ("gain", "configurations", "rows", "step_gain", "step_configurations"):
        assert torch.allclose(getattr(whole, name), getattr(apart, name), atol=1e-3), name


def test_nominal_block_strength_is_the_chi_squared_statistic() -> None:
    rng = np.random.default_rng(0)
    N = 100_000  # large, so that the two rows added to an indicator's variance do not matter
    a = rng.integers(0, 4, N)
    b = (a * 2 + rng.integers(0, 3, N)) % 5
    values = torch.from_numpy(np.stack([a, b], 1).astype(float))
    blocks = whitened_functions(prepare(values, torch.ones(N, 2, dtype=torch.bool)))
    cross = blocks.correlation.view(4, 2, 4, 2)[:, 0, :, 1]
    assert blocks.sizes.tolist() == [3, 4]
    assert float(cross.square().sum()) == pytest.approx(reference.nominal_strength(a, b), rel=2e-3)


def test_sets_describe_themselves() -> None:
    assert all(feature.formula for feature in EXTENDED.features)
    assert {feature.group for feature in EXTENDED.features} == {"dependence", "direction", "collider", "reliability"}


def test_entropy_gaps_weigh_the_rows_that_a_pair_shares_in_the_look() -> None:
    """Cells that are missing among the rows looked at are no evidence: the z-values count what is there."""
    generator = torch.Generator().manual_seed(3)
    values = torch.randn(3_000, 2, generator=generator)
    values[:, 1] += values[:, 0].exp()
    observed = torch.rand(3_000, 2, generator=generator) > 0.4
    table = TableState(prepare(values, observed), n_rows=3_000)
    rows = torch.arange(1_000)
    table.put(row_samples, [RowSample(rows=rows)])
    out = curve_statistics(table)
    shared = float(observed[rows].all(dim=1).sum())
    entropy = out["curve_entropy_x"]
    expected = torch.asinh(shared * (entropy[1, 0] - entropy[0, 1]) / 4)
    torch.testing.assert_close(out["curve_entropy_z_x"][0, 1], expected, rtol=1e-5, atol=1e-6)
