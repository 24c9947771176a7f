"""Whether 03/04/2020 is in March or in April, where no cell of the column tells."""

from __future__ import annotations

import datetime

import numpy as np
import pandas as pd
import pytest

from as_numbers import read_table
from foundcause.data.encode import encode_column
from foundcause.data.numbers import Decimal

FIRSTS = [datetime.date(year, month, 1) for year in range(2014, 2024) for month in range(1, 13)]


def encode(cells, **options):
    return encode_column("day", pd.Series(cells, dtype=object), **options)


def days(dates):
    return [(date - datetime.date(1970, 1, 1)).days for date in dates]


@pytest.mark.parametrize("pattern", ["%d.%m.%Y", "%d.%m.%y", "%d.%m.%Y 08:30"])
def test_dots_stand_behind_days(pattern):
    encoded = encode([date.strftime(pattern) for date in FIRSTS])
    np.testing.assert_array_equal(np.floor(encoded.values), days(FIRSTS))
    assert not any("day or month first" in note for note in encoded.notes)


def test_dots_that_can_only_stand_behind_months_are_believed():
    assert encode(["12.31.2020", "01.02.2020"]).values.tolist() == days(
        [datetime.date(2020, 12, 31), datetime.date(2020, 1, 2)]
    )


@pytest.mark.parametrize("pattern", ["%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%m-%d-%Y"])
@pytest.mark.parametrize("dates", [FIRSTS, FIRSTS[3:9], [date.replace(day=9) for date in FIRSTS[::2]]])
def test_the_even_series_is_preferred_and_told(pattern, dates):
    encoded = encode([date.strftime(pattern) for date in dates])
    assert encoded.values.tolist() == days(dates)
    assumed = "day is assumed, for" if pattern.startswith("%d") else "month is assumed, for"
    assert len(encoded.notes) == 1 and assumed in encoded.notes[0] and "'day'" in encoded.notes[0]
    assert "write the year first" in encoded.notes[0]
    part = encode([dates[2].strftime(pattern)], reading=encoded.reading)
    assert part.values.tolist() == days(dates[2:3])


def test_uneven_dates_follow_the_decimal_mark():
    cells = ["03/02/2020", "05/02/2020", "07/11/2020", "01/04/2021", "02/12/2020"]
    point, comma = encode(cells), encode(cells, decimal=Decimal(mark=","))
    assert point.values[0] == days([datetime.date(2020, 3, 2)])[0] and "month is assumed;" in point.notes[0]
    assert comma.values[0] == days([datetime.date(2020, 2, 3)])[0] and "decimal commas" in comma.notes[0]


def test_a_file_with_semicolons_writes_days_first(tmp_path):
    rng = np.random.default_rng(0)
    rows = [
        f"{d:02d}/{m:02d}/2020;{x:.2f}".replace(".", ",") for d, m, x in zip(*rng.integers(1, 12, (3, 60)), strict=True)
    ]
    (tmp_path / "t.csv").write_text("\n".join(["day;x", *rows]))
    table = read_table(tmp_path / "t.csv")
    wanted = [datetime.date(2020, int(row[3:5]), int(row[:2])) for row in rows]
    assert table.values[:, 0].tolist() == days(wanted)
