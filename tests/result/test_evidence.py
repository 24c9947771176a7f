"""Readable statistics beside an edge, whatever features the network reads."""

from __future__ import annotations

import re
from importlib.resources import files

import numpy as np
import pytest
import torch

from foundcause.features import compute, feature_set
from foundcause.features.series import RowDependence, lagged_statistics
from foundcause.report.evidence import LARGER_SPEAKS_FOR, SMALLER_SPEAKS_FOR, evidence_matrices


def names_of(features: str) -> list[str]:
    return [feature.name for feature in feature_set(features).features]


@pytest.mark.parametrize("features", ["extended", "paper", "paper+extended", "release"])
def test_every_feature_set_has_readable_evidence(features):
    rng = np.random.default_rng(0)
    cause = rng.normal(size=400)
    effect = cause + 0.5 * cause**2 + 0.4 * rng.uniform(-1, 1, size=400)
    other = rng.normal(size=400)
    table = torch.tensor(np.column_stack([effect, cause, other]), dtype=torch.float32)
    statistics = compute(table[None], features=feature_set(features))[0].numpy()
    found = evidence_matrices(statistics, names_of(features), np.array([0, 2, 3]), np.zeros((400, 4)))
    assert {"correlation", "rank correlation", "partial correlation"} <= set(found)
    assert {"variance left unexplained", "what is left depends on the cause", "changing spread"} <= set(found)
    for name, matrix in found.items():
        assert matrix.shape == (4, 4) and np.isnan(matrix[1]).all() and np.isnan(np.diag(matrix)).all(), name
        assert np.isfinite(matrix[0, 2]) and np.isfinite(matrix[2, 0]), name
    left = found["variance left unexplained"]
    assert 0 <= left[2, 0] < left[0, 2] <= 1.2  # natural units: a share, and smaller the right way round
    if "mutual information" in found:
        assert found["mutual information"][0, 2] > 3 * found["mutual information"][0, 3] >= 0


def test_the_page_and_the_package_agree_on_what_speaks_for_a_direction():
    script = (files("foundcause.report") / "static" / "details.js").read_text()
    for name, words in (("SMALLER", SMALLER_SPEAKS_FOR), ("LARGER", LARGER_SPEAKS_FOR)):
        listed = re.search(rf"{name}_SPEAKS_FOR = \[(.*?)\];", script, re.S)
        assert listed is not None
        assert tuple(re.findall(r'"([^"]+)"', listed[1])) == words


def test_only_a_series_tells_who_comes_first():
    shocks = np.random.default_rng(1).normal(size=(300, 2)).cumsum(axis=0)
    shocks[1:, 1] += 3 * shocks[:-1, 0]
    table = torch.tensor(shocks)
    dependence = RowDependence(n_rows=300, n_effective=20, direction=1, autocorrelated=(0, 1))
    lagged = lagged_statistics(shocks, dependence)
    words = LARGER_SPEAKS_FOR[0]
    for given in (lagged, None):
        statistics = compute(table, features="sparsest+lagged", lagged_BDDL=given).numpy()
        found = evidence_matrices(statistics, names_of("sparsest+lagged"), np.arange(2), shocks)
        assert (words in found) == (given is not None)
        if words in found:
            assert found[words][0, 1] > 8 > found[words][1, 0] >= 0


def test_columns_never_seen_together_have_no_statistics():
    values = np.random.default_rng(0).normal(size=(300, 3))
    values[:150, 0] = values[150:, 1] = np.nan
    statistics = np.ones((3, 3, len(feature_set("extended").features)))
    for name, matrix in evidence_matrices(statistics, names_of("extended"), np.arange(3), values).items():
        assert np.isnan(matrix[0, 1]) and np.isnan(matrix[1, 0]), name
        assert np.isfinite(matrix[0, 2]) and np.isfinite(matrix[2, 1]), name
