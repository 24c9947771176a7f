"""Text files of any dialect to numbers."""

from __future__ import annotations

import gzip

import numpy as np
import pandas as pd
import pytest

from as_numbers import read_table
from foundcause.errors import TableError


def numbers(rows: int = 40, columns: int = 4, seed: int = 0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    return pd.DataFrame(rng.normal(size=(rows, columns)).round(6), columns=list("abcdefgh"[:columns]))


@pytest.mark.parametrize("separator", [",", ";", "\t", "|", " ", "   "])
@pytest.mark.parametrize("header", [True, False])
def test_every_dialect_gives_the_same_numbers(tmp_path, separator, header):
    frame = numbers()
    path = tmp_path / "t.csv"
    lines = [separator.join(frame.columns)] if header else []
    lines += [separator.join(f"{cell:.6f}" for cell in row) for row in frame.to_numpy()]
    path.write_text("\n".join(lines) + "\n")
    table = read_table(path)
    assert table.names == (tuple("abcd") if header else ("x1", "x2", "x3", "x4"))
    np.testing.assert_allclose(table.values, frame.to_numpy(), atol=1e-9)
    assert any("no header" in warning for warning in table.warnings) == (not header)


def test_decimal_comma_and_thousands(tmp_path):
    path = tmp_path / "t.csv"
    rows = "\n".join(f"{k},5;1.234.{k:03d},25;{k * 7 % 5}%" for k in range(30))
    path.write_text("x;y;z\n" + rows)
    table = read_table(path)
    np.testing.assert_allclose(table.values[:, 0], np.arange(30) + 0.5)
    np.testing.assert_allclose(table.values[:, 1], 1234000 + np.arange(30) + 0.25)
    assert set(table.values[:, 2]) == {0, 1, 2, 3, 4}


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "latin-1"])
def test_encodings(tmp_path, encoding):
    path = tmp_path / "t.csv"
    path.write_bytes(
        ("größe,straße\n" + "\n".join(f"{k},{'grün' if k % 3 else 'blau'}" for k in range(30))).encode(encoding)
    )
    table = read_table(path)
    assert table.names == ("größe", "straße")
    assert any("Windows-1252" in warning for warning in table.warnings) == (encoding == "latin-1")


def test_invalid_utf8_far_into_the_file_is_still_read(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(b"a,b\n" + b"1.5,red\n2.5,blue\n" * 40_000 + b"3.5,r\xe9d\n")
    table = read_table(path, max_rows=100_000)
    assert table.total_rows == 80_001 and any("Windows-1252" in warning for warning in table.warnings)


def test_quoted_newlines_ragged_lines_comments_and_gzip(tmp_path):
    text = '# made by hand\na,"b ""x""",c\n1,"two\nlines",3\n4,plain,5\n6,too,many,cells\n' + "7,plain,2\n" * 8
    (tmp_path / "t.csv.gz").write_bytes(gzip.compress(text.encode()))
    table = read_table(tmp_path / "t.csv.gz")
    assert table.names == ("a", 'b "x"', "c") and table.total_rows == 10
    assert any("1 line had another number of cells than the first and was" in warning for warning in table.warnings)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "empty"),
        (b"\n\n\n", "no rows"),
        (b"a,b,c\n", "no rows"),
        (b"PK\x03\x04xxxxxxxxxxx", "spreadsheet"),
        (b"PAR1 not really", "Parquet"),
        (b"a,b,c", "no rows"),
        (b'[{"a": 1}]', "JSON"),
        (b"\x93NUMPY\x01\x00", "NumPy"),
        (b"<html><body>", "web page"),
        (bytes(range(256)) * 9, "not text"),
        (b"a,b,c\n1,2\n3,4\n5,6\n7,8\n", "another number"),
    ],
)
def test_hopeless_files_are_refused_in_words(tmp_path, content, words):
    path = tmp_path / "t.csv"
    path.write_bytes(content)
    with pytest.raises(TableError, match=words):
        read_table(path)


BODY = "\n".join(f"{(k * 37) % 101 / 10},{k % 4}" for k in range(30))


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("sep=,\nage,dose\n" + BODY, ("age", "dose")),
        ("\n\n  \nage,dose\n" + BODY, ("age", "dose")),
        ("# note\n\nage,dose\n" + BODY, ("age", "dose")),
        ("Survey of 2020\n\nage,dose\n" + BODY, ("age", "dose")),
        ("Survey of 2020,\nage,dose\n" + BODY, ("age", "dose")),
        ("age,dose\n" + BODY.replace("\n", ",\n") + ",", ("age", "dose")),
        ("age,dose,\n" + BODY.replace("\n", ",\n") + ",", ("age", "dose")),
        (
            "age,dose\n" + "\n".join(f"row{k},{line}" for k, line in enumerate(BODY.split("\n"))),
            ("column_1", "age", "dose"),
        ),
        (
            '"age" "dose"\n' + "\n".join(f'"{k}" {line}' for k, line in enumerate(BODY.replace(",", " ").split("\n"))),
            ("column_1", "age", "dose"),
        ),
        ("age;dose\n" + BODY.replace(",", ";").replace(".", ","), ("age", "dose")),
    ],
)
def test_what_stands_above_and_beside_the_table(tmp_path, text, names):
    path = tmp_path / "t.csv"
    path.write_text(text)
    table = read_table(path)
    assert table.names == names
    if names[-2:] == ("age", "dose"):
        assert table.values[:, -2].tolist() == [(k * 37) % 101 / 10 for k in range(30)]
        assert table.values[:, -1].tolist() == [k % 4 for k in range(30)]
    assert any("Survey" in warning for warning in table.warnings) == text.startswith("Survey")


