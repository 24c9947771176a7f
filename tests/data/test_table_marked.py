"""Numbers with marks, units, powers and fractions, as laboratories, spreadsheets and typesetters write them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from as_numbers import read_table
from foundcause.data.encode import encode_column
from foundcause.data.numbers import Decimal

NUMBERS = np.round(np.random.default_rng(0).gamma(9, 1.5, size=120), 2)
PLAIN = [f"{number:.2f}" for number in NUMBERS]


def encode(cells, name="c", **options):
    return encode_column(name, pd.Series(cells, dtype=object), **options)


def told(encoded, *words):
    return any(all(word in note for word in words) for note in encoded.notes)


@pytest.mark.parametrize(
    ("pattern", "mark"),
    [
        *((f"{{}}{mark}", mark) for mark in ("*", "!", "↑", "?", "†")),
        *(
            (f"{{}} {mark}", mark)
            for mark in ("*", "(H)", "(L)", "(HH)", "(high)", "[L]", "H", "L", "HH", "A", "low", "↓")
        ),
        ("{}H", "H"),
        *((f"{mark}{{}}", mark) for mark in ("~", "≈", "*")),
        *((f"{mark} {{}}", mark) for mark in ("ca.", "circa", "approx.", "About", "~")),
        ("~{}*", "~ *"),
    ],
)
def test_numbers_are_read_without_marks(pattern, mark):
    cells = [pattern.format(cell) if k % 3 == 0 else cell for k, cell in enumerate(PLAIN)]
    encoded = encode(cells, name="k")
    assert encoded.kind == "continuous" and encoded.values.tolist() == NUMBERS.tolist()
    assert told(encoded, "column 'k': 40 cells carry a mark", repr(mark), "make a column of it")
    again = encode(cells[:1], reading=encoded.reading)
    assert again.values.tolist() == NUMBERS[:1].tolist() and not again.notes


def test_marks_beside_units_and_decimal_commas():
    flags = ["", " (H)", " L", "*"]
    with_unit = encode([f"{cell} mmol/L{flags[k % 4]}" for k, cell in enumerate(PLAIN)])
    assert with_unit.values.tolist() == NUMBERS.tolist() and with_unit.encoding == "number of mmol/L"
    assert told(with_unit, "90 cells carry a mark ('(H)', '*', 'L')")
    commas = encode([f"{cell}{flags[k % 4]}".replace(".", ",") for k, cell in enumerate(PLAIN)])
    assert commas.values.tolist() == NUMBERS.tolist()


@pytest.mark.parametrize("unit", ["H", "L", "A", "h"])
def test_a_letter_behind_all_numbers_is_a_unit(unit):
    encoded = encode([f"{cell} {unit}" for cell in PLAIN])
    assert encoded.values.tolist() == NUMBERS.tolist() and encoded.encoding == f"number of {unit}"
    assert not told(encoded, "mark")
    assert np.isnan(encode(["5 HH"], reading=encoded.reading).values).all()


@pytest.mark.parametrize(
    "cells",
    [
        ["1.5 L", "750 mL", "3"],  # of another unit
        ["12A", "12B", "12H", "14"],  # seats
        ["1 H", "1 L", "2 H", "2 L"],  # nothing plain beside
        ["5 mg", "10 mg", "5 mg A"],  # kinds of a few doses
        ["A1*", "B2*", "C3"],
        ["5 high street", "7 low road", "8"],
    ],
)
def test_what_is_no_number_with_a_mark_stays_a_word(cells):
    encoded = encode(cells * 10)
    assert encoded.kind == "nominal" and len(np.unique(encoded.values)) == len(cells)


@pytest.mark.parametrize("guard", ['="{}"', "'{}"])
def test_guards_against_spreadsheets_are_dropped_and_told(guard, tmp_path):
    encoded = encode([guard.format(cell) for cell in PLAIN], name="k")
    assert encoded.values.tolist() == NUMBERS.tolist() and told(encoded, "'k': 120 cells are guarded")
    assert encode([guard.format("3.5")], reading=encoded.reading).values.tolist() == [3.5]
    words = encode([guard.format("007"), '="low"', '="high"', '="medium"'])
    assert told(words, "guarded")
    rows = [f"{guard.format(cell)},{k % 7}" for k, cell in enumerate(PLAIN)]
    (tmp_path / "t.csv").write_text("\n".join(["a,b", *rows]))
    assert read_table(tmp_path / "t.csv").values[:, 0].tolist() == NUMBERS.tolist()


@pytest.mark.parametrize(
    "unit",
    [
        *("x10^9/L", "10*9/L", "10^9/L", "×10⁹/L", "x10E9/L", "10³/µL", "/µL", "cells/mm3"),
        *("mm[Hg]", "mm Hg", "[IU]/L", "mL/min/1.73 m2", "mg/24 h"),
    ],
)
def test_units_of_laboratories(unit):
    encoded = encode([f"{cell} {unit}" for cell in PLAIN])
    assert encoded.values.tolist() == NUMBERS.tolist() and encoded.encoding == f"number of {unit}"
    assert not encoded.notes


def test_spellings_of_one_unit_are_one():
    assert encode(["7 x10^9/L", "8 10*9/L", "9 ×10⁹/L"] * 5).values[:3].tolist() == [7, 8, 9]
    assert encode(["7 µg", "8 ug", "9 μg"] * 5).values[:3].tolist() == [7, 8, 9]
    assert encode(["7 x10^9/L", "8 x10^6/L", "9 x10^6/L"] * 5).kind == "nominal"


@pytest.mark.parametrize(
    ("cells", "values"),
    [
        (["1.5×10⁷", "3×10⁶", "2.5 × 10⁻²"], [1.5e7, 3e6, 0.025]),
        (["1.5x10^7", "3 x 10^6", "2*10^(-2)"], [1.5e7, 3e6, 0.02]),
        (["1,5×10⁷", "3×10⁶", "10⁶"], [1.5e7, 3e6, 1e6]),
        (["₹7,00,000", "₹12,34,567.50", "₹95,000"], [7e5, 1234567.5, 95000]),
        (["7,00,000", "1,23,45,678", "950"], [7e5, 12345678, 950]),
        (["2 lakh", "1.5 crore", "3 crore"], [2e5, 1.5e7, 3e7]),
        (["5'9\"", "6'", "5’11½”", "6 ft 2 in"], [69, 72, 71.5, 74]),
        (["6", "6½", "¾", "8¼"], [6, 6.5, 0.75, 8.25]),
        (["6", "6 1/2", "7 3/4"], [6, 6.5, 7.75]),
        (["6", "6⅛", "7,5"], [6, 6.125, 7.5]),
    ],
)
def test_powers_groups_heights_and_halves(cells, values):
    encoded = encode(cells * 5)
    np.testing.assert_allclose(encoded.values, values * 5)
    np.testing.assert_allclose(encode(cells, reading=encoded.reading).values, values)


def test_halves_in_a_table_with_decimal_commas():
    encoded = encode(["6", "6⅛", "7"] * 5, decimal=Decimal(mark=",", certain=True))
    np.testing.assert_allclose(encoded.values[:3], [6, 6.125, 7])


def test_guesses_about_powers_and_heights_are_told():
    assert told(encode(["1.5×10⁷", "3"] * 5), "'1.5×10⁷' is read as 15,000,000", "'3' as it stands")
    assert told(encode(["5'9\"", "6'1\""] * 5), "'c'", "feet and inches", "nominal")
    assert encode(["5'45\"", "6'30\"", "4'10\""] * 5).kind == "nominal"


@pytest.mark.parametrize("pattern", ["{:.1f} kg (net)", "{:.0f} @/(min)", "{:.1f} per cent of all"])
def test_numbers_that_cannot_be_read_are_told(pattern):
    encoded = encode([pattern.format(k * 1.5) for k in range(60)] * 2)
    assert encoded.kind == "nominal" and told(
        encoded, "'c'", "numbers that cannot be read, such as", "write plain numbers"
    )


def test_three_categories_are_all_shown():
    assert told(encode(["a", "b", "c"]), "('a', 'b', 'c' = 0, 1, 2)")
    assert told(encode(["a", "b", "c", "d"]), "('a', 'b', 'c', ... = 0, 1, 2, ...)")


def test_decades_are_years():
    encoded = encode(["1990s", "1980s", "2000s"] * 5)
    assert encoded.values[:3].tolist() == [1990, 1980, 2000] and encoded.encoding == "first year of the decade"
    assert encode(["1990s", "1985s", "7s"] * 5).encoding == "number of s"
