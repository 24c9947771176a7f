"""Bands of ages, money and anything else, and answers that bear a number, are ranked as people mean them."""

from __future__ import annotations

import pandas as pd
import pytest

from foundcause.data.encode import encode_column
from foundcause.data.numbers import Decimal
from foundcause.data.scales import known_order


@pytest.mark.parametrize(
    "rising",
    [
        ["500-999", "1,000-1,999", "2,000-4,999"],
        ["0-999", "1.000-1.999", "2.000-2.999"],
        ["<500", "500+", "1.000+"],
        ["$0-$19,999", "$20,000-$59,999", "$60,000+"],
        ["<20k", "20k-40k", "40k-60k", ">60k"],
        ["$20k to $40k", "$40k to $60k"],
        ["<500k", "500k-1M", "1M-2M"],
        ["Less than $25,000", "$25,000-$50,000", "More than $50,000"],
        ["under 18", "18-25 years", "26-64 years", "65+ years"],
        ["18 or younger", "19-64", "65 and older"],
        ["Under 18 years old", "18-24 years old", "25-64 years old", "65 years or older"],
        ["1 year", "2-3 years", "4+ years"],
        ["0-10%", "10-20%", ">20%"],
        ["1,5-2,5", "2,5-3,5"],
        ["(0, 10]", "(10, 20]", "(20, inf]"],
        ["[1.23,4.56)", "[4.56,7]"],
        ["1st", "2nd", "3rd", "10th"],
        ["ASA 1", "ASA 2", "ASA 3"],
        ["0 - none", "1 - mild", "2 - moderate"],
        ["1 Never", "2 Rarely", "3 Often"],
    ],
)
def test_order_of_bands_and_numbered_answers(rising: list[str]) -> None:
    assert known_order(rising) == list(range(len(rising)))
    assert known_order(rising[::-1]) == list(range(len(rising)))[::-1]


@pytest.mark.parametrize(
    "words",
    [
        ["6-11 months", "1-2 years", "3-5 years"],
        ["11 months or less", "1-2 years", "3 years or more"],
        ["12 kg", "30 lb", "14 kg"],
        ["12 Main street", "14 Main street", "15 Main street"],
        ["$10-$20", "€20-€30"],
        ["7 Up", "12 Monkeys", "3 Musketeers"],
    ],
)
def test_what_only_looks_like_a_scale_is_none(words: list[str]) -> None:
    assert known_order(words) is None


def test_other_columns_tell_what_a_dot_means() -> None:
    words = ["1.250-1.500", "2-3"]
    assert known_order(words, Decimal(mark=".", certain=True)) == [0, 1]
    assert known_order(words) == [1, 0]  # bands hardly have three decimals


def test_numbers_before_answers_may_be_codes() -> None:
    cells = pd.Series(["1 = north", "2 = south", "3 = east"] * 10, dtype=object)
    encoded = encode_column("side", cells)
    assert encoded.kind == "ordinal" and any("'side'" in note and "nominal" in note for note in encoded.notes)
    assert not encode_column("age", pd.Series(["18-25", "26-40", "41+"] * 10, dtype=object)).notes
