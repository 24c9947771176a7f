"""Tables of an analyst: files of other programs, measurements in words, nights, headers of two levels, two tables."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from as_numbers import read_table
from foundcause.data.encode import encode_column
from foundcause.data.reading import Encoded
from foundcause.errors import TableError


def encode(cells: list[str], **options) -> Encoded:
    return encode_column("c", pd.Series(cells, dtype=object), **options)


def mentions(notes, *words: str) -> bool:
    return any(all(word in note for word in words) for note in notes)


def numbers(rows: int = 40, seed: int = 0) -> pd.DataFrame:
    return pd.DataFrame(np.random.default_rng(seed).normal(size=(rows, 3)).round(2), columns=["a", "b", "c"])


# Files of other programs


@pytest.mark.parametrize("version", [114, 117, 118])
def test_stata_files_are_named(tmp_path: Path, version: int) -> None:
    numbers().to_stata(tmp_path / "t.dta", version=version, write_index=False)
    with pytest.raises(TableError, match=r"a Stata file; .*read_stata.* export it as CSV"):
        read_table(tmp_path / "t.dta")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"$FL2@(#) IBM SPSS STATISTICS\x00\x00\x02\x00", "an SPSS file"),
        (b"\x00" * 12 + b"\xc2\xea\x81\x60\xb3\x14\x11\xcf" + b"\x00" * 200, "a SAS file"),
        (b"HEADER RECORD*******LIBRARY HEADER RECORD!!!!!!!", "a SAS file"),
        (b"% a comment\n%\n\n@RELATION iris\n@attribute a numeric\n@data\n1\n", "an ARFF file"),
    ],
)
def test_files_of_other_programs_are_named(tmp_path: Path, content: bytes, words: str) -> None:
    (tmp_path / "t.dat").write_bytes(content)
    with pytest.raises(TableError, match=f"looks like {words}; .*export it as CSV"):
        read_table(tmp_path / "t.dat")


def test_names_that_begin_like_other_programs_are_names(tmp_path: Path) -> None:
    for name in ("@relation", "$FLOW", "release"):
        (tmp_path / "t.csv").write_text(numbers().set_axis([name, "b", "c"], axis=1).to_csv(index=False))
        assert read_table(tmp_path / "t.csv").names[0] == name


def test_an_unknown_column_is_told_what_there_is() -> None:
    with pytest.raises(TableError, match=r"no column 'foo'; the columns are 'a', 'b', 'c'$"):
        read_table(numbers(), drop=["foo"])
    with pytest.raises(TableError, match=r"the columns are 'x1', .*'x10' and 20 more$"):
        read_table(np.zeros((9, 30)), drop=["foo"])
    with pytest.raises(TableError, match="did you mean 'score'"):
        read_table(numbers().rename(columns={"a": "score"}), nominal=["scor"])


# Measurements in words


@pytest.mark.parametrize(
    "shape",
    [
        lambda x, y: f"{x:.4f}° N",
        lambda x, y: f"{x:.0f}°{y:.0f}'12\"N",
        lambda x, y: f"{x:.2f}, {y:.2f}",
        lambda x, y: f"({x:.2f}, {-y:.2f})",
        lambda x, y: f"{x:.2f} ± {y:.1f}",
        lambda x, y: f"{x:.2f} ({x - 1:.2f}-{x + 1:.2f})",
        lambda x, y: f"{x:.2f} ({y:.2f})",
    ],
)
def test_measurements_that_cannot_be_read_are_told(shape: Callable[[float, float], str]) -> None:
    rng = np.random.default_rng(0)
    cells = [shape(x, y) for x, y in rng.uniform(10, 59, (60, 2))]
    table = read_table({"m": cells, "x": rng.normal(size=60)})
    assert mentions(table.warnings, "'m'", "numbers that cannot be read, such as", "kept without edges")


@pytest.mark.parametrize("shape", ["name {}", "A-{}", "{}-1234", "1.2.{}", "10.0.0.{}", "{} Main St", "(030) {}"])
def test_names_with_digits_hold_no_measurements(shape: str) -> None:
    table = read_table({"m": [shape.format(k * 7 + 100) for k in range(60)], "x": np.random.default_rng(0).random(60)})
    assert not mentions(table.warnings, "cannot be read") and not mentions(table.warnings, "two numbers")


@pytest.mark.parametrize(
    ("cells", "seconds"),
    [
        (["PT76M42S", "PT1H", "PT0.5S", "P1DT2H", "-PT30S"], [4602, 3600, 0.5, 93600, -30]),
        (["76:42", "08:05", "59:59", "102:00"], [4602, 485, 3599, 6120]),
        (["58:45", "1:02:30", "61:07"], [3525, 3750, 3667]),
        (["1:52.77", "1:48.3", "2:01,05"], [112.77, 108.3, 121.05]),
        (["58.91", "1:02.33", "1:00.50", "59.8"], [58.91, 62.33, 60.5, 59.8]),
    ],
)
def test_lengths_of_time_become_seconds(cells: list[str], seconds: list[float]) -> None:
    encoded = encode(cells * 10)
    assert (encoded.kind, encoded.encoding) == ("continuous", "seconds")
    np.testing.assert_allclose(encoded.values, seconds * 10)
    np.testing.assert_allclose(encode(cells[1:2], reading=encoded.reading).values, seconds[1:2])


def test_scores_shares_and_codes_are_no_lengths_of_time() -> None:
    for cells in (["28:25", "31:29", "24:30", "30:9"], ["95:05", "60:40", "50:50"], ["P1", "P2", "PT"], ["P1D", "P2W"]):
        assert encode(cells * 10).encoding != "seconds"
    assert mentions(encode(["28:25", "31:29", "24:30"] * 10).notes, "two numbers")
    times = [f"{k % 24:02d}:{k % 60:02d}" for k in range(100)]
    typing_error = encode([*times, "25:10"])
    assert typing_error.encoding == "minutes since midnight" and np.isnan(typing_error.values[-1])


@pytest.mark.parametrize("shape", ["{}/{:02d}", "{}-{:02d}", "{}–{:02d}", "{}/20{:02d}"])
def test_years_from_summer_to_summer(shape: str) -> None:
    cells = [shape.format(2000 + k, k + 1) for k in (3, 8, 19, 4)]
    encoded = encode(cells * 10)
    assert encoded.kind == "date" and encoded.values[:4].tolist() == [2003, 2008, 2019, 2004] and not encoded.notes
    assert encode(["2030/31", "2030/12"], reading=encoded.reading).values.tolist()[:1] == [2030]


def test_months_and_blood_pressures_are_no_years() -> None:
    assert encode(["2001-02", "2001-03", "2002-03"] * 10).encoding == "days since 1970-01-01"
    assert mentions(encode(["120/80", "130/85", "110/70"] * 10).notes, "two numbers")


# Nights


def test_times_around_midnight_are_one_night() -> None:
    encoded = encode(["22:30", "23:45", "00:15", "01:30", ""] * 10)
    np.testing.assert_array_equal(encoded.values[:5], [1350, 1425, 1455, 1530, np.nan])
    assert mentions(encoded.notes, "around midnight", "'00:15' is read as 24:15")
    again = encode(["00:40", "21:00", "02:00"], reading=encoded.reading)
    assert again.values.tolist() == [1480, 1260, 1560]


@pytest.mark.parametrize(
    "cells",
    [
        ["06:00", "14:00", "22:00"],  # shifts
        ["05:30", "06:45", "08:15", "23:30"],
        ["00:00", "08:30", "12:00", "17:45"],
        [f"{k:02d}:30" for k in range(24)],
    ],
)
def test_other_times_stay_in_their_day(cells: list[str]) -> None:
    encoded = encode(cells * 10)
    assert encoded.values.max() < 1440 and encoded.encoding == "minutes since midnight" and not encoded.notes


# Headers of two levels, and two tables


@pytest.mark.parametrize("index", [False, True])
def test_two_levels_of_names_in_a_file_are_named_as_in_memory(tmp_path: Path, index: bool) -> None:
    frame = numbers().set_axis(pd.MultiIndex.from_tuples([("a", "x"), ("a", "y"), ("b", "z")]), axis=1)
    frame.to_csv(tmp_path / "t.csv", index=index)
    table = read_table(tmp_path / "t.csv")
    assert table.names[-3:] == read_table(frame).names == ("a / x", "a / y", "b / z")
    np.testing.assert_array_equal(table.values[:, -3:], frame.to_numpy())
    assert mentions(table.warnings, "joined", "'a / x'") and not mentions(table.warnings, "more than once")


def test_units_below_different_names_are_not_joined(tmp_path: Path) -> None:
    text = numbers().to_csv(index=False)
    (tmp_path / "t.csv").write_text(text.replace("a,b,c\n", "a,b,c\ncm,cm,kg\n"))
    assert read_table(tmp_path / "t.csv").names == ("a", "b", "c")
    (tmp_path / "t.csv").write_text(text.replace("a,b,c\n", "a,a,c\ncm,cm,kg\n"))
    assert read_table(tmp_path / "t.csv").names == ("a", "a_2", "c")


@pytest.mark.parametrize("blank", ["", ",,"])
@pytest.mark.parametrize("names", ["d,e,f", "a,e,f", "d,e,f,g"])
def test_a_second_table_below_a_blank_line_is_told(tmp_path: Path, blank: str, names: str) -> None:
    more = "\n".join(",".join(str(k + j) for j in range(len(names.split(",")))) for k in range(9))
    (tmp_path / "t.csv").write_text(f"{numbers().to_csv(index=False)}{blank}\n{names}\n{more}\n")
    assert mentions(read_table(tmp_path / "t.csv").warnings, "second table may begin in line 43", names)


def test_blank_lines_in_one_table_are_no_second_table(tmp_path: Path) -> None:
    rows = [f"{['north', 'south'][k % 2]},{'ok' if k % 9 == 0 else k * 7 % 31}" for k in range(60)]
    body = "\n".join(rows)
    remark = '"a remark\n\nof,three,parts\n1,2,3\n4,5,6\n7,8,9\n",5'
    texts = [
        "g,n\n" + "\n\n".join("\n".join(rows[k : k + 9]) for k in range(0, 60, 9)),  # groups
        "g,n\n" + "\n\n".join(rows),  # every second line
        f"g,n\n{body}\n\ng,n\n{body}",  # the same header again
        f"g,n\n{body}\n\nSource: a survey, 2020\nAll rights reserved\n",
        f"g,n\n{body}\n{remark}\n{body}",
    ]
    for text in texts:
        (tmp_path / "t.csv").write_text(text)
        assert not mentions(read_table(tmp_path / "t.csv").warnings, "second table")
