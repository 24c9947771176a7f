"""New rows are read as those of the table before, whatever they would look like alone."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from as_numbers import read_table

ROWS = 240


def frame() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    amounts = rng.normal(size=ROWS) * 5000
    stages = pd.Categorical(rng.choice(list("zam"), ROWS), categories=["q", "z", "a", "m"], ordered=True)
    return pd.DataFrame(
        {
            "comma": [f"{value:.3f}".replace(".", ",") for value in 1.1 + rng.random(ROWS)],
            "shows": [f"{value:.2f}".replace(".", ",") for value in amounts],
            "when": [f"{d:02d}/{m:02d}/2020" for d, m in rng.integers(1, [29, 13], size=(ROWS, 2))],
            "clock": rng.choice(["07:30", "08:10", "9:05 pm"], ROWS),
            "stage": stages,
            "thousands": rng.choice(["1.4k", "2k", "950"], ROWS),
            "weight": rng.choice(["12 kg", "7 kg", "8"], ROWS),
            "account": rng.choice(["(12)", "35"], ROWS),
            "level": rng.choice(["low", "medium", "high"], ROWS),
            "city": rng.choice(["here", "there", "elsewhere"], ROWS, p=[0.2, 0.3, 0.5]),
            "flag": rng.random(ROWS) < 0.5,
            "answer": rng.choice(["yes", "no"], ROWS),
            "zip": rng.integers(0, 5, ROWS) * 111,
            "plain": rng.normal(size=ROWS),
        }
    )


def part(table: pd.DataFrame, what: str) -> pd.DataFrame:
    """Rows that say less than the table about how they are written."""
    if what == "stage":
        return table[table["stage"] != "z"].assign(stage=lambda rows: rows["stage"].cat.remove_unused_categories())
    if what == "zip":
        return table[table["zip"] > 200].astype({"zip": float})
    if what == "flag as text":
        return table[table["flag"]].assign(flag="True")
    if what == "flag as number":
        return table.astype({"flag": float})
    chosen = {
        "decimals": table["comma"].notna(),
        "day": table["when"].str[:2].astype(int) <= 12,
        "thousands": table["thousands"] != "950",
        "weight": table["weight"] == "8",
        "account": table["account"] == "(12)",
        "level": table["level"] != "low",
        "city": table["city"] == "here",
        "answer": table["answer"] == "yes",
        "one row": table.index == 3,
    }
    rows = table[chosen[what]]
    return rows.assign(shows="3") if what == "decimals" else rows


@pytest.mark.parametrize(
    "what",
    [
        *("decimals", "day", "thousands", "weight", "account", "level", "city", "answer", "one row"),
        *("stage", "zip", "flag as text", "flag as number"),
    ],
)
def test_a_part_means_what_it_meant_in_the_whole(what):
    table = frame()
    whole = read_table(table, nominal=["zip"])
    rows = part(table, what)
    read = read_table(rows, nominal=["zip"], readings=whole.readings)
    kept = [k for k, name in enumerate(whole.names) if not (what == "decimals" and name == "shows")]
    np.testing.assert_array_equal(read.values[:, kept], whole.values[rows.index][:, kept])
    if what == "day":
        assert [column.kind for column in read.columns] == [column.kind for column in whole.columns]


def test_what_is_written_otherwise_is_missing_and_told():
    table = frame()
    whole = read_table(table, nominal=["zip"])
    odd = table.assign(
        shows=["1,234.5", *table["shows"][1:]],
        weight=["9 lb", *table["weight"][1:]],
        when=["soon", *table["when"][1:]],
        city=["nowhere", *table["city"][1:]],
        level=["NA", *table["level"][1:]],
    )
    read = read_table(odd, nominal=["zip"], readings=whole.readings)
    for name, cell in {"shows": "1,234.5", "weight": "9 lb", "when": "soon", "city": "nowhere", "level": None}.items():
        assert np.isnan(read.values[0, read.names.index(name)])
        told = [warning for warning in read.warnings if f"'{name}'" in warning and "table before" in warning]
        assert len(told) == (cell is not None) and all(f"1 cell ('{cell}')" in warning for warning in told)
    np.testing.assert_array_equal(read.values[1:], whole.values[1:])


def test_a_column_that_was_empty_stays_so():
    table = pd.DataFrame({"gone": ["", "NA"] * 10, "b": np.arange(20) % 3})
    new = read_table(table.assign(gone="here"), readings=read_table(table).readings)
    assert np.isnan(new.values[:, 0]).all()


def test_multipliers_and_points_that_group_are_remembered():
    table = pd.DataFrame({"k": ["1.4k", "950", "2k"] * 10, "points": ["1.234.567", "5.642", "987"] * 10})
    readings = read_table(table, identifier="keep").readings
    new = pd.DataFrame({"k": ["3M"] * 4 + ["1k"] * 4, "points": ["5.642", "1.5", "7.000", "8"] * 2})
    values = read_table(new, readings=readings).values
    assert values[[0, 4], 0].tolist() == [3e6, 1e3]
    np.testing.assert_array_equal(values[:4, 1], [5642, np.nan, 7000, 8])
