"""Files of offices of statistics, spreadsheets and survey tools, with what they write above and below the header."""

from __future__ import annotations

import numpy as np

from foundcause.table import read_table


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
