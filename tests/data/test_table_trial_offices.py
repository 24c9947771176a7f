"""Files of offices of statistics, spreadsheets and survey tools, with what they write above and below the header."""

from __future__ import annotations

import calendar

import numpy as np
import pytest

from as_numbers import read_table
from foundcause.diagnostics import diagnose_table
from foundcause.errors import TableError


def write(path, *lines: str, encoding: str = "utf-8") -> str:
    path.write_bytes(("\r\n".join(lines) + "\r\n").encode(encoding))
    return str(path)


def mentions(table, words: str) -> bool:
    return any(words in warning for warning in table.warnings)


def rows(many: int, columns: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(50, 9, size=(many, columns)).round(1)


def test_years_by_even_steps_beside_words_are_names(tmp_path):
    values = rows(30, 4)
    lines = [f"{'abc'[k % 3]}," + ",".join(map(str, row)) for k, row in enumerate(values)]
    for years in ("2018,2019,2020,2021", "2021,2020,2019,2018", "1990,2000,2010,2020"):
        table = read_table(write(tmp_path / "t.csv", f"region,{years}", *lines))
        assert table.names == ("region", *years.split(","))
        np.testing.assert_array_equal(table.values[:, 1:], values)
        assert not mentions(table, "header")
    for first in ("a,2018,2020,2021,2022", "b,18.5,19.5,20.5,21.5", "a,5018,5019,5020,5021"):
        assert read_table(write(tmp_path / "t.csv", first, *lines)).names[0] == "x1"
    births = [f"{'abc'[k % 3]},{1950 + k},{1951 + k * 7 % 40},{1960 + k}" for k in range(30)]
    assert len(read_table(write(tmp_path / "t.csv", "a,1949,1950,1951", *births)).values) == 31


def test_the_world_bank(tmp_path):
    values = rows(30, 3)
    lines = [f'"Land {k}","L{k:02d}","{row[0]}","{row[1]}","{row[2]}",' for k, row in enumerate(values)]
    head = ('"Data Source","World Development Indicators",', "", '"Last Updated Date","2023-07-25",', "")
    table = read_table(write(tmp_path / "t.csv", *head, '"Country Name","Country Code","2018","2019","2020",', *lines))
    assert table.names == ("Country Name", "Country Code", "2018", "2019", "2020")
    np.testing.assert_array_equal(table.values[:, 2:], values)
    assert mentions(table, "2 lines above the table were skipped")


def test_eurostat(tmp_path):
    values = rows(24, 3)
    values[0, 0] = values[1, 1] = np.nan
    flags = ["", "", " b", "", " p", " "]
    lines = []
    for k, row in enumerate(values):
        cells = [": c" if np.isnan(v) else f"{v}{flags[(k + j) % 6]}" for j, v in enumerate(row)]
        lines.append("\t".join([f"A,PC,{chr(65 + k)}X", *cells]))
    table = read_table(write(tmp_path / "t.tsv", "freq,unit,geo\\TIME_PERIOD\t2019 \t2020 \t2021 ", *lines))
    assert table.names[1:] == ("2019", "2020", "2021")
    np.testing.assert_array_equal(table.values[:, 1:], values)


def test_titles_in_the_first_cell_and_merged_names(tmp_path):
    values = rows(40, 4)
    lines = ["Nord;" + ";".join(map(str, row)).replace(".", ",") + ";" for row in values]
    lines[::2] = [line.replace("Nord", "Süd") for line in lines[::2]]
    head = ("Report 2023;;;;;", "all amounts in €;;;;;", ";;;;;", "Region;Sales;;Costs;;Note", ";Q1;Q2;Q1;Q2;")
    table = read_table(write(tmp_path / "t.csv", *head, *lines, encoding="utf-8-sig"))
    assert table.names[:5] == ("Region", "Sales / Q1", "Sales / Q2", "Costs / Q1", "Costs / Q2")
    np.testing.assert_array_equal(table.values[:, 1:5], values)
    assert mentions(table, "2 lines above the table were skipped: 'Report 2023', 'all amounts in €'")
    assert mentions(table, "names that span several columns")
    table = read_table(write(tmp_path / "t.csv", head[0], "Region;a;b;c;d;Note", *lines))
    assert table.names[:5] == ("Region", "a", "b", "c", "d") and mentions(table, "1 line above the table was skipped")


def test_a_header_that_names_the_first_column_only_is_no_title(tmp_path):
    lines = [f"p{k * 7 % 31},{'yes' if k % 2 else 'no'},{'no' if k % 3 else 'yes'},{k % 5}" for k in range(40)]
    table = read_table(write(tmp_path / "t.csv", "name,,,", *lines))
    assert table.names == ("name", "column_2", "column_3", "column_4") and len(table.values) == 40


def test_the_second_row_of_surveymonkey(tmp_path):
    rng = np.random.default_rng(0)
    ages = rng.choice(["18-24", "25-34", "35-44"], 50)
    phone, tablet = rng.choice(["Phone", ""], 50), rng.choice(["Tablet", ""], 50)
    head = ("Respondent ID,How old are you?,What do you use?,,Comments", ",Response,Phone,Tablet,Open-Ended Response")
    lines = [f"11{k * k},{ages[k]},{phone[k]},{tablet[k]},{'fine' if k % 2 else 'well'}" for k in range(50)]
    table = read_table(write(tmp_path / "t.csv", *head, *lines))
    names = ("Respondent ID", "How old are you?", "What do you use? / Phone", "What do you use? / Tablet", "Comments")
    assert table.names == names and len(table.values) == 50
    assert table.columns[1].encoding == "18-24 < 25-34 < 35-44" and table.columns[4].kind == "binary"


def test_units_below_a_denied_header_are_no_names(tmp_path):
    lines = [",".join(map(str, row)) for row in rows(40, 3)]
    table = read_table(write(tmp_path / "t.csv", "speed,weight,size", "km/h,kg,m", *lines), header=False)
    assert table.names == ("x1", "x2", "x3") and len(table.values) == 40


OF_THE_ONS = {
    "Title": "CPI INDEX {}: ALL ITEMS 2015=100",
    "CDID": "D7B{}",
    "Source dataset ID": "MM23",
    "PreUnit": "",
    "Unit": "Index, base year = 100",
    "Release date": "17-01-2024",
    "Next release": "14 February 2024",
    "Important notes": "",
}


def ons(series: int, times: list[str], values: np.ndarray) -> list[str]:
    head = [[label, *(cell.format("ABCD"[k]) for k in range(series))] for label, cell in OF_THE_ONS.items()]
    return [
        ",".join(f'"{cell}"' for cell in row)
        for row in [*head, *([t, *row] for t, row in zip(times, values, strict=True))]
    ]


@pytest.mark.parametrize("series", [1, 3])
def test_the_ons(tmp_path, series):
    years = range(2014, 2024)
    quarters = [f"{year} Q{k}" for year in years for k in range(1, 5)]
    months = [f"{year} {month.upper()}" for year in years for month in calendar.month_abbr[1:]]
    values = rows(120, series)
    table = read_table(write(tmp_path / "t.csv", *ons(series, months, values)))
    assert [column.kind for column in table.columns] == ["date", *["continuous"] * series]
    np.testing.assert_array_equal(table.values[:, 1:], values)
    assert table.warnings == (
        "7 rows below the header ('CDID', 'Source dataset ID', 'PreUnit', 'Unit', ...) describe the columns and are no "
        "data; left out",
    )
    whole = read_table(
        write(tmp_path / "t.csv", *ons(series, [*map(str, years), *quarters, *months], rows(170, series)))
    )
    assert whole.columns[0].kind == "date" and not np.isnan(whole.values).any() and len(whole.warnings) == 2
    assert mentions(whole, "years ('2014', 10 rows), quarters ('2014 Q1', 40 rows) and months ('2014 APR', 120 rows)")
    assert mentions(whole, "keep the rows of one of them")


def test_dates_of_which_some_tell_the_year_only_are_no_series_of_years():
    rng = np.random.default_rng(0)
    births = [f"{1930 + k}-{m:02d}" if k % 20 else str(1930 + k) for k, m in rng.integers([0, 1], [80, 13], (200, 2))]
    table = read_table({"birth": births, "a": rng.normal(size=200)})
    assert not mentions(table, "keep the rows of one of them")


def test_the_reserve_bank_of_australia_and_the_abs(tmp_path):
    values = rows(60, 3)
    dates = [f"{1 + k % 28:02d}-{'Jan' if k < 28 else 'Feb' if k < 56 else 'Mar'}-2020" for k in range(60)]
    lines = [",".join([date, *map(str, row)]) for date, row in zip(dates, values, strict=True)]
    rba = (
        "F1 INTEREST RATES",
        "Title,Cash,Bill,Bond",
        "Description,Target rate,30 days,10 years",
        "Units,%,%,%",
        ",,,",
    )
    told = "3 rows below the header ('Description', 'Units', 'Source') describe the columns"
    table = read_table(write(tmp_path / "t.csv", *rba, "Source,RBA,RBA,ASX", *lines))
    np.testing.assert_array_equal(table.values[:, 1:], values)
    assert table.names == ("Title", "Cash", "Bill", "Bond") and mentions(table, told)
    abs_ = (",Cash,Bill,Bond", "Unit,%,%,%", "Collection Month,3,3,3", "No. Obs.,60,60,60", "Series ID,A1,A2,A3")
    table = read_table(write(tmp_path / "t.csv", *abs_, *lines))
    np.testing.assert_array_equal(table.values[:, 1:], values)
    assert table.names[1:] == ("Cash", "Bill", "Bond") and table.columns[0].kind == "date"
    counts = [f"{date},{k % 4},{k % 3},{k % 5}" for k, date in enumerate(dates)]
    assert len(read_table(write(tmp_path / "t.csv", *abs_, *counts)).values) == 60  # the 3 of the month comes back


def test_first_rows_with_words_for_missing_numbers_are_data(tmp_path):
    lines = [f"2020-{1 + k // 28:02d}-{1 + k % 28:02d}," + ",".join(map(str, row)) for k, row in enumerate(rows(60, 2))]
    lines[:3] = ["2019-12-29,not yet,not yet", "2019-12-30,not yet,not yet", "2019-12-31,not yet,not yet"]
    assert not mentions(read_table(write(tmp_path / "t.csv", "day,a,b", *lines)), "describe the columns")
    named = [f"{'abc'[k % 3]},{a},{b}" for k, (a, b) in enumerate(rows(60, 2))]
    named[:2] = ["Unit,x,y", "Type,x,y"]  # come back below
    named[30:32] = ["Unit,1,2", "Type,3,4"]
    assert not mentions(read_table(write(tmp_path / "t.csv", "kind,a,b", *named)), "describe the columns")
    samples = [f"s{k},{'xy'[k % 2]},{a},{b}" for k, (a, b) in enumerate(rows(60, 2))]
    for controls in (["blank,z,<0.1,<0.1", "control,z,<0.1,<0.1"], ["blank,x,low,low", "control,y,low,low"]):
        table = read_table(write(tmp_path / "t.csv", "sample,batch,lead,zinc", *controls, *samples))
        assert not mentions(table, "describe the columns") and len(table.values) == 62


@pytest.mark.parametrize(
    "prose",
    [
        ["Weather report of 2020, airport", "Source: office, Bonn, 2021", "Provisional; see notes."],
        [
            "Weather at the airport",
            "",
            "This file holds, for each day, the mean, the humidity, and more, see notes",
            "",
        ],
        ["Station: Bonn, Germany, height 60 m"],
        ["Station:,Bonn,", "Height (m):,60,", ""],
    ],
)
def test_prose_above_a_header(tmp_path, prose):
    values = rows(60, 2)
    lines = [f"2020-{1 + k // 28:02d}-{1 + k % 28:02d}," + ",".join(map(str, row)) for k, row in enumerate(values)]
    table = read_table(write(tmp_path / "t.csv", *prose, "day,temp,hum", *lines))
    assert table.names == ("day", "temp", "hum")
    np.testing.assert_array_equal(table.values[:, 1:], values)
    (said,) = table.warnings
    assert said.startswith(f"{sum(map(bool, prose))} line") and "above the table" in said


def test_blanks_behind_the_commas_of_a_header_make_no_prose(tmp_path):
    words = [f"{'abc'[k % 3]},{'xyz'[k % 2]},{'pq'[k % 2]}" for k in range(40)]
    assert read_table(write(tmp_path / "t.csv", "one, two, three", *words)).names == ("one", "two", "three")
    numbers = [",".join(map(str, row)) for row in rows(40, 3)]
    for first in ("NA,NA,NA", numbers[0]):
        table = read_table(write(tmp_path / "t.csv", "one, two, three", first, *numbers))
        assert table.names == ("one", "two", "three")


def test_a_header_typed_with_blanks_keeps_its_names_above_units(tmp_path):
    numbers = [",".join(map(str, row)) for row in rows(40, 3)]
    table = read_table(write(tmp_path / "t.csv", "speed, weight, size", "km/h,kg,m", *numbers))
    assert table.names == ("speed", "weight", "size") and len(table.values) == 40
    assert mentions(table, "reads like units or questions")
    merged = read_table(write(tmp_path / "t.csv", "car, car, house", "speed,weight,size", *numbers))
    assert merged.names == ("car / speed", "car / weight", "house / size")


def test_decimal_commas_below_a_header_with_blanks_are_refused(tmp_path):
    numbers = [f"{a},{b},{c},{d}" for a, b, c, d in np.random.default_rng(0).integers(1, 99, (40, 4))]
    with pytest.raises(TableError, match="'weight, height' reads like a header"):
        read_table(write(tmp_path / "t.csv", "weight, height", *numbers))


def test_a_data_logger_of_campbell(tmp_path):
    values = rows(60, 3)
    head = (
        '"TOA5","Station","CR1000","123","CR1000.Std","CPU:x","5","Min"',
        '"TIMESTAMP","RECORD","AirT","RH","WS"',
        '"TS","RN","Deg C","%","m/s"',
        '"","","Avg","Smp","Avg"',
    )
    lines = [
        f'"2020-01-{1 + k // 24:02d} {k % 24:02d}:00:00",{k},' + ",".join(map(str, v)) for k, v in enumerate(values)
    ]
    table = read_table(write(tmp_path / "t.csv", *head, *lines))
    assert table.names == ("TIMESTAMP", "RECORD", "AirT", "RH", "WS") and table.columns[0].kind == "date"
    np.testing.assert_array_equal(table.values[:, 2:], values)
    assert mentions(table, "1 line above the table was skipped") and mentions(table, "2 rows below the header")
    wider = ["a,b,c,d", *(",".join(map(str, row)) for row in rows(30, 3))]  # a header, though too wide
    with pytest.raises(TableError, match="the first line has 4 cells"):
        read_table(write(tmp_path / "t.csv", *wider))


def test_stations_and_sensors_below_each_other():
    days = np.arange("2020-01-01", "2020-03-01", dtype="M8[D]")
    names = ["temp", "load", "price"]
    values = rows(60, 3) * [1, 10, 100]
    long = {"date": np.repeat(days, 3), "sensor": np.tile(names, 60), "value": values.ravel()}
    table = read_table(long)
    assert ("sensor", "value") in [finding.columns for finding in diagnose_table(table)]
    assert mentions(table, "(3 values, 60 rows each, which 'date' tells apart)")
    assert mentions(table, "look at one unit at a time") and not mentions(table, "keep one row of each unit")
    few = {name: np.asarray(cells)[:90] for name, cells in long.items()}
    assert mentions(read_table(few), "keep one row of each unit")
