"""Whether rows rise or fall in time, and what is said of steps that lack, stand twice or in another order."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from foundcause.data import Matrix, TableEncoder
from foundcause.data import read_table as read_typed
from foundcause.diagnostics import diagnose_table
from foundcause.features.series import time_direction
from foundcause.findings import Finding

DAYS = pd.date_range("2020-01-01", periods=120, freq="D")
YEARS = [year for year in range(1900, 2020) if year * 7 % 11 and year * 5 % 13]
OPEN = pd.date_range("2020-01-01", periods=900, freq="h")
MONTHS = pd.date_range("2010-01-01", periods=120, freq="MS")
HOURS = pd.date_range("2020-01-01", periods=120, freq="h")


def read_table(source: pd.DataFrame, **options: int) -> Matrix:
    typed = read_typed(source, **options)
    return TableEncoder().fit(typed).transform(typed)


def table(reverse: bool = False, **columns):
    rows = len(next(iter(columns.values())))
    values = np.random.default_rng(0).normal(size=(rows, 2))
    frame = pd.DataFrame(columns).assign(a=values[:, 0], b=values[:, 1])
    return read_table(frame.iloc[::-1].reset_index(drop=True) if reverse else frame)


def found(read) -> list[Finding]:
    of_time = {"repeated-times", "unsorted-rows", "gaps-in-time"}
    return [finding for finding in diagnose_table(read) if finding.code in of_time]


@pytest.mark.parametrize(
    "columns",
    [
        {"date": DAYS.strftime("%d.%m.%Y")},
        {"date": DAYS, "settled": DAYS + pd.Timedelta(days=2)},
        {"date": DAYS, "birth": np.random.default_rng(1).permutation(DAYS)},
        {"date": np.repeat(DAYS[:40], 3)},
        {"date": DAYS.where(DAYS.day > 2)},
        {"date": HOURS.strftime("%Y-%m-%d"), "time": HOURS.strftime("%H:%M")},
        {"date": HOURS.strftime("%Y-%m-%d"), "end": [f"{hour + 1:02d}:00" for hour in HOURS.hour]},
        {"date": HOURS.strftime("%Y-%m-%d"), "hour": HOURS.hour},
        {"timestamp": (HOURS - pd.Timestamp("1970-01-01")) // pd.Timedelta(seconds=1)},
        {"year": np.arange(1900, 2020)},
        {"quarter": [f"{year} Q{k}" for year in range(1990, 2020) for k in range(1, 5)]},
        {"day": DAYS, "weekday": DAYS.day_name()},
        {"year": MONTHS.year, "month": MONTHS.month},
        {"year": MONTHS.year, "month": MONTHS.month_name()},
        {"month": MONTHS.year * 100 + MONTHS.month},
    ],
)
def test_rows_that_rise_or_fall(columns):
    assert time_direction(table(**columns)) == 1
    assert time_direction(table(reverse=True, **columns)) == -1


@pytest.mark.parametrize(
    "columns",
    [
        {"c": np.random.default_rng(2).normal(size=120)},
        {"date": np.random.default_rng(1).permutation(DAYS)},
        {"date": DAYS, "due": DAYS[::-1] + pd.Timedelta(days=300)},
        {"date": np.tile(DAYS[:40], 3), "station": np.repeat(["Ulm", "Bonn", "Kiel"], 40)},
        {"date": np.repeat(DAYS[:40], 3), "station": np.tile(["Ulm", "Bonn", "Kiel"], 40)},
        {"date": np.repeat(DAYS[:40], 3), "station_nr": np.tile([7, 8, 9], 40)},
        {"date": HOURS.strftime("%Y-%m-%d"), "time": HOURS[::-1].strftime("%H:%M")},
        {"date": [DAYS[0]] * 120},
        {"year": np.repeat(np.arange(1980, 2020), 3), "station": np.tile(["Ulm", "Bonn", "Kiel"], 40)},
        {"time": np.repeat(np.arange(300, 340), 3)},
        {"time": np.repeat(np.arange(2001, 2041) * 101, 3)},
    ],
)
def test_rows_of_unknown_order(columns):
    assert time_direction(table(**columns)) == 0
    assert time_direction(table(reverse=True, **columns)) == 0


def test_steps_that_lack():
    kept = np.sort(np.random.default_rng(0).permutation(120)[:100])
    (gaps,) = found(table(date=DAYS[kept]))
    assert gaps.code == "gaps-in-time" and gaps.columns == ("date",)
    assert (gaps.details["usual"], gaps.details["unit"], gaps.details["steps"]) == (1.0, "day", 99)
    (gaps,) = found(table(reverse=True, date=HOURS[kept]))
    assert "the usual 1 hour" in gaps.message


@pytest.mark.parametrize(
    ("column", "step", "longest"),
    [
        ([f"{year}-01-01" for year in YEARS], "1 year", "3 years"),
        ([f"{k // 60:02d}:{k % 60:02d}" for k in range(0, 1200, 5) if k % 9 and k % 7], "5 minutes", "15 minutes"),
        (YEARS, "1", "3"),  # whatever a step is
    ],
)
def test_steps_are_told_in_the_unit_of_their_column(column, step, longest):
    (gaps,) = found(table(year=column))
    assert f"usual {step}." in gaps.message and f"longest is {longest}." in gaps.message


@pytest.mark.parametrize(
    "dates",
    [
        DAYS,
        DAYS[DAYS.dayofweek < 5],
        pd.date_range("2000-01-01", periods=60, freq="MS"),
        OPEN[(OPEN.hour > 8) & (OPEN.hour < 18)],
        pd.to_datetime("2020-01-01")
        + pd.to_timedelta(np.sort(np.random.default_rng(0).integers(0, 900, 120)), unit="D"),
        np.repeat(DAYS[:40], 3),
    ],
)
def test_usual_calendars_are_not_told(dates):
    assert found(table(date=dates)) == []


def test_moments_that_stand_twice():
    for rows in (8, 1):
        (repeated,) = found(table(date=DAYS.append(DAYS[:rows]).sort_values()))
        assert (repeated.code, repeated.details) == ("repeated-times", {"rows": rows})
    stations = table(date=np.repeat(DAYS[:40], 3), station=np.tile(["Ulm", "Bonn", "Kiel"], 40))
    assert found(stations) == []


def test_rows_in_another_order():
    (unsorted,) = found(table(date=np.random.default_rng(1).permutation(DAYS)))
    assert (unsorted.code, unsorted.columns) == ("unsorted-rows", ("date",))
    some = np.random.default_rng(1).permutation(2000)[:120]  # dates of cases, not of a series
    assert found(table(date=pd.Timestamp("2015-01-01") + pd.to_timedelta(some, unit="D"))) == []


def test_a_sample_of_a_series_tells_the_order_but_no_gaps():
    frame = pd.DataFrame(
        {"date": pd.date_range("2000-01-01", periods=400), "a": np.random.default_rng(0).normal(size=400)}
    )
    sample = read_table(frame[::-1], max_rows=300)
    assert time_direction(sample) == -1 and found(sample) == []
