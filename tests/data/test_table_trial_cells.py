"""Cells that a stranger's tables held and that were once lost or misread."""

from __future__ import annotations

import datetime

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from as_numbers import read_table
from foundcause.data.encode import encode_column
from foundcause.data.numbers import Decimal
from foundcause.data.scales import known_order


def encode(cells, **options):
    return encode_column("c", pd.Series(cells, dtype=object), **options)


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        (["None", "Statin"], "binary"),
        (["None", "Diabetes", "Cancer"], "nominal"),
        (["none", "aspirin", "statin"], "nominal"),
        (["refused", "accepted"], "binary"),
        (["missing", "complete"], "binary"),
        (["unknown", "known"], "binary"),
        (["-", "1"], "binary"),
        (["nil", "mild", "severe"], "ordinal"),
        (["*", "**", "***"], "ordinal"),
        (["none", "low", "high"], "ordinal"),
    ],
)
def test_words_are_values_where_they_tell_something(words, kind):
    encoded = encode(words * 20)
    assert encoded.kind == kind and len(np.unique(encoded.values)) == len(words)
    told = any("taken for a value" in note and "(20 cells)" in note for note in encoded.notes)
    assert told == (kind != "ordinal")
    again = encode(words * 2, reading=encoded.reading)
    np.testing.assert_array_equal(again.values, encoded.values[: 2 * len(words)])


@pytest.mark.parametrize(
    ("words", "gaps"),
    [
        (["yes", "no", "Unknown", "refused"], ["Unknown", "refused"]),
        (["red", "blue", "green", "-"], ["-"]),
        (["True", "False", "None"], ["None"]),
        (["low", "high", "*"], ["*"]),
        (["2020-01-03", "2020-02-04", "unknown"], ["unknown"]),
        (["None", "Statin", "unknown"], ["unknown"]),
    ],
)
def test_words_taken_for_missing_are_told(words, gaps):
    encoded = encode([*words * 10, "", "NA"])
    assert np.isnan(encoded.values[: len(words)]).tolist() == [word in gaps for word in words]
    cells = f"{', '.join(map(repr, gaps))} ({10 * len(gaps)} cells)"
    assert any(cells in note and "taken for missing" in note for note in encoded.notes)


def test_none_is_missing_among_numbers_and_blanks_are_missing_everywhere():
    numbers = encode(["1.5", "2", "none", "Nil", "-", "unknown"] * 5)
    assert np.isnan(numbers.values[:6]).tolist() == [False, False, True, True, True, True] and not numbers.notes
    for blank in ("", "NA", "NaN", "n/a", "null", "?", ".", None, float("nan"), pd.NA, pd.NaT):
        words = encode(["red", "green", "blue", blank] * 5)
        assert np.isnan(words.values[3]) and not any("taken for" in note for note in words.notes)


def test_signs_of_lab_tests():
    encoded = encode(["-", "+", "-"] * 10)
    assert encoded.values[:3].tolist() == [0, 1, 0] and encoded.encoding == "-=0, +=1" and not encoded.notes
    graded = encode(["-", "+", "++", "+++"] * 10)
    assert graded.values[:4].tolist() == [0, 1, 2, 3] and graded.kind == "ordinal"
    assert np.isnan(encode(["-", "+", "unknown"] * 10).values[2])


@pytest.mark.parametrize("cells", [["x", ""], ["✓", None], ["True", "NA"], ["yes", ""], ["1", ""], [True, None]])
def test_a_ticked_box_says_how_often(cells):
    shown = str(cells[0]).casefold() if cells[0] is True else cells[0]
    assert encode(cells * 150).notes == (
        f"column 'c': only {shown!r} (150 cells) or empty (150): if empty means no, write it",
    )
    assert not encode(cells[:1] * 150).notes


def test_ticked_boxes_of_other_types():
    for cells in (pd.Series([True, None] * 9, dtype="boolean"), pd.Series([1.0, None] * 9)):
        assert "(9 cells) or empty (9)" in encode_column("c", cells).notes[0]


