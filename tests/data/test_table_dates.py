"""Dates that can be misread."""

from __future__ import annotations

import datetime

import numpy as np
import pandas as pd
import pytest

from foundcause.data.encode import encode_column


def encode(cells, **options):
    return encode_column("born", pd.Series(cells, dtype=object), **options)


def years(encoded):
    return (np.datetime64("1970-01-01") + encoded.values.astype(int)).astype("datetime64[Y]").astype(int) + 1970


def test_years_of_two_digits_are_not_in_the_future():
    encoded = encode(["14.03.45", "29.02.68", "01.12.99", "15.07.04", "3-May-51"])
    assert years(encoded).tolist() == [1945, 1968, 1999, 2004, 1951]
    assert len(encoded.notes) == 1 and "'born': 3 dates" in encoded.notes[0] and "four digits" in encoded.notes[0]


def test_years_a_little_ahead_or_written_out_stay():
    year = datetime.date.today().year
    soon = encode([f"14.03.{(year + k) % 100:02d}" for k in range(4)])
    assert years(soon).tolist() == [year, year + 1, year + 2, year + 3] and not soon.notes
    planned = encode(["14.03.45", "13.04.2046", "15.04.45"])
    assert years(planned).tolist() == [2045, 2046, 2045] and not planned.notes


def test_both_orders_in_one_column_are_told():
    day_first = [f"{d}/{m:02d}/2020" for d in range(13, 29) for m in (3, 4)]
    month_first = [f"{m:02d}/{d}/2020" for d in range(13, 29) for m in (5,)]
    for cells in (day_first + month_first, month_first + day_first):
        encoded = encode([*cells, "01/02/2020"])
        assert "'born': 32 dates can only be written day first" in encoded.notes[0]
        assert "16 only month first" in encoded.notes[0] and "write all alike" in encoded.notes[0]
        assert encoded.values[-1] == (datetime.date(2020, 2, 1) - datetime.date(1970, 1, 1)).days
    assert not encode(day_first).notes and not encode(month_first).notes


def test_dates_that_begin_with_the_year_keep_their_order_beside_others():
    encoded = encode(["25/03/2020", "2020-03-01", "2020/03/02"])
    assert np.diff(encoded.values).tolist() == [-24, 1]


def test_one_strange_cell_is_missing_in_any_order_of_rows():
    cells = pd.date_range("2020-01-01", periods=250).strftime("%Y-%m-%d").tolist()
    cells[200] = "TBD"
    forward, backward = encode(cells), encode(cells[::-1])
    assert forward.kind == backward.kind == "date" and forward.notes == backward.notes
    np.testing.assert_array_equal(forward.values, backward.values[::-1])


@pytest.mark.parametrize(
    "cells",
    [
        ["May 3rd, 2020", "May 21st, 2020", "June 2nd, 2020"],
        ["3rd of May 2020", "21st of May 2020", "2nd of June 2020"],
        ["3rd May 2020", "21st May 2020", "2nd June 2020"],
        ["May. 3, 2020", "May. 21, 2020", "Jun. 2, 2020"],
        ["3. 5. 2020", "21. 5. 2020", "2. 6. 2020"],
    ],
)
def test_dates_as_people_write_them_out(cells):
    encoded = encode(cells * 5)
    assert encoded.kind == "date" and encoded.values[:3].tolist() == [18385, 18403, 18415]
    assert encode(cells[1:2], reading=encoded.reading).values.tolist() == [18403]
