"""Published networks: read right, split by family, altered for training, absent without their data."""

from __future__ import annotations

import itertools
import warnings
from pathlib import Path

import numpy as np
import pytest

from foundcause.errors import DataUnavailableError
from foundcause.simulate.components import bnrep
from foundcause.simulate.extension import component_named, held_out_components
from foundcause.simulate.mixture import BROAD, make_task
from foundcause.simulate.suites import suites

needs_data = pytest.mark.skipif(bool(bnrep.missing_data()), reason=str(bnrep.missing_data()))


def edges(network: bnrep.Network) -> set[tuple[str, str]]:
    return {
        (network.nodes[parent], node)
        for node, above in zip(network.nodes, network.parents, strict=True)
        for parent in above
    }


def test_the_split_covers_every_network_once() -> None:
    split = bnrep.split()
    names = [name for part in bnrep.PARTS for name in split[part]]
    assert len(names) == len(set(names)) == 67
    assert [len(split[part]) for part in bnrep.PARTS] == [34, 14, 19]


@needs_data
def test_parts_share_no_edge() -> None:
    parts = {part: [edges(network) for network in bnrep.networks(part)] for part in bnrep.PARTS}
    for first, second in itertools.combinations(bnrep.PARTS, 2):
        assert not any(one & other for one in parts[first] for other in parts[second])


@needs_data
def test_networks_are_sampled_by_their_tables() -> None:
    rng = np.random.default_rng(0)
    for part in bnrep.PARTS:
        for network in bnrep.networks(part):
            assert not np.tril(network.graph).any()
            values = network.sample(rng, 4000)
            for node, above in enumerate(network.parents):
                if network.weights:
                    continue
                table = network.tables[node]
                np.testing.assert_allclose(table.sum(axis=0), 1.0)
                if not above:
                    shares = np.bincount(values[:, node], minlength=len(table)) / 4000
                    np.testing.assert_allclose(shares, table, atol=0.04)
                    continue
                here = values[:, list(above)]
                usual = (here == here[0]).all(axis=1)  # rows with one configuration of the parents
                if usual.sum() > 400:
                    shares = np.bincount(values[usual, node], minlength=len(table)) / usual.sum()
                    np.testing.assert_allclose(shares, table[(slice(None), *here[0])], atol=0.12)


@needs_data
def test_scenes_have_the_size_asked_for_and_come_from_the_training_part_alone() -> None:
    trained = set(bnrep.split()["train"])
    laws, used = set(), set()
    for seed in range(120):
        variables = (2, 5, 12, 40)[seed % 4]
        scene = bnrep.bnrep(np.random.default_rng(seed), rows=200, variables=variables)
        assert (~scene.hidden).sum() == variables and np.isfinite(scene.values).all()
        assert not np.tril(scene.graph).any()
        laws.add(scene.record["law"])
        used |= set(scene.record["networks"].split("+"))
    assert used <= trained and len(used) > 15
    assert laws == {"tables", "expert", "mixed", "gaussian"}


@needs_data
def test_what_is_published_is_shown_as_it_is() -> None:
    by_name = {network.name: network for part in bnrep.PARTS for network in bnrep.networks(part)}
    for name, part in (("bnrep_choose", "choose"), ("bnrep_report", "report")):
        scene = component_named(name).draw(np.random.default_rng(3), BROAD, rows=300, variables=7)
        network = by_name[scene.record["networks"]]
        assert network.name in bnrep.split()[part]
        np.testing.assert_array_equal(scene.graph, network.graph)


def test_roles() -> None:
    assert {"ecology", "genetics", "epidemics", "auctions", "bnrep_choose", "bnrep_report"} == set(
        held_out_components()
    )
    assert not set(held_out_components()) & set(BROAD.drawn_from())


@needs_data
def test_some_tasks_are_very_wide_and_not_long() -> None:
    shapes = np.array([make_task(BROAD.only("linear_gaussian"), 1, index).values.shape for index in range(400)])
    wide = shapes[shapes[:, 1] > 100]
    assert 1 <= len(wide) <= 10 and wide[:, 0].max() <= 1000


def test_without_data_the_mixture_says_so_and_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FOUNDCAUSE_DATA", str(tmp_path))
    with pytest.warns(UserWarning, match="goes on without 'bnrep'"):
        left = BROAD.available()
    assert set(BROAD.weights) - set(left.weights) == {"bnrep"}
    with pytest.raises(DataUnavailableError, match="FOUNDCAUSE_DATA"):
        make_task(BROAD.only("bnrep"), 0, 0)
    assert "bnrep_choose" not in suites(version=2) and "genetics" in suites(version=2)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert left.available() is left
    (tmp_path / "bnrep").mkdir()
    (tmp_path / bnrep.FILE).write_bytes(b"something else")
    assert "checksum" in str(bnrep.missing_data())
