"""Files as strangers brought them: empty rows, totals, odd quotes, decimal commas, pipes and compressed text."""

from __future__ import annotations

import bz2
import gzip
import os
import threading

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from as_numbers import read_table
from foundcause.cli.discover import _stem
from foundcause.errors import TableError


def patients(rows: int = 60, seed: int = 0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    age = rng.normal(50, 10, rows).round(1)
    return pd.DataFrame(
        {"age": age, "bmi": (age / 2 + rng.normal(size=rows)).round(2), "smoke": rng.integers(0, 2, rows)}
    )


def write(path, frame: pd.DataFrame, *more: str) -> str:
    path.write_text(frame.to_csv(index=False) + "".join(line + "\n" for line in more))
    return str(path)


def mentions(table, words: str) -> bool:
    return any(words in warning for warning in table.warnings)


# Empty rows


@pytest.mark.parametrize("line", [",,", " , ,", "NA,NA,NA", "?,-,."])
def test_empty_rows_of_a_file_do_not_count(tmp_path, line):
    table = read_table(write(tmp_path / "t.csv", patients(), *[line] * 900))
    np.testing.assert_array_equal(table.values, patients().to_numpy())
    assert table.total_rows == 60 and table.columns[0].missing == 0
    assert mentions(table, "900 rows hold no value in any column that takes part; left out")
    assert not mentions(read_table(patients()), "no value")


def test_empty_rows_of_every_table_in_memory_do_not_count(tmp_path):
    frame = pd.concat([patients(30), pd.DataFrame(index=range(50)), patients(30, seed=1)], ignore_index=True)
    whole = pd.concat([patients(30), patients(30, seed=1)])
    frame.to_parquet(tmp_path / "t.parquet")
    sources = [frame, frame.to_numpy(), frame.astype(object), pl.DataFrame(frame), pa.Table.from_pandas(frame)]
    for source in (*sources, tmp_path / "t.parquet", frame.to_dict("records")):
        table = read_table(source)
        np.testing.assert_array_equal(table.values, whole.to_numpy())
        assert table.total_rows == 60 and mentions(table, "50 rows hold no value")
    with pytest.raises(TableError, match="no cell with a value"):
        read_table(frame.iloc[30:80])


def test_a_sample_is_drawn_from_the_rows_that_hold_something(tmp_path):
    frame = patients(3000)
    blanks = pd.concat([frame.iloc[:1000], pd.DataFrame(index=range(40_000)), frame.iloc[1000:]], ignore_index=True)
    blanks.to_csv(tmp_path / "t.csv", index=False)
    pq.write_table(pa.Table.from_pandas(blanks), tmp_path / "t.parquet", row_group_size=777)
    expected = read_table(frame, max_rows=500, seed=3)
    for source in (blanks, tmp_path / "t.csv", tmp_path / "t.parquet", pl.DataFrame(blanks)):
        table = read_table(source, max_rows=500, seed=3)
        np.testing.assert_allclose(table.values, expected.values)
        assert table.total_rows == 3000 and mentions(table, "40,000 rows hold no value")


def test_rows_that_hold_a_value_only_where_nothing_takes_part_are_left_out():
    frame = patients(60)
    frame["nr"], frame["site"] = np.arange(60), "north"
    frame.loc[40:, ["age", "bmi", "smoke"]] = np.nan
    table = read_table(frame)
    assert table.values.shape == (40, 5) and table.total_rows == 40 and mentions(table, "20 rows hold no value")
    assert len(read_table(frame, identifier="keep").values) == 60


# Decimal commas and trailing separators


@pytest.mark.parametrize("header", [None, True])
def test_decimal_commas_in_many_columns_are_refused(tmp_path, header):
    rng = np.random.default_rng(0)
    rows = "\n".join(",".join(f"{a},{b}" for a, b in rng.integers(10, 90, size=(3, 2))) for _ in range(40))
    path = tmp_path / "t.csv"
    path.write_text("age,bmi,bp\n" + rows)
    with pytest.raises(TableError, match=r"'age,bmi,bp' reads like a header.* 6 cells; quote cells that hold ','"):
        read_table(path, header=header)
    assert read_table(path, header=False).values.shape == (40, 6)
    path.write_text("Clinic, Berlin\n\nage,bmi,bp,a,b,c\n" + rows)
    assert read_table(path, header=header).names[:3] == ("age", "bmi", "bp")


def test_decimal_commas_in_some_rows_are_refused(tmp_path):
    rng = np.random.default_rng(0)
    rows = [",".join(f"{a / 10:g}".replace(".", ",") for a in rng.integers(100, 900, 3)) for _ in range(90)]
    path = tmp_path / "t.csv"
    path.write_text("\n".join(["age,bmi,bp", "1,2,3", *rows]))
    with pytest.raises(TableError, match=r"most others have another number.*decimal comma"):
        read_table(path)


@pytest.mark.parametrize("header", ["age,bmi,smoke", "age,bmi,smoke,,,"])
def test_separators_at_the_end_of_lines_make_no_columns(tmp_path, header):
    path = tmp_path / "t.csv"
    path.write_text("\n".join([header, *(f"{a},{b},{c:.0f},,," for a, b, c in patients().to_numpy())]))
    table = read_table(path)
    assert table.names == ("age", "bmi", "smoke") and not table.warnings
    np.testing.assert_array_equal(table.values, patients().to_numpy())


# Quotation marks


@pytest.mark.parametrize("quote", ['"', "'"])
@pytest.mark.parametrize("between", [", ", ",", ";  ", " ; "])
def test_quoted_cells_after_blanks_and_in_single_quotes(tmp_path, quote, between):
    frame = patients().assign(name=[f"{'uvw'[k % 3]}{between}x" for k in range(60)])
    lines = [list(frame.columns), *frame.to_numpy().tolist()]
    path = tmp_path / "t.csv"
    path.write_text("\n".join(between.join(f"{quote}{cell}{quote}" for cell in line) for line in lines))
    table = read_table(path)
    assert table.names == ("age", "bmi", "smoke", "name") and len(table.values) == 60
    np.testing.assert_array_equal(table.values[:, :3], patients().to_numpy())
    assert table.columns[3].distinct == 3 and not mentions(table, "skipped")


def test_quotes_after_blanks_in_the_header_or_in_some_columns_only(tmp_path):
    path = tmp_path / "t.csv"
    rows = "\n".join(f"{a}, {b}, {c:.0f}" for a, b, c in patients().to_numpy())
    path.write_text('"age", "bmi", "smoke"\n' + rows)
    assert read_table(path).names == ("age", "bmi", "smoke")
    path.write_text("age, sex\n" + "\n".join(f'{k * 7 % 31}, "{"mf"[k % 2]}"' for k in range(40)))
    table = read_table(path)
    assert table.names == ("age", "sex") and "m" in table.columns[1].encoding and '"' not in table.columns[1].encoding


def test_single_quotes_beside_double_ones_and_apostrophes_stay(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b,c\n" + "\n".join(f"{k * 7 % 31},\"x, {k % 3}\",'{k % 2}'" for k in range(40)))
    table = read_table(path)
    assert table.values.shape == (40, 3) and table.columns[1].distinct == 3
    path.write_text(
        "a,b\n" + "\n".join(f"{k * 7 % 31},{['it' + chr(39) + 's', 'O' + chr(39) + 'Hara'][k % 2]}" for k in range(40))
    )
    assert "o'hara" in read_table(path).columns[1].encoding.lower()


