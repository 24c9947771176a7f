"""Columns that number rows, name units or groups, or tell the time: what their names and values say together."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from as_numbers import Table, read_table

IDENTIFIERS = ["rownames", "idno", "uid", "SEQN", "caseid", "hhid", "ptid", "mergeid", "schid", "studyid", "w1_hhid"]
ENDINGS = ["id_no", "serial_no", "docno", "pupilNR", "patnr", "Account Number", "nr", "idcode", "Patid"]
BY_HAND = ["#", "No.", "S.No", "Sr. No.", "ID #", "row", "level_0", "...1", "order_number"]
WORDS = ["paid", "acid", "uric_acid", "grid", "humid", "solid", "valid", "lipid", "covid", "recid", "kid", "bid", "SID"]
COUNTS = ["student_no", "visits", "pupil", "number", "no", "nitrate_no", "population", "sample_number", "child"]


def numbers(rows: int) -> pd.DataFrame:
    return pd.DataFrame(np.random.default_rng(0).normal(size=(rows, 2)), columns=["x", "y"])


def different(rows: int = 120) -> np.ndarray:
    return np.random.default_rng(1).permutation(90_000)[:rows] + 5000


def told(table: Table, *parts: str) -> bool:
    return any(all(part in warning for part in parts) for warning in table.warnings)


@pytest.mark.parametrize("name", [*IDENTIFIERS, *ENDINGS, *BY_HAND])
@pytest.mark.parametrize("text", [False, True])
def test_different_numbers_named_like_identifiers_take_no_part(name: str, text: bool) -> None:
    cells = [f"A-{cell}-{k % 7}" for k, cell in enumerate(different())] if text else different()
    table = read_table(numbers(120).assign(**{name: cells}))
    assert (table.columns[2].kind, table.columns[2].role) == ("identifier", "excluded")
    assert told(table, repr(name), "kept without edges")
    assert read_table(numbers(120).assign(**{name: cells}), identifier="keep").active.all()


@pytest.mark.parametrize("name", [*WORDS, *COUNTS])
def test_different_numbers_named_otherwise_take_part(name: str) -> None:
    table = read_table(numbers(120).assign(**{name: different()}))
    assert table.active.all() and not table.warnings


@pytest.mark.parametrize("name", [*WORDS, *COUNTS])
def test_repeated_numbers_named_otherwise_take_part(name: str) -> None:
    table = read_table(numbers(120).assign(**{name: np.repeat(different(40), 3)}))
    assert table.active.all() and not table.warnings


@pytest.mark.parametrize("name", ["idno", "seqn", "hhid", "childid", "schid"])
def test_identifiers_that_rows_share_take_no_part(name: str) -> None:
    table = read_table(numbers(120).assign(**{name: np.repeat(different(40), 3)}))
    assert table.columns[2].role == "excluded" and told(table, repr(name), "40 values, 3 rows each")


def test_identifiers_that_few_rows_share_are_told_in_plain_words() -> None:
    table = read_table(numbers(100).assign(id=np.r_[different(99), different(1)]))
    assert told(table, "'id'", "(99 different values in 100 rows)")


@pytest.mark.parametrize("name", ["species_id", "plot_id", "schoolid"])
def test_identifiers_of_many_rows_each_are_groups(name: str) -> None:
    rng = np.random.default_rng(2)
    codes = np.r_[np.arange(30), rng.choice(30, 1970, p=np.arange(1, 31) / 465)] * 7
    for cells in (codes, [f"S{code}" for code in codes]):
        table = read_table(numbers(2000).assign(**{name: cells}))
        assert (table.columns[2].kind, table.columns[2].role) == ("nominal", "variable")
        assert table.values[codes == 29 * 7, 2].max() == 0  # by how frequent they are
        assert told(table, repr(name), "30 values, 67 rows each", "groups", "drop=, --drop")
    kept = read_table(numbers(2000).assign(**{name: codes}), identifier="keep")
    np.testing.assert_array_equal(kept.values[:, 2], codes)


@pytest.mark.parametrize("name", ["id", "patient_id", "customerId", "SUBJID", "subject", "idno"])
def test_people_are_no_groups_however_many_rows_they_have(name: str) -> None:
    table = read_table(numbers(2000).assign(**{name: np.arange(2000) % 25 * 7}))
    assert table.columns[2].role == "excluded"


def test_groups_of_other_rows_are_read_alike() -> None:
    table = numbers(2000).assign(plot_id=np.arange(2000) ** 2 % 53 * 3)
    first = read_table(table)
    assert first.columns[2].kind == "nominal"
    gaps = table.assign(plot_id=table["plot_id"].astype(float).mask(table.index < 5))
    again = read_table(gaps, readings=first.readings)
    np.testing.assert_array_equal(again.values[5:, 2], first.values[5:, 2])
    # What was a number stays one, whatever it looks like in more rows.
    few = read_table(table.assign(word=["a", "b"] * 1000)[["x", "word"]])
    assert read_table(table, readings=few.readings).columns[2].kind == "count"


def panel(unit: str, other: str, *, words: bool = False) -> pd.DataFrame:
    units = np.repeat(np.arange(10, 410, 8), 8)
    frame = numbers(400).assign(
        **{unit: [f"u{k}" for k in units] if words else units, other: np.tile(np.arange(8), 50)}
    )
    return frame.sample(frac=1, random_state=0).reset_index(drop=True)


@pytest.mark.parametrize("unit", ["nr", "individual", "firm", "fcode", "household", "State", "country_code"])
@pytest.mark.parametrize("other", ["year", "wave", "Visit", "mode"])
def test_numbers_of_units_are_told(unit: str, other: str) -> None:
    table = read_table(panel(unit, other))
    assert table.active.all() and table.columns[2].kind == "count"
    (warning,) = table.warnings
    assert f"column {unit!r} looks like the number of a unit" in warning and "50 values, 8 rows each" in warning
    assert repr(other) in warning and "--drop" in warning and "--nominal" in warning and "independent" in warning


def test_names_of_units_are_told_where_time_goes_on() -> None:
    assert told(read_table(panel("country", "year", words=True)), "'country' looks like the name of a unit", "'year'")
    assert told(read_table(panel("firm", "year"), nominal=["firm"]), "'firm' looks like the name of a unit")
    assert not told(read_table(panel("country", "mode", words=True)), "unit")


def test_few_units_are_told_too() -> None:
    frame = numbers(180).assign(Subject=np.repeat(np.arange(300, 318), 10), Days=np.tile(np.arange(10), 18))
    assert told(read_table(frame), "'Subject' looks like the number of a unit")


def test_columns_that_make_no_key_are_no_units() -> None:
    rng = np.random.default_rng(0)
    repeated = panel("firm", "year").assign(year=rng.integers(0, 8, 400))
    assert not read_table(repeated).warnings
    assert not read_table(panel("rating", "year")).warnings
    measured = panel("firm", "year").assign(year=rng.permutation(100_000)[:400])  # tells all rows apart by itself
    assert not read_table(measured.rename(columns={"year": "sales"})).warnings
    nested = panel("district", "state")  # district 3 of each state is another
    assert not told(read_table(nested), "'district' looks like the number of a unit")


@pytest.mark.parametrize("name", ["year", "Year", "time", "start_date", "day_of_year"])
@pytest.mark.parametrize("order", [1, -1])
def test_time_that_rises_by_one_is_no_row_counter(name: str, order: int) -> None:
    years = np.arange(1959, 1996)[::order]
    table = read_table(numbers(37).assign(**{name: years, "t": np.arange(37)}))
    assert (table.columns[2].kind, table.columns[2].role) == ("date", "variable")
    np.testing.assert_array_equal(table.values[:, 2], years)
    assert told(table, repr(name), "the time of each row", "not for a row counter", "drop=, --drop")
    assert table.columns[3].role == "excluded" and told(table, "'t': a row counter")
    shuffled = read_table(numbers(37).assign(**{name: np.random.default_rng(0).permutation(years)}))
    assert shuffled.columns[2].kind == "date"


def test_the_time_alone_fills_no_row() -> None:
    frame = numbers(37).assign(year=np.arange(1959, 1996))
    frame.loc[35:, ["x", "y"]] = np.nan
    assert len(read_table(frame).values) == 35


def test_repeated_years_are_read_as_before() -> None:
    frame = numbers(60).assign(year=1990 + np.arange(60) % 6)
    table = read_table(frame)
    assert table.columns[2].kind == "count" and not table.warnings
