"""Systems with known effects."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from foundcause.bench.effects_experiment import published, run_effects, summary, systems
from foundcause.effects.regression import linear_effect


def test_systems_are_reproducible_and_their_effects_are_those_of_regression_on_true_parents() -> None:
    errors, null = [], []
    for case, again in zip(systems(12), systems(12), strict=True):
        assert case.frame.equals(again.frame) and case.effects == again.effects
        if int(case.name.split()[1]) % 2:  # hidden causes
            continue
        for treatment, outcome, truth in case.effects:
            x, y = (case.frame[name].to_numpy() for name in (treatment, outcome))
            binary = len(np.unique(x)) == 2
            covariates = case.frame[list(case.parents[treatment])].to_numpy()
            estimate = linear_effect(x if binary else x / x.std(), y / y.std(), covariates).value
            errors.append(abs(estimate - truth))
            null.append(abs(truth))
    assert np.mean(errors) < 0.25 * np.mean(null)


def test_published_networks_are_intervened_on(benchmark_data: Path) -> None:
    cases = list(published(3))
    assert cases and all(abs(truth) < 3 for case in cases for _, _, truth in case.effects)


def test_records_are_summarized() -> None:
    records = run_effects(systems(1), report=lambda line: None)
    found = summary(records)
    assert found["effects"] == len(records) and 0 <= found["coverage"] <= 1
    assert set(found["error"]) >= {"foundcause", "no adjustment", "all columns", "parents in one graph"}
