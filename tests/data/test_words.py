"""Words: yes and no, known orders, categories, and words that stand for no value."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from cells import codes, typed

from foundcause.data.columns import type_column
from foundcause.data.missing import codes_for_missing
from foundcause.data.scales import known_order, known_truth
from foundcause.data.vocabulary import SCALES, is_blank, is_missing


@pytest.mark.parametrize(
    ("no", "yes"),
    [("no", "Yes"), ("N", "Y"), ("FALSE", "TRUE"), ("f", "t"), ("female", "male"), ("nein", "ja"), ("non", "oui"),
     ("absent", "present"), ("off", "on"), ("-", "+"), ("neg", "pos"), ("control", "treated")],
)  # fmt: skip
def test_pairs_for_no_and_yes(no: str, yes: str) -> None:
    column = typed([yes, no, yes, yes])
    assert (column.kind, column.values.tolist()) == ("binary", [1, 0, 1, 1])
    assert column.encoding == f"{no.casefold()}=0, {yes.casefold()}=1"


def test_spellings_of_a_pair_are_merged_and_told() -> None:
    assert known_truth(["n", "no", "yes"]) == [0, 0, 1]
    assert known_truth(["n", "maybe", "yes"]) is None
    column = typed(["n", "no", "yes", "Y"])
    assert column.values.tolist() == [0, 0, 1, 1] and "merged-spellings" in codes(column)


@pytest.mark.parametrize(
    "rising",
    [
        *("low|medium|high", "S|M|L|XL", "never|rarely|sometimes|often|always", "Jan|Feb|March|Dec", "mon|wed|sunday"),
        *("strongly disagree|disagree|neutral|agree|strongly agree", "poor|fair|good|very good|excellent"),
        *("never|monthly or less|2-4 times a month|2-3 times a week|daily", "none|mild|moderate|severe"),
        *("primary|high school|bachelor's degree|master|phd", "Not at all|A little|Somewhat|Extremely"),
        *("Stage I|Stage II|Stage IIIA|Stage IV", "grade 1|grade 2|grade 10", "T1|T2|T3"),
        *("NYHA I|NYHA II", "I|II|III|IV"),
        *("1st|2nd|3rd", "1 - never|2 - rarely|3 - often", "first|second|third", "neg|+|++|+++"),
        *("under 20|20-39|40-59|60+", "<18|18-25|26-35|>35", "0-9|10-19|20-29|30 and over"),
        "(0, 10]|(10, 20]|(20, inf]",
        *("$0 - $999|$1,000 - $1,999|$2,000 or more", "up to 5 years|6-10 years|11 years or older", "1-5|6-10|over 10"),
        *("very useful|extremely useful",),
    ],
)  # fmt: skip
def test_known_orders(rising: str) -> None:
    words = rising.split("|")
    column = typed([*reversed(words)] * 2)
    assert column.values[: len(words)].tolist() == list(reversed(range(len(words))))
    assert column.kind == ("ordinal" if len(words) > 2 else "binary")
    assert typed(words[:2], like=column).values.tolist() == [0, 1]


@pytest.mark.parametrize(
    "words",
    ["555-1234|444-9876", "red|green|blue", "IA|VA|ID", "12 kg|30 lb", "5-10|7-12|1-20", "A|B|AB|O", "1-2 kg|3-4 lb"],
)
def test_what_has_no_order(words: str) -> None:
    assert known_order(words.split("|")) is None


def test_no_scale_has_a_word_twice() -> None:
    for scale in SCALES:
        words = [word for step in scale for word in step]
        assert len(set(words)) == len(words)


def test_answers_with_numbers_may_be_codes() -> None:
    column = typed(["1 - never", "2 - rarely", "3 - often"] * 4)
    (finding,) = column.findings
    assert finding.code == "ordered-by-number" and finding.fix is not None and finding.fix.option == "nominal"
    ends = typed(["0 - not at all", "1", "2", "3 - extremely"] * 3)
    assert ends.values[:4].tolist() == [0, 1, 2, 3]
    assert typed(["1", "2"], like=ends).values.tolist() == [1, 2]


def test_a_scale_beside_a_few_other_words() -> None:
    column = typed([*["low", "medium", "high"] * 20, "banana"])
    assert column.kind == "ordinal" and np.isnan(column.values[-1]) and "strange-cells" in codes(column)


def test_categories_are_coded_by_frequency() -> None:
    column = typed(["b", "a", "B ", "c", "a", "b"])
    assert column.kind == "nominal" and column.values.tolist() == [0, 1, 0, 2, 1, 0]
    assert column.labels == {0.0: "b", 1.0: "a", 2.0: "c"} and "nominal-codes" in codes(column)
    assert np.isnan(typed(["d"], like=column).values[0])
    two = typed(["cat", "dog", "cat"])
    assert (two.kind, two.values.tolist()) == ("binary", [0, 1, 0])


def test_nominal_overrules_what_cells_look_like() -> None:
    column = typed([3, 1, 3, 2, 3, 1], nominal=True)
    assert column.kind == "nominal" and column.values.tolist() == [0, 1, 0, 2, 0, 1]
    assert typed(["low", "high", "low", "medium"], nominal=True).kind == "nominal"


def test_categories_of_pandas() -> None:
    ordered = pd.Series(pd.Categorical(["b", "a", None], categories=["b", "a"], ordered=True))
    column = type_column("x", ordered)
    assert column.kind == "ordinal" and column.values[:2].tolist() == [0, 1] and np.isnan(column.values[2])
    assert type_column("x", pd.Series(pd.Categorical([10, 30, 20]))).kind == "nominal"
    assert type_column("x", pd.Series(pd.Categorical(["low", "high", "low"]))).values.tolist() == [0, 1, 0]
    cut = pd.Series(pd.cut(pd.Series([1.0, 5.0, 9.0]), [0, 4, 8, 12]))
    assert type_column("x", cut).values.tolist() == [2, 6, 10] or type_column("x", cut).kind == "ordinal"
    assert type_column("x", pd.Series([True, None, False], dtype="boolean")).values[[0, 2]].tolist() == [1, 0]


@pytest.mark.parametrize(
    "word",
    ["", " NA ", "n/a", "NULL", "NaN", "?", "-", "Unknown", "#N/A", "prefer not to say", "na_na", "NA NA", "nan-nan"],
)
def test_words_for_no_value(word: str) -> None:
    assert is_missing(word) or word == "nan-nan"
    column = typed([*map(str, range(30)), word])
    assert np.isnan(column.values[-1]) and column.kind == "count"


def test_doubtful_words_depend_on_their_company() -> None:
    assert not is_blank("unknown") and is_blank("na_na")
    assert "missing-words" in codes(typed(["yes", "no", "unknown"] * 5))
    alone = typed(["unknown", "known"] * 5)
    assert not np.isnan(alone.values).any()
    assert not np.isnan(typed(["refused", "accepted"] * 5).values).any()
    assert not np.isnan(typed(["DK", "DE", "FR", "IT"] * 5).values).any()
    assert np.isnan(typed(["none", "3", "4", "5"]).values[0])
    assert typed(["none", "mild", "severe"]).values.tolist() == [0, 1, 2]


def test_ticked_boxes_are_told() -> None:
    column = typed(["x", "", "x", ""])
    (finding,) = column.findings
    assert (finding.code, finding.details["empty"]) == ("value-or-empty", 2)


def test_an_empty_column() -> None:
    assert typed(["", None, "NA"]).kind == "empty"
    assert typed([None, None]).kind == "empty"


@pytest.mark.parametrize(
    ("others", "code", "found"),
    [
        (range(20, 80), -999, True),
        (range(20, 80), 999, True),
        (range(1, 6), 99, True),
        (range(1, 6), 9, False),
        (range(90, 99), 99, False),
        (range(9), -9, True),
        (range(-9, 9), -8, False),
        (range(1, 30), -1, True),
        (range(30), -1, False),
        (range(20, 80), 9.969209968386869e36, True),
    ],
)
def test_numbers_that_stand_for_missing(others: range, code: float, found: bool) -> None:
    values = np.array([*others, *others, code, code], dtype=float)
    assert list(codes_for_missing(values)) == ([code] if found else [])
    assert codes_for_missing(values[:-1]) == {}
    assert ("missing-code" in codes(typed(values.tolist()))) == found


def test_no_word_is_read_twice() -> None:
    words = [f"word {k % 97}" for k in range(5000)]
    assert len(np.unique(typed(words).values)) == 97
