"""Whole numbers that are codes by the names of their columns, and numbers that are counts."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from as_numbers import read_table

ROWS = 400
CODES = ["occ", "region_code", "type", "houseType", "REGION", "industry2", "site_id", "schoolid1", "class", "marital"]
COUNTS = [
    *("children", "visits", "rooms", "types", "n_types", "class_size", "age_class", "income_category", "regions"),
    *("number_of_state", "per_state", "school", "education", "grade", "score", "health_status", "coded", "paid"),
    *("rating", "kids", "occurrences", "kindness", "race_time", "x1"),
]


def numbers(**columns: object) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(ROWS, 2)), columns=["x", "y"])
    return frame.assign(**columns)


def seven(seed: int = 1) -> np.ndarray:
    return np.random.default_rng(seed).integers(1, 8, ROWS)


@pytest.mark.parametrize("name", CODES)
def test_numbers_named_like_codes_are_told(name: str) -> None:
    (said,) = read_table(numbers(**{name: seven()})).warnings
    assert said == (
        f"column {name!r} is named like codes of categories, but its numbers are used as amounts; if their order means "
        "nothing, declare it nominal (nominal=, --nominal)"
    )
    assert "amounts" not in " ".join(read_table(numbers(**{name: seven()}), nominal=[name]).warnings)


@pytest.mark.parametrize("name", COUNTS)
def test_counts_and_scales_are_not(name: str) -> None:
    assert not read_table(numbers(**{name: seven()})).warnings


def test_all_codes_are_one_warning() -> None:
    frame = numbers(**{f"{place}_code": seven(k) for k, place in enumerate("abcdefg")})
    (said,) = read_table(frame).warnings
    assert "'d_code', 'e_code' and 2 more are named like codes" in said and "declare them nominal" in said


def test_amounts_whatever_their_name_are_not_told() -> None:
    rng = np.random.default_rng(2)
    for cells in (rng.normal(size=ROWS), rng.integers(0, 2, ROWS), rng.permutation(5 * ROWS)[:ROWS]):
        assert not read_table(numbers(region=cells)).warnings


def test_the_number_of_a_unit_is_told_as_such_alone() -> None:
    frame = numbers(state=np.repeat(np.arange(40), 10), year=np.tile(np.arange(10), 40))
    (said,) = read_table(frame).warnings
    assert "looks like the number of a unit" in said
