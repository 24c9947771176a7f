"""The order of a linear table: against a slow twin, and on tables whose order is known."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from statistics_helpers import PEELED, residual_order_statistics

from foundcause.features import compute, residual_order
from foundcause.features.residual_order import peel
from foundcause.features.standardize import prepare


def negentropy_twin(e: np.ndarray) -> float:
    odd = np.mean(e * np.exp(-(e**2) / 2))
    even = np.mean(np.exp(-(e**2) / 2)) - np.sqrt(1 / 2)
    return float(36 / (8 * np.sqrt(3) - 9) * odd**2 + 24 / (16 * np.sqrt(3) - 27) * even**2)


def standard(v: np.ndarray) -> np.ndarray:
    return (v - v.mean()) / v.std()


def residual(target: np.ndarray, causes: list[np.ndarray]) -> np.ndarray:
    if not causes:
        return target
    design = np.stack(causes, 1)
    return target - design @ np.linalg.lstsq(design, target, rcond=None)[0]


def peel_twin(x: np.ndarray) -> tuple[list[int], np.ndarray, np.ndarray, np.ndarray]:
    """Order, margins, residuals (N, D) and doubt of complete standardised columns (N, D), by plain loops."""
    D = x.shape[1]
    left, order = list(range(D)), []
    margin, doubt, residuals = np.zeros((D, D)), np.zeros(D), np.zeros_like(x)
    while left:
        now = {k: standard(residual(x[:, k], [x[:, o] for o in order])) for k in left}
        ahead = {
            (i, j): -negentropy_twin(now[j])
            - negentropy_twin(standard(residual(now[i], [now[j]])))
            + negentropy_twin(now[i])
            + negentropy_twin(standard(residual(now[j], [now[i]])))
            for i in left
            for j in left
            if i != j
        }
        contrary = {i: sum(min(0.0, ahead[i, j]) ** 2 for j in left if j != i) for i in left}
        source = min(left, key=lambda i: contrary[i])
        for j in left:
            if j != source:
                margin[source, j], margin[j, source] = ahead[source, j], -ahead[source, j]
        doubt[source], residuals[:, source] = np.sqrt(contrary[source]), now[source]
        order.append(source)
        left.remove(source)
    return order, margin, residuals, doubt


def linear_table(D: int, N: int, seed: int, *, noise: str = "exponential", density: float = 0.5):
    """Values (N, D) in a shuffled order of columns, and the graph (D, D)."""
    rng = np.random.default_rng(seed)
    weights = np.triu(rng.uniform(0.5, 1.2, (D, D)) * rng.choice([-1, 1], (D, D)) * (rng.random((D, D)) < density), 1)
    e = getattr(rng, noise)(size=(N, D))
    x = np.zeros((N, D))
    for k in range(D):
        x[:, k] = x[:, :k] @ weights[:k, k] + e[:, k]
    mixed = rng.permutation(D)
    return x[:, mixed], (weights != 0)[np.ix_(mixed, mixed)]


def features(values: np.ndarray) -> dict[str, np.ndarray]:
    found = residual_order_statistics(torch.from_numpy(values), torch.ones(values.shape, dtype=torch.bool)).numpy()
    return {feature.name: found[..., k] for k, feature in enumerate(PEELED.features)}


@pytest.mark.parametrize("noise", ["exponential", "standard_normal", "uniform", "laplace"])
@pytest.mark.parametrize("D", [2, 4, 7])
def test_twin(noise: str, D: int) -> None:
    values, _ = linear_table(D, 400, seed=D, noise=noise)
    columns = prepare(torch.from_numpy(values), torch.ones(values.shape, dtype=torch.bool))
    x = columns.x.double().numpy()
    order, margin, residuals, doubt = peel_twin(x)
    found = peel(columns.x.T.contiguous())
    assert found.order.tolist() == order
    assert len(found.settled) == 0
    np.testing.assert_allclose(found.margin, margin, atol=2e-5)
    np.testing.assert_allclose(found.doubt, doubt, atol=2e-5)
    np.testing.assert_allclose(np.abs(found.residuals.numpy()), np.abs(residuals.T), atol=5e-3)

    told = features(values)
    place = np.argsort(order)
    np.testing.assert_allclose(told["peel_place"], (place[None, :] - place[:, None]) / D, atol=1e-6)
    for j in range(D):
        before = order[: place[j]]
        rest = residual(x[:, j], [x[:, k] for k in before])
        explained = 1 - rest.var() / x[:, j].var()
        assert told["peel_explained_effect"][(j + 1) % D, j] == pytest.approx(explained, abs=1e-4)
        jn = np.arcsinh(400 * negentropy_twin(standard(rest)) / 4)
        assert told["peel_negentropy_effect"][(j + 1) % D, j] == pytest.approx(jn, abs=5e-3)
        design = x[:, before]
        for place_i, i in enumerate(before):
            coefficient = np.linalg.lstsq(design, x[:, j], rcond=None)[0][place_i]
            spread = np.linalg.inv(design.T @ design)[place_i, place_i] * (rest**2).sum() / (400 - len(before))
            t = abs(coefficient) / np.sqrt(spread)
            assert told["peel_t_forward"][i, j] == pytest.approx(np.arcsinh(t / 4), rel=2e-3, abs=2e-3)
            assert told["peel_t_forward"][j, i] == 0
        for i in range(D):
            if i != j:
                a, b = residuals[:, i], residuals[:, j]
                pairs = [(a, b), (np.abs(a), b), (a, np.abs(b)), (np.abs(a), np.abs(b))]
                most = max(abs(np.corrcoef(one, other)[0, 1]) for one, other in pairs)
                z = np.arctanh(most) * np.sqrt(397)
                assert told["peel_leftover"][i, j] == pytest.approx(np.arcsinh(z / 4), abs=5e-3)


@pytest.mark.parametrize(("D", "noise"), [(6, "exponential"), (12, "uniform"), (20, "exponential"), (40, "uniform")])
def test_a_linear_table_tells_its_order_and_edges(D: int, noise: str) -> None:
    """40 columns: several are taken out at a time."""
    values, graph = linear_table(D, 2500, seed=3, noise=noise, density=3 / D)
    told = features(values)
    assert (told["peel_place"][graph] > 0).mean() > 0.97
    t = 4 * np.sinh(told["peel_t_forward"])
    assert (t[graph] > 4).mean() > 0.97
    assert (t[~graph & ~np.eye(D, dtype=bool)] > 4).mean() < 0.02
    assert (told["peel_margin"][graph] > 0).mean() > 0.8


def test_gaussian_tables_say_that_they_tell_nothing() -> None:
    told = {noise: features(linear_table(8, 1500, seed=1, noise=noise)[0]) for noise in ("standard_normal", "uniform")}
    for name in ("peel_negentropy_effect", "peel_margin"):
        quiet, loud = (np.abs(told[noise][name]).mean() for noise in ("standard_normal", "uniform"))
        assert quiet < 0.5 * loud, name


def test_columns_that_others_determine_come_last_side_by_side() -> None:
    values, _ = linear_table(4, 500, seed=2)
    whole = np.c_[values, values[:, 0] + values[:, 1], values[:, 2] - 2 * values[:, 3], values.sum(1)]
    told = features(whole)
    place = told["peel_place"]
    latest = [k for k in range(7) if (place[:, k] >= 0).all()]
    assert len(latest) == 3, "three columns of the seven are sums of four"
    assert (place[np.ix_(latest, latest)] == 0).all()
    assert (told["peel_t_forward"][np.ix_(latest, latest)] == 0).all()
    assert (told["peel_explained_effect"][0, latest] > 0.999).all()
    for seed in range(4):  # rounding must not choose among columns that the relations make equal
        order = np.random.default_rng(seed).permutation(7)
        for name, matrix in features(whole[:, order]).items():
            np.testing.assert_allclose(matrix, told[name][np.ix_(order, order)], atol=2e-3, err_msg=name)


def test_copies_are_one_column() -> None:
    values, _ = linear_table(5, 400, seed=4)
    told, alone = features(np.c_[values, values[:, 2]]), features(values)
    for name, matrix in told.items():
        assert matrix[2, 5] == matrix[5, 2] == 0 or name.endswith(("cause", "effect")), name
        np.testing.assert_allclose(matrix[5, :2], matrix[2, :2], atol=1e-6)
        if name != "peel_place":  # in units of the columns there are
            np.testing.assert_allclose(matrix[:5, :5], alone[name], atol=1e-5, err_msg=name)


def test_rare_flags_may_be_missed_by_the_rows_that_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(residual_order, "MOST_ROWS", 200)
    values = np.zeros((3000, 3))
    values[[5, 6, 7], [0, 1, 2]] = 1.0
    told = features(values)
    assert all(np.isfinite(matrix).all() for matrix in told.values())
    assert (told["peel_t_forward"] == 0).all()


def test_joined_sets_are_the_single_ones() -> None:
    values = torch.from_numpy(linear_table(5, 300, seed=5)[0])
    observed = torch.rand(values.shape, generator=torch.Generator().manual_seed(0)) > 0.2
    for fill in (None, 3):
        both = compute(values, observed, features="extended+peeled", fill_seed=fill)
        parts = [compute(values, observed, features=name, fill_seed=fill) for name in ("extended", "peeled")]
        assert torch.equal(both, torch.cat(parts, 2))
