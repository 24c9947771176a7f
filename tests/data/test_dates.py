"""Dates, times of day and durations: one format for a column."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from cells import codes, typed

from foundcause.data.dates import moments_across
from foundcause.data.numbers import Decimal
from foundcause.data.typed import Typed

MOMENTS = pd.date_range("2019-12-20 06:45", periods=30, freq="33h")
DAYS = MOMENTS.to_numpy().astype("datetime64[us]").astype("int64") / 86400e6


@pytest.mark.parametrize(
    "pattern",
    [
        *("%Y-%m-%d", "%Y/%m/%d", "%d.%m.%Y", "%m/%d/%Y", "%d/%m/%Y", "%d-%m-%y", "%d %B %Y", "%B %d, %Y", "%d-%b-%Y"),
        *("%b %d, %Y", "%a, %d %b %Y", "%A, %B %d, %Y", "%d%b%Y", "%d. %B %Y"),
    ],
)
def test_days(pattern: str) -> None:
    column = typed(MOMENTS.strftime(pattern))
    assert column.kind == "date"
    np.testing.assert_array_equal(column.values, np.floor(DAYS))


@pytest.mark.parametrize(
    "pattern",
    [
        *("%Y-%m-%d %H:%M", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%dT%H:%M:%SZ", "%Y-%m-%d %H:%M:%S.000", "%d.%m.%Y %H:%M"),
        *("%m/%d/%Y %I:%M %p", "%Y%m%d %H:%M", "%Y%m%dT%H%M%S", "%d/%b/%Y:%H:%M:%S +0000", "%d %b %Y, %H:%M"),
        *("%Y-%m-%d %H:%M:%S+00:00", "%Y-%m-%d %H:%M UTC", "%a %b %d %Y %H:%M"),
    ],
)
def test_moments(pattern: str) -> None:
    column = typed(MOMENTS.strftime(pattern))
    assert column.kind == "date"
    np.testing.assert_allclose(column.values, DAYS, atol=1e-9)


def test_offsets_move_moments_to_utc() -> None:
    column = typed([f"2020-01-{k:02d}T12:00:00+02:00" for k in range(1, 9)])
    assert column.values[0] == pytest.approx(18262 + 10 / 24)


@pytest.mark.parametrize(
    ("cells", "days"),
    [
        (["3. Mai 2020", "12. März 2021"], ["2020-05-03", "2021-03-12"]),
        (["1er août 2019", "14 juillet 2020"], ["2019-08-01", "2020-07-14"]),
        (["3 de mayo de 2020", "4 de enero de 2021"], ["2020-05-03", "2021-01-04"]),
        (["Montag, 4. Mai 2020", "Dienstag, 5. Mai 2020"], ["2020-05-04", "2020-05-05"]),
        (["May 3rd, 2020", "June 1st, 2020"], ["2020-05-03", "2020-06-01"]),
        (["Jan-20", "Feb-20", "Mar-21"], ["2020-01-01", "2020-02-01", "2021-03-01"]),
        (["January 2020", "March 2020"], ["2020-01-01", "2020-03-01"]),
        (["2020-01", "2020-03"], ["2020-01-01", "2020-03-01"]),
        (["01/2020", "03/2020"], ["2020-01-01", "2020-03-01"]),
        (["2020-Q1", "2020 Q3", "2021Q2"], ["2020-01-01", "2020-07-01", "2021-04-01"]),
        (["Q1 2020", "Q3 2020"], ["2020-01-01", "2020-07-01"]),
        (["2020M01", "2020M12"], ["2020-01-01", "2020-12-01"]),
        (["2020-W01", "2020-W30"], ["2019-12-30", "2020-07-20"]),
        (["2020-02-30", *["2020-03-01"] * 30], [None, *["2020-03-01"] * 30]),
        (["2020-01-31 24:00", "2020-02-01 12:00"], ["2020-02-01", "2020-02-01T12"]),
    ],
)
def test_other_dates(cells: list[str], days: list[str | None]) -> None:
    expected = np.array(days, dtype="datetime64[h]").astype("datetime64[us]")
    column = typed(cells)
    assert column.kind == "date"
    found = np.round(column.values * 86400e6)
    np.testing.assert_array_equal(np.isnan(found), np.isnat(expected))
    seen = ~np.isnan(found)
    np.testing.assert_array_equal(found[seen], expected[seen].astype("int64"))


@pytest.mark.parametrize(
    "cells",
    [
        *(["AVR-10", "AVR-12"], ["555-1234", "444-9876"], ["12-B", "14-C"], ["Q1-", "Q2-", "H1,", "T1/"]),
        *(["H1,", "H2,"], ["T1/", "T2/"], ["1.2.3", "4.5.6"], ["may", "will"]),
    ],
)
def test_what_is_no_date(cells: list[str]) -> None:
    assert typed(cells).kind != "date"


def test_the_cells_decide_whether_days_come_first() -> None:
    assert typed(["03/04/2020", "25/04/2020"]).values[0] == 18355  # 3 April
    assert typed(["03/04/2020", "04/25/2020"]).values[0] == 18325  # 4 March
    mixed = typed(["25/04/2020", "26/04/2020", "04/25/2020", "03/04/2020"])
    assert "mixed-day-order" in codes(mixed)
    assert (mixed.values[:3] == [18377, 18378, 18377]).all()


def test_an_unknown_day_order_is_told_and_the_even_series_preferred() -> None:
    assert "unknown-day-order" in codes(typed(["03/04/2020", "05/06/2020"]))
    assert typed(["03/04/2020", "05/06/2020"]).values[0] == 18325
    assert typed(["03/04/2020", "05/06/2020"], decimal=Decimal(mark=",")).values[0] == 18355
    months = [f"01/{month:02d}/2020" for month in range(1, 13)]
    assert np.diff(typed(months).values).min() >= 29
    assert codes(typed(["03.04.2020", "05.06.2020"])) == set()


def test_years_of_two_digits_lie_in_the_past() -> None:
    column = typed(["01.02.85", "03.04.21"])
    assert column.values.tolist() == [5510, 18720] and "two-digit-years" in codes(column)


@pytest.mark.parametrize(
    ("name", "cells", "first"),
    [
        ("x", [20200131, 20200201, 20200215, 20201231, 20210101], 18292),
        ("timestamp", [1.58e9 + 3600 * k for k in range(9)], 1.58e9 / 86400),
        ("created", [1.58e12 + 3.6e6 * k for k in range(9)], 1.58e9 / 86400),
        ("date", [43_831 + k for k in range(9)], 18262),
    ],
)
def test_numbers_that_count_time(name: str, cells: list[float], first: float) -> None:
    column = typed(cells, name=name)
    assert column.kind == "date" and column.values[0] == pytest.approx(first)
    assert codes(column) & {"digits-as-dates", "numbers-as-dates"}
    assert typed([1.58e9 + k for k in range(9)], name="income").kind != "date"


@pytest.mark.parametrize(
    ("cells", "minutes"),
    [
        (["07:30", "19:05"], [450, 1145]),
        (["7:30 PM", "7:05 am"], [1170, 425]),
        (["7 AM", "7 pm"], [420, 1140]),
        (["07:30:30", "23:59:00"], [450.5, 1439]),
        (["7h30", "19h05"], [450, 1145]),
        (["7:30 Uhr", "24:00"], [450, 1440]),
    ],
)
def test_times_of_day(cells: list[str], minutes: list[float]) -> None:
    column = typed(cells)
    assert (column.kind, column.values.tolist()) == ("date", minutes)


@pytest.mark.parametrize(
    ("cells", "seconds"),
    [
        (["26:15:00", "01:00:00"], [94500, 3600]),
        (["1h 30m", "45m"], [5400, 2700]),
        (["2 hours", "30 minutes"], [7200, 1800]),
        (["850ms", "1.2s"], [0.85, 1.2]),
        (["PT1H30M", "PT5M"], [5400, 300]),
        (["1 days 02:03:04", "0 days 00:00:10"], [93784, 10]),
        (["2 weeks", "3 days"], [1209600, 259200]),
    ],
)
def test_durations(cells: list[str], seconds: list[float]) -> None:
    column = typed(cells)
    assert (column.encoding, column.values.tolist()) == ("seconds", pytest.approx(seconds))


def test_pandas_times_keep_their_meaning() -> None:
    stay = pd.Series(pd.to_timedelta([1, 2, None], unit="h"))
    assert typed(stay).values[:2].tolist() == [3600, 7200]
    year = pd.Series(pd.PeriodIndex(["2020Q1", "2020Q2"], freq="Q"))
    assert _type(year).values.tolist() == [18262, 18353]
    zoned = pd.Series(pd.date_range("2020-01-01", periods=3, tz="Europe/Berlin"))
    assert _type(zoned).values[0] == pytest.approx(18262 - 1 / 24)
    wide = pd.Series(np.array(["0001-01-01", "1650-05-05", "9999-12-31"], dtype="datetime64[s]"))
    assert np.isfinite(_type(wide).values).all()


def _type(column: pd.Series) -> Typed:
    from foundcause.data.columns import type_column

    return type_column("x", column)


def test_days_that_stand_for_missing_are_told() -> None:
    column = typed([*(f"2020-01-{k:02d}" for k in range(1, 20)), "1900-01-01", "1900-01-01"])
    (finding,) = column.findings
    assert (finding.code, finding.details["value"], finding.details["cells"]) == ("missing-code", "1900-01-01", 2)


@pytest.mark.parametrize(
    ("names", "positions"),
    [
        (["country", "2018", "2019", "2020"], [1, 2, 3]),
        (["country", "2020-01", "2020-02", "2020-03"], [1, 2, 3]),
        (["x", "X2018", "X2019", "X2020"], [1, 2, 3]),
        (["x", "2018 [YR2018]", "2019 [YR2019]", "2020 [YR2020]"], [1, 2, 3]),
        (["x", "2018", "2019"], []),
        (["age", "sex", "dose"], []),
    ],
)
def test_time_across_the_columns(names: list[str], positions: list[int]) -> None:
    assert moments_across(names) == positions