# Totals below the table


def assert_left_out(table, frame: pd.DataFrame) -> None:
    np.testing.assert_array_equal(table.values[:, -frame.shape[1] :], frame.to_numpy())
    assert table.total_rows == len(frame) and mentions(table, "totals or means of the rows above, not data; left out")


@pytest.mark.parametrize("how", ["sum", "mean"])
def test_a_last_row_of_sums_or_means_is_left_out(tmp_path, how):
    frame = patients(200)
    below = frame.agg(how).round(2)
    assert_left_out(read_table(pd.concat([frame, below.to_frame().T])), frame)
    line = ",".join(f"{cell:.10g}" for cell in below)
    assert_left_out(read_table(write(tmp_path / "t.csv", frame, line)), frame)
    assert_left_out(read_table(write(tmp_path / "t.csv", frame, ",,", line, ",,")), frame)
    named = frame.assign(name=[f"p{k * k}" for k in range(200)])[["name", *frame]]
    assert_left_out(read_table(write(tmp_path / "t.csv", named, "," + line)), frame)


@pytest.mark.parametrize("label", ["Total", "SUM:", "Mean", "Average", "Summe", "Gesamt", "Totale", "Grand total"])
def test_a_labelled_last_row_is_left_out(tmp_path, label):
    frame = patients()
    cities = frame.assign(city=["Rome", "Bonn", "Nice"] * 20)[["city", *frame]]
    assert_left_out(read_table(write(tmp_path / "t.csv", cities, f"{label},1,2,3")), frame)
    assert_left_out(read_table(write(tmp_path / "t.csv", cities, f"{label},1,2,3", "Mean,1,2,3")), frame)
    assert_left_out(read_table(write(tmp_path / "t.csv", frame, f"{label},2,3")), frame)


