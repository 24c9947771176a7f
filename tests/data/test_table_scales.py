"""Different words of a column are never silently the same number."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from as_numbers import read_table
from foundcause.data.encode import encode_column
from foundcause.data.scales import known_order, known_truth


def encode(cells):
    return encode_column("c", pd.Series(cells, dtype=object))


@pytest.mark.parametrize(
    "words",
    [
        ["F", "N"],
        ["negative", "absent"],
        ["on", "y"],
        ["0", "n"],
        ["better", "up"],
        ["Regularly", "Often", "Frequently"],
        ["N", "F", "Y"],
        ["t", "f", "y", "n"],
        ["true", "false", "yes"],
        ["yes", "no", "positive", "negative"],
        ["off", "on", "o"],
        ["High school", "Some college", "College", "Graduate"],
        ["primary", "primary school", "secondary"],
        ["not at all", "very", "very much"],
        ["none", "absent", "mild"],
        ["0-10", "4-6", "11-20"],
    ],
)
def test_different_words_stay_different(words):
    for shares in (None, [0.94] + [0.06 / (len(words) - 1)] * (len(words) - 1)):
        cells = [*words, *np.random.default_rng(0).choice(words, 400, p=shares)]
        values = encode(cells).values
        assert len(set(values[~np.isnan(values)])) == len({word for word in words if word != "none"})


def test_two_words_are_used_and_not_called_constant():
    rng = np.random.default_rng(0)
    table = read_table({"smoker": rng.choice(["F", "N"], 60), "b": rng.normal(size=60)})
    assert table.active.all() and not table.warnings


@pytest.mark.parametrize(
    ("words", "values", "encoding"),
    [
        (["yes", "No", "Y", "n"], [1, 0, 1, 0], "n/no=0, y/yes=1"),
        (["yes", "no", "y"], [1, 0, 1], "no=0, y/yes=1"),
        (["True", "False", "yes", "no"], [1, 0, 1, 0], "false/no=0, true/yes=1"),
        (["yes", "no", "1", "0"], [1, 0, 1, 0], "0/no=0, 1/yes=1"),
        (["pos", "neg", "positive", "negative"], [1, 0, 1, 0], "neg/negative=0, pos/positive=1"),
        (["Jan", "January", "Mar"], [0, 0, 1], "Jan/January < Mar"),
        (["low", "med", "medium", "high"], [0, 1, 1, 2], "low < med/medium < high"),
        (["master's", "masters", "phd"], [0, 0, 1], "master's/masters < phd"),
        (["18-25", "18 to 25", "26+"], [0, 0, 1], "18 to 25/18-25 < 26+"),
    ],
)
def test_spellings_of_one_word_are_merged_and_told(words, values, encoding):
    encoded = encode(words * 5)
    assert encoded.values.tolist() == values * 5
    assert encoded.encoding == encoding
    assert any("'c'" in note and "spellings of one value" in note and "nominal" in note for note in encoded.notes)


@pytest.mark.parametrize(
    "words", [["Yes", "yes ", "NO"], ["high school", "High_School", "PhD"], ["n", "Y"], ["off", "ON"]]
)
def test_letter_case_and_blanks_are_not_worth_a_word(words):
    assert not encode(words * 5).notes and len(set(encode(words * 5).values)) == 2


def test_pairs_of_truth_belong_together():
    assert known_truth(["no", "yes"]) == [0, 1] and known_truth(["t", "F"]) == [1, 0]
    assert known_truth(["yes"]) is None and known_truth(["f", "n"]) is None and known_truth(["off", "yes"]) is None


@pytest.mark.parametrize(
    ("words", "ranks"),
    [
        (["1", "2", "3", ">3"], [0, 1, 2, 3]),
        (["<1", "1", "2", "3+"], [0, 1, 2, 3]),
        (["0", "1-5", "5-10", "10-20"], [0, 1, 2, 3]),
        (["10-20", "15-30", "25-60"], [0, 1, 2]),
        (["555-1234", "555-2345"], None),
        (["555-1234", "444-9876"], None),
        (["0-10", "0-20", "0-30"], None),
    ],
)
def test_intervals_rise_at_both_ends(words, ranks):
    assert known_order(words) == ranks


@pytest.mark.parametrize(
    "rising",
    [
        ["1. < HS Grad", "2. HS Grad", "3. Some College", "4. College Grad", "5. Advanced Degree"],
        ["2_11-20", "3_21-50", "4_51+"],
        ["1_98-98.9F", "2_99-99.9F", "3_100-100.9F", "4_100F+"],
        ["1 - 18-24", "2 - 25-34", "3 - 35+"],
        ["1: none", "2: 1-5", "3: 6-10", "4: >10"],
        ["1) $0-10k", "2) $10k-20k", "3) > $20k"],
        ["1 >=very good", "2 <=good", "3 poor"],
    ],
)
def test_answers_that_begin_with_a_number_or_a_bound_are_ordered_by_their_own(rising):
    encoded = encode([*rising[::-1], *rising, *rising])
    assert encoded.kind == "ordinal" and encoded.values[-len(rising) :].tolist() == list(range(len(rising)))
    assert any("ordered by their numbers" in note and "nominal" in note for note in encoded.notes)


@pytest.mark.parametrize(
    "words",
    [
        ["1 50-60", "2 10-20", "3 30-40"],  # neither number says which is first
        ["2-1", "3-0", "1-4"],
        ["1 - 3", "2 - 5", "3 - 1"],
        ["1 / 2", "2 / 7", "3 / 5"],
        ["3 21-50", "7 51-60", "9 61+"],
        ["1. 5", "2. 7", "3. 9"],
    ],
)
def test_numbers_behind_numbers_are_no_answers(words):
    assert encode(words * 8).kind == "nominal"


@pytest.mark.parametrize(
    "rising",
    [
        ["primary", "secondary", "tertiary"],
        ["High school", "Bachelor's degree", "Master's degree", "PhD"],
        ["some high school", "high school", "some college", "associate's degree", "bachelor's degree"],
        ["11th", "HS-grad", "Some-college", "Assoc-voc", "Bachelors", "Masters", "Doctorate"],
        ["never smoked", "formerly smoked", "smokes"],
        ["Never", "Less than monthly", "Monthly", "Weekly", "Daily or almost daily"],
        ["Never", "Less often", "Once a month", "Once a week", "Several times a week", "Every day"],
        ["Never", "Sometimes", "About half the time", "Most of the time", "Always"],
        ["Not at all", "Several days", "More than half the days", "Nearly every day"],
        [
            "Extremely unlikely",
            "Somewhat unlikely",
            "Neither likely nor unlikely",
            "Somewhat likely",
            "Extremely likely",
        ],
        ["Negative", "Neutral", "Positive"],
        ["Low", "Medium", "High", "Critical"],
        ["two", "three", "four", "six", "twelve"],
        ["Underweight", "Normal weight", "Overweight", "Obese"],
        ["Sedentary", "Lightly active", "Very active"],
    ],
)
def test_scales_of_surveys(rising):
    ranks = list(range(len(rising)))
    assert known_order(rising) == ranks and known_order(rising[::-1]) == ranks[::-1]


@pytest.mark.parametrize(
    "rising",
    [
        ["Not at all useful", "Slightly useful", "Moderately useful", "Very useful", "Extremely useful"],
        ["Low income", "Lower middle income", "Upper middle income", "High income"],
        ["lower class", "working class", "middle class", "upper class"],
        ["never smoker", "former smoker", "current smoker"],
        ["none of the time", "a little of the time", "some of the time", "most of the time", "all of the time"],
    ],
)
def test_what_all_words_end_in_does_not_order_them(rising):
    assert known_order(rising) == list(range(len(rising)))
    assert known_order([*rising, rising[0].split()[-1]]) is None
