"""Files, frames and arrays to numbers."""

from __future__ import annotations

import gzip

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from foundcause.errors import ConfigError, TableError
from foundcause.table import read_table


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
    assert any("1 lines had another number of cells" in warning for warning in table.warnings)


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
    status = {column.name: (column.status, column.kind) for column in table.columns}
    assert status["site"] == ("isolated", "constant") and status["gone"] == ("isolated", "empty")
    for name in ("patient_id", "row", "name"):
        assert status[name] == ("isolated", "identifier")
    assert status["fahrenheit"] == ("used", "continuous")
    assert table.active.sum() == 5
    for name in ("site", "gone", "patient_id", "row", "name", "fahrenheit"):
        assert any(repr(name) in warning for warning in table.warnings)


def test_which_copy_stays_does_not_depend_on_column_order():
    frame = unfit_frame()
    for order in (list(frame.columns), list(frame.columns)[::-1]):
        table = read_table(frame[order], duplicate="isolate")
        assert {c.name for c in table.columns if c.status == "used"} == set("abcd")


def test_policies_drop_error_keep():
    frame = unfit_frame()
    dropped = read_table(frame, constant="drop", empty="drop", identifier="drop", duplicate="drop")
    assert dropped.names == tuple("abcd") and dropped.values.shape == (50, 4)
    assert [c.status for c in dropped.columns[4:]] == ["dropped"] * 6
    for case, name in (
        ("constant", "site"),
        ("empty", "gone"),
        ("identifier", "patient_id"),
        ("duplicate", "fahrenheit"),
    ):
        with pytest.raises(TableError, match=f"'{name}'.*{case}=\"isolate\""):
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
        {"a": [1, 2], "b": [1]},
    ):
        with pytest.raises(TableError):
            read_table(source)


def test_many_nominal_columns_share_one_warning():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({f"c{k}": rng.choice(["red", "green", "blue"], 60) for k in range(6)})
    found = [warning for warning in read_table(frame).warnings if "without a known order" in warning]
    assert len(found) == 1 and all(repr(name) in found[0] for name in frame)
    assert len([w for w in read_table(frame.iloc[:, :2]).warnings if "without a known order" in w]) == 2


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
            assert (column.kind, column.status) == ("identifier", "isolated")


def test_whole_measurements_are_no_row_counter():
    rng = np.random.default_rng(0)
    frame = numbers(60, 2)
    frame["income"] = rng.permutation(90_000)[:60] + 8000  # all differ, by chance
    frame["age"] = rng.integers(18, 90, 60)
    frame["few"] = rng.permutation(400)[:60]
    assert {column.kind for column in read_table(frame).columns} == {"continuous", "count"}


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


def test_codes_for_missing_make_no_copies():
    frame = numbers(600, 2)
    frame.loc[:29, ["a", "b"]] = 999999999.0
    table = read_table(frame, duplicate="isolate")
    assert table.active.all()
    for name in ("a", "b"):
        assert any(f"'{name}' holds 999999999 in 30 rows" in warning for warning in table.warnings)
    frame["c"] = 5 - 2 * frame["a"]
    assert read_table(frame, duplicate="isolate").active.tolist() == [True, True, False]


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
    with pytest.raises(TableError, match="every column"):
        read_table(frame, drop=list(frame.columns))
