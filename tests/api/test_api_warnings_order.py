"""Rows that look ordered in time; a table that is sorted by a column does not."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.signal import lfilter

import foundcause as fc
from foundcause.features.series import autocorrelated_columns
from tiny_network import save_tiny

ROWS = 400


def mixed(seed: int) -> pd.DataFrame:
    """Columns of every kind, of which only ``dep`` depends on another."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({"x": rng.normal(size=ROWS), "rare": (rng.random(ROWS) < 0.1).astype(int)})
    frame["y"], frame["half"] = rng.normal(size=ROWS), (rng.random(ROWS) < 0.5).astype(int)
    frame["cat"] = rng.integers(0, 4, ROWS)
    frame["dep"] = ((frame["x"] + rng.normal(size=ROWS)) > 1.5).astype(int)
    return frame


def _order(result: fc.Result) -> dict | None:
    """The details of the finding about the order of rows."""
    return next((dict(found.details) for found in result.findings if found.code == "ordered-rows"), None)


def alike(frame: pd.DataFrame) -> list[str]:
    return [frame.columns[k] for k in autocorrelated_columns(frame.to_numpy(dtype=float))]


@pytest.mark.parametrize("seed", range(6))
def test_rare_values_do_not_look_ordered_where_the_table_is_sorted(seed: int) -> None:
    frame = mixed(seed)
    for name in frame:
        assert alike(frame.sort_values(name, kind="stable")) == [], name
    assert alike(frame.sort_values(["cat", "x"])) == []
    holed = frame.mask(np.random.default_rng(seed).random(frame.shape) < 0.2)
    assert alike(holed.sort_values("y", kind="stable")) == []


def test_a_table_in_blocks_of_categories_is_sorted_by_them() -> None:
    """The codes of categories need not rise where their words do."""
    for seed in range(5):
        rng = np.random.default_rng(seed)
        species = np.repeat([2.0, 0.0, 3.0, 1.0], 100)
        effect = np.array([0.0, 3.0, 1.0, 5.0])[species.astype(int)]
        frame = pd.DataFrame({"species": species, "u": effect + rng.normal(size=ROWS), "v": rng.normal(size=ROWS)})
        frame["w"] = frame["u"] + rng.normal(size=ROWS)
        assert alike(frame) == []
        frame["walk"] = np.cumsum(rng.normal(size=ROWS))
        assert alike(frame) == ["walk"]


def test_series_still_look_ordered_beside_what_is_sorted() -> None:
    for seed in range(5):
        rng = np.random.default_rng(seed)
        walks = np.cumsum(rng.normal(size=(ROWS, 2)), axis=0)
        state = (np.cumsum(rng.random(ROWS) < 0.05) % 2).astype(float)  # changes now and then
        frame = pd.DataFrame({"year": np.arange(ROWS), "a": walks[:, 0], "b": walks[:, 1], "state": state})
        assert alike(frame) == ["a", "b", "state"] and alike(frame.drop(columns="year")) == ["a", "b", "state"]


def test_a_series_is_read_as_the_rows_it_is_worth() -> None:
    rng = np.random.default_rng(0)
    values = lfilter([1.0], [1.0, -0.9], rng.normal(size=(ROWS, 5)), axis=0)
    series = fc.discover(values, n_passes=3)
    assert 30 < series.provenance["data"]["n_effective"] < 80
    assert _order(series)["n_effective"] == series.provenance["data"]["n_effective"]
    shuffled = fc.discover(values[rng.permutation(ROWS)], n_passes=3)
    assert shuffled.provenance["data"]["n_effective"] == ROWS and _order(shuffled) is None
    expected = [found.existence.to_numpy().sum() for found in (series, shuffled)]
    assert expected[0] < 0.7 * expected[1]  # columns that only drift look related to who takes every row for a new one
    walk = fc.discover(np.cumsum(rng.normal(size=(ROWS, 3)), axis=0), n_passes=1)
    assert _order(walk)["direction"] == 1


def test_other_protocols_take_rows_as_they_come() -> None:
    values = np.cumsum(np.random.default_rng(1).normal(size=(100, 3)), axis=0)
    assert fc.discover(values, protocol="paper", n_passes=1).provenance["data"]["n_effective"] == 100


def test_a_dated_series_is_read_from_its_oldest_row_on(tmp_path) -> None:
    reader = save_tiny(tmp_path / "reader.safetensors", features="paper+lagged")
    rng = np.random.default_rng(0)
    values = lfilter([1.0], [1.0, -0.9], rng.normal(size=(ROWS, 3)), axis=0)
    frame = pd.DataFrame(values, columns=list("abc")).assign(day=pd.date_range("2020-01-01", periods=ROWS).astype(str))
    rising = fc.discover(frame, n_passes=1, checkpoint=reader)
    falling = fc.discover(frame.iloc[::-1], n_passes=1, checkpoint=reader)
    led = [result.evidence["foretells the other a row later"] for result in (rising, falling)]
    np.testing.assert_allclose(led[0], led[1], atol=1e-4)
    assert [_order(result)["direction"] for result in (rising, falling)] == [1, -1]
