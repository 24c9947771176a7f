"""Which columns are variables, and what is said of the others."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from cells import codes, matrix_of

from foundcause.data import Column, read_table
from foundcause.errors import TableError

RNG = np.random.default_rng(0)
ROWS = 60


def frame(**columns: object) -> pd.DataFrame:
    rng = np.random.default_rng(1)
    return pd.DataFrame({"a": rng.normal(size=ROWS), "b": rng.normal(size=ROWS), **columns})


def column(name: str, cells: object, **options: str) -> Column:
    table = read_table(frame(**{name: cells}), **options)
    return next(column for column in table.columns if column.name == name)


@pytest.mark.parametrize(
    ("name", "cells", "kind"),
    [
        ("x", np.ones(ROWS), "constant"),
        ("x", ["same"] * ROWS, "constant"),
        ("x", [np.nan] * ROWS, "empty"),
        ("x", [1.0, 2.0] + [np.nan] * (ROWS - 2), "empty"),
        ("x", [f"person {k}" for k in range(ROWS)], "identifier"),
        ("x", np.arange(ROWS), "identifier"),
        ("x", np.arange(ROWS) * 5 + 100, "identifier"),
        ("id", RNG.permutation(10_000)[:ROWS], "identifier"),
        ("Unnamed: 0", RNG.permutation(ROWS), "identifier"),
        ("patient_id", np.repeat(RNG.permutation(1000)[: ROWS // 2], 2), "identifier"),
        ("x", [10**17 + int(k) * 12345 for k in RNG.permutation(ROWS)], "identifier"),
    ],
)
def test_columns_that_are_no_variables(name: str, cells: object, kind: str) -> None:
    found = column(name, cells)
    assert (found.kind, found.role) == (kind, "excluded") and found.reason


@pytest.mark.parametrize(
    ("name", "cells"),
    [
        ("bmi_index", RNG.normal(25, 3, ROWS).round(1)),
        ("paid", RNG.integers(0, 9, ROWS)),
        ("site_id", RNG.integers(0, 4, ROWS)),
        ("age", RNG.integers(20, 80, ROWS)),
        ("grid", RNG.normal(size=ROWS)),
    ],
)
def test_columns_that_only_look_so(name: str, cells: object) -> None:
    assert column(name, cells).role == "variable"


def test_a_row_counter_of_a_short_table_is_excluded_by_its_name() -> None:
    short = pd.DataFrame({"id": np.arange(1, 11), "x": RNG.normal(size=10), "n": np.arange(1, 11)})
    assert [column.role for column in read_table(short).columns] == ["excluded", "variable", "variable"]
    unnamed = pd.DataFrame({"Unnamed: 0": np.arange(8), "x": RNG.normal(size=8)})
    assert "row-counter" in codes(read_table(unnamed))


def test_times_and_ranks_count_rows_and_are_variables() -> None:
    year = column("year", np.arange(1960, 1960 + ROWS))
    assert (year.kind, year.role) == ("date", "variable")
    rank = column("rank", np.arange(1, ROWS + 1))
    assert (rank.kind, rank.role) == ("ordinal", "variable")
    assert "time-of-rows" in codes(read_table(frame(year=np.arange(1960, 1960 + ROWS))))
    assert "rank-of-rows" in codes(read_table(frame(rank=np.arange(1, ROWS + 1))))


def test_identifiers_with_many_rows_each_are_groups() -> None:
    rows = 20 * 30
    species = np.repeat(np.random.default_rng(3).permutation(500)[:20], 30)
    table = read_table(pd.DataFrame({"x": RNG.normal(size=rows), "species_id": species}))
    assert table.columns[1].kind == "nominal" and "groups" in codes(table)
    assert read_table(pd.DataFrame({"x": RNG.normal(size=rows), "patient_id": species})).columns[1].role == "excluded"


def test_a_filtered_counter_is_seen_in_a_sample() -> None:
    rows = np.flatnonzero(np.random.default_rng(2).random(3000) < 0.9)
    table = read_table(pd.DataFrame({"n": rows, "x": RNG.normal(size=len(rows))}), max_rows=500)
    assert table.columns[0].kind == "identifier"


def test_copies_are_found_whatever_their_scale() -> None:
    celsius = RNG.normal(20, 5, ROWS)
    table = read_table(frame(celsius=celsius, fahrenheit=celsius * 1.8 + 32, minus=-celsius), duplicate="exclude")
    found = {finding.columns[0]: finding.details["of"] for finding in table.findings if finding.code == "copied-column"}
    assert found == {"fahrenheit": "celsius", "minus": "celsius"}
    assert [column.name for column in table.columns if column.role == "excluded"] == ["fahrenheit", "minus"]
    assert matrix_of(frame(celsius=celsius, copy=celsius)).active.all()  # kept by default


def test_policies() -> None:
    cells = frame(site="A", gone=np.nan, patient_id=np.arange(ROWS), copy=frame()["a"])
    for case, name in (("constant", "site"), ("empty", "gone"), ("identifier", "patient_id"), ("duplicate", "copy")):
        with pytest.raises(TableError, match=name):
            read_table(cells, **{case: "error"})
        table = read_table(cells, **{case: "drop"})
        assert table.columns[-1].name == name and table.columns[-1].role == "dropped" and name not in table.frame
    assert matrix_of(cells, identifier="keep").roles[4] == "variable"


def test_dropping_all_columns_leaves_an_empty_matrix() -> None:
    matrix = matrix_of(pd.DataFrame({"x": [1] * 9, "y": [2] * 9}), constant="drop")
    assert matrix.values.shape == (9, 0) and matrix.names == ()


def test_names_of_codes_are_told_once_with_a_fix() -> None:
    codes_of = {"region": RNG.integers(1, 6, ROWS), "occ": RNG.integers(1, 9, ROWS), "rooms": RNG.integers(1, 6, ROWS)}
    (finding,) = [f for f in read_table(frame(**codes_of)).findings if f.code == "perhaps-codes"]
    assert finding.columns == ("region", "occ") and finding.fix is not None
    assert finding.fix.values == ("region", "occ") and finding.fix.option == "nominal"


def test_rows_without_a_variable_are_left_out() -> None:
    cells = frame(note=["x"] * ROWS)
    cells.loc[[3, 9], ["a", "b"]] = np.nan
    table = read_table(cells)
    (finding,) = [f for f in table.findings if f.code == "empty-rows"]
    assert finding.details["rows"] == 2 and table.total_rows == len(table.frame) == ROWS - 2


def test_the_order_of_rows_and_columns_changes_no_role() -> None:
    cells = frame(city=RNG.choice(["x", "y", "z"], ROWS), site=1, copy=frame()["b"])
    order = np.random.default_rng(4).permutation(ROWS)
    first, second = matrix_of(cells), matrix_of(cells.iloc[order, ::-1])
    roles = dict(zip(first.names, first.roles, strict=True))
    assert dict(zip(second.names, second.roles, strict=True)) == roles
    np.testing.assert_array_equal(second.values[:, ::-1], first.values[order])
