"""Every method answers a table it must understand; gaps and constants are handled; marks are read the right way."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
import torch

from foundcause.bench.baselines import METHODS, our_methods, select
from foundcause.bench.baselines.method import (
    Table,
    imputed,
    mode_imputed,
    pairwise_covariance,
    rows_with_covariance,
    varying,
)
from foundcause.bench.baselines.search_methods import cpdag_arcs, pag_arcs
from foundcause.bench.baselines.simple_methods import stein_diagonal
from foundcause.bench.graph_metrics import directed_f1, skeleton_f1
from foundcause.errors import ConfigError

COLLIDER = np.zeros((4, 4), dtype=bool)
COLLIDER[[0, 1, 2], [2, 2, 3]] = True  # 0 -> 2 <- 1, 2 -> 3: no other graph is equivalent


def linear_table(rows: int = 1500, *, noise: str = "gaussian", seed: int = 3) -> np.ndarray:
    rng = np.random.default_rng(seed)
    draw = rng.standard_normal if noise == "gaussian" else lambda size: rng.laplace(size=size)
    values = draw((rows, 4))
    values[:, 2] += 1.1 * values[:, 0] - 0.9 * values[:, 1]
    values[:, 3] += 1.2 * values[:, 2]
    return values


@pytest.mark.parametrize("name", ["pc_0.01", "pc_0.05", "fci", "ges", "grasp", "boss"])
def test_search_finds_an_identifiable_graph(name: str) -> None:
    answer = METHODS[name].run(Table(values=linear_table(), seed=0))
    assert skeleton_f1(answer.adjacency, COLLIDER) == 1.0
    assert directed_f1(answer.adjacency, COLLIDER) == 1.0


@pytest.mark.parametrize("name", ["direct_lingam", "ica_lingam"])
def test_lingam_finds_a_non_gaussian_graph(name: str) -> None:
    answer = METHODS[name].run(Table(values=linear_table(noise="laplace"), seed=0))
    assert directed_f1(answer.adjacency, COLLIDER) == 1.0


@pytest.mark.parametrize("name", [pytest.param("notears_raw", marks=pytest.mark.slow), "var_sort"])
def test_methods_that_read_variances_find_unit_noise_graphs(name: str) -> None:
    answer = METHODS[name].run(Table(values=linear_table(), seed=0))
    assert directed_f1(answer.adjacency, COLLIDER) >= 0.85
    assert torch.get_default_dtype() == torch.float32


def test_score_orders_a_nonlinear_chain() -> None:
    rng = np.random.default_rng(0)
    x = rng.standard_normal(600)
    y = np.sin(2 * x) + 0.3 * rng.standard_normal(600)
    z = y**2 + 0.3 * rng.standard_normal(600)
    answer = METHODS["score"].run(Table(values=np.stack([z, x, y], axis=1), seed=0))
    assert answer.adjacency[1, 2] and answer.adjacency[2, 0]
    assert not answer.adjacency[2, 1] and not answer.adjacency[0, 2]


def test_the_stein_estimator_is_the_sum_over_pairs_of_rows() -> None:
    values = np.random.default_rng(0).standard_normal((60, 3))
    difference = values[:, None, :] - values[None, :, :]
    square = (difference**2).sum(axis=2)
    width = np.sqrt(np.median(square[np.triu_indices(60, 1)]))
    kernel = np.exp(-square / (2 * width**2)) / width
    inverse = np.linalg.inv(kernel + 0.01 * np.eye(60))
    gradient = inverse @ np.einsum("kij,ik->kj", difference, kernel) / width**2
    curvature = inverse @ np.einsum("kij,ik->kj", difference**2 / width**4 - 1 / width**2, kernel)
    np.testing.assert_allclose(stein_diagonal(values), curvature - gradient**2, atol=1e-8)


@pytest.mark.parametrize(
    "name",
    [
        "pc_0.01",
        "grasp",
        "direct_lingam",
        pytest.param("dagma", marks=pytest.mark.slow),
        "r2_sort",
        "naive_correlation",
    ],
)
def test_gaps_and_constant_columns_are_handled(name: str) -> None:
    rng = np.random.default_rng(5)
    values = np.column_stack([linear_table(400), np.full(400, 7.0), np.full(400, np.nan), np.full(400, np.nan)])
    values[3, 6] = 1.0  # a single observation is a constant too
    values[rng.random(values.shape) < 0.1] = np.nan
    answer = METHODS[name].run(Table(values=values, seed=0))
    assert answer.adjacency.shape == (7, 7)
    assert not answer.adjacency[4:].any() and not answer.adjacency[:, 4:].any()
    assert answer.adjacency[2, 3] or answer.adjacency[3, 2]


def test_discrete_methods_run_on_codes_with_gaps() -> None:
    rng = np.random.default_rng(1)
    a, b = rng.integers(2, size=(2, 800))
    c = np.where(rng.random(800) < 0.05, 1 - (a | b), a | b)
    values = np.stack([a, b, c], axis=1).astype(float)
    values[rng.random(values.shape) < 0.02] = np.nan
    true = np.array([[0, 0, 1], [0, 0, 1], [0, 0, 0]], dtype=bool)
    answer = METHODS["pc_discrete"].run(Table(values=values, seed=0, discrete=True))
    assert directed_f1(answer.adjacency, true) == 1.0


def test_fci_reports_a_hidden_common_cause() -> None:
    rng = np.random.default_rng(0)
    hidden = rng.standard_normal(5000)
    a, b = rng.standard_normal((2, 5000))
    x, y = a + hidden + 0.5 * rng.standard_normal(5000), b + hidden + 0.5 * rng.standard_normal(5000)
    answer = METHODS["fci"].run(Table(values=np.stack([a, x, y, b], axis=1), seed=0))
    assert answer.confounding is not None
    assert np.argwhere(np.triu(answer.confounding)).tolist() == [[1, 2]]
    assert not answer.adjacency[1, 2] and not answer.adjacency[2, 1]


def test_marks_of_causal_learn_are_read_the_right_way() -> None:
    marks = np.zeros((4, 4), dtype=int)
    marks[0, 1], marks[1, 0] = -1, 1  # 0 -> 1
    marks[1, 2], marks[2, 1] = -1, -1  # 1 - 2
    marks[2, 3], marks[3, 2] = 1, 1  # 2 <-> 3
    assert np.argwhere(cpdag_arcs(marks)).tolist() == [[0, 1], [1, 2], [2, 1], [2, 3], [3, 2]]
    marks[1, 2], marks[2, 1] = 2, 1  # 1 o-> 2
    arcs, confounding = pag_arcs(marks)
    assert np.argwhere(arcs).tolist() == [[0, 1], [1, 2]]
    assert np.argwhere(confounding).tolist() == [[2, 3], [3, 2]]


def test_random_methods_repeat_with_their_seed() -> None:
    values = np.random.default_rng(0).standard_normal((60, 12)).cumsum(axis=1)
    for name in ("grasp", "boss", "naive_correlation"):
        first, again = (METHODS[name].run(Table(values=values, seed=4)).adjacency for _ in range(2))
        assert (first == again).all()
    coins = {METHODS["naive_correlation"].run(Table(values=values, seed=s)).adjacency.tobytes() for s in range(5)}
    assert len(coins) == 5


def test_preparation_by_hand() -> None:
    values = np.array([[1.0, 2.0, 5.0], [np.nan, 2.0, 5.0], [3.0, np.nan, 6.0]])
    assert varying(values).tolist() == [0, 2]
    assert imputed(values).tolist() == [[1, 2, 5], [2, 2, 5], [3, 2, 6]]
    assert mode_imputed(np.array([[3.0], [3.0], [9.0], [np.nan]])).ravel().tolist() == [0, 0, 1, 0]


def test_stand_in_rows_have_the_pairwise_covariance() -> None:
    rng = np.random.default_rng(2)
    values = rng.standard_normal((300, 5)) @ rng.standard_normal((5, 5))
    assert np.allclose(pairwise_covariance(values), np.cov(values.T, bias=True))
    rows = rows_with_covariance(np.cov(values.T, bias=True))
    assert np.allclose(np.cov(rows.T, bias=True), np.cov(values.T, bias=True))
    values[rng.random(values.shape) < 0.3] = np.nan
    covariance = pairwise_covariance(values)
    assert np.linalg.eigvalsh(covariance).min() > -1e-9
    both = np.isfinite(values[:, 0]) & np.isfinite(values[:, 1])
    assert covariance[0, 1] == pytest.approx(np.cov(values[both, 0], values[both, 1], bias=True)[0, 1], rel=0.05)


def test_ablations_are_those_of_the_model() -> None:
    from foundcause.paper.ablations import ABLATIONS

    assert set(our_methods.PARTS) == set(ABLATIONS)


def test_requests_name_groups_and_refuse_strangers() -> None:
    assert {m.name for m in select("ours")} == {"foundcause", "foundcause_one_pass"}
    assert "sloppy" not in {m.name for m in select("all")} and "sloppy" in {m.name for m in select("all", pairs=True)}
    assert not any(m.name.startswith("without_") for m in select("all"))
    assert len(select("ablations")) == 7
    with pytest.raises(ConfigError, match="unknown method 'pcc'"):
        select("pc_0.01,pcc")
    with pytest.raises(ConfigError, match="does not handle single pairs"):
        select("grasp", pairs=True)


def test_external_models_are_called_as_commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = tmp_path / "model.py"
    script.write_text(
        "import sys, numpy as np\n"
        "values = np.load(sys.argv[1])['values']\n"
        "assert np.allclose(values.std(axis=0), 1)\n"
        "np.save(sys.argv[2], np.triu(np.full((values.shape[1],) * 2, 0.9), 1))\n"
    )
    method = METHODS["avici"]
    monkeypatch.delenv("FOUNDCAUSE_AVICI_COMMAND", raising=False)
    assert "FOUNDCAUSE_AVICI_COMMAND" in (method.unavailable() or "")
    monkeypatch.setenv("FOUNDCAUSE_AVICI_COMMAND", f"{sys.executable} {script}")
    assert method.unavailable() is None
    answer = method.run(Table(values=linear_table(50), seed=0))
    assert (answer.adjacency == np.triu(np.ones((4, 4), dtype=bool), 1)).all()
    script.write_text("raise SystemExit('no weights')")
    with pytest.raises(ValueError, match="no weights"):
        method.run(Table(values=linear_table(50), seed=0))
