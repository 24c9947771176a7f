"""Moments as programs write them: Unix time, days of Excel, digits with hours, even steps; and 24:00."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from as_numbers import read_table
from foundcause.data.encode import encode_column

ROWS = 60
HOURS = pd.date_range("2020-01-01", periods=ROWS, freq="h")
DAYS = (HOURS - pd.Timestamp("1970-01-01")) / pd.Timedelta(days=1)
SECONDS = np.round(DAYS.to_numpy() * 86400)


def encode(name, cells, **options):
    return encode_column(name, pd.Series(cells), **options)


@pytest.mark.parametrize(
    ("name", "cells", "told"),
    [
        ("timestamp", SECONDS.astype(int), "1577836800 and the like are read as seconds since 1970-01-01 (Unix time)"),
        ("time", SECONDS + 0.5 / 86400, "seconds since"),
        ("ts", (SECONDS * 1e3).astype(int), "1577836800000 and the like are read as milliseconds since 1970-01-01"),
        ("created_at", (SECONDS * 1e6).astype(int), "microseconds since"),
        ("EpochNs", SECONDS * 1e9, "nanoseconds since"),
        ("Date", DAYS.to_numpy() + 25569, "43831 and the like are read as days since 1899-12-30, as Excel counts them"),
        ("to_date", DAYS.to_numpy() + 25569, "days since 1899-12-30"),
        ("MESS_DATUM", HOURS.strftime("%Y%m%d%H"), "2020010100 and the like are read as dates"),
        ("when", HOURS.strftime("%Y%m%d%H%M"), "202001010000 and the like are read as dates"),
        ("when", HOURS.strftime("%Y%m%d%H%M%S"), "20200101000000 and the like are read as dates"),
    ],
)
@pytest.mark.parametrize("kind", [object, None])
def test_numbers_that_are_moments(name, cells, told, kind):
    cells = (
        pd.Series(cells)
        if kind is None
        else pd.Series([f"{float(c):.10g}" if "." in str(c) else c for c in map(str, cells)])
    )
    encoded = encode(name, cells)
    assert encoded.kind == "date" and encoded.encoding == "days since 1970-01-01"
    np.testing.assert_allclose(encoded.values, DAYS, rtol=0, atol=1e-4)
    assert len(encoded.notes) == 1 and told in encoded.notes[0]
    again = encode(name, cells[3:5].reset_index(drop=True), reading=encoded.reading)
    np.testing.assert_allclose(again.values, DAYS[3:5], rtol=0, atol=1e-4)


@pytest.mark.parametrize("cell", ["43{},5", "43,{}", "43{} d"])
def test_moments_in_numbers_of_any_style_are_read_alike_again(cell):
    encoded = encode("date", cells := [cell.format(831 + k) for k in range(ROWS)])
    assert encoded.kind == "date" and encoded.values[0] // 1 == 18262
    again = encode("date", cells[3:9], reading=encoded.reading)
    np.testing.assert_array_equal(again.values, encoded.values[3:9])


@pytest.mark.parametrize(
    ("name", "cells"),
    [
        ("income", SECONDS),
        ("cpu_time_ns", np.linspace(4e8, 8e8, ROWS)),  # how long something took
        ("date", np.arange(ROWS)),
        ("sales_per_day", np.linspace(1e9, 3e9, ROWS)),
        ("day_charges", np.linspace(4e8, 3e9, ROWS)),
        ("paid_to_date", np.linspace(21_000, 70_000, ROWS)),
        ("time", np.arange(43831, 43831 + ROWS)),
        ("update", np.arange(43831, 43831 + ROWS)),
        ("code", 2020_01_01_99 + np.arange(ROWS) * 100),
    ],
)
def test_other_numbers_are_no_moments(name, cells):
    assert encode(name, cells).kind != "date"


@pytest.mark.parametrize(
    ("name", "cells"), [("time_s", np.arange(ROWS) * 0.01), ("decimal_date", (1990 + np.arange(ROWS) / 12).round(4))]
)
def test_even_steps_under_the_name_of_a_time_are_the_time_of_each_row(name, cells):
    other = np.random.default_rng(0).normal(size=ROWS)
    table = read_table({name: cells, "a": other})
    assert table.columns[0].kind == "date" and "taken for the time of each row" in table.warnings[0]
    np.testing.assert_array_equal(table.values[:, 0], cells)
    for changed in ((cells - cells[0]) ** 2, np.random.default_rng(0).permutation(cells)):
        assert read_table({name: changed, "a": other}).columns[0].kind != "date"
    assert read_table({"dose": cells, "a": other}).columns[0].kind != "date"


@pytest.mark.parametrize(
    "form", ["%Y-%m-%d %H:%M", "%d.%m.%Y %H:%M:%S", "%Y-%m-%dT%H:%M:%SZ", "%Y%m%d %H:%M", "%Y%m%d %H%M"]
)
def test_hours_and_the_end_of_a_day(form):
    cells = list(HOURS.strftime(form))
    if ":" in form:
        cells[24] = (HOURS[24] - pd.Timedelta(days=1)).strftime(form).replace("00:00", "24:00", 1)
    encoded = encode("t", cells)
    assert encoded.kind == "date" and not encoded.notes
    np.testing.assert_allclose(encoded.values, DAYS, rtol=0, atol=1e-9)


@pytest.mark.parametrize(("form", "first"), [("%d/%m/%Y %H:%M", "day"), ("%m/%d/%Y %H:%M", "month")])
def test_hours_of_few_days_are_not_hours_of_the_first_days_of_months(form, first):
    hours = pd.date_range("2020-01-01", periods=9 * 24, freq="h")
    encoded = encode("t", list(hours.strftime(form)))
    assert np.ptp(encoded.values) < 9
    assert f"{first} is assumed, for then the days follow each other" in encoded.notes[0]
