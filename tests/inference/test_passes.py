"""Row samples, column orders, canonical order, and the passes themselves."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from safetensors.torch import load_file

from foundcause.errors import ConfigError
from foundcause.features.series import RowDependence
from foundcause.inference import passes as passes_module
from foundcause.inference.canonical_order import canonical_order, standardized
from foundcause.inference.decoding import Passes
from foundcause.inference.passes import Draw, draw_passes, least_passes, most_passes, plan, run_passes, settled
from foundcause.inference.protocols import DEFAULT
from foundcause.model.calibration import Calibration
from foundcause.paper.protocol import release_predict


def drawn(protocol: str, *, rows: int, variables: int, runs: int, seed: int = 0) -> list[Draw]:
    return draw_passes(plan(protocol, runs, seed), rows=rows, variables=variables)


def independent(values: np.ndarray) -> RowDependence:
    return RowDependence(n_rows=len(values), n_effective=len(values), direction=0, autocorrelated=())


def test_plans_by_protocol():
    draws = drawn("default", rows=100, variables=4, runs=3)
    assert draws[0].rows is None and all(draw.columns is None for draw in draws)
    assert all(len(draw.rows) == 90 == len(set(draw.rows)) for draw in draws[1:])
    assert set(draws[1].rows) != set(draws[2].rows)
    assert [draw.omits_outliers for draw in draws] == [False, True, False]
    large = drawn("default", rows=12_000, variables=4, runs=3)
    assert all(draw.rows is not None and len(set(draw.rows)) == 5000 for draw in large)
    boot = drawn("paper", rows=100, variables=4, runs=3)
    assert all(len(draw.rows) == 100 > len(set(draw.rows)) for draw in boot)
    assert all(sorted(draw.columns) == [0, 1, 2, 3] for draw in boot)
    release = drawn("release", rows=100, variables=4, runs=3)
    assert all(draw.rows is None for draw in release)
    assert len(drawn("release", rows=6000, variables=4, runs=3)[0].rows) == 5000
    assert not any(draw.omits_outliers for draw in boot + release)
    assert plan("paper").n_passes == plan("release").n_passes == 10
    with pytest.raises(ConfigError):
        plan("default", 0)


def test_plans_depend_on_the_seed_and_more_runs_extend_fewer():
    first = drawn("paper", rows=50, variables=5, runs=3, seed=1)
    longer = drawn("paper", rows=50, variables=5, runs=6, seed=1)
    other = drawn("paper", rows=50, variables=5, runs=3, seed=2)
    for k in range(3):
        np.testing.assert_array_equal(first[k].rows, longer[k].rows)
        assert not np.array_equal(first[k].rows, other[k].rows)


def alike(lines: np.ndarray) -> bool:
    """Different lines hold the same cells."""
    cells = np.nan_to_num(lines, nan=-1.0)
    return len(np.unique(np.sort(cells, axis=1), axis=0)) < len(np.unique(cells, axis=0))


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 10_000), st.integers(1, 30), st.integers(1, 6), st.booleans())
def test_canonical_order_forgets_the_order_it_was_given(seed, rows, columns, discrete):
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 3, (rows, columns)).astype(float) if discrete else rng.normal(size=(rows, columns))
    values[rng.random(values.shape) < 0.2] = np.nan
    # Where rows and columns can change places together, no order is the right one.
    assume(not (alike(values) and alike(values.T)))
    shuffled = values[rng.permutation(rows)][:, rng.permutation(columns)]

    def put(table: np.ndarray) -> np.ndarray:
        order_of_rows, order_of_columns = canonical_order(table)
        return table[order_of_rows][:, order_of_columns]

    np.testing.assert_array_equal(put(values), put(shuffled))


def test_units_do_not_change_the_canonical_order():
    rng = np.random.default_rng(0)
    values = rng.normal(size=(50, 4)).round(1)
    values[rng.random(values.shape) < 0.1] = np.nan
    other = np.column_stack([values[:, 0] * 1000, values[:, 1] - 273.15, np.exp(values[:, 2]), values[:, 3]])
    for before, after in zip(canonical_order(values), canonical_order(other), strict=True):
        np.testing.assert_array_equal(before, after)


def test_canonical_order_tells_mirrored_rows_apart():
    values = np.array([[0.0, 1.0], [1.0, 0.0], [1.0, 0.0], [2.0, 5.0]])
    rows, _ = canonical_order(values)
    again, _ = canonical_order(values[[1, 3, 0, 2]])
    np.testing.assert_array_equal(values[rows], values[[1, 3, 0, 2]][again])


@pytest.mark.parametrize("scale", [1e-300, 1e-12, 1.0, 1e12, 1e300])
@pytest.mark.parametrize("offset", [0.0, 1e3])
def test_standardized_survives_every_scale(scale, offset):
    values = (np.random.default_rng(0).normal(size=(200, 2)) + offset) * scale
    values[3, 1] = np.nan
    found = standardized(values)
    assert np.isnan(found).sum() == 1
    np.testing.assert_allclose(np.nanmean(found, axis=0), 0, atol=1e-9)
    np.testing.assert_allclose(np.nanstd(found, axis=0), 1, atol=1e-9)


@pytest.fixture(scope="module")
def tiny():
    from foundcause.model.config import TINY
    from foundcause.model.network import FoundCause

    return FoundCause(TINY, seed=1).eval()


def test_permuted_columns_come_back_in_table_order(tiny):
    """The network is equivariant, so passes over all rows differ by rounding only, whatever their column order."""
    values = np.random.default_rng(0).normal(size=(80, 6)) ** 3
    passes = run_passes(tiny, values, independent(values), plan("release", 4))
    assert passes.statistics.shape[:2] == (6, 6)
    for name in ("edges", "existence", "direction", "confounding"):
        logits = getattr(passes, name)
        assert logits.std() > 0 and logits.dtype == np.float32
        np.testing.assert_allclose(logits, logits[:1].repeat(4, axis=0), atol=2e-4)


def test_every_second_pass_does_without_outlier_cells(tiny):
    values = np.random.default_rng(3).normal(size=(200, 4))
    values[9, 2] = 40.0
    always = plan(replace(DEFAULT, omits_outliers=False), 6)
    found = run_passes(tiny, values, independent(values), plan(n_passes=6)).edges
    everything = run_passes(tiny, values, independent(values), always).edges
    np.testing.assert_array_equal(found[::2], everything[::2])
    assert all(np.abs(found[k] - everything[k]).max() > 1e-3 for k in (1, 3, 5))


@pytest.mark.parametrize("case", ["e2e_A_d5_n120", "e2e_A_d6_n100_nan"])
def test_release_protocol_end_to_end(golden, tmp_path, case):
    """Table in, the released answer out, through the official weights of the small golden network."""
    import foundcause as fc
    from foundcause.model.checkpoints import save
    from foundcause.paper.official import from_official

    expected = json.loads((golden / "protocol.json").read_text())["predict"][case]
    with np.load(golden / "protocol.npz") as arrays:
        key = f"predict_{case}"
        values, adjacency = arrays[f"{key}/X"], arrays[f"{key}/adjacency"].astype(bool)
        probabilities, agreed = arrays[f"{key}/probabilities"], arrays[f"{key}/agreement"]
    network = from_official(load_file(golden / "config_A_state_dict.safetensors"), pooling_heads=2)
    passes = run_passes(network, values.astype(float), independent(values), plan("release"))
    found = release_predict(passes.edges, temperature=expected["temperature"])
    off = ~np.eye(len(adjacency), dtype=bool)
    np.testing.assert_allclose(found.probabilities[off], probabilities[off], atol=1e-5)
    np.testing.assert_array_equal(found.adjacency, adjacency)
    np.testing.assert_allclose(found.agreement, agreed, atol=1e-12)
    assert found.threshold == pytest.approx(expected["threshold"])

    path = save(tmp_path / "official.safetensors", network)
    result = fc.discover(values, protocol="release", checkpoint=path)
    np.testing.assert_allclose(result.probabilities.to_numpy()[off], probabilities[off], atol=1e-5)
    # Ours is always acyclic: the released edges, less those that close a cycle.
    assert not (result.adjacency.to_numpy(bool) & ~adjacency).any()


def test_auto_runs_until_the_answer_has_settled(tiny):
    rng = np.random.default_rng(0)
    values = rng.normal(size=(200, 5))
    values[:, 1] += 2 * values[:, 0]
    updates: list[int] = []
    found = run_passes(tiny, values, independent(values), plan(), on_update=lambda passes: updates.append(len(passes)))
    fixed = run_passes(tiny, values, independent(values), plan(n_passes=10))
    assert updates[0] == 2 and updates == sorted(set(updates)) and updates[-1] == len(found) <= 10
    np.testing.assert_array_equal(found.edges, fixed.edges[: len(found)])
    again = run_passes(tiny, values, independent(values), plan())
    np.testing.assert_array_equal(again.edges, found.edges)


def test_auto_stops_when_nothing_changes_and_goes_on_while_it_does(tiny, monkeypatch):
    values = np.random.default_rng(0).normal(size=(200, 5))
    for changed, expected in ((False, 4), (True, 10)):
        monkeypatch.setattr(passes_module, "settled", lambda *_, changed=changed: not changed)
        assert len(run_passes(tiny, values, independent(values), plan())) == expected


def test_every_kind_of_pass_that_matters_has_run(tiny):
    values = np.random.default_rng(0).normal(size=(300, 4))
    assert least_passes(tiny, values, plan()) == 2
    wide = np.random.default_rng(0).normal(size=(40, 200))
    assert least_passes(tiny, wide, plan()) == 1
    outlier = np.vstack([wide, np.random.default_rng(1).normal(size=(60, 200))])
    outlier[3, 7] = 1e3
    assert least_passes(tiny, outlier, plan()) == 2
    values[4, 1] = np.nan
    assert least_passes(tiny, values, plan()) == 4  # three fill the gap, one leaves it


def test_wide_tables_get_fewer_passes():
    assert [most_passes(2, D) for D in (10, 128, 200, 1000)] == [10, 10, 4, 2]


def test_settled_by_the_tolerance():
    def answer(edge: float, shown: int, K: int) -> Passes:
        existence = np.full((K, 4, 4), -6.0)
        existence[:, 0, 1] = existence[:, 1, 0] = edge
        existence[:shown, 2, 3] = existence[:shown, 3, 2] = 6.0
        direction = np.triu(np.full((4, 4), 8.0)) - np.tril(np.full((4, 4), 8.0))
        directions = np.broadcast_to(direction, existence.shape)
        return Passes(edges=existence, existence=existence, direction=directions, confounding=existence, factored=True)

    calibration = Calibration()
    assert settled(answer(2.0, 2, 2), answer(2.05, 4, 4), calibration, 100)
    assert not settled(answer(2.0, 2, 2), answer(1.0, 4, 4), calibration, 100)  # probabilities moved
    assert not settled(answer(2.0, 2, 2), answer(2.0, 3, 4), calibration, 100)  # agreement fell
    assert not settled(answer(-5.0, 2, 2), answer(3.0, 4, 4), calibration, 100)  # an edge joined
    assert settled(answer(-6.0, 0, 2), answer(-6.0, 0, 4), calibration, 100)  # no edge at all
