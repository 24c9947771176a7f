"""Number-by-number parity with the released prediction step."""

from __future__ import annotations

import json

import numpy as np
import pytest

from foundcause.paper.protocol import greedy_dag, mixture_threshold, release_predict, released_draws


@pytest.fixture(scope="module")
def protocol(golden):
    with np.load(golden / "protocol.npz") as arrays:
        return dict(arrays), json.loads((golden / "protocol.json").read_text())


def test_mixture_threshold(protocol):
    arrays, expected = protocol
    for name, case in expected["gmm"].items():
        found = mixture_threshold(arrays[f"{name}/P"])
        if case["threshold"] in (0.1, 0.5, 0.9):
            assert found == case["threshold"], name
        else:
            assert found == pytest.approx(case["threshold"], abs=1e-3 if "constant" in name else 1e-9), name


def test_predictions_of_prescribed_logits(protocol):
    arrays, expected = protocol
    checked = 0
    for name, case in expected["predict"].items():
        key = f"predict_{name}"
        if f"{key}/run_logits_original_order" not in arrays:
            continue
        threshold = case["threshold"] if "fixed" in name else None
        options = {option: case[option] for option in ("temperature", "min_agreement") if option in case}
        found = release_predict(arrays[f"{key}/run_logits_original_order"], threshold=threshold, **options)
        np.testing.assert_allclose(found.probabilities, arrays[f"{key}/probabilities"], atol=1e-6, err_msg=name)
        np.testing.assert_allclose(found.agreement, arrays[f"{key}/agreement"], atol=1e-12, err_msg=name)
        np.testing.assert_array_equal(found.adjacency, arrays[f"{key}/adjacency"].astype(bool), err_msg=name)
        assert found.threshold == pytest.approx(case["threshold"], abs=1e-6)
        assert found.adjacency.sum() == case["edges"]
        np.testing.assert_array_equal(
            released_draws(100, case["d"], case["n_runs"])[1], arrays[f"{key}/column_order_seen"]
        )
        checked += 1
    assert checked == 7


def test_permutations_and_rows(protocol):
    arrays, _ = protocol
    for d in (2, 5, 10):
        np.testing.assert_array_equal(released_draws(100, d, 10)[1], arrays[f"column_permutations/d{d}"])
    chosen = released_draws(6000, 2, 1)[0]
    assert chosen is not None and len(chosen) == 5000
    np.testing.assert_array_equal(chosen[:20], arrays["subsample/first20_of_choice_6000_5000"])
    assert released_draws(5000, 2, 1)[0] is None


def test_greedy_dag(protocol):
    arrays, _ = protocol
    for name in ("greedy_dag_d5", "greedy_dag_d8"):
        found = greedy_dag(arrays[f"{name}/P"], float(arrays[f"{name}/threshold"]))
        np.testing.assert_array_equal(found, arrays[f"{name}/adjacency"].astype(bool))
