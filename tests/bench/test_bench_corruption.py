"""Missing at random as the paper constructs it."""

from __future__ import annotations

import numpy as np
import pytest

from foundcause.bench.case import Case, generator
from foundcause.bench.experiments import missing_at_random, split
from foundcause.errors import ConfigError


def table(rows: int = 4000, variables: int = 7, seed: int = 0) -> Case:
    rng = np.random.default_rng(99)
    return Case(
        dataset="made",
        seed=seed,
        values=rng.standard_normal((rows, variables)) * 10 + 5,
        names=tuple("abcdefghij"[:variables]),
        adjacency=np.zeros((variables, variables), dtype=bool),
    )


@pytest.mark.parametrize("rate", [0.1, 0.3])
def test_targets_lose_the_rate_and_drivers_nothing(rate: float) -> None:
    lost = np.isnan(missing_at_random(table(), rate).values).mean(axis=0)
    assert (lost > 0).sum() == 3  # seven variables: four drivers
    assert lost[lost > 0] == pytest.approx(rate, abs=0.025)


def test_missingness_follows_the_drivers_and_not_the_lost_values() -> None:
    case = table(rows=20_000)
    corrupted = missing_at_random(case, 0.3)
    gaps = np.isnan(corrupted.values)
    drivers, targets = ~gaps.any(axis=0), gaps.any(axis=0)
    for target in np.flatnonzero(targets):
        own = np.corrcoef(gaps[:, target], case.values[:, target])[0, 1]
        by_drivers = [abs(np.corrcoef(gaps[:, target], case.values[:, d])[0, 1]) for d in np.flatnonzero(drivers)]
        assert abs(own) < 0.03  # columns are independent here, so only a direct dependence could show
        assert max(by_drivers) > 0.1


def test_same_seed_same_gaps_other_seed_or_rate_others() -> None:
    first = np.isnan(missing_at_random(table(), 0.3).values)
    assert (first == np.isnan(missing_at_random(table(), 0.3).values)).all()
    assert (first != np.isnan(missing_at_random(table(seed=1), 0.3).values)).any()
    assert (first != np.isnan(missing_at_random(table(), 0.1).values)).any()


def test_existing_gaps_and_constant_columns_are_survived() -> None:
    case = table()
    drivers, targets = split(case.variables, generator("mar 0.3 made", case.seed))
    values = case.values.copy()
    values[:, [drivers[0], targets[0]]] = 3.0  # constant where it is observed
    values[:50] = np.nan
    corrupted = missing_at_random(case.with_values(values), 0.3).values
    before, after = np.isnan(values), np.isnan(corrupted)
    assert after[before].all()
    assert (after[:, drivers] == before[:, drivers]).all()
    assert after[50:, targets].mean(axis=0) == pytest.approx(0.3, abs=0.03)
    assert (corrupted[~after] == values[~after]).all()


def test_split_is_a_half_and_rates_are_checked() -> None:
    drivers, targets = split(8, np.random.default_rng(0))
    assert len(drivers) == len(targets) == 4 and not set(drivers) & set(targets)
    for rate in (0.0, 1.0, -0.1):
        with pytest.raises(ConfigError, match="missing rate"):
            missing_at_random(table(), rate)
