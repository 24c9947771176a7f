"""Tables in memory, databases and binary files; names of columns."""

from __future__ import annotations

import datetime
import decimal
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq
import pytest
from cells import codes, matrix_of

from foundcause.data import read_table
from foundcause.data.names import as_text, unique_names
from foundcause.errors import InputError, TableError


def clinic(rows: int = 50) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "age": rng.integers(20, 80, rows),
            "dose": rng.normal(size=rows).round(3),
            "city": rng.choice(["Rome", "Oslo", "Lima"], rows),
            "seen": pd.date_range("2020-01-01 08:00", periods=rows, freq="37h"),
            "smokes": rng.random(rows) < 0.4,
        }
    )


CLINIC = clinic()
EXPECTED = matrix_of(CLINIC).values


def sqlite_file(folder: Path) -> Path:
    path = folder / "clinic.db"
    connection = sqlite3.connect(path)
    CLINIC.assign(seen=CLINIC["seen"].astype(str), smokes=CLINIC["smokes"].astype(int)).to_sql(
        "clinic", connection, index=False
    )
    connection.commit()
    connection.close()
    return path


def parquet_folder(folder: Path) -> Path:
    for k, part in enumerate((CLINIC.iloc[:20], CLINIC.iloc[20:])):
        part.to_parquet(folder / f"part{k}.parquet", index=False)
    return folder


def excel_file(folder: Path) -> Path:
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.append(["Clinic report"])
    sheet.append(list(CLINIC.columns))
    for row in CLINIC.itertuples(index=False):
        sheet.append([cell.to_pydatetime() if isinstance(cell, pd.Timestamp) else cell for cell in row])
    book.create_sheet("notes").append(["nothing"])
    book.save(folder / "clinic.xlsx")
    return folder / "clinic.xlsx"


def parquet_file(folder: Path) -> Path:
    CLINIC.to_parquet(folder / "clinic.parquet")
    return folder / "clinic.parquet"


def feather_file(folder: Path) -> Path:
    feather.write_feather(CLINIC, folder / "clinic.feather")
    return folder / "clinic.feather"


@pytest.mark.parametrize(
    "make",
    [
        lambda folder: CLINIC.to_dict("list"),
        lambda folder: CLINIC.to_dict("records"),
        lambda folder: pl.from_pandas(CLINIC),
        lambda folder: pl.from_pandas(CLINIC).lazy(),
        lambda folder: pa.Table.from_pandas(CLINIC),
        lambda folder: CLINIC.convert_dtypes(),
        lambda folder: CLINIC.convert_dtypes(dtype_backend="pyarrow"),
        lambda folder: CLINIC.astype(object),
        lambda folder: CLINIC.astype(str),
        lambda folder: CLINIC.to_records(index=False),
        sqlite_file,
        excel_file,
        parquet_file,
        parquet_folder,
        feather_file,
    ],
)
def test_every_source_gives_the_same_numbers(tmp_path: Path, make: Any) -> None:
    matrix = matrix_of(make(tmp_path))
    assert matrix.names == tuple(CLINIC.columns)
    np.testing.assert_allclose(matrix.values, EXPECTED, atol=1e-8)


def test_samples_of_every_source_are_the_same_rows(tmp_path: Path) -> None:
    expected = matrix_of(CLINIC, max_rows=20, random_state=1).positions
    for source in (pl.from_pandas(CLINIC), parquet_folder(tmp_path), sqlite_file(tmp_path), excel_file(tmp_path)):
        np.testing.assert_array_equal(matrix_of(source, max_rows=20, random_state=1).positions, expected)


def test_queries(tmp_path: Path) -> None:
    path = sqlite_file(tmp_path)
    query = "SELECT age, dose FROM clinic WHERE age > 40"
    older = int((CLINIC["age"] > 40).sum())
    with sqlite3.connect(path) as connection:
        assert read_table(connection, query).total_rows == older
        assert read_table(connection).total_rows == 50
        connection.execute("CREATE TABLE other (a, b)")
        with pytest.raises(TableError, match="2 tables"):
            read_table(connection)
        for wrong in ("SELECT nothing", "CREATE TABLE third (a)"):
            with pytest.raises(TableError):
                read_table(connection, wrong)
    assert matrix_of(path, sql=query).names == ("age", "dose")
    with pytest.raises(InputError):
        read_table(CLINIC, sql=query)
    CLINIC.to_csv(tmp_path / "clinic.csv")
    with pytest.raises(TableError, match="SQLite"):
        read_table(tmp_path / "clinic.csv", sql=query)


