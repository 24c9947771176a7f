"""Columns of two values that exclude each other: the categories of one variable."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from as_numbers import read_table
from foundcause.data.one_hot import one_hot_groups
from foundcause.diagnostics import suspicions
from foundcause.diagnostics.health import table_warnings


def told(values: np.ndarray, names: list[str]) -> list[str]:
    """All that is said of the columns, but not what is said when the table is read."""
    table = read_table(pd.DataFrame(values, columns=names))
    return [*table_warnings(table.values, table.names, trained_variables=50), *suspicions(table)]


def dummies(rng: np.random.Generator, shares: list[float], rows: int = 600) -> np.ndarray:
    return np.eye(len(shares))[rng.choice(len(shares), size=rows, p=shares)]


@pytest.mark.parametrize("dropped", [0, 1, 2])
def test_columns_of_one_categorical_variable_are_told(dropped: int) -> None:
    """Also after one of them was dropped, as advised for regressions; what else is 0 or 1 is not accused."""
    rng = np.random.default_rng(0)
    regions = dummies(rng, [0.3, 0.3, 0.25, 0.13, 0.02])[:, dropped:]
    flags = (rng.random((600, 3)) < [0.5, 0.1, 0.02]).astype(float)
    values = np.column_stack([flags, regions, rng.normal(size=600)])
    names = ["a", "b", "c", *["north", "south", "east", "west", "abroad"][dropped:], "x"]
    (said,) = told(values, names)
    columns = ", ".join(map(repr, names[3:-1]))
    assert said.startswith(f"columns {columns} are never 1 in the same row") and "into one column" in said


def test_two_categorical_variables_are_one_warning_whatever_the_order() -> None:
    rng = np.random.default_rng(1)
    values = np.column_stack([dummies(rng, [0.4, 0.3, 0.3]), dummies(rng, [0.5, 0.3, 0.1, 0.1])])
    names = ["u1", "u2", "u3", "w1", "w2", "w3", "w4"]
    values[rng.random(600) < 0.08, :3] = np.nan
    for order in (np.arange(7), rng.permutation(7)):
        (said,) = told(values[:, order], [names[k] for k in order])
        inside = said[said.index("(") + 1 : said.index(")")]
        assert said.startswith("some columns are never 1 in the same row (") and "each group looks like" in said
        groups = {tuple(sorted(name for name in names if repr(name) in group)) for group in inside.split("; ")}
        assert groups == {("u1", "u2", "u3"), ("w1", "w2", "w3", "w4")}


def test_two_columns_may_be_what_is_left_of_three_categories() -> None:
    rng = np.random.default_rng(2)
    values = np.column_stack([dummies(rng, [0.4, 0.3, 0.3])[:, :2], rng.normal(size=600)])
    (said,) = told(values, ["meat", "vegan", "x"])
    assert "'meat', 'vegan' are never 1 in the same row; if they are categories of one variable" in said
    values[:, :2] = dummies(rng, [0.1, 0.2, 0.7])[:, :2]
    assert told(values, ["child", "retired", "x"]) == []


def test_both_categories_of_two_are_copies_and_told_as_such_alone() -> None:
    rng = np.random.default_rng(2)
    values = np.column_stack([dummies(rng, [0.5, 0.5]), rng.normal(size=(600, 2))])
    names = ["sex_f", "sex_m", "x", "y"]
    assert told(values, names) == []
    assert "'sex_m': a copy of 'sex_f'" in " ".join(read_table(pd.DataFrame(values, columns=names)).warnings)


def test_names_tell_which_categories_belong_together() -> None:
    """Two variables that agree in every row: each category also excludes the other categories of the other variable."""
    rng = np.random.default_rng(3)
    home = dummies(rng, [0.4, 0.35, 0.25])
    values = np.column_stack([home, home])[:, [0, 4, 2, 3, 1, 5]]
    names = ["home_a", "talk_b", "home_c", "talk_a", "home_b", "talk_c"]
    assert one_hot_groups(values, names) == [[0, 2, 4], [1, 3, 5]]


def test_independent_flags_are_not_taken_for_categories() -> None:
    names = [f"v{k}" for k in range(40)]
    for seed in range(20):
        rng = np.random.default_rng(seed)
        for share in (0.01, 0.05, 0.1, 0.4):
            assert one_hot_groups((rng.random((300, 40)) < share).astype(float), names) == []
    apart = np.full((600, 3), np.nan)  # never observed together, so nothing tells that they exclude each other
    for k in range(3):
        apart[200 * k : 200 * (k + 1), k] = rng.random(200) < 0.5
    assert one_hot_groups(apart, names[:3]) == []


def test_words_are_told_instead_of_their_codes() -> None:
    """1 is our own code for the second word of a column."""
    rng = np.random.default_rng(4)
    kind = rng.choice(3, size=600)
    frame = pd.DataFrame({"x": rng.normal(size=600), "y": rng.normal(size=600)})
    frame["fuel3"] = np.where(kind == 0, "electric", "cng")
    frame["fuel5"] = np.where(kind == 1, "electric", "gasoline")
    (said,) = suspicions(read_table(frame))
    assert "columns 'fuel3' ('electric'), 'fuel5' ('electric') never hold these values in the same row" in said
    assert "never 1" not in said
    frame["fuel5"] = (kind == 1).astype(int)
    (said,) = suspicions(read_table(frame))
    assert "columns 'fuel3' ('electric'), 'fuel5' (1) never hold these values" in said