def test_dots_beside_small_whole_numbers_part_thousands():
    rents = ["2.400", "1.500", "750", "980", "1.150", "690"] * 30
    encoded = encode(rents, decimal=Decimal(mark=","))
    assert encoded.values[:3].tolist() == [2400, 1500, 750]
    assert any("'1.150' is read as 1150" in note for note in encoded.notes)
    assert not encode(rents, decimal=Decimal(mark=",", certain=True)).notes
    for cells in (["2.400", "1.500", "1.250"], ["2.400", "1.500", "750"]):
        decimals = encode(cells * 30, decimal=Decimal(mark="."))
        assert decimals.values[0] == 2.4 and any("may mean" in note for note in decimals.notes)
        assert not encode(cells * 30, decimal=Decimal(certain=True)).notes


def test_rents_in_a_file_with_semicolons(tmp_path):
    rng = np.random.default_rng(0)
    rents, rooms = rng.choice(["2.400", "1.500", "1.150", "750", "690"], 200), rng.integers(1, 9, 200)
    lines = [f"{rent};{room}" for rent, room in zip(rents, rooms, strict=True)]
    (tmp_path / "t.csv").write_text("\n".join(["rent;rooms", *lines]))
    table = read_table(tmp_path / "t.csv")
    assert set(table.values[:, 0]) == {2400, 1500, 1150, 750, 690}
    assert any("'rent'" in warning and "is read as" in warning for warning in table.warnings)


ARROW = [
    (pa.date32(), datetime.date(1970, 1, 3), "date", 2.0),
    (pa.date64(), datetime.date(1970, 1, 3), "date", 2.0),
    (pa.timestamp("us", "UTC"), datetime.datetime(1970, 1, 3), "date", 2.0),
    (pa.duration("s"), datetime.timedelta(hours=26), "continuous", 93600.0),
    (pa.time64("us"), datetime.time(1, 30), "date", 90.0),
]


@pytest.mark.parametrize(("arrow", "cell", "kind", "value"), ARROW, ids=lambda part: str(part))
def test_times_of_arrow(arrow, cell, kind, value):
    column = pd.Series(pd.array([cell, None, cell], dtype=pd.ArrowDtype(arrow)), index=[5, 6, 9])
    encoded = encode_column("c", column)
    assert encoded.kind == kind
    np.testing.assert_array_equal(encoded.values, [value, np.nan, value])


def test_a_frame_of_arrow_columns(tmp_path):
    rng = np.random.default_rng(0)
    days = pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 900, 60), unit="D")
    frame = pd.DataFrame({"day": days.date, "x": rng.normal(size=60), "word": rng.choice(["a", "b"], 60)})
    frame.to_parquet(tmp_path / "t.parquet")
    arrow = pd.read_parquet(tmp_path / "t.parquet", dtype_backend="pyarrow")
    np.testing.assert_array_equal(read_table(arrow).values, read_table(frame).values)


@pytest.mark.parametrize(
    "pattern",
    [
        "%Y-%m-%d %H:%M:%S+00",
        "%Y-%m-%d %H:%M:%S,123",
        "%d%b%Y",
        "%a, %d %b %Y %H:%M:%S GMT",
        "%b %d, %Y %H:%M",
        "%m/%d/%Y %H:%M UTC",
        "%d/%m/%Y %H:%M UTC",
        "%Y%m%dT%H%M%SZ",
        "%d.%m.%Y %H:%M:%S,5",
    ],
)
def test_usual_timestamps(pattern):
    days = pd.date_range("2020-01-01", periods=200)
    encoded = encode([day.strftime(pattern) for day in days])
    assert encoded.kind == "date" and not encoded.notes
    np.testing.assert_allclose(encoded.values, np.arange(200) + 18262, rtol=0, atol=1 / 86400)
    again = encode([days[3].strftime(pattern)], reading=encoded.reading)
    assert again.values[0] == encoded.values[3]


