"""Parts of years, fiscal years and seasons."""

from __future__ import annotations

import datetime

import numpy as np
import pandas as pd
import pytest

from as_numbers import read_table
from foundcause.data.encode import encode_column


def encode(cells, **options):
    return encode_column("t", pd.Series(cells, dtype=object), **options)


def days(*dates: str) -> list[int]:
    return [(datetime.date.fromisoformat(date) - datetime.date(1970, 1, 1)).days for date in dates]


@pytest.mark.parametrize(
    ("cells", "dates"),
    [
        (["2022M07", "2022M12", "2023M01"], ["2022-07-01", "2022-12-01", "2023-01-01"]),
        (["2022-M07", "2022-M12", "2023-M01"], ["2022-07-01", "2022-12-01", "2023-01-01"]),
        (["2022m2", "2022m3", "2022m12"], ["2022-02-01", "2022-03-01", "2022-12-01"]),
        (["2022W05", "2022W06", "2020W53"], ["2022-01-31", "2022-02-07", "2020-12-28"]),
        (["2022-W05", "2022-W06", "2020-W53-7"], ["2022-01-31", "2022-02-07", "2021-01-03"]),
        (["2022H1", "2022H2", "2023-H1"], ["2022-01-01", "2022-07-01", "2023-01-01"]),
        (["2022S1", "2022S2", "2023-S1"], ["2022-01-01", "2022-07-01", "2023-01-01"]),
        (["H1 2022", "H2 2022", "1H 2023"], ["2022-01-01", "2022-07-01", "2023-01-01"]),
        (["2020Q1", "2020-Q2", "2020 Q3", "Q4/2020"], ["2020-01-01", "2020-04-01", "2020-07-01", "2020-10-01"]),
        (["2020-T1", "2020T4", "T2 2021", "4Q 2021"], ["2020-01-01", "2020-10-01", "2021-04-01", "2021-10-01"]),
        (["1Q23", "2Q23", "4Q99"], ["2023-01-01", "2023-04-01", "1999-10-01"]),
        (["Q1'23", "Q2 23", "Q3-23", "2H23"], ["2023-01-01", "2023-04-01", "2023-07-01", "2023-07-01"]),
    ],
)  # fmt: skip
def test_parts_of_years_are_the_day_on_which_they_begin(cells, dates):
    encoded = encode(cells * 5)
    assert encoded.kind == "date" and encoded.encoding == "days since 1970-01-01" and not encoded.notes
    assert encoded.values.tolist() == days(*dates) * 5
    assert encode(cells[1:2], reading=encoded.reading).values.tolist() == days(*dates[1:2])


@pytest.mark.parametrize(
    ("cells", "years", "encoding"),
    [
        (["FY23", "FY24", "FY98"], [2023, 2024, 1998], "fiscal year"),
        (["FY2023", "FY 2024", "fy2025"], [2023, 2024, 2025], "fiscal year"),
        (["FY 2022/23", "FY2023/24", "FY24/25"], [2022, 2023, 2024], "year in which it begins"),
        (["2022/23", "1999/00", "2023/2024"], [2022, 1999, 2023], "year in which it begins"),
    ],
)
def test_fiscal_years_and_seasons(cells, years, encoding):
    encoded = encode(cells * 5)
    assert encoded.kind == "date" and encoded.values.tolist() == years * 5 and encoded.encoding == encoding
    assert encode(cells[:1], reading=encoded.reading).values.tolist() == years[:1]


@pytest.mark.parametrize(
    ("cells", "times", "encoding"),
    [
        (["FY23 Q2", "FY23 Q4", "FY24 Q1", "FY98Q3"], [2023.25, 2023.75, 2024, 1998.5], "fiscal year, Q2 as .25"),
        (["Q2 FY2023", "q3 fy2023", "Q1-FY24", "2QFY24"], [2023.25, 2023.5, 2024, 2024.25], "fiscal year, Q2 as .25"),
        (["FY23 H1", "FY23-H2", "H1 FY24"], [2023, 2023.5, 2024], "fiscal year, Q2 as .25"),
        (["FY2023/24 Q1", "FY23/24 Q2", "Q1 FY24/25"], [2023, 2023.25, 2024], "year in which it begins, Q2 as .25"),
        (["2023/24 Q1", "2023-24 Q4", "1999/2000 Q2"], [2023, 2023.75, 1999.25], "year in which it begins, Q2 as .25"),
        (["Q1 2023/24", "Q4, 2023/24", "Qtr 1 2024/25"], [2023, 2023.75, 2024], "year in which it begins, Q2 as .25"),
    ],
)  # fmt: skip
def test_quarters_of_fiscal_years(cells, times, encoding):
    encoded = encode(cells * 5)
    assert encoded.kind == "date" and encoded.encoding == encoding and not encoded.notes
    assert encoded.values.tolist() == times * 5
    other = encode(["FY31 Q5", "x", *cells[1:2]], reading=encoded.reading)
    np.testing.assert_array_equal(other.values, [np.nan, np.nan, times[1]])


@pytest.mark.parametrize(
    "cells",
    [
        ["1q21", "2q23", "3q29"],
        ["5Q23", "6Q23", "7Q23"],
        ["FY23 Q5", "FY23 Q6", "FY23 Q0"],
        ["FY23 Q1", "FY23 Q2", "FY23"],
        ["2023/25 Q1", "2023/24 Q1", "2024/25 Q1"],
        ["FY23 Q1", "2023/24 Q2", "2023/24 Q3"],
        ["FY23 M13", "FY23 M14", "FY23 M15"],
        ["2022M13", "2022M14", "2022M25"],
        ["2022Q5", "2022Q6", "2022Q7"],
        ["2022/25", "2021/22", "2020/21"],
        ["FY23", "2022/23", "2021/22"],
        ["FY23", "GY24", "HY25"],
        ["4500M07", "4500M08", "4500M09"],
    ],
)
def test_what_is_no_period_stays_words(cells):
    assert encode(cells * 5).kind == "nominal"


def test_a_file_of_an_office_of_statistics(tmp_path):
    rng = np.random.default_rng(0)
    months = [f"{year}M{month:02d}" for year in (2021, 2022) for month in range(1, 13)]
    lines = [f"{geo},{month},{rng.normal(5):.1f}" for geo in ("DE", "FR", "NL") for month in months]
    path = tmp_path / "t.csv"
    path.write_text("\n".join(["geo,TIME_PERIOD,OBS_VALUE", *lines]))
    table = read_table(path)
    assert [column.kind for column in table.columns] == ["nominal", "date", "continuous"]
    assert np.unique(np.diff(table.values[:24, 1])).tolist() == [28, 30, 31]
