"""What the order of a series tells: against single regressions, on systems that are known, and invariants."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.signal import lfilter
from scipy.stats import norm, rankdata

from foundcause.features import compute
from foundcause.features.series import LAGGED, LAGGED_ROWS, RowDependence, lagged_statistics


def as_series(rows: int, n_effective: int) -> RowDependence:
    return RowDependence(n_rows=rows, n_effective=n_effective, direction=1, autocorrelated=())


def features(values: np.ndarray, *, n_effective: int = 40) -> dict[str, np.ndarray]:
    found = lagged_statistics(values, as_series(len(values), n_effective))
    assert found is not None
    return {feature.name: found[..., k] for k, feature in enumerate(LAGGED.features)}


def walks(seed: int, rows: int = 300, columns: int = 4, memory: float = 0.9) -> np.ndarray:
    shocks = np.random.default_rng(seed).standard_normal((rows, columns))
    return lfilter([1.0], [1.0, -memory], shocks, axis=0)


def strength(feature: np.ndarray) -> np.ndarray:
    """Standard errors, from how they are written."""
    return 4 * np.sinh(feature)


def scores(values: np.ndarray) -> np.ndarray:
    z = norm.ppf((np.apply_along_axis(rankdata, 0, values) - 0.5) / len(values))
    return (z - z.mean(0)) / z.std(0)


def left(target: np.ndarray, regressors: np.ndarray, ridge: float) -> np.ndarray:
    """What a ridge regression leaves of a target."""
    penalty = np.vstack([regressors, np.sqrt(ridge) * np.eye(regressors.shape[1])])
    slopes = np.linalg.lstsq(penalty, np.concatenate([target, np.zeros(regressors.shape[1])]), rcond=None)[0]
    return target - regressors @ slopes


@pytest.mark.parametrize("seed", range(4))
def test_leads_and_news_are_those_of_plain_regressions(seed: int) -> None:
    values = walks(seed)
    values[2:, 1] += 0.8 * values[1:-1, 0]
    found, z = features(values), scores(values)
    now, before, earlier = z[2:], z[1:-1], z[:-2]
    ridge = 1e-3 * len(now)
    news = np.column_stack([left(now[:, j], np.c_[before[:, j], earlier[:, j]], ridge) for j in range(4)])
    correlation = np.corrcoef(news.T)
    for i in range(4):
        for j in range(4):
            if i == j:
                continue
            past = np.c_[before[:, j], earlier[:, j]]
            lag = left(before[:, i], past, 0.0)
            r = lag @ left(now[:, j], past, 0.0) / np.linalg.norm(lag) / np.linalg.norm(left(now[:, j], past, 0.0))
            assert strength(found["lead_z_forward"][i, j]) == pytest.approx(
                np.arctanh(abs(r)) * np.sqrt(len(now) - 3), abs=0.1, rel=0.05
            )
            assert strength(found["news_z"][i, j]) == pytest.approx(
                np.arctanh(abs(correlation[i, j])) * np.sqrt(len(now) - 3), abs=0.02, rel=0.01
            )
    everything = np.c_[before, np.ones(len(now))]
    inverse = np.linalg.inv(everything.T @ everything)
    slopes = inverse @ everything.T @ now
    noise = np.sqrt(((now - everything @ slopes) ** 2).sum(0) / (len(now) - 4))
    plain = np.abs(slopes / np.sqrt(np.diag(inverse))[:, None] / noise)[:4]
    others = ~np.eye(4, dtype=bool)
    assert strength(found["lead_all_z_forward"])[others] == pytest.approx(plain[others], abs=0.25, rel=0.1)


def test_independent_walks_have_unrelated_news_although_they_drift_together() -> None:
    together, news = [], []
    for seed in range(60):
        values = walks(seed, memory=0.995)
        together.append(np.arctanh(abs(np.corrcoef(values.T)[0, 1])) * np.sqrt(297))
        news.append(strength(features(values)["news_z"][0, 1]))
    assert np.mean(np.array(together) > 3) > 0.6
    assert np.mean(np.array(news) > 3) < 0.05


def test_a_cause_leads_its_late_effect() -> None:
    values = walks(3, rows=500)
    values[1:, 1] += values[:-1, 0]
    found = features(values)
    for name in ("lead_z", "lead_two_z", "lead_all_z"):
        assert strength(found[f"{name}_forward"][0, 1]) > 8
        assert strength(found[f"{name}_forward"][1, 0]) < 4
    assert np.array_equal(found["lead_z_forward"], found["lead_z_backward"].T)


def test_a_cause_that_acts_at_once_leads_too_where_memories_differ() -> None:
    rng = np.random.default_rng(5)
    cause = lfilter([1.0], [1.0, -0.9], rng.standard_normal(800))
    effect = cause + 2 * rng.standard_normal(800)
    found = features(np.column_stack([cause, effect]))
    assert strength(found["lead_z_forward"][0, 1]) > 5
    assert strength(found["lead_z_forward"][1, 0]) < 3


def test_two_rows_before_are_seen_together() -> None:
    shocks = np.random.default_rng(8).standard_normal((600, 2))
    values = shocks.copy()
    values[2:, 1] += 0.6 * shocks[:-2, 0]
    found = features(values)
    assert strength(found["lead_z_forward"][0, 1]) < 3
    assert strength(found["lead_two_z_forward"][0, 1]) > 8


@settings(max_examples=30, deadline=None)
@given(
    seed=st.integers(0, 10_000), rows=st.integers(3, 80), columns=st.integers(2, 7), gaps=st.sampled_from([0.0, 0.3]),
    kind=st.sampled_from(["walk", "codes", "copies", "constant", "clock"]),
)  # fmt: skip
def test_any_series_is_read(seed: int, rows: int, columns: int, gaps: float, kind: str) -> None:
    rng = np.random.default_rng(seed)
    values = walks(seed, rows, columns)
    if kind == "codes":
        values = np.round(values / 4)
    elif kind == "copies":
        values[:, 1] = values[:, 0]
    elif kind == "constant":
        values[:, 0] = 1.0
    elif kind == "clock":
        values[:, 0] = np.arange(rows)
    values[rng.random(values.shape) < gaps] = np.nan
    found = lagged_statistics(values, as_series(rows, 2))
    if rows < 12:
        assert found is None
        return
    assert found is not None and found.shape == (columns, columns, len(LAGGED)) and found.dtype == np.float32
    assert np.isfinite(found).all()
    order = rng.permutation(columns)
    turned = lagged_statistics(values[:, order] * 3 + 7, as_series(rows, 2))
    np.testing.assert_allclose(turned, found[order][:, order], atol=2e-3)


@pytest.mark.parametrize(("rows", "columns"), [(12, 3), (13, 30), (60, 8)])
def test_gaps_at_both_ends_and_more_columns_than_rows_are_finite_and_scales_do_not_matter(
    rows: int, columns: int
) -> None:
    values = walks(7, rows, columns)
    values[: rows // 4, 0] = values[-(rows // 4) :, 0] = np.nan
    values[1:, 1] = np.nan  # one cell
    values[:, 2] = np.nan
    found = features(values, n_effective=5)
    assert all(np.isfinite(matrix).all() for matrix in found.values())
    assert not any(found[name][2].any() for name in ("news_z", "lead_z_forward", "lead_all_z_forward"))
    rising, falling = features(np.exp(values), n_effective=5), features(-values, n_effective=5)
    for name, matrix in found.items():
        np.testing.assert_array_equal(rising[name], matrix)
        np.testing.assert_allclose(falling[name], matrix, atol=1e-4)


def test_rows_that_are_no_series_have_none() -> None:
    assert lagged_statistics(walks(0), as_series(300, 300)) is None


def test_rows_that_fall_in_time_are_turned() -> None:
    values, rising = walks(3), as_series(300, 40)
    falling = dataclasses.replace(rising, direction=-1)
    found = lagged_statistics(values, rising)
    np.testing.assert_array_equal(lagged_statistics(values[::-1], falling), found)
    assert not np.array_equal(lagged_statistics(values[::-1], rising), found)


def test_gaps_are_bridged() -> None:
    values = walks(1, rows=400)
    values[2:, 1] += values[1:-1, 0]
    whole = features(values)
    values[np.random.default_rng(2).random(values.shape) < 0.05] = np.nan
    holes = features(values)
    assert strength(holes["lead_z_forward"][0, 1]) > 0.5 * strength(whole["lead_z_forward"][0, 1])
    assert holes["memory_cause"][0, 1] == pytest.approx(whole["memory_cause"][0, 1], abs=0.1)


def test_of_long_series_the_latest_rows_are_read() -> None:
    values = walks(4, rows=LAGGED_ROWS + 500)
    tail = features(values[-LAGGED_ROWS:], n_effective=40 * LAGGED_ROWS // (LAGGED_ROWS + 500))
    long = features(values)
    assert np.array_equal(long["lead_z_forward"], tail["lead_z_forward"])


def test_they_stand_beside_statistics_of_any_rows_of_the_table() -> None:
    values = walks(6)
    lagged = lagged_statistics(values, as_series(300, 30))
    assert lagged is not None
    both = compute(values[::7], features="sparsest+lagged", lagged_BDDL=lagged)
    assert torch.equal(both[..., -len(LAGGED) :], torch.from_numpy(lagged))
    assert torch.equal(both[..., : -len(LAGGED)], compute(values[::7], features="sparsest"))
    batch = compute(values[None, ::7], features="sparsest+lagged", lagged_BDDL=lagged[None])
    assert torch.equal(batch[0], both)
    assert not compute(values[::7], features="lagged").any()
