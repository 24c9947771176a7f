"""The encoding of each kind of column, by hand."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from as_numbers import read_table
from foundcause.data.encode import encode_column
from foundcause.data.scales import known_order


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


def test_none_is_a_level_of_a_scale_and_missing_among_numbers():
    assert encode(["none", "mild", "severe", "mild"]).values.tolist() == [0, 1, 2, 1]
    assert np.isnan(encode(["none", "1", "2", "3"]).values[0])


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
    assert encode(pd.Categorical(["3", "1", "2", "3"])).values.tolist() == [3, 1, 2, 3]


def test_whole_numbers_made_categories_are_codes():
    encoded = encode(pd.Categorical([3, 1, 1, None]), name="region")
    assert encoded.values[:3].tolist() == [3, 1, 1]  # two values need no order
    encoded = encode(pd.Categorical([3, 1, 2, 3, None] * 4), name="region")
    assert encoded.kind == "nominal" and encoded.values[:4].tolist() == [0, 1, 2, 0] and np.isnan(encoded.values[4])
    assert any("'region'" in note and "without a known order" in note for note in encoded.notes)
    for again in ([1, 3, 7], [1.0, 3.0, np.nan]):
        values = encode_column("region", pd.Series(again), reading=encoded.reading).values
        assert values[:2].tolist() == [1, 0] and np.isnan(values[2])
    assert encode(pd.Categorical([0.5, 1.5, 2.0])).values.tolist() == [0.5, 1.5, 2.0]


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
    within = pd.Timestamp("2020-01-01") + pd.to_timedelta([0, 250, 500], unit="ms")
    np.testing.assert_allclose(np.diff(encode(within).values) * 86400, 0.25, atol=1e-5)


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
    for others in (90, 34):
        assert not encode_column("x", pd.Series([*np.arange(others), 99.0, 99.0])).notes


@pytest.mark.parametrize(
    ("cells", "values"),
    [
        (["1.4k", "950", "2K"], [1400, 950, 2000]),
        (["1.4k", "2.5M", "3bn"], [1400, 2.5e6, 3e9]),
        (["900k", "1.2m"], [9e5, 1.2e6]),
        (["$1.5M", "$20k", "$300"], [1.5e6, 2e4, 300]),
        (["300 K", "295.5 K"], [300, 295.5]),
        (["$1.5M", "$20M"], [1.5e6, 2e7]),
        (["£4.4m", "-£0.2m", "£0"], [4.4e6, -2e5, 0]),
        (["1.5M USD", "2 M USD"], [1.5e6, 2e6]),
        (["1,5 Mio. €", "12 Mio. €"], [1.5e6, 1.2e7]),
        (["$900/month", "$1,200/month"], [900, 1200]),
        (["USD 5.00", "USD 1,000.50"], [5, 1000.5]),
        (["12.50", "(7.25)", "($1,000.00)"], [12.5, -7.25, -1000]),
        (["12.50-", "3.10"], [-12.5, 3.1]),
        (["1.234.567", "5.642", "987"], [1234567, 5642, 987]),
        (["1.234,5", "5.642", "2,25"], [1234.5, 5642, 2.25]),
        (["1,234", "2.5"], [1234, 2.5]),
    ],
)
def test_marks_and_multipliers_mean_the_same_in_the_whole_column(cells, values):
    np.testing.assert_allclose(encode(cells * 3, dtype=object).values, values * 3)


def test_mixed_currencies_are_no_numbers():
    assert encode(["$5", "€7", "£9"] * 5).kind == "nominal"
    assert encode(["$5M", "€7M", "£9M"] * 5).kind == "nominal"
    assert encode(["$5/month", "$60/year", "$2/day"] * 5).kind == "nominal"


@pytest.mark.parametrize(
    ("cells", "words"),
    [
        (["12 kg", "7", "9 kg"], "have no unit"),
        (["40 %", "0.4"], "have no unit"),
        (["1.4k", "950"], "'1.4k' is read as 1,400"),
        (["1,459", "2"], "may mean 1.459"),
    ],
)
def test_doubtful_numbers_are_told(cells, words):
    assert any("'dose'" in note and words in note for note in encode(cells * 3, name="dose", dtype=object).notes)


def test_zero_needs_no_unit():
    assert not encode(["12 kg", "0", "9 kg"] * 3).notes


@pytest.mark.parametrize("share", [0.07, 0.18])
def test_numbers_with_a_few_words_stay_numbers(share):
    rng = np.random.default_rng(0)
    cells = np.round(rng.gamma(2, 5, size=400), 3).astype(str).astype(object)
    strange = rng.random(400) < share
    cells[strange] = np.where(rng.random(strange.sum()) < 0.5, "ND", "<0.5")
    encoded = encode(cells, name="crp")
    assert encoded.kind == "continuous" and (np.isnan(encoded.values) == strange).all()
    assert any("'crp'" in note and "'ND'" in note and "no numbers" in note for note in encoded.notes)
    assert any("'crp'" in note and "'<0.5'" in note and "bound" in note for note in encoded.notes)


def test_codes_of_letters_and_digits_are_no_numbers():
    assert encode(["1", "2", "3", "A", "B", "C"] * 10).kind == "nominal"


def test_an_open_end_belongs_to_a_scale():
    encoded = encode(["0", "1", "2", "3+"] * 5)
    assert encoded.kind == "ordinal" and encoded.values[:4].tolist() == [0, 1, 2, 3]


def test_long_codes_and_pairs_of_codes_are_named():
    cells = [*(np.arange(50) % 17 / 3), 999999999.0, 999999999.0]
    assert "999999999 in 2 rows" in encode(cells).notes[0]
    assert len(encode([*cells, -99.0, -99.0]).notes) == 2


@pytest.mark.parametrize("others", [[0, 1], [1, 2, 3], [-1.5, 0.25, 7.5]])
def test_each_code_for_missing_is_named(others):
    notes = encode([*others * 20, *[-99] * 3, *[-999] * 5, *[99999] * 2]).notes
    assert [note.split(" holds ")[1].split(",")[0] for note in notes] == [
        "-999 in 5 rows",
        "-99 in 3 rows",
        "99999 in 2 rows",
    ]
    assert not encode([*others * 20, -999]).notes


@pytest.mark.filterwarnings("error")
def test_wild_numbers_are_compared_without_overflow():
    assert not encode([1e308, -1e308, 5.0, -999.0, -999.0] * 5).notes
    assert not encode([1.7e308, -1.7e308] * 5).notes


def test_nominal_numbers_are_coded_like_words():
    words = encode(["b", "a", "b", "c", "b", "a"])
    for cells in ([7, 3, 7, 5, 7, 3], [7.0, 3.0, 7.0, 5.0, 7.0, 3.0], ["7", "3", "7", "5", "7", "3"]):
        encoded = encode_column("zip", pd.Series(cells), nominal=True)
        assert encoded.kind == "nominal" and encoded.values.tolist() == words.values.tolist()
        assert "'zip'" in encoded.notes[0] and "'7', '3', '5'" in encoded.notes[0]
    holed = encode_column("zip", pd.Series([1.0, np.nan, 2.0, 3.0]), nominal=True)
    assert np.isnan(holed.values).tolist() == [False, True, False, False]


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


@pytest.mark.parametrize("dtype", ["Int64", "string"])
def test_a_first_cell_that_is_missing_in_the_types_of_pandas(dtype):
    cells = pd.array([None, *map(str, range(39))] if dtype == "string" else [None, *range(39)], dtype=dtype)
    table = read_table(pd.DataFrame({"a": cells, "b": np.arange(40) % 7}))
    assert np.isnan(table.values[0, 0]) and table.values[1, 0] == 0


def test_numbers_in_a_declared_order_keep_it():
    declared = pd.Categorical([3, 1, 2] * 4, categories=[3, 1, 2], ordered=True)
    assert encode_column("c", pd.Series(declared)).values[:3].tolist() == [0, 1, 2]
    rising = pd.Categorical([30, 10, 20] * 4, ordered=True)
    assert encode_column("c", pd.Series(rising)).values[:3].tolist() == [30, 10, 20]
