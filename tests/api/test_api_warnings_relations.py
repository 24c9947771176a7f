"""Columns that others determine are told once, also when cells are missing."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from as_numbers import read_table
from foundcause.data.copies import first_of_copies
from foundcause.diagnostics import suspicions
from foundcause.diagnostics.health import table_warnings
from foundcause.diagnostics.laws import complete_parts, pair_correlations

ROWS = 1000


def notes(frame: pd.DataFrame) -> list[str]:
    table = read_table(frame)
    part = np.flatnonzero(table.active)
    names = [table.names[k] for k in part]
    return [*table.warnings, *table_warnings(table.values[:, part], names, trained_variables=50), *suspicions(table)]


def told(frame: pd.DataFrame) -> str:
    return " | ".join(notes(frame))


def numbers(seed: int = 0, names: str = "abcd", rows: int = ROWS) -> pd.DataFrame:
    return pd.DataFrame(np.random.default_rng(seed).normal(size=(rows, len(names))), columns=list(names))


def holed(frame: pd.DataFrame, share: float, seed: int = 9) -> pd.DataFrame:
    return frame.mask(np.random.default_rng(seed).random(frame.shape) < share)


# Gaps


def test_a_missing_cell_hides_no_sum() -> None:
    frame = numbers()
    frame["total"] = frame["a"] + frame["b"] + frame["c"]
    frame.loc[0, "total"] = np.nan
    assert "the other columns determine 'a', 'b', 'c', 'total' almost exactly" in told(frame)
    for share in (0.01, 0.03, 0.1, 0.2):
        assert "determine 'a', 'b', 'c', 'total' almost exactly" in told(holed(frame, share)), share
    frame["total"] += np.random.default_rng(1).normal(scale=0.1, size=ROWS)
    assert "determine" not in told(frame) and "determine" not in told(holed(frame, 0.1))


def test_a_missing_cell_hides_no_shares() -> None:
    rng = np.random.default_rng(0)
    frame = numbers(names="xy").join(pd.DataFrame(rng.dirichlet([2, 3, 4], size=ROWS), columns=list("pqr")))
    for gaps in (1, 20):
        frame.loc[: gaps - 1, "q"] = np.nan
        assert "columns 'p', 'q', 'r' add up to the same in every row" in told(frame), gaps


def test_missing_cells_do_not_hide_that_columns_are_nearly_the_same() -> None:
    rng = np.random.default_rng(0)
    frame = numbers().assign(cm=rng.normal(170, 9, ROWS))
    frame["inch"] = frame["cm"] / 2.54 + rng.normal(scale=1e-3, size=ROWS)
    for share in (0.0, 0.1, 0.4):
        assert "columns 'cm', 'inch' are nearly the same" in told(holed(frame, share)), share


def test_laws_are_found_beside_columns_with_many_gaps() -> None:
    """A column that is observed in few rows leaves few whole ones, and a law may hold among such columns only."""
    rng = np.random.default_rng(0)
    frame = numbers(names="abcdefgh")
    frame["total"] = frame["a"] - frame["b"]
    frame = holed(frame, 0.03)
    for name in "gh":
        frame.loc[rng.random(ROWS) < 0.9, name] = np.nan
    assert "determine 'a', 'b', 'total' almost exactly" in told(frame)
    rare = rng.random(ROWS) < 0.9
    frame["u"], frame["v"] = (np.where(rare, np.nan, rng.normal(size=ROWS)) for _ in range(2))
    frame["u_minus_v"] = frame["u"] - frame["v"]
    assert "determine 'u', 'v', 'u_minus_v' almost exactly" in told(frame)


def test_what_holds_in_a_few_whole_rows_alone_is_no_law() -> None:
    rng = np.random.default_rng(0)
    frame = numbers(names="abcde")
    rare = rng.random(ROWS) < 0.1
    frame["f"] = np.where(rare, frame["a"] + 0.02 * frame["b"], rng.normal(size=ROWS))
    frame["g"] = np.where(rare, rng.normal(size=ROWS), np.nan)
    assert "determine" not in told(frame) and "nearly the same" not in told(frame)


def test_independent_columns_with_gaps_have_no_laws() -> None:
    for seed in range(5):
        rng = np.random.default_rng(seed)
        frame = numbers(seed, names="abcdefghij", rows=150)
        frame["k"] = (rng.random(150) < 0.05).astype(float)
        frame["l"] = (rng.random(150) < 0.05).astype(float)
        for share in (0.05, 0.3, 0.6):
            said = told(holed(frame, share, seed))
            assert "nearly the same" not in said and "determine" not in said


def test_correlations_are_those_of_the_rows_that_show_both() -> None:
    frame = holed(numbers(rows=200).assign(e=lambda frame: frame["a"] + frame["b"]), 0.3)
    np.testing.assert_allclose(pair_correlations(frame.to_numpy()), frame.corr().to_numpy(), atol=1e-12)
    frame.loc[25:, "a"] = np.nan
    assert (pair_correlations(frame.to_numpy())[0] == 0).all()


def test_parts_have_no_gaps_and_do_not_depend_on_the_order_of_columns() -> None:
    rng = np.random.default_rng(0)
    values = holed(numbers(names="abcdefghijkl", rows=300), 0.15).to_numpy(copy=True)
    values[:200, 3] = np.nan
    parts = complete_parts(values)
    assert parts and all(not np.isnan(values[rows][:, columns]).any() for rows, columns in parts)
    assert {k for _, columns in parts for k in columns} == set(range(12))
    order = rng.permutation(12)
    again = [sorted(order[columns].tolist()) for _, columns in complete_parts(values[:, order])]
    assert again == [columns for _, columns in parts]


# Once each


def test_copies_are_told_once() -> None:
    rng = np.random.default_rng(0)
    frame = numbers().assign(link=rng.integers(0, 2, ROWS), days=rng.integers(1, 60, ROWS).astype(float))
    frame.loc[frame["days"] > 50, "days"] = np.nan
    frame = frame.assign(linkstatus=frame["link"], other_days=7 * frame["days"], not_link=1 - frame["link"])
    said = told(frame)
    assert "'linkstatus', 'not_link': a copy of 'link'" in said and "'other_days': a copy of 'days'" in said
    assert not any(word in said for word in ("nearly the same", "determine", "never 1", "function", "exception"))
    names = list(frame.columns)
    kept = [names[k] for k in first_of_copies(frame.to_numpy(), names)]
    assert kept == ["a", "b", "c", "d", "link", "days"]


def test_nearly_the_same_columns_are_one_warning() -> None:
    rng = np.random.default_rng(0)
    frame = numbers()
    for name in "abc":
        frame[name + "2"] = frame[name] + rng.normal(scale=0.01, size=ROWS)
    (said,) = (note for note in notes(frame) if "nearly the same" in note)
    assert "some columns are nearly the same ('a' and 'a2'; 'b' and 'b2'; 'c' and 'c2')" in said


def test_logarithms_are_one_warning() -> None:
    frame = np.exp(numbers())
    frame = frame.assign(**{f"log_{name}": np.log(frame[name]) for name in "abc"}, a_squared=frame["a"] ** 2)
    (said,) = (note for note in notes(frame) if "without exception" in note)
    assert "('a', 'log_a' and 'a_squared'; 'b' and 'log_b'; 'c' and 'log_c')" in said
    assert "leave one of each out (drop=, --drop)" in said


def test_powers_and_logarithms_that_are_nearly_the_same_are_told_once() -> None:
    """A logarithm is nearly the same as its square, an age as its square, and this as the cube."""
    rng = np.random.default_rng(0)
    price, age = 1000.0 * rng.integers(1, 35, ROWS), rng.integers(40, 65, ROWS).astype(float)
    (said,) = notes(numbers().assign(price=price, logprice=np.log(price), logpricesq=np.log(price) ** 2))
    assert said.startswith("columns 'price', 'logprice' and 'logpricesq' rise or fall together without exception")
    (said,) = notes(numbers().assign(age=age, agesq=age**2, agecub=age**3))
    assert said.startswith("columns 'age', 'agesq' and 'agecub' rise or fall together without exception")
    (said,) = notes(numbers().assign(age=age, agesq=age**2))
    assert said.startswith("columns 'age', 'agesq' are nearly the same")
    (said,) = notes(numbers().assign(x=age - 30, xsq=(age - 30) ** 2, xcub=(age - 30) ** 3))
    assert "'x', 'xsq' and 'xcub' rise" in said


def test_functions_are_one_warning() -> None:
    rng = np.random.default_rng(0)
    age, town = rng.integers(18, 90, ROWS), rng.integers(0, 12, ROWS)
    frame = numbers().assign(age=age, town=town, over65=age > 65, decade=age // 20)
    frame["country"] = np.array([3, 1, 2, 0, 1, 3, 2, 0, 0, 1, 2, 3])[town]
    (said,) = (note for note in notes(frame) if "function" in note)
    assert "('over65' and 'decade' of 'age'; 'country' of 'town')" in said


# Rows of one unit


@pytest.mark.parametrize("shuffled", [False, True])
def test_rows_of_one_unit_make_no_functions(shuffled: bool) -> None:
    """Hardly two of 300 patients are followed for the same time: it tells whose row it is, not what sex makes of it."""
    rng = np.random.default_rng(1)
    patient = np.repeat(np.arange(300), rng.integers(2, 10, 300))
    futime, age = rng.integers(50, 5000, 300), rng.normal(50, 10, 300).round(2)
    times, group = np.unique(futime, return_inverse=True)
    assert 270 < len(times) < 300
    sex = (rng.random(len(times)) < 0.1).astype(int)[group]  # by chance the same where the time is
    frame = numbers(rows=len(patient)).assign(futime=futime[patient], age=age[patient], sex=sex[patient])
    frame = frame.sample(frac=1, random_state=0) if shuffled else frame
    assert "is a function of" not in told(frame) and "are functions of" not in told(frame)
    tax = np.random.default_rng(2).integers(0, 9, 50)
    state = np.random.default_rng(3).integers(0, 50, len(frame))
    assert "column 'tax' is a function of 'state'" in told(frame.assign(state=state, tax=tax[state]))
