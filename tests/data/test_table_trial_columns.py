"""What another stranger's files had: two headers, repeated patients, codes, periods, units, decomposed letters."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from as_numbers import Table, read_table
from foundcause.errors import InputError
from foundcause.knowledge import Knowledge

ROWS = 60


def lines(seed: int = 0) -> list[str]:
    rng = np.random.default_rng(seed)
    return [f"{rng.choice(['yes', 'no'])},{rng.normal():.2f},{rng.integers(20, 90)}" for _ in range(ROWS)]


def written(path: Path, *head: str, body: list[str] | None = None) -> Table:
    file = path / "table.csv"
    file.write_text("\n".join([*head, *(body or lines())]) + "\n", encoding="utf-8")
    return read_table(file)


def mentions(table: Table, *words: str) -> bool:
    return any(all(word in warning for word in words) for warning in table.warnings)


@pytest.mark.parametrize("second", ["Do you smoke?,Score 0-10,Age in years", ",points,years"])
def test_units_and_questions_are_no_case(tmp_path: Path, second: str) -> None:
    table = written(tmp_path, "smokes,score,age", second)
    plain = written(tmp_path, "smokes,score,age")
    assert table.names == plain.names and table.total_rows == ROWS
    np.testing.assert_array_equal(table.values, plain.values)
    assert mentions(table, "below the header", "left out") and not plain.warnings


def test_names_below_a_merged_header_are_used(tmp_path: Path) -> None:
    table = written(tmp_path, "Habits,,Patient", "smokes,score,age")
    assert table.names == ("smokes", "score", "age") and table.total_rows == ROWS
    assert mentions(table, "used instead")


def test_the_header_once_more_is_no_case(tmp_path: Path) -> None:
    table = written(tmp_path, "smokes,score,age", body=[*lines(0), "smokes,score,age", *lines(1)])
    assert table.total_rows == 2 * ROWS and table.columns[0].kind == "binary"
    assert mentions(table, "repeats the header")


def test_a_first_row_of_words_may_be_a_case(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    body = [f"{rng.choice(['a', 'b'])},{rng.choice(['u', 'v'])},{rng.integers(9)}" for _ in range(ROWS)]
    assert written(tmp_path, "x,y,z", "c,w,3", body=body).total_rows == ROWS + 1
    body = [f"{rng.choice(['a', 'b'])},name {k},{rng.choice(['u', 'v'])}" for k in range(ROWS)]
    assert written(tmp_path, "x,y,z", "a,name x,v", body=body).total_rows == ROWS + 1


def test_rows_that_only_look_like_headers_stay(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    digits = pd.DataFrame(rng.choice(["0", "1", "2"], (300, 2)))  # columns are called 0 and 1
    assert read_table(digits).total_rows == 300
    land = np.array(["Albania", "Algeria", "Angola"])[rng.integers(3, size=ROWS)]
    body = [f"{name},{name[:3].upper()}" for name in land]
    assert written(tmp_path, "country,code", "Afghanistan,AFG", body=body).total_rows == ROWS + 1
    body = [f"{rng.normal():.2f},{rng.normal():.2f}" for _ in range(ROWS)]
    # A row of bounds alone has no value that could be used, but it is no header.
    assert not mentions(written(tmp_path, "lead,zinc", "<0.5,<0.01", body=body), "header")
    body = [f"{name},{rng.normal():.2f}" for name in land]
    assert written(tmp_path, "country,zinc", "Afghanistan,ND", body=body).total_rows == ROWS + 1


@pytest.mark.parametrize("name", ["body_mass_index", "air quality index", "stage", "key"])
def test_measurements_called_index_take_part(name: str) -> None:
    rng = np.random.default_rng(0)
    assert read_table({name: rng.poisson(60, 400), "x": rng.normal(size=400)}).active.all()


@pytest.mark.parametrize("cells", [["1/1000", "1/2000", "1/4000"], ["10-1234", "11-9999"], ["5a", "5b", "6a"]])
def test_dilutions_codes_and_classes_are_neither_dates_nor_units(cells: list[str]) -> None:
    rng = np.random.default_rng(0)
    table = read_table({"c": rng.choice(cells, 200), "x": rng.normal(size=200)})
    assert table.columns[0].kind != "date" and not mentions(table, "units")


def test_days_of_weeks_are_told() -> None:
    cells = [f"2020-W05-{day}" for day in range(1, 8)] * 10
    table = read_table({"when": cells, "x": np.random.default_rng(0).normal(size=70)})
    assert table.values[:7, 0].tolist() == [18288.0 + day for day in range(7)]


@pytest.mark.parametrize("name", ["patient_id", "customerId"])
@pytest.mark.parametrize("words", [False, True])
def test_repeated_identifiers_take_no_part(name: str, words: bool) -> None:
    rng = np.random.default_rng(0)
    case = np.repeat(rng.permutation(np.arange(500, 550)), 4)
    frame = pd.DataFrame({name: [f"P{k}" for k in case] if words else case, "bp": rng.normal(size=200)})
    frame = frame.assign(age=np.repeat(rng.normal(size=50), 4)).sample(frac=1, random_state=1)
    table = read_table(frame)
    assert table.columns[0].role == "excluded" and mentions(table, name, "50 values, 4 rows each")
    assert read_table(frame, identifier="keep").active.all()
    assert read_table(frame.rename(columns={name: "stay"})).active.all()


def test_groups_named_by_few_numbers_take_part() -> None:
    rng = np.random.default_rng(0)
    assert read_table({"site_id": rng.integers(1, 6, 200), "x": rng.normal(size=200)}).active.all()


def test_leading_zeros_tell_codes() -> None:
    rng = np.random.default_rng(0)
    codes = [f"{k:05d}" for k in rng.integers(900, 90_000, 200)]
    assert mentions(read_table({"zip": codes, "x": rng.normal(size=200)}), "'zip'", "zeros", "nominal")
    months = [f"{k:02d}" for k in rng.integers(1, 13, 200)]
    assert not read_table({"month": months, "x": rng.normal(size=200)}).warnings


@pytest.mark.parametrize("shape", ["%Y%m%d", "number", "%m/%Y", "%G-W%V", "%YQ{q}", "Q{q} %Y"])
def test_periods_are_dates_in_order(shape: str) -> None:
    dates = pd.Series(pd.date_range("2018-01-01", periods=150, freq="9D").repeat(2))
    cells: list[object] = [date.strftime(shape.replace("{q}", str(date.quarter))) for date in dates]
    if shape == "number":
        cells = [int(date.strftime("%Y%m%d")) for date in dates]
    table = read_table({"when": cells, "x": np.random.default_rng(0).normal(size=300)})
    assert table.columns[0].kind == "date"
    assert (np.diff(table.values[:, 0]) >= 0).all() and len(np.unique(table.values[:, 0])) > 10
    truth = (dates - pd.Timestamp("1970-01-01")).dt.days.to_numpy()
    assert (np.abs(table.values[:, 0] - truth) < 95).all()
    again = read_table({"when": cells[:3], "x": [1.0, 2.0, 3.0]}, readings=table.readings)
    np.testing.assert_array_equal(again.values[:, 0], table.values[:3, 0])


def test_amounts_of_eight_digits_are_no_dates() -> None:
    rng = np.random.default_rng(0)
    table = read_table({"money": rng.integers(19_000_101, 21_001_231, 200), "x": rng.normal(size=200)})
    assert table.columns[0].kind == "continuous"


def test_numbers_that_cannot_be_used_tell_why() -> None:
    rng = np.random.default_rng(0)
    weight = [f"{k} {rng.choice(['kg', 'lb'])}" for k in rng.integers(50, 90, 200)]
    pressure = [f"{k}/{k - 40}" for k in rng.integers(110, 150, 200)]
    table = read_table({"weight": weight, "pressure": pressure})
    assert mentions(table, "'weight'", "different units ('kg', 'lb')")
    assert mentions(table, "'pressure'", "two numbers")


def test_letters_with_dots_are_one_letter(tmp_path: Path) -> None:
    apart = unicodedata.normalize("NFD", "Größe")
    assert apart != "Größe"
    table = written(tmp_path, f"a,{apart},b")
    assert table.names == ("a", "Größe", "b")
    forbidden, _ = Knowledge(roots=[apart]).masks(table.names)
    assert forbidden[:, 1].all()


@pytest.mark.parametrize("option", [{"header": True}, {"separator": ";"}])
def test_options_of_files_are_refused_for_frames(option: dict[str, object]) -> None:
    with pytest.raises(InputError, match=rf"{next(iter(option))}=.* is for text files"):
        read_table(pd.DataFrame({"a": [1.0, 2.0], "b": [2.0, 1.0]}), **option)