def test_months_of_a_year():
    encoded = encode(["Jan-20", "Mar-20", "Dec-99"])
    assert np.round(encoded.values / 365.25, 2).tolist() == [50.0, 50.16, 29.91]
    assert any("month and a year" in note for note in encoded.notes)
    assert encode(["Jan 2020", "Feb 2020"]).values.tolist() == [18262, 18293]
    for words in (["May 12", "June 13", "July 14"], ["Mon-12", "Tue-13", "Wed-14"], ["unit-12", "ward-13", "bed-14"]):
        assert encode(words * 5).kind == "nominal"


def test_clock_times_with_fractions_and_a_strange_cell():
    times = [f"{k % 24:02d}:{k % 60:02d}:30.000" for k in range(299)]
    encoded = encode([*times, "noon"])
    assert encoded.kind == "date" and encoded.values[:2].tolist() == [0.5, 61.5] and np.isnan(encoded.values[-1])
    assert any("1 cell is no time of day and is treated as missing" in note for note in encoded.notes)
    assert encode([*times, *["noon"] * 20]).kind == "nominal"


@pytest.mark.parametrize(
    ("cells", "seconds"),
    [
        ([datetime.timedelta(hours=1), None, datetime.timedelta(days=2)], [3600, np.nan, 172800]),
        ([pd.Timedelta("1h"), pd.NaT, pd.Timedelta("-30min")], [3600, np.nan, -1800]),
        (["0 days 01:42:50", "1 days 00:00:00.5", "-1 days +23:00:00"], [6170, 86400.5, -3600]),
        (["1 day, 2:00:00", "0:30:00", ""], [93600, 1800, np.nan]),
        (["26:15:00", "01:00:00", "00:00:30"], [94500, 3600, 30]),
        (["1h 30m", "45m", "2h", "1d 3s"], [5400, 2700, 7200, 86403]),
    ],
)
def test_durations_become_seconds(cells, seconds):
    encoded = encode(cells * 5)
    assert (encoded.kind, encoded.encoding) == ("continuous", "seconds")
    np.testing.assert_allclose(encoded.values, seconds * 5)
    np.testing.assert_allclose(encode(cells[:1], reading=encoded.reading).values, seconds[:1])


@pytest.mark.parametrize(
    ("cells", "values", "unit"),
    [
        (["102.8 mg/dL", "99 mg/dL"], [102.8, 99], "mg/dL"),
        (["25.1 kg/m²", "31 kg/m²"], [25.1, 31], "kg/m²"),
        (["80 km/h", "120km/h"], [80, 120], "km/h"),
        (["102.84 m3", "7 m3"], [102.84, 7], "m3"),
        (["90 mL/min/1.73m²", "61 mL/min/1.73m²"], [90, 61], "mL/min/1.73m²"),
        (["30 years", "1 year"], [30, 1], "years"),
        (["12 lbs", "1 lb"], [12, 1], "lbs"),
    ],
)
def test_compound_units_and_plurals(cells, values, unit):
    encoded = encode(cells * 5)
    np.testing.assert_allclose(encoded.values, values * 5)
    assert encoded.encoding == f"number of {unit}" and not encoded.notes


@pytest.mark.parametrize(
    "words", [["5 m", "7 ms", "9 m"], ["2 mA", "3 mAs", "4 mA"], ["12 mg/dL", "3 mmol/L", "4 g/L"]]
)
def test_units_that_only_look_alike_are_not_merged(words):
    assert encode(words * 5).kind == "nominal"


def test_outer_intervals_of_pandas_cut():
    cut = pd.cut(pd.Series([-5.0, 0.0, 5.0, 0.5]), [-np.inf, -1, 1, np.inf])
    assert encode(cut.astype(str)).values.tolist() == [0, 1, 2, 1]
    assert known_order(["(-inf, -1.0]", "(-1.0, 1.0]", "(1.0, inf]"]) == [0, 1, 2]
    of_intervals = pd.Series(pd.arrays.IntervalArray(cut))
    assert encode_column("c", of_intervals).values.tolist() == [0, 1, 2, 1]


