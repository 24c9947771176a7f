"""What must hold of the extended statistics whatever the data: symmetry, invariance, finiteness, direction sense."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from statistics_helpers import (
    EXTENDED,
    PEELED,
    SPARSEST,
    extended_statistics,
    residual_order_statistics,
    sparsest_order_statistics,
)
from test_statistics import table
from torch import Tensor

from foundcause.features import contingency, correlations, nonlinear, parent_sets, row_samples, standardize, tensor_math
from foundcause.features.registry import FeatureSet

SETS = [
    (EXTENDED, extended_statistics),
    (PEELED, residual_order_statistics),
    (SPARSEST, sparsest_order_statistics),
]


def tensors(missing: float, rows: int = 260, variables: int = 8, seed: int = 5) -> tuple[Tensor, Tensor]:
    values = table(rows, variables, seed, missing=missing)
    return torch.from_numpy(np.nan_to_num(values)), torch.from_numpy(~np.isnan(values))


def same(a: Tensor, b: Tensor, features: FeatureSet, tolerance: float = 2e-3) -> None:
    gap = (a - b).abs().amax((0, 1))
    worst = int(gap.argmax())
    assert float(gap[worst]) <= tolerance, f"{features.features[worst].name} differs by {float(gap[worst]):.2g}"


@pytest.mark.parametrize(("features", "compute"), SETS)
@pytest.mark.parametrize("missing", [0.0, 0.15])
class TestInvariants:
    def test_declared_symmetry_is_measured_symmetry(self, features: FeatureSet, compute, missing: float) -> None:  # type: ignore[no-untyped-def]
        found = compute(*tensors(missing))
        turned = found.transpose(0, 1)
        assert found.shape[-1] == len(features)
        for k, feature in enumerate(features.features):
            if feature.symmetry == "symmetric":
                assert torch.allclose(found[..., k], turned[..., k], atol=1e-5), feature.name
            elif feature.symmetry == "antisymmetric":
                assert torch.allclose(found[..., k], -turned[..., k], atol=1e-5), feature.name
            else:
                assert feature.partner is not None
                assert torch.allclose(found[..., k], turned[..., features.index(feature.partner)], atol=1e-5)

    def test_rows_in_any_order(self, features: FeatureSet, compute, missing: float) -> None:  # type: ignore[no-untyped-def]
        values, observed = tensors(missing)
        order = torch.randperm(len(values), generator=torch.Generator().manual_seed(0))
        same(compute(values[order], observed[order]), compute(values, observed), features)

    def test_permuted_columns_permute_the_answer(self, features: FeatureSet, compute, missing: float) -> None:  # type: ignore[no-untyped-def]
        values, observed = tensors(missing)
        order = torch.randperm(values.shape[1], generator=torch.Generator().manual_seed(1))
        same(compute(values[:, order], observed[:, order]), compute(values, observed)[order][:, order], features)

    def test_scale_and_shift_of_columns(self, features: FeatureSet, compute, missing: float) -> None:  # type: ignore[no-untyped-def]
        values, observed = tensors(missing)
        D = values.shape[1]
        scaled = values * torch.logspace(-3, 3, D, dtype=torch.float64) + torch.linspace(-1e4, 1e4, D)
        same(compute(scaled, observed), compute(values, observed), features)

    def test_hidden_cells_do_not_matter(self, features: FeatureSet, compute, missing: float) -> None:  # type: ignore[no-untyped-def]
        values, observed = tensors(missing)
        spoiled = torch.where(observed, values, 1e9)
        assert torch.equal(compute(spoiled, observed), compute(values, observed))


@pytest.fixture(params=["one sample", "a closer look"])
def sampled(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tables of a few hundred rows are read once, unless the first sample is held to very few."""
    if request.param == "a closer look":
        monkeypatch.setattr(row_samples, "FEWEST_ROWS", 60)
        monkeypatch.setattr(row_samples, "CELLS", 0)
        monkeypatch.setattr(row_samples, "PARTNERS", 2)


