"""Numbers as people write them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from cells import codes, typed
from hypothesis import given
from hypothesis import strategies as st

from foundcause.data.columns import type_column
from foundcause.data.numbers import Decimal, guess_decimal, read_numbers

COMMA = Decimal(mark=",", certain=True)


def values(*cells: str, **options: Decimal) -> list[float]:
    return typed([*cells], **options).values.tolist()


@pytest.mark.parametrize(
    ("cells", "numbers"),
    [
        (["1,234", "12,345,678", "900"], [1234, 12345678, 900]),
        (["1,234.50", "12.25"], [1234.5, 12.25]),
        (["1.234,50", "12,25"], [1234.5, 12.25]),
        (["7,00,000", "12,34,567"], [700000, 1234567]),
        (["1 234,5", "12 345,25"], [1234.5, 12345.25]),
        (["1'234.5", "12’345.25"], [1234.5, 12345.25]),
        (["$1,200.50", "$3"], [1200.5, 3]),
        (["€ 5", "€ 6,5"], [5, 6.5]),
        (["5 €", "6 €"], [5, 6]),
        (["12 USD", "15 USD"], [12, 15]),
        (["500.-", "20.-", "3.50"], [500, 20, 3.5]),
        (["(12.50)", "3"], [-12.5, 3]),
        (["12-", "3"], [-12, 3]),
        (["−5", "3", "–2"], [-5, 3, -2]),
        (["45%", "50 %"], [45, 50]),
        (["70 kg", "82.5 kg"], [70, 82.5]),
        (["1 year", "30 years"], [1, 30]),
        (["1.2k", "900", "3M"], [1200, 900, 3e6]),
        (["$1.5m", "$2b"], [1.5e6, 2e9]),
        (["5 m", "7 m"], [5, 7]),
        (["1e-3", "2E+5"], [0.001, 200000]),
        (["$ -", "$ 5"], [0, 5]),
        (["105.2*", "5.7 (H)", "~50", "3"], [105.2, 5.7, 50, 3]),
        (['="123"', "'45", "6"], [123, 45, 6]),
        (["4.5 x10^9/L", "6.1 10*9/L"], [4.5, 6.1]),
        ([" 7 ", "8"], [7, 8]),
    ],
)
def test_written_numbers(cells: list[str], numbers: list[float]) -> None:
    column = typed(cells)
    assert column.values.tolist() == pytest.approx(numbers)
    assert column.kind in ("continuous", "count", "binary")
    assert typed(cells, like=column).values.tolist() == pytest.approx(numbers)


@given(st.floats(-1e9, 1e9).map(lambda number: round(number, 2)), st.sampled_from([",.", ".,", "'.", " ,"]))
def test_any_number_comes_back(number: float, marks: str) -> None:
    group, point = marks
    text = f"{number:,.2f}".replace(",", "_").replace(".", point).replace("_", group)
    column = typed([text, f"1{group}234{point}56", f"0{point}25"])
    assert column.values[0] == pytest.approx(number)


def test_one_mark_decides_for_a_whole_column() -> None:
    assert values("1.459", "987", decimal=COMMA) == [1459, 987]
    assert values("1.459", "987") == [1.459, 987]
    assert "ambiguous-decimal-mark" in codes(typed(["1,459", "987"]))


def test_the_table_shows_its_decimal_mark() -> None:
    assert guess_decimal([pd.Series(["1,5", "2,25"])], ";") == COMMA
    assert guess_decimal([pd.Series(["1.5", "2.25"])], ",").points
    assert guess_decimal([pd.Series(["a", "b"])], ";").mark == ","


def test_strange_cells_are_missing_and_told() -> None:
    cells = [str(k) for k in range(40)] + ["see notes"]
    column = typed(cells)
    (finding,) = column.findings
    assert finding.code == "strange-cells" and finding.details["cells"] == 1
    assert np.isnan(column.values[-1]) and column.kind == "count"
    assert "bounded-cells" in codes(typed([*map(str, range(40)), "<5"]))


def test_units_that_some_cells_lack() -> None:
    assert "some-units" in codes(typed(["5 kg", "6", "7 kg"]))
    assert "some-multipliers" in codes(typed(["1.5k", "900", "1.1k"]))
    assert codes(typed(["5 kg", "6 kg"] * 3)) == set()


@pytest.mark.parametrize(
    ("cells", "code"),
    [
        (["5 kg", "11 lb", "7 kg", "9 lb"] * 5, "several-units"),
        ([f"{100 + k}/{60 + k}" for k in range(40)], "several-numbers"),
        ([f"{k}.5 ± 0.{k + 1}" for k in range(9)], "several-numbers"),
        (["1", "1,3", "2", "1,2,3", "3"], "lists-of-answers"),
        ([f"5'{k}\"" for k in range(2, 11)], "several-numbers"),
        ([*map(str, range(30)), *["5'11", "6'1", "6'2", "5'8", "5'9", "5'10"] * 2], "mostly-numbers"),
    ],
)
def test_numbers_that_cannot_be_read_are_categories(cells: list[str], code: str) -> None:
    column = typed(cells)
    assert column.kind == "nominal" and code in codes(column)


def test_codes_with_leading_zeros_may_be_nominal() -> None:
    column = typed(["01234", "04321", "70173", "10115"] * 5)
    (finding,) = column.findings
    assert finding.code == "leading-zeros" and finding.fix is not None and finding.fix.option == "nominal"
    assert typed(["01", "2A", "02", "75"] * 3).kind == "nominal"


def test_large_integers_and_infinities() -> None:
    column = typed([10**17 + k for k in range(30)])
    assert column.n_integers == 30 and "rounded-integers" in codes(column)
    column = typed([1.0, np.inf, 2.5, -np.inf, 3.5])
    assert np.isnan(column.values).sum() == 2 and "infinite-cells" in codes(column)
    complex_numbers = type_column("x", pd.Series([1 + 2j, 3 + 4j, 0j]))
    assert complex_numbers.values.tolist() == pytest.approx([5**0.5, 5, 0])


def test_other_rows_are_read_with_the_marks_of_the_fitted_ones() -> None:
    fitted = typed(["1.234,5", "2,5", "7"])
    assert typed(["1.000", "3,25"], like=fitted).values.tolist() == [1000, 3.25]
    assert "unseen-words" in codes(typed(["abc"], like=fitted))


def test_long_runs_of_blanks_take_no_time() -> None:
    words = ["1" + " " * 5000 + "x"]
    assert np.isnan(read_numbers("x", words, np.ones(1), Decimal()).values).all()
