"""What an analyst's surveys and exports held: three headers, codes for missing, lists of answers, labelled ends."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from as_numbers import read_table
from foundcause.data.encode import encode_column
from foundcause.data.numbers import Decimal
from foundcause.data.reading import Encoded

POINTS = Decimal(points=True)


def encode(cells, **options) -> Encoded:
    return encode_column("c", pd.Series(cells, dtype=object), **options)


def mentions(notes, *words: str) -> bool:
    return any(all(word in note for word in words) for note in notes)


def survey(rows: int) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    answers = {"Q1": rng.integers(1, 6, rows), "Q2": rng.choice(["Yes", "No"], rows), "Q3": rng.normal(size=rows)}
    return pd.DataFrame(answers).round(2).astype(str)


@pytest.mark.parametrize("rows", [60, 12])
def test_three_headers_of_qualtrics(tmp_path: Path, rows: int) -> None:
    plain = survey(rows)
    questions = ["How happy are you?", "Do you smoke?", "Score"]
    ids = [f'{{"ImportId":"QID{k}"}}' for k in range(3)]
    heads = pd.DataFrame([questions, ids], columns=plain.columns)
    pd.concat([heads, plain]).to_csv(tmp_path / "t.csv", index=False)
    table, expected = read_table(tmp_path / "t.csv"), read_table(plain)
    np.testing.assert_array_equal(table.values, expected.values)
    assert table.total_rows == rows and [c.kind for c in table.columns] == [c.kind for c in expected.columns]
    assert sum("left out" in warning for warning in table.warnings) == 1 and mentions(table.warnings, "2 rows below")


def test_questions_and_units_below_the_header() -> None:
    plain = survey(60)
    heads = pd.DataFrame([["Happiness?", "Smoker?", "Score?"], ["points", "", "cm"]], columns=plain.columns)
    table = read_table(pd.concat([heads, plain], ignore_index=True))
    assert table.total_rows == 60 and mentions(table.warnings, "2 rows below the header", "left out")


def test_a_case_below_one_header_stays() -> None:
    plain = survey(60)
    heads = pd.DataFrame([["Happiness?", "Smoker?", "Score?"], ["5", "Often", "1.5"]], columns=plain.columns)
    table = read_table(pd.concat([heads, plain], ignore_index=True))
    assert table.total_rows == 61 and mentions(table.warnings, "the row below the header")


@pytest.mark.parametrize(
    ("others", "codes"),
    [
        (range(1, 6), [-99]),
        (range(1, 6), [-99, -98, -97, 77, 88, 97, 98, 99]),
        (range(11), [-9, -8]),
        (range(0, 90000, 700), [-99, -999]),
        (np.arange(40) / 7, [-9]),
        ([0, 1], [-9]),
        ([1, 2, 4, 7, 30, 90, 371], [-1]),
        (range(18, 80), [-1, -9, 999]),
        (np.arange(40) - 7.5, [1e20, 1e30]),
        (np.arange(40) - 7.5, [9.96921e36, -3.4028235e38]),
        (np.arange(40) - 7.5, [float(np.float32(9.96921e36)), float(np.finfo(np.float32).max)]),
    ],
)
def test_codes_for_missing_are_told(others, codes) -> None:
    cells = [*others, *codes, *codes, *codes]
    encoded = encode_column("c", pd.Series(cells, dtype=float))
    assert len(encoded.notes) == len(codes) and all("in 3 rows" in note for note in encoded.notes)
    np.testing.assert_array_equal(encoded.values, np.array(cells, dtype=float))


@pytest.mark.parametrize(
    "values",
    [
        [-1, 0, 1],
        [-1, 0, 1, 2, 3],
        [-1, 1],
        [-8, 0, 8],
        [-9, 0, 15],
        [-1, 1, 3, 5],
        range(-9, 10),
        range(100),
        [95, 96, 97, 98, 99],
        range(-9, -4),
        [0, 20, 50, 77, 88, 99, 100],
        [-99, -50, 0, 30, 60],
        [1e19, 1e20, 1e21, 5e20],
    ],
)
def test_ordinary_numbers_are_no_codes(values) -> None:
    assert not encode_column("c", pd.Series([*values] * 5, dtype=float)).notes


VISITS = pd.date_range("2019-03-01", periods=200, freq="3D")
BIRTHS = pd.date_range("1931-02-03", "2004-05-06", periods=200).normalize()


@pytest.mark.parametrize("days", [VISITS, BIRTHS])
@pytest.mark.parametrize("day", ["1900-01-01", "9999-12-31"])
def test_days_for_missing_are_told(days, day: str) -> None:
    texts = [*days.strftime("%Y-%m-%d"), day, day]
    told = (f"column 'c' holds {day} in 2 rows, far from all other dates",)
    stamps = pd.Series([*days, pd.Timestamp(day), pd.Timestamp(day)]).astype("datetime64[s]")
    for encoded in (encode(texts), encode_column("c", stamps)):
        assert encoded.kind == "date" and mentions(encoded.notes, *told) and len(encoded.notes) == 1


def test_digits_and_the_first_day_of_unix() -> None:
    digits = [int(text) for text in [*VISITS.strftime("%Y%m%d"), "19700101", "19700101"]]
    assert mentions(encode_column("c", pd.Series(digits)).notes, "1970-01-01 in 2 rows")


@pytest.mark.parametrize(
    "days",
    [
        [f"{year}-01-01" for year in range(1900, 2021, 10)] * 3,
        [f"{year}-01-01" for year in (1970, 1980, 1990)] * 3,
        [*pd.date_range("1970-01-01", periods=90).strftime("%Y-%m-%d")] * 3,
        [*BIRTHS.strftime("%Y-%m-%d"), "1970-01-01", "1970-01-01"],
        [*VISITS.strftime("%Y-%m-%d"), "1970-01-01"],
    ],
)
def test_ordinary_days_are_no_codes(days) -> None:
    assert not encode(days).notes


def test_a_day_of_zeros_is_missing() -> None:
    encoded = encode([*VISITS.strftime("%Y-%m-%d"), *["0000-00-00"] * 90])
    assert encoded.kind == "date" and np.isnan(encoded.values).sum() == 90 and not encoded.notes


@pytest.mark.parametrize("answers", [["1", "2", "1,2", "1,3"], ["1", "2", "3", "4", "1,3", "2,4"]])
def test_lists_of_answers_are_no_numbers(tmp_path: Path, answers: list[str]) -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"uses": rng.choice(answers, 90), "score": rng.normal(size=90).round(2)})
    frame.to_csv(tmp_path / "t.csv", index=False)
    table = read_table(tmp_path / "t.csv")
    assert table.columns[0].kind == "nominal" and mentions(table.warnings, "'uses'", "lists several answers")


def test_a_list_of_three_leaves_no_doubt() -> None:
    assert mentions(encode(["1", "2", "1,2", "1,2,3"] * 9).notes, "lists several answers")


@pytest.mark.parametrize("cells", [["1", "1,5", "2", "2,5"], ["1", "1,25", "2,5", "2,75"], ["0,5", "0,7", "1", "3,1"]])
def test_decimal_commas_beside_points_are_told(cells: list[str]) -> None:
    encoded = encode(cells * 9, decimal=POINTS)
    assert encoded.values[:4].tolist() == [float(cell.replace(",", ".")) for cell in cells]
    assert mentions(encoded.notes, "is read as a decimal mark") and not encode(cells * 9).notes
    assert not encode(["1,234", "2,500", "987.5"] * 9, decimal=POINTS).notes


def test_whole_numbers_beyond_floats_are_told() -> None:
    draws = np.random.default_rng(0).integers(0, 10, 200)
    large = pd.Series(10**17 + draws)
    assert mentions(encode_column("c", large).notes, "10 different whole numbers", "rounded to 2")
    table = read_table({"c": [2**70 + int(k) for k in draws], "x": draws, "y": draws[::-1] ** 2})
    assert mentions(table.warnings, "'c'", "10 different whole numbers", "rounded to 1")
    spread = [str(10**17 + 64 * int(k)) for k in draws]
    assert not encode(spread).notes and len(encode([*spread, "ND"]).notes) == 1


AGREEMENT = ["Strongly disagree", "Disagree", "Neutral", "Agree", "Strongly agree"]


@pytest.mark.parametrize(
    "odd", ["Prefer not to say", "prefer not to answer", "DK", "Not sure", "weiß nicht", "don\u2019t know", "dk"]
)
def test_answers_that_are_none_leave_a_scale(odd: str) -> None:
    for times in (1, 30):
        encoded = encode([*AGREEMENT * 20, *[odd] * times])
        assert encoded.kind == "ordinal" and encoded.values[:5].tolist() == [0, 1, 2, 3, 4]
        assert np.isnan(encoded.values[-1]) and mentions(encoded.notes, odd, "missing")


@pytest.mark.parametrize("steps", [AGREEMENT, ["grade 1", "grade 2", "grade 3"], ["1 - no", "2 - some", "3 - much"]])
def test_few_strange_cells_do_not_turn_a_scale_into_words(steps: list[str]) -> None:
    encoded = encode([*steps * 40, "see note"])
    assert encoded.kind == "ordinal" and encoded.values[: len(steps)].tolist() == list(range(len(steps)))
    assert np.isnan(encoded.values[-1]) and mentions(encoded.notes, "1 cell (", "'see note'", "treated as missing")
    assert encode(steps[:2], reading=encoded.reading).values.tolist() == [0, 1]
    assert encode([*steps * 10, *["see note"] * 5]).kind == "nominal"


def test_words_that_only_begin_a_scale_stay_categories() -> None:
    for cells in (["yes"] * 60 + ["no"] * 60 + ["planned"] * 3, ["S"] * 60 + ["M"] * 60 + ["W"] * 3):
        assert encode(cells).kind == "nominal" and not np.isnan(encode(cells).values).any()
    lands = encode(["DK", "SE", "NO", "FI"] * 20)
    assert not np.isnan(lands.values).any() and not mentions(lands.notes, "DK", "taken for")
    assert encode(["yes", "no", "not sure"] * 20).values[:3].tolist() == [2, 0, 1]


@pytest.mark.parametrize("pattern", ["{} - {}", "{} ({})", "{}. {}", "{}: {}"])
def test_labelled_ends_keep_their_numbers(pattern: str) -> None:
    ends = {0: pattern.format(0, "Not at all likely"), 10: pattern.format(10, "Extremely likely")}
    cells = [ends.get(k, str(k)) for k in range(11)]
    encoded = encode(cells * 9)
    assert encoded.kind == "count" and encoded.values[:11].tolist() == list(range(11))
    assert mentions(encoded.notes, ends[0], "read as their numbers")
    assert encode(cells[:3], reading=encoded.reading).values.tolist() == [0, 1, 2]
    assert encode_column("c", pd.Series([3.0, np.nan]), reading=encoded.reading).values[0] == 3


@pytest.mark.parametrize("odd", ["5 (estimated)", "6-Oct", "12 kg"])
def test_numbers_with_remarks_are_no_labelled_steps(odd: str) -> None:
    encoded = encode([*map(str, range(11)), odd] * 3)
    assert "label" not in encoded.encoding and not mentions(encoded.notes, "read as their numbers")


@pytest.mark.parametrize(
    ("cells", "values"),
    [
        (["$15.00", "$(15.00)", "($2.50)", "$ -", "$1,000.00"], [15, -15, -2.5, 0, 1000]),
        (["15 \u20ac", "-  \u20ac", "\u20139 \u20ac"], [15, 0, -9]),
        (["\u20131.5", "\u20102", "3", "-4"], [-1.5, -2, 3, -4]),
        (["\u2013$5", "$\u20137", "$2"], [-5, -7, 2]),
    ],
)
def test_minus_of_typesetters_and_accountants(cells: list[str], values: list[float]) -> None:
    encoded = encode(cells * 5)
    assert encoded.values[: len(cells)].tolist() == values and not encoded.notes
    assert encode(cells, reading=encoded.reading).values.tolist() == values


def test_a_dash_between_numbers_is_no_minus() -> None:
    assert encode(["18\u201325", "26\u201335", "36\u201345"] * 9).kind == "ordinal"