def test_ordinary_last_rows_stay():
    rng = np.random.default_rng(0)
    for seed in range(200):
        values = np.random.default_rng(seed).integers(0, 4, size=(40, 2)).astype(float)
        values[-1] = values[:-1].mean(axis=0).round()  # an average case
        assert len(read_table(values).values) == 40
    rare = np.zeros((40, 4))
    rare[[3, -1], :3] = 1  # the last row is the sum of the rows above
    rare[:, 3] = rng.normal(size=40)
    assert len(read_table(rare).values) == 40
    frame = patients(40)
    for words in (["Partial", "Total"] * 20, ["low", "high"] * 19 + ["low", "average"]):
        assert len(read_table(frame.assign(word=words)).values) == 40
    twice = frame.assign(word=["red", "blue"] * 19 + ["red", "total"], other=["up", "down"] * 20)
    assert len(read_table(twice).values) == 40


# Pipes, compression and files that are no tables


def test_a_pipe_is_read_like_a_file(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)

    def read(content: bytes):
        writer = threading.Thread(target=pipe.write_bytes, args=(content,))
        writer.start()
        try:
            return read_table(pipe)
        finally:
            writer.join()

    text = patients().to_csv(index=False).encode()
    for content in (text, gzip.compress(text)):
        np.testing.assert_array_equal(read(content).values, patients().to_numpy())
    with pytest.raises(TableError, match=f"'{pipe}' holds no rows"):
        read(b"a,b,c\n")
    assert _stem(str(pipe)) == _stem("-") == "standard-input"


def test_compressed_text_is_read_whatever_its_name(tmp_path):
    path = tmp_path / "t.csv"
    text = patients().to_csv(index=False).encode()
    for content in (gzip.compress(text), bz2.compress(text), pa.compress(text, "zstd", asbytes=True)):
        path.write_bytes(content)
        np.testing.assert_array_equal(read_table(path).values, patients().to_numpy())
    plain = tmp_path / "t.csv.gz"
    plain.write_bytes(text)
    np.testing.assert_array_equal(read_table(plain).values, patients().to_numpy())
    path.write_bytes(gzip.compress(text)[:-200])
    with pytest.raises(TableError, match=r"t\.csv"):
        read_table(path)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b'[\n  {"a": 1},\n  {"a": 2}\n]\n', "JSON; load it"),
        (b"\xef\xbb\xbf [\n [1, 2],\n [3, 4]\n]\n", "JSON; load it"),
        (b'\n\n{\n "a": [1, 2]\n}\n', "JSON; load it"),
        (b'<?xml version="1.0"?>\n<rows>\n<row a="1"/>\n</rows>\n', "XML; load it"),
        (b"<rows>\n  <row><a>1</a></row>\n  <row><a>2</a></row>\n</rows>\n", "XML; load it"),
        (b"\n<!DOCTYPE html>\n<html><body>", "a web page"),
        (gzip.compress(b'[{"a": 1}]'), "JSON; load it"),
        (gzip.compress(b"PAR1..."), "compressed Parquet; unpack it"),
        (b"\xfd7zXZ\x00\x00", "a compressed file; unpack it"),
    ],
)
def test_files_that_are_no_tables_get_a_hint(tmp_path, content, words):
    path = tmp_path / "t.csv"
    path.write_bytes(content)
    with pytest.raises(TableError, match=f"looks like {words}.* export it as CSV first"):
        read_table(path)


def test_cells_in_brackets_are_no_json_or_xml(tmp_path):
    path = tmp_path / "t.csv"
    for cell in ("[bmi]", "<NA>", "<0.5", "<b>"):
        path.write_text(f"{cell},c\n" + "\n".join(f"{k * 7 % 31},{k % 3}" for k in range(40)))
        assert read_table(path, header=True).values.shape == (40, 2)
