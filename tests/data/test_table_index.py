"""The index of a pandas frame: a named one is a column, from memory as from Parquet; an unnamed one never is."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from as_numbers import read_table


def numbers(rows: int = 60) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    return pd.DataFrame(rng.normal(size=(rows, 3)), columns=list("abc")).assign(dose=rng.integers(0, 5, rows))


@pytest.mark.parametrize("levels", [["dose"], ["dose", "c"]])
def test_a_named_index_is_a_column_as_it_is_from_parquet(tmp_path: Path, levels: list[str]) -> None:
    frame = numbers().set_index(levels)
    frame.to_parquet(tmp_path / "t.parquet")
    table, filed = read_table(frame), read_table(tmp_path / "t.parquet")
    assert table.names == filed.names and set(table.names) == {"a", "b", "c", "dose"}
    np.testing.assert_array_equal(table.values, filed.values)
    (note,) = [warning for warning in table.warnings if "index" in warning]
    assert repr(levels[0]) in note and "reset_index(drop=True)" in note


def test_groups_are_columns() -> None:
    means = numbers(300).assign(site=np.arange(300) % 7).groupby(["site", "dose"]).agg({"a": "mean", "b": "sum"})
    assert read_table(means).names == ("a", "b", "site", "dose")
    assert read_table(means["a"]).names == ("a", "site", "dose")  # a series too


def test_an_unnamed_index_is_no_column(tmp_path: Path) -> None:
    frame = numbers()[numbers()["a"] > 0]
    frame.to_parquet(tmp_path / "t.parquet")
    arrow = pa.Table.from_pandas(frame)
    assert "__index_level_0__" in arrow.column_names
    for source in (frame, tmp_path / "t.parquet", arrow, pl.from_arrow(arrow)):
        table = read_table(source)
        assert table.names == ("a", "b", "c", "dose") and not table.warnings
    two = numbers().set_index(["dose", "c"]).rename_axis([None, "c"])
    two.to_parquet(tmp_path / "two.parquet")
    assert read_table(two).names == read_table(tmp_path / "two.parquet").names == ("a", "b", "c")


def test_a_plain_count_of_rows_is_no_column() -> None:
    assert read_table(numbers().rename_axis("row")).names == ("a", "b", "c", "dose")


def test_an_index_may_be_called_like_a_column_and_columns_have_levels() -> None:
    frame = numbers().set_index("dose").rename_axis("a")
    assert read_table(frame).names == ("a", "b", "c", "a_2")
    frame = numbers().set_index("dose")
    frame.columns = pd.MultiIndex.from_tuples([("g", "a"), ("g", "b"), ("h", "c")])
    assert read_table(frame).names == ("g / a", "g / b", "h / c", "dose")


def test_repeated_labels_and_samples_keep_rows_together() -> None:
    frame = numbers(500).set_index("dose")
    whole = {tuple(row) for row in read_table(frame).values}
    sample = read_table(frame, max_rows=50)
    assert len(sample.values) == 50 and {tuple(row) for row in sample.values} <= whole
