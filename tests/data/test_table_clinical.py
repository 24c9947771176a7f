"""Scales of clinics and schools, genotypes, scores, and bins that a spreadsheet took for dates."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from foundcause.data.encode import encode_column


def encode(cells, name="c", **options):
    return encode_column(name, pd.Series(cells, dtype=object), **options)


def told(encoded, *words):
    return any(all(word in note for word in words) for note in encoded.notes)


@pytest.mark.parametrize(
    "rising",
    [
        ["Stage I", "Stage II", "Stage III", "Stage IV"],
        ["stage 1", "stage 2a", "stage 2b", "stage 10"],
        ["Stage_I", "Stage_IIA", "Stage_IIIC1", "Stage_IIIC2"],
        ["NYHA I", "NYHA II", "NYHA IV"],
        ["NYHA class I", "NYHA class II", "NYHA class III"],
        ["I", "IIA", "IIB", "IIIA", "IV"],
        ["IIA", "IIB", "IIIA"],
        ["CKD 1", "CKD 3a", "CKD 3b", "CKD 4"],
        ["neg", "trace", "1+", "2+", "3+"],
        ["neg", "+1", "+2"],
        ["nil", "trace", "+", "++"],
        ["0", "1+", "2+", "3+"],
        ["-", "1+", "2+"],
    ],
)
def test_levels_rise(rising):
    cells = [*rising[::-1], *rising, *rising]
    encoded = encode(cells)
    assert encoded.kind == "ordinal" and not encoded.notes
    assert encoded.values[len(rising) : 2 * len(rising)].tolist() == list(range(len(rising)))
    assert encode(rising[1:], reading=encoded.reading).values.tolist() == list(range(1, len(rising)))


@pytest.mark.parametrize(
    "rising", [["T1", "T2", "T3", "T4", "T4a"], ["pT1a", "pT1b", "pT2"], ["N0", "N1", "N2"], ["G1", "G2", "G3a", "G3b"]]
)
def test_letters_with_numbers_rise_but_may_be_codes(rising):
    encoded = encode(rising * 5)
    assert encoded.kind == "ordinal" and encoded.values[: len(rising)].tolist() == list(range(len(rising)))
    assert told(encoded, "'c'", "ordered by their numbers", "nominal")


@pytest.mark.parametrize(
    "words",
    [
        ["IA", "VA", "IN"],
        ["T1", "G2", "T3"],
        ["T1", "T2", "T12"],
        ["Stage I", "NYHA II", "Stage III"],
        ["classic", "class ii", "class iii"],
        ["1A", "1B", "2A"],
        ["A+", "A-", "B+", "AB+", "O-"],
        ["A", "B", "C", "D"],
        ["A+", "A", "B"],
    ],
)
def test_what_only_looks_like_levels_has_no_order(words):
    encoded = encode(words * 5)
    assert encoded.kind == "nominal" and len(np.unique(encoded.values)) == len(words)


def test_grades_of_schools():
    rising = ["F", "D", "C-", "C", "B+", "A-", "A", "A+"]
    encoded = encode(rising * 4)
    assert encoded.values[: len(rising)].tolist() == list(range(len(rising))) and encoded.kind == "ordinal"
    assert told(encoded, "'c'", "grades, A the highest", "nominal")
    assert encode(["D", "C", "B", "A"] * 5, name="Final Grade").values[:4].tolist() == [0, 1, 2, 3]


def test_scores_of_one_denominator_are_their_points():
    encoded = encode(["7/10", "3/10", "0/10", "10/10"] * 5, name="pain")
    assert encoded.values[:4].tolist() == [7, 3, 0, 10] and encoded.kind == "count"
    assert told(encoded, "'pain'", "points out of 10")
    np.testing.assert_array_equal(encode(["2/10", "3/5"], reading=encoded.reading).values, [2, np.nan])
    for words in (["7/10", "3/5", "1/2"], ["120/80", "130/80", "110/80"], ["12/10", "3/10", "4/10"]):
        assert encode(words * 5).kind == "nominal"


def test_beside_signed_numbers_a_dash_is_no_value():
    np.testing.assert_array_equal(encode(["+1", "+2", "-", "+3"] * 5).values[:4], [1, 2, np.nan, 3])


def test_genotypes_count_alternate_alleles():
    for between in "/|":
        cells = [f"{a}{between}{b}" for a, b in ("00", "01", "10", "11", "..")]
        encoded = encode(cells * 5)
        np.testing.assert_array_equal(encoded.values[:5], [0, 1, 1, 2, np.nan])
        assert encoded.encoding == "number of alternate alleles" and told(encoded, "'c'", "genotypes")
        np.testing.assert_array_equal(encode(cells[3:], reading=encoded.reading).values, [2, np.nan])
    assert encode(["0/1", "0/2", "1/2"] * 5).kind == "nominal"


@pytest.mark.parametrize(
    "rising",
    [
        ["0-4", "09-May", "Oct-14", "15-19", "20-24"],
        ["4-Jan", "9-May", "14-Oct", "15-19", "65+"],
        ["1-2", "Mar-05", "06-Oct", "11-20"],
    ],
)
def test_bins_that_a_spreadsheet_took_for_dates(rising):
    encoded = encode(rising * 5, name="age")
    assert encoded.kind == "ordinal" and encoded.values[: len(rising)].tolist() == list(range(len(rising)))
    assert told(encoded, "'age'", "is read as", "spreadsheet turned into a date", "write")
    assert encode(rising[:2], reading=encoded.reading).values.tolist() == [0, 1]


def test_dates_and_bins_that_overlap_stay():
    assert encode(["Oct-14", "Nov-14", "Dec-14"] * 5).kind == "date"
    assert encode(["Oct-14", "9-May", "5-12", "1-30"] * 5).kind == "nominal"