def test_of_two_words_the_rarer_is_one():
    assert encode(["a", "b", "b"]).values.tolist() == [1, 0, 0] and encode(["a", "b", "a"]).encoding == "a=0, b=1"
    assert encode(["a", "b"]).values.tolist() == [0, 1]
    renamed = encode(["z", "b", "b"])
    assert renamed.values.tolist() == [1, 0, 0]
    for pair in (["no", "yes"], ["female", "male"], ["F", "M"], ["control", "treated"]):
        assert encode([*pair, pair[1]]).values.tolist() == [0, 1, 1]


def test_words_taken_for_missing_in_many_columns_are_told_once() -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({f"it's {k}": rng.choice(["yes", "no", "unknown"], size=90) for k in range(5)})
    few, many = (
        [note for note in read_table(frame.iloc[:, :columns]).warnings if "missing" in note] for columns in (3, 5)
    )
    assert [note.count("'unknown'") for note in few] == [1, 1, 1]
    cells = int((frame == "unknown").sum().sum())
    assert len(many) == 1 and f"'unknown' ({cells} cells) is taken for missing" in many[0]
    assert all(repr(name) in many[0] for name in frame)


def heights(odd: list[str]) -> list[str]:
    return [*(f"{cell:.1f}" for cell in np.random.default_rng(0).normal(68, 4, 93 * len(odd) // 7)), *odd]


def test_numbers_beside_too_many_strange_cells_tell_their_share_and_the_remedy() -> None:
    odd = [f"{feet}'{inches}" for feet in (5, 6) for inches in range(12)] + ["5 ft 5", "165cm", "yyy", "5'10''"] * 3
    table = read_table({"height": heights(odd), "x": np.random.default_rng(1).normal(size=len(heights(odd)))})
    (note,) = [note for note in table.warnings if "of the cells are numbers" in note]
    assert note.startswith("column 'height': ") and "93% of the cells are numbers" in note
    assert "33 cells are not, such as" in note and "'5 ft 5'" in note and "empty them" in note
    declared = read_table({"height": heights(odd), "x": np.arange(len(heights(odd))) % 7}, nominal=["height"])
    assert not any("of the cells are numbers" in note for note in declared.warnings)


@pytest.mark.parametrize(
    "words", [["2", "3", "9", "J", "Q", "K"], [f"{k}{letter}" for k in range(30) for letter in "ABC"]]
)
def test_categories_with_some_numbers_are_not_told_to_be_numbers(words: list[str]) -> None:
    assert not any("of the cells are numbers" in note for note in encode(words * 10).notes)


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        (["red", "blue", "green"] * 20 + ["unknown"], "'unknown' (1 cell) is taken for missing"),
        (["1.5", "2.5", "3.5"] * 20 + ["rotary"], "1 cell (2%) is no number ('rotary') and is treated as missing"),
        (["2020-01-01", "2020-05-02"] * 20 + ["soon"], "1 cell is no date and is treated as missing"),
        ([1.5, 2.5, np.inf] + [0.5] * 9, "1 infinite cell is treated as missing"),
        ([None] * 9 + ["x"], "only 'x' (1 cell) or empty (9)"),
        (["1h 30m", "2h 5m"] * 20 + ["soon"], "1 cell ('soon') is no duration and is treated as missing"),
        (["850 KB", "1.2 MB"] * 20 + ["big"], "1 cell ('big') is no size and is treated as missing"),
        (["105.2*", "99.1", "98.7", "97.2", "96.5", "95.1"], "1 cell carries a mark"),
        (["12 kg", "13 kg", "14 kg", "7"], "1 cell such as '7' has no unit and 3 such as '12 kg' have"),
        (["red", "blue", "green"] * 20 + ["unknown"] * 2, "'unknown' (2 cells) is taken for missing"),
    ],
)
def test_one_cell_is_told_in_the_singular(cells: list[object], said: str) -> None:
    assert any(said in note for note in encode(cells).notes)
