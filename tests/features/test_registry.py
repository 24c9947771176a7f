"""Statistics register themselves, and a network reads the ones that it names."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pytest
import torch

from foundcause.errors import ConfigError
from foundcause.features import Statistic, compute, feature_set, register, unregister
from foundcause.features.registry import BUILT_IN
from statistics_tables import table

SHIPPED = "extended+peeled+sparsest+lagged"


@contextmanager
def dummies_in(set_name: str) -> Iterator[None]:
    """Three dummy statistics in a set."""

    @register(
        set_name,
        Statistic("dummy_sign", "symmetric", "dependence", "mean of sign(g_i) sign(g_j)"),
        Statistic("dummy_mean", "directed", "direction", "mean of x_j where x_i > 0"),
        Statistic("dummy_share", "marginal", "reliability", "share of positive values"),
    )
    def dummies(state):  # type: ignore[no-untyped-def]
        positive, signs = (state.columns.x > 0).float(), state.columns.g.sign()
        return {
            "dummy_sign": signs.T @ signs / state.columns.joint,
            "dummy_mean": positive.T @ state.columns.x / state.columns.joint,
            "dummy_share": positive.mean(0),
        }

    try:
        yield
    finally:
        unregister(dummies)


@pytest.mark.parametrize("set_name", ["extended", "dummies"])
def test_a_new_statistic_changes_nothing_for_networks_that_do_not_name_it(set_name: str) -> None:
    values, observed = table("missing")
    names = feature_set(SHIPPED).names
    before = compute(values, observed, features=names)
    with dummies_in(set_name):
        assert torch.equal(compute(values, observed, features=names), before)


@pytest.mark.parametrize("set_name", ["extended", "dummies"])
def test_a_new_statistic_needs_one_function_and_one_registration(set_name: str) -> None:
    values, observed = table("random")
    with dummies_in(set_name):
        names = feature_set(set_name).names[-5:]
        found = compute(values, observed, features=["copula", *names])
    assert names[:3] == ("dummy_sign", "dummy_mean_forward", "dummy_mean_backward")
    assert names[3:] == ("dummy_share_cause", "dummy_share_effect")
    assert found.shape == (5, 5, 6)
    assert torch.equal(found[..., 1], found[..., 1].T) and torch.equal(found[..., 2], found[..., 3].T)
    assert torch.equal(found[..., 0], compute(values, observed, features=["copula"])[..., 0])
    assert torch.equal(found[..., 4], found[..., 5].T) and torch.equal(found[:, 0, 4], found[:, 1, 4])


def test_names_are_registered_once() -> None:
    with pytest.raises(ValueError, match="registered already"):
        register("mine", Statistic("copula", "symmetric", "dependence", ""))(lambda state: {})


@pytest.mark.parametrize("name", BUILT_IN)
def test_a_set_is_the_list_of_its_names(name: str) -> None:
    features = feature_set(name)
    assert feature_set(features.names).features == features.features
    assert all(feature.formula for feature in features.features)


@pytest.mark.parametrize(
    ("names", "error"),
    [(["copulla"], "unknown feature"), (["regression_forward"], "partner"), ("extendet", "unknown feature set")],
)
def test_unknown_names_are_refused(names: list[str] | str, error: str) -> None:
    with pytest.raises(ConfigError, match=error):
        feature_set(names)


def test_only_blocks_that_are_asked_for_run(monkeypatch: pytest.MonkeyPatch) -> None:
    from foundcause.features import residual_order

    monkeypatch.setattr(residual_order, "peel", None)
    compute(*table("random"), features=["copula", "table_bic_gain_forward", "table_bic_gain_backward"])


def test_features_come_in_any_order() -> None:
    values, observed = table("tied")
    names = list(feature_set(SHIPPED).names)
    shuffled = [names[k] for k in np.random.default_rng(0).permutation(len(names))]
    whole, found = compute(values, observed, features=names), compute(values, observed, features=shuffled)
    assert torch.equal(found, whole[..., [names.index(name) for name in shuffled]])
