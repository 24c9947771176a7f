"""``read_table``, ``Table`` and ``TableEncoder``: editing a table, and other rows read like those that were fitted."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from foundcause.data import Column, ReadOptions, TableEncoder, read_table
from foundcause.errors import ConfigError, InputError


def clinic(rows: int = 60) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "age": rng.integers(20, 80, rows),
            "smokes": rng.choice(["no", "yes"], rows),
            "city": rng.choice(["Rome", "Oslo", "Lima"], rows),
            "seen": pd.date_range("2020-01-01", periods=rows).strftime("%d.%m.%Y"),
            "site": "A",
        }
    )


def test_a_table_has_typed_cells_and_roles() -> None:
    table = read_table(clinic())
    assert [column.role for column in table.columns] == ["variable"] * 4 + ["excluded"]
    assert table.columns[4].kind == "constant"
    assert pd.api.types.is_datetime64_any_dtype(table.frame["seen"])
    assert pd.api.types.is_numeric_dtype(table.frame["age"])
    assert table.total_rows == len(table.frame) == 60


def test_an_untouched_table_is_not_read_twice() -> None:
    table = read_table(clinic())
    assert read_table(table) is table and not table.edited


def test_an_edited_frame_is_read_anew() -> None:
    table = read_table(clinic())
    table.frame["city"] = pd.Categorical(table.frame["city"], categories=["Oslo", "Rome", "Lima"], ordered=True)
    del table.frame["site"]
    assert table.edited
    matrix = TableEncoder().fit(table).transform(table)
    assert matrix.names == ("age", "smokes", "city", "seen")
    assert matrix.kinds[2] == "ordinal" and set(matrix.values[:, 2]) == {0.0, 1.0, 2.0}


def test_other_rows_mean_what_they_meant_in_the_fitted_table() -> None:
    frame = clinic()
    encoder = TableEncoder().fit(read_table(frame))
    fitted = encoder.transform(frame)
    other = encoder.transform(frame.iloc[::-1].head(7))
    np.testing.assert_array_equal(other.values, fitted.values[::-1][:7])
    assert encoder.transform(frame.assign(city="Kyiv")).values[:, 2].tolist() == pytest.approx(
        [np.nan] * 60, nan_ok=True
    )
    with pytest.raises(InputError):
        encoder.transform(frame.drop(columns="age"))


def test_options_are_checked() -> None:
    assert ReadOptions(drop="age").drop == ("age",)
    for wrong in ({"constant": "keep"}, {"identifier": "hide"}, {"seperator": ";"}):
        with pytest.raises(ConfigError):
            ReadOptions.of(None, **wrong)
    with pytest.raises(InputError):
        ReadOptions(max_rows=0)


def test_columns_of_old_result_files_are_read() -> None:
    column = Column.from_dict({"name": "a", "kind": "constant", "status": "isolated", "reason": "constant"})
    assert column.role == "excluded"


def test_two_numbers_in_a_cell_become_two_columns() -> None:
    rng = np.random.default_rng(1)
    high, low = rng.integers(100, 180, 60), rng.integers(60, 100, 60)
    frame = clinic().assign(pressure=[f"{a}/{b}" for a, b in zip(high, low, strict=True)])
    frame.loc[3, "pressure"] = "unknown"
    table = read_table(frame)
    assert "split-pairs" in {finding.code for finding in table.findings}
    encoder = TableEncoder().fit(table)
    matrix = encoder.transform(frame.iloc[4:])
    first = matrix.names.index("pressure_1")
    np.testing.assert_array_equal(matrix.values[:, first : first + 2], np.column_stack([high, low])[4:])
    assert "pressure" in read_table(frame, nominal="pressure").frame


def test_what_was_said_of_a_table_stays_when_it_is_read_again() -> None:
    frame = clinic().assign(zip=np.random.default_rng(2).choice([10115, 20095, 50667], 60))
    table = read_table(frame, nominal="zip", max_rows=50)
    assert read_table(table, ReadOptions.of(table.options, random_state=7)) is table
    again = read_table(table, duplicate="exclude")
    assert {column.name: column.kind for column in again.columns}["zip"] == "nominal"
    assert "sampled-rows" in {finding.code for finding in again.findings}
    np.testing.assert_array_equal(again.reading.matrix.values, table.reading.matrix.values)


def test_strange_and_long_words_fit_into_the_frame() -> None:
    long = "a sentence that is much longer than any label may be, and ends in "
    strange = pd.Series(["x\ud800", "x\ud801", "y"] * 9, dtype=object)
    table = read_table(pd.DataFrame({"strange": strange, "long": [f"{k} - {long}{k}" for k in (1, 2, 3)] * 9}))
    assert [len(table.frame[name].cat.categories) for name in table.frame] == [3, 3]
    assert TableEncoder().fit(table).transform(table).values[:3, 1].tolist() == [0, 1, 2]
