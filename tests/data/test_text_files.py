"""Delimited text: dialects, encodings, titles, footers, sampling, and files that must be refused."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import threading
from pathlib import Path

import numpy as np
import pytest
from cells import codes, csv_text, matrix_of, write

from foundcause.data import read_table
from foundcause.data.dialect import guess_encoding
from foundcause.errors import InputError, TableError

PLAIN = csv_text()


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_separators_and_line_ends(tmp_path: Path, separator: str, newline: str) -> None:
    expected = matrix_of(write(tmp_path, PLAIN))
    found = matrix_of(write(tmp_path, csv_text(separator=separator).replace("\n", newline), name="other.csv"))
    np.testing.assert_array_equal(found.values, expected.values)
    assert found.names == ("age", "city", "dose")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "latin-1", "cp1252"])
def test_encodings(tmp_path: Path, encoding: str) -> None:
    path = write(tmp_path, PLAIN.replace("city", "größe").replace("Rome", "Köln"), encoding=encoding)
    table = read_table(path)
    assert table.columns[1].name == "größe"
    assert ("other-encoding" in codes(table)) == (encoding in ("latin-1", "cp1252"))


def test_an_encoding_that_changes_late(tmp_path: Path) -> None:
    path = write(tmp_path, csv_text(20_000))
    path.write_bytes(path.read_bytes() + "33,Málaga,1.5\n".encode("cp1252"))
    assert read_table(path).total_rows == 20_001
    assert guess_encoding("é".encode() * 10) == "utf-8"


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
def test_packed_files(tmp_path: Path, pack: object) -> None:
    path = tmp_path / "table.csv.packed"
    path.write_bytes(pack(PLAIN.encode()))  # type: ignore[operator]
    assert matrix_of(path).values.shape == (40, 3)


def test_pipes_are_read(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: pipe.write_text(PLAIN))
    writer.start()
    assert read_table(pipe).total_rows == 40
    writer.join()


@pytest.mark.parametrize(
    ("text", "names", "rows"),
    [
        ("Report 2023,,\nall doses in mg,,\n,,\n" + PLAIN, ("age", "city", "dose"), 40),
        ("A title\n\n" + PLAIN, ("age", "city", "dose"), 40),
        ("# made by hand\n# twice\n" + PLAIN, ("age", "city", "dose"), 40),
        ("sep=;\n" + csv_text(separator=";"), ("age", "city", "dose"), 40),
        (PLAIN.replace("\n", ",\n"), ("age", "city", "dose"), 40),
        (PLAIN + "Source: our books\n", ("age", "city", "dose"), 40),
        (PLAIN + "\n\n,,\n", ("age", "city", "dose"), 40),
        ("# x y z\n" + "\n".join(f"{k} {k * k} {k % 7}" for k in range(40)), ("x", "y", "z"), 40),
        ("age,dose\n" + "\n".join(f"r{k},{k % 9},{k * k}" for k in range(40)), ("column_1", "age", "dose"), 40),
    ],
)
def test_what_stands_around_a_table(tmp_path: Path, text: str, names: tuple[str, ...], rows: int) -> None:
    matrix = matrix_of(write(tmp_path, text, name="table.txt"))
    assert (matrix.names, matrix.total_rows) == (names, rows)


def test_tables_without_a_header(tmp_path: Path) -> None:
    path = write(tmp_path, "\n".join(f"{k % 7},{k * k},{k % 5}" for k in range(30)))
    table = read_table(path)
    assert [column.name for column in table.columns] == ["x1", "x2", "x3"] and "no-header" in codes(table)
    assert read_table(path, header=True).total_rows == 29
    named = read_table(path, names=["a", "b", "c"])
    assert [column.name for column in named.columns] == ["a", "b", "c"] and "no-header" not in codes(named)
    years = "country,2018,2019,2020\n" + "\n".join(f"land {k % 4},{k},{k * 2},{k % 3}" for k in range(30))
    assert matrix_of(write(tmp_path, years)).names[1:] == ("2018", "2019", "2020")


def test_totals_below_a_table_are_no_rows(tmp_path: Path) -> None:
    shops = "\n".join(f"shop {k % 5},{k},{k % 7}" for k in range(30))
    table = read_table(write(tmp_path, f"shop,a,b\n{shops}\nTotal,435,90\n"))
    assert table.total_rows == 30 and "total-rows" in codes(table)
    often = "\n".join(f"{['total', 'part'][k % 2]},{k},{k % 7}" for k in range(31))
    assert read_table(write(tmp_path, f"kind,a,b\n{often}\n")).total_rows == 31


def test_quoted_cells_with_separators_and_line_breaks(tmp_path: Path) -> None:
    lines = [f'{k % 9},"note {k},\nsecond line",{k * k}' for k in range(30)]
    table = read_table(write(tmp_path, "a,note,b\n" + "\n".join(lines) + "\n1,2\n1,2,3,4\n"))
    assert table.total_rows == 30
    (ragged,) = [finding for finding in table.findings if finding.code == "ragged-rows"]
    assert ragged.details["rows"] == 2
    single = "\n".join(f"'{k % 9}','x, y','{k * k}'" for k in range(30))
    assert matrix_of(write(tmp_path, f"'a','b','c'\n{single}")).names == ("a", "b", "c")


def test_a_stray_quotation_mark_is_refused_with_its_line(tmp_path: Path) -> None:
    lines = PLAIN.replace("city", '"city').split("\n")
    lines[9] = '33,"Rome,1.5'
    with pytest.raises(TableError, match="quotation mark in line"):
        read_table(write(tmp_path, "\n".join(lines) + '"\n'))
    endless = csv_text(9000).replace("Rome", '"Rome', 1)
    with pytest.raises(TableError, match="quotation mark"):
        read_table(write(tmp_path, endless))


def test_one_long_line_is_refused_without_reading_it(tmp_path: Path) -> None:
    path = tmp_path / "long.csv"
    path.write_bytes(b"a,b\n1,2\n" + b"," * (1 << 25))
    with pytest.raises(TableError, match="line 3 is longer"):
        read_table(path)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "empty"),
        (b"\n\n", "no rows"),
        (b"a,b,c\n", "no rows"),
        (b"a title\n\n\n", "no rows|one column"),
        (b"<!DOCTYPE html><html>", "web page"),
        (b'{"a": 1}', "JSON"),
        (b"PK\x03\x04xxxx", "archive"),
        (b"%PDF-1.4", "PDF"),
        (bytes(range(8)) * 100, "not text"),
        (b"age,income\n" + b"".join(b"%d,%d,%02d\n" % (20 + k, 900 + k, k) for k in range(60)), "Quote cells"),
    ],
)
def test_hopeless_files(tmp_path: Path, content: bytes, said: str) -> None:
    path = tmp_path / "table.csv"
    path.write_bytes(content)
    with pytest.raises(TableError, match=said):
        read_table(path)


def test_paths_that_are_none(tmp_path: Path) -> None:
    paths = ((tmp_path / "no.csv", "cannot read"), (tmp_path, "folder"), ("", "empty"), ("http://x", "address"))
    for path, said in paths:
        with pytest.raises(TableError, match=said):
            read_table(path)
    with pytest.raises(TableError, match="one character"):
        read_table(write(tmp_path, PLAIN), separator=";;")
    with pytest.raises(InputError, match="text files"):
        read_table({"a": [1, 2]}, separator=",")


def test_the_sample_of_a_file_is_that_of_the_table_in_memory(tmp_path: Path) -> None:
    path = write(tmp_path, csv_text(5000))
    whole = matrix_of(path)
    sample = matrix_of(path, max_rows=300, random_state=3)
    assert sample.values.shape == (300, 3) and sample.total_rows == 5000
    np.testing.assert_array_equal(sample.values[:, [0, 2]], whole.values[sample.positions][:, [0, 2]])
    again = matrix_of(path, max_rows=300, random_state=4)
    assert not np.array_equal(again.positions, sample.positions)
    table = read_table(path, max_rows=300)
    (finding,) = [finding for finding in table.findings if finding.code == "sampled-rows"]
    assert (finding.details["rows"], finding.details["total"]) == (300, 5000)


def test_decimal_commas_of_a_file(tmp_path: Path) -> None:
    rows = "\n".join(f"{k};{k},5;1.{k:03d},25;{k / 8:.3f}".replace(".", ",", 0) for k in range(20, 60))
    matrix = matrix_of(write(tmp_path, f"n;a;b;c\n{rows}"))
    assert matrix.values[0, 1:3].tolist() == [20.5, 1020.25]


def test_memory_is_bounded_by_the_sample(tmp_path: Path) -> None:
    import tracemalloc

    path = write(tmp_path, csv_text(60_000))
    tracemalloc.start()
    read_table(path, max_rows=200)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 120e6
