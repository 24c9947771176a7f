"""A new component or corruption is one decorated function, and changes nothing that was there before."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

import numpy as np
import pytest

from foundcause.errors import ConfigError
from foundcause.simulate import extension
from foundcause.simulate.extension import component, component_named, components, corruption, field_component
from foundcause.simulate.mixture import SHIPPED, make_task
from foundcause.simulate.scene_building import Builder
from foundcause.simulate.settings import Mixture
from foundcause.simulate.suites import suites
from foundcause.simulate.task import Draft, Scene, Task

VERSION_1 = (
    "dowhy", "diverse", "linear_gaussian", "discrete", "fog", "subpopulation", "interventions", "ultra_sparse",
    "unrelated", "pairs", "excerpts", "expert", "signalling", "telemetry", "sensors", "surveys", "laws", "days",
    "regions", "bodies", "workshops", "flows", "markets", "studies", "textbook", "series", "mixed", "ecology",
    "confounded", "few_rows", "derived", "repeats", "scales", "classes", "missing", "wide",
)  # fmt: skip


@pytest.fixture
def registries(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Registries that forget what a test adds."""
    components()
    for name in ("_COMPONENTS", "_CORRUPTIONS", "_ORIGINS"):
        monkeypatch.setattr(extension, name, dict(getattr(extension, name)))
    yield


def coins(rng: np.random.Generator, *, rows: int, variables: int) -> Scene:
    """A chain of coins, each mostly that of its parent."""
    builder = Builder(rows)
    for node in range(variables):
        fresh = rng.integers(0, 2, rows)
        kept = builder.column(node - 1) if node else fresh
        builder.add(np.where(rng.random(rows) < 0.8, kept, fresh), [node - 1] if node else [], discrete=True)
    return builder.scene(coins=variables)


def halve(rng: np.random.Generator, draft: Draft) -> None:
    """Halve the first column."""
    draft.values = draft.values.copy()
    draft.values[:, 0] /= 2.0
    draft.counts["halved"] = 1


def digest(task: Task) -> str:
    arrays = (task.values, task.observed, task.adjacency, task.confounding)
    return hashlib.sha256(b"".join(array.tobytes() for array in arrays)).hexdigest()


def some_tasks(mixtures: dict[str, Mixture]) -> dict[str, str]:
    return {name: digest(make_task(mixture, 99, 0)) for name, mixture in mixtures.items()}


def test_version_1_of_the_suites_is_frozen() -> None:
    assert tuple(suites(version=1)) == VERSION_1
    assert tuple(suites(version=2))[: len(VERSION_1) + 2] == (*VERSION_1, "genetics", "very_wide")
    with pytest.raises(ConfigError, match="no version 0"):
        suites(version=0)


def test_a_new_component_is_drawn_and_changes_no_suite_and_no_other_task(registries: None) -> None:
    before, tasks = suites(version=1), some_tasks(suites(version=1))
    mixed = [digest(make_task(SHIPPED, 99, index)) for index in range(10)]
    with pytest.raises(ConfigError, match="unknown component 'coins'"):
        SHIPPED.only("coins")
    field_component("coins")(coins)
    with_coins = SHIPPED.with_weights({**SHIPPED.weights, "coins": 1.0})
    records = [make_task(with_coins, 99, index).record for index in range(30)]
    assert 5 < sum(record["component"] == "coins" for record in records) < 25
    assert suites(version=1) == before and some_tasks(suites(version=1)) == tasks
    assert [digest(make_task(SHIPPED, 99, index)) for index in range(10)] == mixed
    (own,) = suites(("coins",)).values()
    assert own.weights == {"coins": 1.0} and own.corruptions["derived"] == 0.0


def test_a_new_corruption_happens_by_its_share_alone(registries: None) -> None:
    tasks = some_tasks(suites(version=1))
    with pytest.raises(ConfigError, match="unknown corruption 'halve'"):
        SHIPPED.with_corruptions(halve=1.0)
    corruption("halve")(halve)
    assert some_tasks(suites(version=1)) == tasks
    records = [make_task(SHIPPED.with_corruptions(halve=0.5), 99, index).record for index in range(40)]
    assert 8 < sum("halved" in record for record in records) < 32


def test_traits_and_names_are_checked(registries: None) -> None:
    with pytest.raises(ConfigError, match="artifacts of component 'coins' is 'heavy'"):
        component("coins", artifacts="heavy")(coins)
    with pytest.raises(ConfigError, match="role of component 'coins' is 'test'"):
        component("coins", role="test")(coins)
    with pytest.raises(ConfigError, match="the name 'days' is taken"):
        field_component("days")(coins)
    with pytest.raises(ConfigError, match=r"the share of 'slips' is 1\.5"):
        SHIPPED.with_corruptions(slips=1.5)
    assert component_named("days").artifacts == "light"


def test_weights_are_relative() -> None:
    doubled = {name: 2.0 * weight for name, weight in SHIPPED.weights.items()}
    mixture = SHIPPED.with_weights(doubled)
    assert mixture.shares == pytest.approx(SHIPPED.shares) and sum(SHIPPED.shares.values()) == pytest.approx(1.0)
    raw = Mixture(**{**{name: getattr(SHIPPED, name) for name in SHIPPED.__dataclass_fields__}, "weights": doubled})
    for index in range(20):
        assert digest(make_task(raw, 5, index)) == digest(make_task(SHIPPED, 5, index))
