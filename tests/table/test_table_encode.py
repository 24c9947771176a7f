"""The encoding of each kind of column, by hand."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from foundcause.table.encode import encode_column
from foundcause.table.vocabulary import known_order


def encode(cells, name="c", **kwargs):
    return encode_column(name, pd.Series(cells, **kwargs))


def test_all_spellings_of_missing():
    cells = [
        "1",
        "NA",
        "n/a",
        "",
        "  ",
        "NaN",
        "null",
        "?",
        "-",
        "None",
        ".",
        "#N/A",
        None,
        float("nan"),
        pd.NA,
        "missing",
        "2",
    ]
    encoded = encode(cells, dtype=object)
    assert np.isnan(encoded.values).sum() == len(cells) - 2
    assert encoded.values[0] == 1 and encoded.values[-1] == 2


def test_none_is_a_level_of_a_scale_and_missing_elsewhere():
    assert encode(["none", "mild", "severe", "mild"]).values.tolist() == [0, 1, 2, 1]
    assert np.isnan(encode(["none", "red", "blue", "green"]).values[0])


@pytest.mark.parametrize(
    ("cells", "values", "kind"),
    [
        (["low", "high", "medium"], [0, 2, 1], "ordinal"),
        (["Never", "often", "SOMETIMES", "always"], [0, 2, 1, 3], "ordinal"),
        (["Strongly agree", "Disagree", "neutral"], [2, 0, 1], "ordinal"),
        (["18-25", "26-35", "<18", "65+", "36 - 64"], [1, 2, 0, 4, 3], "ordinal"),
        (["(0, 10]", "(10, 20]", "(20, 35]"], [0, 1, 2], "ordinal"),
        (["Mar", "Jan", "Dec"], [1, 0, 2], "ordinal"),
        (["Sunday", "monday", "Friday"], [2, 0, 1], "ordinal"),
        (["grade 2", "grade 10", "grade 1"], [1, 2, 0], "ordinal"),
        (["Q4", "Q1", "Q2"], [2, 0, 1], "ordinal"),
        (["yes", "No", "YES"], [1, 0, 1], "binary"),
        (["true", "false", "true"], [1, 0, 1], "binary"),
        (["male", "female", "male"], [1, 0, 1], "binary"),
        (["b", "a", "b", "c", "b", "a"], [0, 1, 0, 2, 0, 1], "nominal"),
    ],
)
def test_words(cells, values, kind):
    encoded = encode(cells)
    assert encoded.values.tolist() == values
    assert encoded.kind == kind
    assert bool(encoded.notes) == (kind == "nominal")


def test_an_order_is_never_invented_silently():
    encoded = encode(["red", "blue", "green", "red"], name="colour")
    assert any("'colour'" in note and "without a known order" in note for note in encoded.notes)
    assert known_order(["red", "blue", "green"]) is None
    assert known_order(["grade 1", "week 2"]) is None


def test_category_dtype_keeps_its_order_or_has_none():
    ordered = pd.Categorical(["m", "z", "a"], categories=["z", "a", "m"], ordered=True)
    assert encode(ordered).values.tolist() == [2, 0, 1]
    assert encode(ordered).kind == "ordinal"
    plain = encode(pd.Categorical(["u", "v", "w", "u", None]))
    assert plain.kind == "nominal" and np.isnan(plain.values[4])
    assert encode(pd.Categorical([3, 1, 2, 3])).values.tolist() == [3, 1, 2, 3]


def test_dates_become_days():
    days = [0.0, 1.5, 31.0]
    for cells in (
        pd.to_datetime(["1970-01-01", "1970-01-02 12:00", "1970-02-01"], format="mixed"),
        pd.to_datetime(["1970-01-01", "1970-01-02 12:00", "1970-02-01"], format="mixed").tz_localize("UTC"),
        ["1970-01-01", "1970-01-02 12:00", "1970-02-01"],
        ["1970-01-01T00:00:00Z", "1970-01-02T12:00:00Z", "1970-02-01T00:00:00Z"],
    ):
        encoded = encode_column("d", pd.Series(cells))
        assert encoded.kind == "date" and encoded.values.tolist() == days
    assert encode(["31/12/1970", "01/02/1970"]).values.tolist() == [364, 31]
    ambiguous = encode(["03/02/1970", "01/02/1970"])
    assert any("day or month first" in note for note in ambiguous.notes)
    assert encode(["07:30", "23:59", "00:00"]).values.tolist() == [450, 1439, 0]


def test_a_few_strange_cells_do_not_turn_numbers_into_words():
    encoded = encode([str(k / 2) for k in range(99)] + ["approx."], name="dose")
    assert np.isnan(encoded.values[-1]) and encoded.values[3] == 1.5
    assert any("'dose'" in note and "'approx.'" in note for note in encoded.notes)


@pytest.mark.parametrize(
    ("cells", "values"),
    [
        (["0,126", "1,234", "0,5"], [0.126, 1.234, 0.5]),
        (["0,126", "1,234"], [0.126, 1.234]),
        (["1,234", "12,345,678"], [1234, 12345678]),
        (["1 234", "12 345 678,5", "7"], [1234, 12345678.5, 7]),
        (["1'234.5", "2’000"], [1234.5, 2000]),
        (["\u22125", "\u22121.5"], [-5, -1.5]),
        (["12 kg", "7.5kg", "1,200 kg"], [12, 7.5, 1200]),
        (["-$5", "$1,000", "$ 2.50"], [-5, 1000, 2.5]),
        (["20 °C", "-3 °C"], [20, -3]),
        (["7:30 PM", "12:05 am", "12:00 p.m."], [1170, 5, 720]),
    ],
)
def test_written_numbers_and_hours(cells, values):
    encoded = encode_column("x", pd.Series(cells * 3, dtype=object))
    np.testing.assert_allclose(encoded.values, values * 3)


def test_different_units_are_no_numbers():
    assert encode_column("x", pd.Series(["12 kg", "3 g", "5 t"] * 5, dtype=object)).kind == "nominal"


def test_codes_for_missing_are_named_but_used():
    cells = [*(np.arange(50) % 17 / 3), -999.0, -999.0]
    encoded = encode_column("x", pd.Series(cells))
    assert len(encoded.notes) == 1 and "-999 in 2 rows" in encoded.notes[0]
    assert np.isfinite(encoded.values).all()
    assert not encode_column("x", pd.Series([*np.arange(90.0), 99.0, 99.0])).notes


def test_infinities_are_missing_and_said():
    for cells in ([1.0, np.inf, -np.inf, 2.0, 3.5], ["1", "inf", "-inf", "2", "3.5"]):
        encoded = encode(cells, name="ratio")
        assert np.isnan(encoded.values).tolist() == [False, True, True, False, False]
        assert any("'ratio'" in note and "infinite" in note for note in encoded.notes)


def test_other_types():
    assert encode([True, False, None], dtype="boolean").values[:2].tolist() == [1, 0]
    assert encode([1, 2, None], dtype="Int64").values[:2].tolist() == [1, 2]
    assert encode(pd.to_timedelta(["1h", "2h"])).values.tolist() == [3600, 7200]
    assert encode([b"x", b"y", b"x", b"zz"]).values.tolist() == [0, 1, 0, 2]
    assert encode([3 + 4j, 1j]).values.tolist() == [5, 1]
    assert encode(pd.arrays.IntervalArray.from_breaks([0, 1, 3])).values.tolist() == [0.5, 2]
    assert encode([[1], [2], [1], {"a": 1}], dtype=object).kind == "nominal"


def test_numbers_in_a_declared_order_keep_it():
    declared = pd.Categorical([3, 1, 2] * 4, categories=[3, 1, 2], ordered=True)
    assert encode_column("c", pd.Series(declared)).values[:3].tolist() == [0, 1, 2]
    rising = pd.Categorical([30, 10, 20] * 4, ordered=True)
    assert encode_column("c", pd.Series(rising)).values[:3].tolist() == [30, 10, 20]
