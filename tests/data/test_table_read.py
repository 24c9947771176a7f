"""Frames and arrays to numbers, and columns that take no part."""

from __future__ import annotations

import dask.dataframe as dask
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import torch

from as_numbers import read_table
from foundcause.errors import ConfigError, TableError


def numbers(rows: int = 40, columns: int = 4, seed: int = 0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    return pd.DataFrame(rng.normal(size=(rows, columns)).round(6), columns=list("abcdefgh"[:columns]))


def test_parquet_pandas_polars_arrow_and_numpy_agree(tmp_path):
    frame = numbers()
    frame["when"] = pd.date_range("2020-01-01", periods=len(frame), freq="D")[::-1]
    frame["mood"] = np.where(frame["a"] > 0, "high", np.where(frame["b"] > 0, "low", "medium"))
    frame["flag"] = frame["a"] > 0.5
    frame.loc[3, "b"] = np.nan
    frame.to_parquet(tmp_path / "t.parquet")
    reference = read_table(frame, identifier="keep")
    sources = [
        tmp_path / "t.parquet",
        pl.DataFrame(frame),
        pl.DataFrame(frame).lazy(),
        pa.Table.from_pandas(frame),
        dict(frame),
    ]
    for source in sources:
        table = read_table(source, identifier="keep")
        assert table.names == reference.names
        np.testing.assert_array_equal(table.values, reference.values)
        assert [c.kind for c in table.columns] == [c.kind for c in reference.columns]
    np.testing.assert_array_equal(read_table(frame[list("abcd")].to_numpy()).values, reference.values[:, :4])
    np.testing.assert_array_equal(read_table(frame.to_numpy(dtype=object), identifier="keep").values, reference.values)


def test_duplicate_and_empty_names_become_unique():
    frame = numbers()
    frame.columns = ["a", "a", "", "a_2"]
    table = read_table(frame)
    assert table.names == ("a", "a_3", "column_3", "a_2")
    assert any("more than once" in warning for warning in table.warnings)
    assert any("no name" in warning for warning in table.warnings)


def unfit_frame() -> pd.DataFrame:
    frame = numbers(50)
    frame["site"] = "north"
    frame["gone"] = None
    frame["patient_id"] = np.random.default_rng(1).permutation(10_000)[:50]
    frame["row"] = np.arange(1, 51)
    frame["name"] = [f"person {chr(97 + k % 26)}{k}" for k in range(50)]
    frame["fahrenheit"] = 32 + 1.8 * frame["a"]
    return frame


def test_unfit_columns_are_isolated_and_named():
    table = read_table(unfit_frame())
    status = {column.name: (column.role, column.kind) for column in table.columns}
    assert status["site"] == ("excluded", "constant") and status["gone"] == ("excluded", "empty")
    for name in ("patient_id", "row", "name"):
        assert status[name] == ("excluded", "identifier")
    assert status["fahrenheit"] == ("variable", "continuous")
    assert table.active.sum() == 5
    for name in ("site", "gone", "patient_id", "row", "name", "fahrenheit"):
        assert any(repr(name) in warning for warning in table.warnings)


def test_which_copy_stays_does_not_depend_on_column_order():
    frame = unfit_frame()
    for order in (list(frame.columns), list(frame.columns)[::-1]):
        table = read_table(frame[order], duplicate="exclude")
        assert {c.name for c in table.columns if c.role == "variable"} == set("abcd")


def test_policies_drop_error_keep():
    frame = unfit_frame()
    dropped = read_table(frame, constant="drop", empty="drop", identifier="drop", duplicate="drop")
    assert dropped.names == tuple("abcd") and dropped.values.shape == (50, 4)
    assert [c.role for c in dropped.columns[4:]] == ["dropped"] * 6
    for case, name in (
        ("constant", "site"),
        ("empty", "gone"),
        ("identifier", "patient_id"),
        ("duplicate", "fahrenheit"),
    ):
        with pytest.raises(TableError, match=f"'{name}'.*{case}=\"exclude\""):
            read_table(frame, **{case: "error"})
    kept = read_table(frame, identifier="keep")
    assert kept.active.sum() == 8
    assert any("'fahrenheit'" in warning and "edges of one may belong" in warning for warning in kept.warnings)
    with pytest.raises(ConfigError, match="constant='keep'"):
        read_table(frame, constant="keep")


def test_sampling_is_seeded_and_the_same_from_every_source(tmp_path):
    frame = numbers(30_000, 3)
    frame.to_csv(tmp_path / "t.csv", index=False)
    pq.write_table(pa.Table.from_pandas(frame), tmp_path / "t.parquet", row_group_size=999)
    first = read_table(frame, max_rows=500, seed=3)
    for source in (tmp_path / "t.csv", tmp_path / "t.parquet", pl.DataFrame(frame)):
        table = read_table(source, max_rows=500, seed=3)
        np.testing.assert_allclose(table.values, first.values, atol=1e-12)
        assert table.total_rows == 30_000
        assert any("500 of 30,000 rows" in warning for warning in table.warnings)
    assert not np.array_equal(read_table(frame, max_rows=500, seed=4).values, first.values)
    assert abs(first.values.mean() - frame.to_numpy().mean()) < 0.1


def test_an_identifier_is_told_once():
    frame = pd.DataFrame(
        {"name": [f"person {k * k}" for k in range(50)], "a": np.arange(50) % 7, "b": np.arange(50) % 5}
    )
    assert [warning for warning in read_table(frame).warnings if "'name'" in warning] == [
        "column 'name': nearly different in every row, like a name or identifier; kept without edges"
    ]


def test_hopeless_objects_are_refused_in_words(tmp_path):
    for source in (
        tmp_path / "absent.csv",
        tmp_path,
        5,
        np.zeros(3),
        np.zeros((2, 2, 2)),
        pd.DataFrame(),
        pl.col("a"),
        pa.chunked_array([[1, 2]]),
        b"a,b",
    ):
        with pytest.raises(TableError):
            read_table(source)
    for source, words in (
        ({"a": [1, 2], "b": [1], "c": [3, 4]}, "column 'b' has 1 cell, most others have 2"),
        ([[1, 2], [3, 4], [5]], "row 3 has 1 cell, most others have 2"),
        ("", "path of the table is empty"),
        (torch.utils.data.TensorDataset(torch.zeros(3, 3)), "a TensorDataset of torch is no table; give"),
        (dask.from_pandas(numbers(), npartitions=2), r"a DataFrame of dask\w* is no table; call .compute\(\) first"),
    ):
        with pytest.raises(TableError, match=words):
            read_table(source)


def test_columns_of_different_lengths_meet_at_their_index():
    shorter = pd.Series([5.0, 6.0], index=[1, 2])
    assert np.isnan(read_table({"a": pd.Series([1.0, 2.0, 4.0]), "b": shorter}).values[0, 1])


def test_times_of_day_may_have_nanoseconds(tmp_path):
    nanoseconds = np.arange(40) * 1_000_000_123_457
    frame = pl.DataFrame({"a": np.arange(40) % 7 / 3, "t": pl.Series(nanoseconds).cast(pl.Time)})
    frame.write_parquet(tmp_path / "t.parquet")
    arrow = frame.to_arrow()
    for source in (frame, arrow, arrow.to_pandas(types_mapper=pd.ArrowDtype), tmp_path / "t.parquet"):
        np.testing.assert_allclose(read_table(source).values[:, 1], nanoseconds / 6e10, rtol=1e-6)


def test_rows_of_text_may_begin_with_the_names():
    cells = np.random.default_rng(0).normal(size=(40, 2)).round(3)
    rows = [["dose", "effect"], *cells.astype(str).tolist()]
    table = read_table(rows)
    assert table.names == ("dose", "effect") and len(table.values) == 40
    assert any("the first row names the columns: 'dose', 'effect'" in warning for warning in table.warnings)
    assert read_table(rows, names=["a", "b"]).names == ("a", "b")
    assert read_table(cells, drop=None, nominal=None).names == ("x1", "x2")


def test_many_nominal_columns_share_one_warning():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({f"c{k}": rng.choice(["red", "green", "blue"], 60) for k in range(6)})
    found = [warning for warning in read_table(frame).warnings if "without a known order" in warning]
    assert len(found) == 1 and all(repr(name) in found[0] for name in frame)
    assert len([w for w in read_table(frame.iloc[:, :2]).warnings if "without a known order" in w]) == 2


@pytest.mark.parametrize("kind", ["counter", "stepped", "shuffled", "filtered"])
def test_a_row_counter_is_seen_in_a_sample_and_in_any_order(tmp_path, kind):
    frame = numbers(3000, 2)
    rng = np.random.default_rng(1)
    counters = {
        "counter": np.arange(3000),
        "stepped": 7 + 10 * np.arange(3000),
        "shuffled": rng.permutation(3000) + 1,
        "filtered": np.sort(rng.permutation(4000)[:3000]),
    }
    frame.insert(0, "nr", counters[kind])
    frame.to_csv(tmp_path / "t.csv", index=False)
    for source in (frame, tmp_path / "t.csv"):
        for max_rows in (20_000, 1000):
            column = read_table(source, max_rows=max_rows).columns[0]
            assert (column.kind, column.role) == ("identifier", "excluded")


def test_whole_measurements_are_no_row_counter():
    rng = np.random.default_rng(0)
    frame = numbers(60, 2)
    frame["income"] = rng.permutation(90_000)[:60] + 8000  # all differ, by chance
    frame["age"] = rng.integers(18, 90, 60)
    frame["few"] = rng.permutation(400)[:60]
    assert {column.kind for column in read_table(frame).columns} == {"continuous", "count"}


def test_codes_for_missing_make_no_copies():
    frame = numbers(600, 2)
    frame.loc[:29, ["a", "b"]] = 999999999.0
    table = read_table(frame, duplicate="exclude")
    assert table.active.all()
    for name in ("a", "b"):
        assert any(f"'{name}' holds 999999999 in 30 rows" in warning for warning in table.warnings)
    frame["c"] = 5 - 2 * frame["a"]
    assert read_table(frame, duplicate="exclude").active.tolist() == [True, True, False]


def test_columns_are_left_out_and_numbers_declared_categories():
    frame = numbers(60, 3)
    frame["zip"] = np.arange(60) % 5 * 111
    table = read_table(frame, drop=["b"], nominal=["zip"])
    assert table.names == ("a", "c", "zip")
    assert [column.kind for column in table.columns] == ["continuous", "continuous", "nominal"]
    assert any("'zip'" in warning and "without a known order" in warning for warning in table.warnings)
    assert not any("'b'" in warning for warning in table.warnings)
    for option in ("drop", "nominal"):
        with pytest.raises(TableError, match=rf"{option}.*'zipp'.*'zip'"):
            read_table(frame, **{option: ["zipp"]})
        with pytest.raises(TableError, match=rf"{option}.*'a,zip'.*repeat the option"):
            read_table(frame, **{option: "a,zip"})
    with pytest.raises(TableError, match="every column"):
        read_table(frame, drop=list(frame.columns))


def test_every_table_in_memory_is_sampled_alike():
    frame = numbers(3000, 3)
    reference = read_table(frame, max_rows=500, seed=3)
    rows = [tuple(row) for row in frame.to_numpy().tolist()]
    sources = {
        "dict": {name: frame[name].to_numpy() for name in frame},
        "records": frame.to_dict("records"),
        "rows": rows,
        "lazy": pl.DataFrame(frame).lazy(),
        "arrow": pa.Table.from_pandas(frame),
        "masked": np.ma.masked_invalid(frame.to_numpy()),
        "structured": np.array(rows, dtype=[(name, float) for name in frame]),
    }
    for source in sources.values():
        table = read_table(source, max_rows=500, seed=3)
        np.testing.assert_array_equal(table.values, reference.values)
        assert table.total_rows == 3000 and any("500 of 3,000 rows" in warning for warning in table.warnings)


def test_long_numbers_and_telephones_are_identifiers():
    rng = np.random.default_rng(0)
    frame = numbers(200, 2)
    frame["user_id"] = 10**18 + rng.permutation(200) * 7
    frame["session"] = frame["user_id"].astype(str)
    frame["account"] = frame["user_id"].astype("Int64").mask(np.arange(200) < 5)
    frame["phone"] = [f"555-{number}" for number in rng.integers(1000, 9999, 200)]
    frame["mobile"] = [f"{a}-{b}" for a, b in rng.integers((200, 1000), (999, 9999), size=(200, 2))]
    status = {column.name: (column.role, column.kind) for column in read_table(frame).columns}
    for name in ("user_id", "session", "account", "phone", "mobile"):
        assert status[name] == ("excluded", "identifier")
    huge = frame[["a", "b"]].assign(
        stars=10.0 ** rng.uniform(17, 20, 200), few=10**18 + rng.integers(0, 3, 200) * 10**17
    )
    assert read_table(huge).active.all()


def test_columns_are_named_by_what_the_source_calls_them():
    frame = numbers(60, 4).set_axis([0, 1, 2, 3], axis=1)
    frame[3] = np.arange(60) % 5
    table = read_table(frame, drop=[2], nominal=3)
    assert table.names == ("0", "1", "3") and table.columns[2].kind == "nominal"
    levels = numbers(60, 2).set_axis(pd.MultiIndex.from_tuples([("a", 1), ("a", 2)]), axis=1)
    assert read_table(levels, drop=[("a", 2)]).names == ("a / 1",)
    with pytest.raises(TableError, match="there is no column '7'"):
        read_table(frame, drop=[7])


def test_the_order_of_rows_does_not_change_what_marks_mean():
    rng = np.random.default_rng(0)
    shows = ["3"] * 300 + ["3,55"] + ["4"] * 99
    frame = pd.DataFrame({"x": [f"1,{value}" for value in rng.integers(100, 999, 400)], "shows": shows})
    forward, backward = read_table(frame), read_table(frame[::-1])
    assert forward.values[:, 0].max() < 2 and forward.warnings == backward.warnings == ()
    np.testing.assert_array_equal(forward.values, backward.values[::-1])
    doubtful = pd.DataFrame({"x": frame["x"], "k": rng.choice(["12 kg", "7", "9 kg"], 400)})
    assert read_table(doubtful).warnings == read_table(doubtful[::-1]).warnings != ()