@pytest.mark.usefixtures("sampled")
@pytest.mark.parametrize("missing", [0.0, 0.1])
@pytest.mark.parametrize("copies", [[0], [0, 0], [1, 2, 5], [2, 2, 6, 6, 7]])
def test_equal_columns_are_treated_alike(missing: float, copies: list[int]) -> None:
    values, observed = tensors(missing)
    order = list(range(8)) + copies
    values, observed = values[:, order], observed[:, order]
    found = extended_statistics(values, observed)
    for seed in range(3):
        shuffled = torch.randperm(len(order), generator=torch.Generator().manual_seed(seed))
        again = extended_statistics(values[:, shuffled], observed[:, shuffled])
        same(again, found[shuffled][:, shuffled], EXTENDED)
    swap = torch.arange(len(order))
    swap[[copies[0], 8]] = torch.tensor([8, copies[0]])
    same(found[swap][:, swap], found, EXTENDED)


@pytest.mark.usefixtures("sampled")
def test_chunks_equal_the_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    values, observed = tensors(0.1)
    whole = extended_statistics(values, observed)
    for module in (correlations, nonlinear, tensor_math, contingency):
        monkeypatch.setattr(module, "CHUNK", 3000)
    monkeypatch.setattr(parent_sets, "GAUSSIAN_CHUNK", 3000)
    monkeypatch.setattr(parent_sets, "TABLE_CHUNK", 3000)
    same(extended_statistics(values, observed), whole, EXTENDED, tolerance=1e-4)


def test_long_tables_are_cut_by_content(monkeypatch: pytest.MonkeyPatch) -> None:
    values, observed = tensors(0.0, rows=900)
    monkeypatch.setattr(standardize, "ROW_LIMIT", 400)
    cut = extended_statistics(values, observed)
    order = torch.randperm(900, generator=torch.Generator().manual_seed(2))
    same(extended_statistics(values[order] * 7 - 3, observed[order]), cut, EXTENDED)
    assert not torch.equal(extended_statistics(values, observed, seed=1), cut)
    assert float(cut[0, 1, EXTENDED.index("log_rows")]) == pytest.approx(np.log(900 / 500) / 2, abs=1e-5)


DEGENERATE = {
    "constant": lambda v: np.c_[v, np.full(len(v), 3.0)],
    "all missing": lambda v: np.c_[v, np.full(len(v), np.nan)],
    "never together": lambda v: np.c_[
        np.where(np.arange(len(v)) % 2, v[:, 0], np.nan), np.where(np.arange(len(v)) % 2, np.nan, v[:, 1])
    ],
    "five rows": lambda v: v[:5],
    "three rows": lambda v: v[:3],
    "two columns": lambda v: v[:, :2],
    "duplicated": lambda v: np.c_[v, v[:, 0], v[:, 0], -v[:, 0]],
    "huge": lambda v: np.c_[v * 1e12, v[:, 0] * 1e-12, v[:, 1] * 1e200],
    "one outlier": lambda v: np.where(np.arange(v.size).reshape(v.shape) == 7, 1e12, v),
    "all constant": lambda v: np.ones_like(v),
    "wide": lambda v: v[:12].repeat(6, 1),
    "deterministic": lambda v: np.c_[v[:, 0], v[:, 0] ** 2, np.sign(v[:, 0]), np.round(v[:, 0])],
}


@pytest.mark.parametrize("name", DEGENERATE)
@pytest.mark.parametrize(("features", "compute"), SETS)
def test_degenerate_tables_stay_finite_and_bounded(features: FeatureSet, compute, name: str) -> None:  # type: ignore[no-untyped-def]
    values = DEGENERATE[name](table(80, 6, 9))
    found = compute(torch.from_numpy(np.nan_to_num(values)), torch.from_numpy(~np.isnan(values)))
    assert found.dtype == torch.float32
    assert torch.isfinite(found).all()
    assert float(found.abs().max()) <= 8


