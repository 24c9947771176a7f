"""Row counters of sorted tables: ranks take part, and the others say what they go with and how to use them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from as_numbers import Table, read_table
from foundcause.diagnostics import diagnose_table

ROWS = 500


def companies(name: str = "rank", seed: int = 0) -> pd.DataFrame:
    """The largest companies, by their mean rank in several columns, as Forbes sorts them."""
    rng = np.random.default_rng(seed)
    size = rng.normal(size=ROWS)
    columns = ("sales", "assets", "marketvalue")
    frame = pd.DataFrame({column: np.exp(size + 0.6 * rng.normal(size=ROWS)).round(3) for column in columns})
    frame["country"] = rng.choice(["US", "Japan", "Germany"], ROWS)
    frame = frame.iloc[np.argsort(-frame[list(columns)].rank().mean(axis=1), kind="stable")].reset_index(drop=True)
    return frame.assign(**{name: np.arange(1, ROWS + 1)})


def of(table: Table, name: str) -> str:
    (note,) = (note for note in table.warnings if note.startswith(f"column {name!r}"))
    return note


@pytest.mark.parametrize("name", ["rank", "Overall Rank", "ranking_2019", "worldRank"])
@pytest.mark.parametrize("shuffled", [False, True])
def test_a_rank_that_others_go_with_takes_part(name: str, shuffled: bool) -> None:
    frame = companies(name)
    frame = frame.sample(frac=1, random_state=0) if shuffled else frame
    table = read_table(frame)
    column = table.columns[-1]
    assert (column.kind, column.role, column.reason) == ("ordinal", "variable", "")
    np.testing.assert_array_equal(table.values[:, -1], frame[name])
    said = of(table, name)
    assert "is taken for a rank, not for a row counter" in said and "(drop=, --drop)" in said
    assert all(repr(other) in said for other in ("sales", "assets", "marketvalue")) and "'country'" not in said
    assert diagnose_table(table) == []


def test_a_rank_by_a_column_of_the_table_says_no_more_than_it() -> None:
    frame = companies().sort_values("sales", ascending=False, ignore_index=True).assign(rank=np.arange(1, ROWS + 1))
    table = read_table(frame)
    assert of(table, "rank") == (
        "column 'rank': a row counter of a table sorted by 'sales', which says the same and more; kept without edges"
    )
    assert (table.columns[-1].kind, table.columns[-1].role) == ("identifier", "excluded")


def test_a_rank_that_nothing_goes_with_is_a_row_counter() -> None:
    frame = companies().assign(rank=np.random.default_rng(1).permutation(ROWS))
    said = of(read_table(frame), "rank")
    assert "a row counter, though named like a rank, for no other column goes with it" in said
    assert "--identifier keep" in said and said.endswith("; kept without edges")
    assert read_table(frame, identifier="keep").active.all()


def test_a_counter_says_what_goes_with_it() -> None:
    said = of(read_table(companies("n")), "n")
    assert said.startswith("column 'n': a row counter, although ") and "'assets'" in said and "'country'" not in said
    assert 'rise or fall with it; if it is a rank or a time, identifier="keep" (--identifier keep) uses it' in said
    trend = pd.DataFrame({"t": range(60), "gdp": np.arange(60) + np.random.default_rng(0).normal(size=60) * 5})
    trend["x"] = np.random.default_rng(1).normal(size=60)
    assert "a row counter, although 'gdp' rises or falls with it" in of(read_table(trend), "t")
    for name in ("id", "rownames", "index"):
        assert of(read_table(companies(name)), name) == f"column {name!r}: a row counter; kept without edges"


def test_a_counter_of_an_unsorted_table_is_told_as_ever() -> None:
    for seed in range(20):
        rng = np.random.default_rng(seed)
        frame = pd.DataFrame(rng.normal(size=(40, 5)), columns=list("abcde")).assign(n=range(40))
        assert of(read_table(frame), "n") == "column 'n': a row counter; kept without edges"


def test_a_rank_alone_fills_no_row_and_its_copy_is_one() -> None:
    frame = companies().assign(rank_again=lambda frame: frame["rank"])
    frame.loc[495:, ["sales", "assets", "marketvalue", "country"]] = np.nan
    table = read_table(frame)
    assert len(table.values) == 495 and table.active.all()
    assert any(note.startswith("column 'rank_again': a copy of 'rank'") for note in table.warnings)