def test_windows_files_and_addresses(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(b"price,art\n" + "\n".join(f"€{k}.50,“{'ab'[k % 2]}”" for k in range(30)).encode("cp1252"))
    table = read_table(path)
    assert table.values[:, 0].tolist() == [k + 0.5 for k in range(30)]
    with pytest.raises(TableError, match="download"):
        read_table("https://example.org/a.csv")


def test_the_files_decimal_comma_decides_what_dots_and_commas_mean(tmp_path):
    path = tmp_path / "t.csv"
    rows = [(k + 0.25, 500 + k * 37, 1 + k / 8, 10**6 + k) for k in range(40)]
    lines = [
        f"{a:.2f};{b:,};{c:.3f};{d:,}".replace(",", "_").replace(".", ",").replace("_", ".").replace(",000;", ";")
        for a, b, c, d in rows
    ]
    path.write_text("share;income;ratio;sales\n" + "\n".join(lines))
    table = read_table(path, identifier="keep")
    assert "2;" in path.read_text() and "1.018" in path.read_text()
    np.testing.assert_allclose(table.values, rows)
    assert not any("may mean" in warning for warning in table.warnings)


def test_the_files_decimal_point_makes_commas_group(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("x,y\n" + "\n".join(f'{k / 4},"{1459 + k * k:,}"' for k in range(40)))
    table = read_table(path)
    assert table.values[:2, 1].tolist() == [1459, 1460]
    assert not any("may mean" in warning for warning in table.warnings)


def test_semicolons_alone_suggest_a_decimal_comma_and_doubt_is_told(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("x;y\n" + "\n".join(f"{k % 7};1,{100 + k * 3}" for k in range(40)))
    table = read_table(path)
    assert table.values[0, 1] == 1.1
    assert any("'y'" in warning and "may mean 1100" in warning for warning in table.warnings)


def test_an_unquoted_decimal_comma_does_not_shift_the_names(tmp_path):
    rng = np.random.default_rng(0)
    path = tmp_path / "t.csv"
    made = {
        "age,income": [
            f"{rng.integers(18, 90)},{rng.integers(900, 3000)},{rng.integers(0, 100):02d}" for _ in range(90)
        ],
        "t,income": [f"{k},{rng.integers(900, 3000)},{rng.integers(0, 100):02d}" for k in range(90)],
        "name,age,comment": [f"n{k},{k % 7},hello, world" for k in range(40)],
    }
    for header, lines in made.items():
        path.write_text("\n".join([header, *lines]))
        with pytest.raises(TableError, match="quote cells that hold ','"):
            read_table(path)


@pytest.mark.parametrize("hash_mark", ["#", "# "])
def test_a_commented_line_with_a_name_for_each_column_is_the_header(tmp_path, hash_mark):
    path = tmp_path / "t.csv"
    path.write_text(f"# made by hand\n{hash_mark}age,dose\n" + BODY)
    table = read_table(path)
    assert table.names == ("age", "dose") and len(table.values) == 30
    assert not any("no header" in warning for warning in table.warnings)
    path.write_text("# made by hand\n" + BODY)
    assert read_table(path).names == ("x1", "x2")
    path.write_text("# units, unknown\nage,dose\n" + BODY)
    assert read_table(path).names == ("age", "dose")


def test_years_as_names_need_an_option_that_is_named(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("region,2019,2020\n" + "\n".join(f"{'abc'[k % 3]},{k * 7 % 31},{k * 5 % 29}" for k in range(30)))
    assert any("--header" in warning and "header=True" in warning for warning in read_table(path).warnings)
    assert read_table(path, header=True).names == ("region", "2019", "2020")


@pytest.mark.parametrize("rows", [12, 60])
def test_a_header_that_the_user_denies_is_told_once(tmp_path, rows):
    path = tmp_path / "t.csv"
    numbers(rows).to_csv(path, index=False)
    table = read_table(path, header=False)
    np.testing.assert_allclose(table.values, numbers(rows).to_numpy(), atol=1e-9)
    assert table.names == ("x1", "x2", "x3", "x4") and len(table.warnings) == 1
    assert "('a', 'b', 'c', 'd') looks like names of columns" in table.warnings[0]
    assert "leave out --no-header (in Python header=False)" in table.warnings[0]
    assert read_table(path, header=False, names=list("wxyz")).warnings == table.warnings
    numbers(rows).to_csv(path, index=False, header=False)
    assert read_table(path, header=False).warnings == ("the file has no header row; its columns are named x1, x2, ...",)


def test_lines_of_another_width_are_counted_whatever_the_separator(tmp_path):
    frame = numbers(250, 3)
    path = tmp_path / "t.txt"
    for separator in (",", "  ", "\t"):
        lines = [separator.join(f"{cell:.6f}" for cell in row) for row in frame.to_numpy()]
        lines += [separator.join("1234")] * 150 + [separator.join("12")] * 7
        path.write_text("\n".join([separator.join("abc"), "", *lines]) + "\n")
        table = read_table(path)
        np.testing.assert_allclose(table.values, frame.to_numpy(), atol=1e-9)
        assert table.warnings == ("157 lines had another number of cells than the first and were skipped",)


def test_blanks_at_the_ends_of_lines_and_quoted_cells_between_blanks(tmp_path):
    path = tmp_path / "t.txt"
    path.write_text("a b c\n" + "".join(f'  {k * 7 % 31}   {k % 4} "{"xy"[k % 2]}"  \r\n' for k in range(40)))
    table = read_table(path)
    assert table.names == ("a", "b", "c") and table.values.shape == (40, 3) and not table.warnings
    assert table.values[:3].tolist() == [[0, 0, 0], [7, 1, 1], [14, 2, 0]]
