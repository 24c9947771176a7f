"""Tables with time across the columns: what headings are moments, and what is said of them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from as_numbers import read_table
from foundcause.data.headings import are_moments_in_digits, moments_across
from foundcause.diagnostics import diagnose_table


def _across(table):
    return [finding for finding in diagnose_table(table) if finding.code == "time-across"]


HEADINGS = [
    ["2021-01", "2021-02", "2021-03", "2021-04"],
    ["Jan-21", "Feb-21", "Mar-21", "Apr-21"],
    ["2021Q1", "2021Q2", "2021Q3", "2021Q4"],
    ["01/02/2021", "02/02/2021", "03/02/2021", "04/02/2021"],
    ["01.02.2021", "02.02.2021", "03.02.2021", "04.02.2021"],
    ["30.1.2021", "31.1.2021", "1.2.2021", "2.2.2021"],
    ["04.2021", "03.2021", "02.2021", "01.2021"],
    ["202101", "202102", "202103", "202104"],
    ["20210131", "20210228", "20210331", "20210430"],
    ["2018", "2019", "2020", "2021"],
    ["X2021.01", "X2021.02", "X2021.03", "X2021.04"],
    ["2018 [YR2018]", "2019 [YR2019]", "2020 [YR2020]", "2021 [YR2021]"],
    ["FY23 Q1", "FY23 Q2", "FY23 Q3", "FY23 Q4"],
    ["2021-01-01 00:00", "2021-01-01 01:00", "2021-01-01 02:00", "2021-01-01 03:00"],
]


@pytest.mark.parametrize("headings", HEADINGS)
def test_time_across_the_columns_is_told_with_the_remedy(tmp_path, headings):
    values = np.random.default_rng(0).normal(50, 9, (30, 4)).round(1)
    lines = [",".join([f"series {k}", *map(str, row)]) for k, row in enumerate(values)]
    path = tmp_path / "t.csv"
    path.write_text("\n".join([",".join(["what", *headings]), *lines]) + "\n")
    table = read_table(path)
    assert table.names == ("what", *headings)
    np.testing.assert_array_equal(table.values[:, 1:], values)
    (found,) = _across(table)
    assert found.columns == tuple(headings) and found.details == {"others": ["what"]}


def test_frames_without_names_of_rows_and_with_several():
    values = np.random.default_rng(0).normal(size=(40, 3))
    months = pd.DataFrame(values, columns=pd.date_range("2021-01-01", periods=3, freq="MS"))
    (found,) = _across(read_table(months))
    assert found.details == {"others": []} and "df.T" in found.message
    named = months.assign(land=list("ab") * 20, code=list("xyzw") * 10)
    (found,) = _across(read_table(named))
    assert 'df.set_index(["land", "code"]).T' in found.message


@pytest.mark.parametrize(
    "names",
    [
        ["2020", "2021", "a", "b"],
        ["a_2019", "b_2020", "c_2021"],
        ["2019", "2020", "2021", "a", "b", "c"],
        ["99.99.2020", "98.99.2020", "97.99.2020"],
        ["10-14", "15-19", "20-24"],
        ["1.5", "2.5", "3.5"],
        ["may", "june", "july"],
        ["AVR-10", "AVR-12", "AVR-14"],
    ],
)
def test_other_headings_are_no_moments(names):
    values = np.random.default_rng(0).normal(size=(40, len(names)))
    assert _across(read_table(pd.DataFrame(values, columns=names))) == []


def test_headings_in_digits():
    assert are_moments_in_digits(["2018", "2020", "2022"]) and are_moments_in_digits(["202111", "202112", "202201"])
    assert are_moments_in_digits(["31.01.2021", "28.02.2021", "31.03.2021"])
    for cells in (["2018", "2019"], ["2018", "2019", "2021"], ["2018", "2018", "2018"], ["202101", "202103", "202102"]):
        assert not are_moments_in_digits(cells)
    for cells in (["202113", "202114", "202115"], ["01.2021", "2.01.2021", "3.01.2021"], ["1.5", "2.5", "3.5"]):
        assert not are_moments_in_digits(cells)
    assert moments_across(["land", "2019", "2020", "2021", "2021"]) == []  # all different
    assert moments_across(["land", "2019", "2020", "2021"]) == [1, 2, 3]


def test_a_first_row_of_dates_above_dates_is_data(tmp_path):
    days = [f"{1 + k % 28:02d}.{1 + k // 28:02d}.2021" for k in range(60)]
    lines = [f"{'ab'[k % 2]},{days[k]},{days[k + 1]},{days[k + 2]}" for k in range(50)]
    path = tmp_path / "t.csv"
    path.write_text("\n".join(lines) + "\n")
    table = read_table(path)
    assert len(table.values) == 50 and table.names[0] == "x1"
