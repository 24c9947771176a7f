"""What looks wrong with a table: each suspicion on a table that deserves it, and none on those that do not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from as_numbers import read_table
from foundcause import discover
from foundcause.diagnostics import suspicions
from foundcause.inference.far_cells import isolated_cells
from foundcause.simulate.mixture import SHIPPED, make_task

ROWS = 600


def told(table: object, **options: object) -> str:
    return " | ".join(suspicions(read_table(table, **options)))


def numbers(seed: int = 0, names: str = "xyz", rows: int = ROWS) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    return pd.DataFrame(rng.normal(size=(rows, len(names))), columns=list(names)).round(3)


# A cell far from all others.


def test_a_lost_decimal_point_is_told_with_its_row() -> None:
    frame = numbers()
    frame.loc[7, "y"] = 169.8
    said = "column 'y': the value 169.8 (row 8) lies far from all others; check it, a single such cell can turn edges"
    assert said in told(frame) and told(frame).count("far from all others") == 1
    frame.loc[[3, 99], "y"] = [-155.0, 140.0]
    assert "the values 169.8 (row 8), -155 (row 4) and 140 (row 100) lie far from all others; check them" in told(frame)


def test_the_row_is_that_of_the_source() -> None:
    frame = numbers(rows=5000)
    frame.loc[4321, "z"] = 4e4
    frame.loc[100, :] = np.nan  # does not count
    for rows in (5000, 4990):
        if "far from" in (said := told(frame, max_rows=rows)):
            assert "the value 40000 (row 4321)" in said
    assert "far from" in told(frame)


def test_a_far_cell_is_told_by_discover(tiny_checkpoint) -> None:
    frame = numbers(rows=120)
    frame.loc[7, "y"] = 16980.0
    warnings = discover(frame, checkpoint=tiny_checkpoint, n_passes=1).warnings
    assert any("column 'y': the value 16980 (row 8) lies far" in note for note in warnings)


def test_heavy_tails_lead_up_to_their_farthest_cell() -> None:
    alarms = 0
    for seed in range(100):
        rng = np.random.default_rng(seed)
        for cells in (
            rng.normal(size=ROWS),
            rng.standard_cauchy(size=ROWS),
            rng.standard_t(2, size=100),
            np.exp(2 * rng.normal(size=ROWS)),
            rng.pareto(1, size=ROWS),
            np.where(rng.random(ROWS) < 0.8, 0.0, rng.gamma(0.3, size=ROWS)),
            np.round(rng.exponential(3, size=ROWS)),
        ):
            alarms += len(isolated_cells(cells)) > 0
    assert alarms <= 3


def test_what_is_told_otherwise_or_too_little_is_no_far_cell() -> None:
    frame = numbers()
    frame.loc[[1, 2], "y"] = -999.0  # a code for missing, which reading tells
    assert "far from all" not in told(frame)
    assert len(isolated_cells(np.r_[np.arange(20.0), 1e9])) == 0
    assert len(isolated_cells(np.r_[np.tile([1.0, 2.0, 3.0], 100), 1e9])) == 0
    assert len(isolated_cells(np.r_[np.random.default_rng(0).normal(size=300), 1e308])) == 1


# Nearly constant columns.


def test_nearly_constant_columns_are_told() -> None:
    frame = numbers().assign(flag=0, rare="no", usual=0)
    frame.loc[5, "flag"] = 1
    frame.loc[[9, 10, 11], "rare"] = "yes"
    frame.loc[:39, "usual"] = 1
    said = told(frame)
    assert "columns 'flag' (1 row), 'rare' (3 rows): all rows but so few hold the same value" in said
    assert "leave them out (drop=, --drop)" in said and "usual" not in said
    assert "column 'flag' (1 row): " in told(frame.drop(columns="rare"))
    assert "so few" not in told(frame.drop(columns="flag").iloc[:40])  # three of forty are no handful


# Functions of other columns.


def test_groups_of_ages_are_functions_of_age() -> None:
    frame = numbers()
    age = np.random.default_rng(1).integers(18, 90, ROWS)
    frame = frame.assign(age=age, over65=age > 65, age_group=pd.cut(age, [0, 30, 45, 60, 100]).astype(str))
    said = told(frame)
    assert (
        "columns 'over65' and 'age_group' are functions of 'age', each value of which goes with one value of them"
        in said
    )
    assert "column 'over65' is a function of 'age'" in told(frame.drop(columns="age_group"))
    assert "leave one of them out (drop=, --drop)" in said and "'x'" not in said
    assert "a function of" not in told(frame.drop(columns="age").drop(columns="over65"))


def test_codes_of_places_are_functions_in_any_order() -> None:
    rng = np.random.default_rng(2)
    town = rng.integers(0, 12, ROWS)
    frame = numbers().assign(town=town, country=np.array([3, 1, 2, 0, 1, 3, 2, 0, 0, 1, 2, 3])[town])
    assert "column 'country' is a function of 'town', each value of which" in told(frame)
    frame.loc[0, "country"] += 1  # no function any more
    assert "a function of" not in told(frame)


def test_monotone_twins_are_told_once() -> None:
    rng = np.random.default_rng(3)
    price = np.exp(rng.normal(size=ROWS))
    frame = numbers().assign(price=price, log_price=np.log(price))
    frame.loc[:20, "log_price"] = np.nan
    said = told(frame)
    assert said.count("rise or fall together without exception") == 1 and "'price' and 'log_price'" in said
    assert "'price' and 'log_price' rise" in told(frame.round({"log_price": 2}))
    near = frame.assign(log_price=frame["log_price"] + 0.01 * rng.normal(size=ROWS))
    assert "without exception" not in told(near)


@pytest.mark.parametrize("rounded", [False, True])
def test_products_and_ratios_are_told(rounded: bool) -> None:
    rng = np.random.default_rng(4)
    height = 1.7 + 0.1 * rng.normal(size=ROWS)
    weight = 22 * height**2 * np.exp(0.18 * rng.normal(size=ROWS))
    if rounded:
        height, weight = height.round(2), weight.round()
    frame = numbers().assign(age=rng.integers(18, 90, ROWS), height=height, weight=weight, bmi=weight / height**2)
    frame = frame.round(1 if rounded else 9).assign(height=height)
    said = told(frame)
    assert "columns 'height', 'weight', 'bmi' are a product or ratio" in said and "'age'" not in said
    assert "product" not in told(frame.assign(bmi=frame["bmi"] * np.exp(0.1 * rng.normal(size=ROWS))))


def test_a_cause_that_parts_the_cases_is_no_function() -> None:
    rng = np.random.default_rng(5)
    sex = rng.integers(0, 2, ROWS)
    assert "function" not in told(numbers().assign(sex=sex, testosterone=15 * sex + rng.normal(size=ROWS)))


# Tables of counts, melted, transposed, of surveys.


@pytest.mark.parametrize("name", ["Freq", "n", "count"])
def test_a_table_of_counts_is_told(name: str) -> None:
    levels = [["1st", "2nd", "3rd", "crew"], ["male", "female"], ["adult", "child"], ["yes", "no"]]
    cells = pd.MultiIndex.from_product(levels, names=["class", "sex", "age", "survived"]).to_frame(index=False)
    cells[name] = np.random.default_rng(0).poisson(60, len(cells))
    said = told(cells)
    assert f'df.loc[df.index.repeat(df["{name}"])].drop(columns="{name}")' in said
    cases = cells.loc[cells.index.repeat(cells[name])].drop(columns=name)
    assert "count cases" not in told(cases) and len(cases) == cells[name].sum()


def test_a_column_called_count_beside_measurements_counts_no_cases() -> None:
    rng = np.random.default_rng(0)
    frame = numbers().assign(count=rng.poisson(5, ROWS))
    assert "count cases" not in told(frame) and "count cases" not in told(frame[["x", "count"]])
    answers = pd.DataFrame(rng.integers(1, 6, (200, 12)), columns=[f"q{k}" for k in range(12)])
    assert "count cases" not in told(answers.assign(weight=rng.integers(50, 100, 200)))


def test_a_melted_table_is_told() -> None:
    rng = np.random.default_rng(0)
    wide = pd.DataFrame({"who": range(100), "pulse": rng.normal(70, 8, 100), "height": rng.normal(170, 9, 100)})
    wide["temperature"] = rng.normal(36.8, 0.4, 100)
    long = wide.melt(id_vars="who")
    assert "give each a column of its own" in told(long) and 'columns="variable", values="value"' in told(long)
    assert "several variables" not in told(wide)
    assert "several variables" not in told(long.assign(value=rng.permutation(long["value"])))


def test_a_transposed_table_is_told() -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(40, 12)), columns=[f"sample_{k}" for k in range(1, 13)])
    genes = [f"{a}{b}X" for a in "ABCDE" for b in "FGHIJKLM"]
    frame.insert(0, "gene", genes)
    assert 'transpose the table, in pandas df.set_index("gene").T' in told(frame)
    assert "transpose" not in told(frame.rename(columns=lambda name: name.replace("sample", "question")))


def test_ordinary_tables_raise_hardly_a_suspicion() -> None:
    """Simulated tables of every kind, without slips; those that part perfectly or hold rare states are few.

    Of 480 such tables 9% were told something, and 1% more since flags that exclude each other are told here too.
    """
    ordinary, kinds = replace(SHIPPED, corruptions={}), list(SHIPPED.without("textbook", "series", "mixed").weights)

    def alarms(kind: str, index: int) -> list[str]:
        task = make_task(ordinary.only(kind), seed=5, index=index)
        return suspicions(read_table(np.where(task.observed, task.values.astype(float), np.nan)))[:1]

    told = [alarm for k in range(5 * len(kinds)) for alarm in alarms(kinds[k % len(kinds)], k)]
    assert len(told) <= 0.1 * 5 * len(kinds), told
    assert not any(alarms("series", index) for index in range(8))