def test_parquet_bombs_are_not_decoded(tmp_path: Path) -> None:
    lists = pa.table({"x": range(200), "y": range(200), "bomb": [[0] * 10_000] * 200})
    pq.write_table(lists, tmp_path / "lists.parquet")
    table = read_table(tmp_path / "lists.parquet")
    (finding,) = [finding for finding in table.findings if finding.code == "nested-columns"]
    assert finding.columns == ("bomb",)
    words = pa.DictionaryArray.from_arrays(pa.array([0] * 5000, type=pa.int32()), pa.array(["x" * 1_000_000]))
    pq.write_table(pa.table({"x": [k % 7 for k in range(5000)], "word": words}), tmp_path / "words.parquet")
    pool = pa.proxy_memory_pool(pa.default_memory_pool())
    pa.set_memory_pool(pool)
    try:
        assert read_table(tmp_path / "words.parquet").columns[1].kind == "constant"
    finally:
        pa.set_memory_pool(pa.system_memory_pool())
    assert pool.max_memory() < 200e6


def test_a_named_index_is_a_column_only_when_asked_for() -> None:
    frame = CLINIC.set_index("age")
    table = read_table(frame)
    assert "age" not in table.frame and "index-left-out" in codes(table)
    assert matrix_of(frame, index=True).names == ("dose", "city", "seen", "smokes", "age")
    assert codes(read_table(CLINIC.rename_axis(None))) == codes(read_table(CLINIC))


def test_cells_of_many_types() -> None:
    cells = {
        "decimal": [decimal.Decimal("1.5"), decimal.Decimal("2.25"), None] * 9,
        "day": [datetime.date(2020, 1, k + 1) for k in range(27)],
        "clock": [datetime.time(k % 24, 30) for k in range(27)],
        "bytes": [b"yes", b"no", b"yes"] * 9,
        "mixed": [1, "2", 3.5] * 9,
        "x": range(5, 32),
    }
    matrix = matrix_of(cells, identifier="keep")
    assert matrix.kinds == ("binary", "date", "date", "binary", "continuous", "count")
    assert matrix.values[:3, 4].tolist() == [1, 2, 3.5]


@pytest.mark.parametrize(
    "source",
    [np.zeros(5), np.zeros((2, 3, 4)), {"a": [1, 2], "b": [1]}, [[1, 2], [3]], 5, None, object(), [], {}, iter([1])],
)
def test_what_is_no_table(source: Any) -> None:
    with pytest.raises(TableError):
        read_table(source)


def test_arrays_and_names() -> None:
    values = np.random.default_rng(0).normal(size=(30, 3))
    assert matrix_of(values).names == ("x1", "x2", "x3")
    masked = np.ma.masked_array(values, mask=values > 1)
    assert np.isnan(matrix_of(masked).values).sum() == (values > 1).sum()
    assert matrix_of(values, names=["a", "b", "c"], drop="b", nominal="c").names == ("a", "c")
    for wrong in ({"names": ["a"]}, {"drop": ["y"]}, {"nominal": "x9"}, {"drop": ["x1", "x2", "x3"]}):
        with pytest.raises((InputError, TableError)):
            read_table(values, **wrong)


def test_names_become_unique_text() -> None:
    names, findings = unique_names(["x", "x", "", 7, None, " y ", ("a", "b"), "x_2"])
    assert names == ["x", "x_3", "column_3", "7", "column_5", "y", "a / b", "x_2"]
    assert [finding.code for finding in findings] == ["unnamed-columns", "repeated-names"]
    assert as_text("a\x00b\ud800") == "a b?" and as_text("o\u0308") == "ö"
    assert len(set(unique_names(["a"] * 50)[0])) == 50
    frame = pl.DataFrame({"a\x00": [1, 2, 3] * 9, "b": range(27)})
    assert matrix_of(frame).names == ("a", "b")


def test_reading_text_needs_no_heavy_library(tmp_path: Path) -> None:
    CLINIC.to_csv(tmp_path / "clinic.csv", index=False)
    code = (
        "import sys; sys.modules['pyarrow'] = None; from foundcause.data import read_table\n"
        f"read_table({str(tmp_path / 'clinic.csv')!r})\n"
        "print([name for name in ('torch', 'sklearn', 'matplotlib', 'scipy') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