@settings(max_examples=40, deadline=None)
@given(
    values=hnp.arrays(
        np.float64,
        st.tuples(st.integers(3, 25), st.integers(2, 6)),
        elements=st.one_of(st.sampled_from([0.0, 1.0, 2.0]), st.floats(-1e12, 1e12), st.floats(-1, 1)),
    ),
    data=st.data(),
)
def test_anything_finite_gives_finite_features(values: np.ndarray, data: st.DataObject) -> None:
    observed = data.draw(hnp.arrays(np.bool_, values.shape))
    for features, compute in SETS:
        found = compute(torch.from_numpy(values), torch.from_numpy(observed))
        assert found.shape == (values.shape[1], values.shape[1], len(features))
        assert torch.isfinite(found).all()
        assert float(found.abs().max()) <= 8


class TestSense:
    """Each family points the right way on data whose answer is known."""

    @staticmethod
    def features(*columns: np.ndarray) -> Tensor:
        values = torch.from_numpy(np.stack(columns, 1).astype(float))
        return extended_statistics(values, torch.ones_like(values, dtype=torch.bool))

    @staticmethod
    def at(found: Tensor, name: str, i: int, j: int) -> float:
        return float(found[i, j, EXTENDED.index(name)])

    def test_collider_and_chain(self) -> None:
        rng = np.random.default_rng(0)
        i, k = rng.normal(size=(2, 1000))
        j = i + k + rng.normal(size=1000)
        found = self.features(i, j, k)
        assert self.at(found, "collider_forward", 0, 1) > 1 > 0.5 > self.at(found, "chain_forward", 0, 1)
        assert self.at(found, "collider_forward", 1, 0) < 0.5
        k = i + rng.normal(size=1000)
        j = k + rng.normal(size=1000)
        found = self.features(i, k, j)
        assert self.at(found, "chain_forward", 0, 1) > 1 > 0.5 > self.at(found, "collider_forward", 0, 1)
        assert self.at(found, "order1_min_z", 0, 2) < 0.8 < self.at(found, "copula_z", 0, 2)

    def test_nominal_collider_that_correlations_cannot_see(self) -> None:
        rng = np.random.default_rng(1)
        i, k = rng.integers(0, 4, size=(2, 3000))
        order = np.array([2, 0, 3, 1])
        j = np.where(rng.random(3000) < 0.4, order[i], order[(k + 1) % 4])
        found = self.features(i, j, k)
        assert self.at(found, "block_collider_forward", 0, 1) > 0.8
        assert self.at(found, "block_collider_forward", 1, 0) < 0.5
        assert self.at(found, "table_bic_gain_forward", 0, 1) > 1

    def test_linear_non_gaussian_pair(self) -> None:
        rng = np.random.default_rng(2)
        x = rng.uniform(-1, 1, 1000)
        found = self.features(x, x + rng.uniform(-1, 1, 1000))
        assert self.at(found, "line_entropy_z", 0, 1) > 1
        assert self.at(found, "noise_dependence_gap", 0, 1) > 1

    def test_additive_noise_pair(self) -> None:
        rng = np.random.default_rng(3)
        x = rng.normal(size=1000)
        found = self.features(x, x + 0.5 * x**3 + rng.normal(size=1000))
        assert self.at(found, "noise_dependence_x_forward", 0, 1) < self.at(found, "noise_dependence_x_forward", 1, 0)

    def test_cyclic_discrete_pair(self) -> None:
        rng = np.random.default_rng(4)
        x = rng.choice(5, p=[0.4, 0.25, 0.2, 0.1, 0.05], size=2000)
        y = (np.array([1, 1, 0, 4, 4])[x] + rng.choice(5, p=[0.6, 0.2, 0.1, 0.07, 0.03], size=2000)) % 5
        found = self.features(x, y)
        assert self.at(found, "cyclic_dependence_z_forward", 0, 1) < self.at(
            found, "cyclic_dependence_z_backward", 0, 1
        )
        assert self.at(found, "entropic_excess_forward", 0, 1) < self.at(found, "entropic_excess_backward", 0, 1)
