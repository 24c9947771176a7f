"""Tables of counts, long and transposed tables, survey designs; and ordinary tables, which raise hardly a finding."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from checked import by_code, codes, findings, numbers

from foundcause.diagnostics.table_shape import design_columns
from foundcause.simulate.mixture import SHIPPED, make_task

ROWS = 400


@pytest.mark.parametrize("name", ["Freq", "n", "count"])
def test_a_table_of_counts(name: str) -> None:
    levels = [["1st", "2nd", "3rd", "crew"], ["male", "female"], ["adult", "child"], ["yes", "no"]]
    cells = pd.MultiIndex.from_product(levels, names=["class", "sex", "age", "survived"]).to_frame(index=False)
    cells[name] = np.random.default_rng(0).poisson(60, len(cells))
    found = by_code(cells)["counts-column"]
    assert found.columns == (name,) and found.severity == "critical"
    cases = cells.loc[cells.index.repeat(cells[name])].drop(columns=name)
    assert "counts-column" not in codes(cases) and len(cases) == cells[name].sum()


def test_a_column_called_count_next_to_measurements_counts_no_cases() -> None:
    rng = np.random.default_rng(0)
    frame = numbers().assign(count=rng.poisson(5, 600))
    answers = pd.DataFrame(rng.integers(1, 6, (200, 12)), columns=[f"q{k}" for k in range(12)])
    for table in (frame, frame[["x", "count"]], answers.assign(weight=rng.integers(50, 100, 200))):
        assert "counts-column" not in codes(table)


def test_a_long_table() -> None:
    rng = np.random.default_rng(0)
    wide = pd.DataFrame({"who": range(100), "pulse": rng.normal(70, 8, 100), "height": rng.normal(170, 9, 100)})
    wide["temperature"] = rng.normal(36.8, 0.4, 100)
    long = wide.melt(id_vars="who")
    assert by_code(long)["long-table"].columns == ("variable", "value")
    assert "long-table" not in codes(wide)
    assert "long-table" not in codes(long.assign(value=rng.permutation(long["value"])))


def test_a_transposed_table() -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(40, 12)), columns=[f"sample_{k}" for k in range(1, 13)])
    frame.insert(0, "gene", [f"{a}{b}X" for a in "ABCDE" for b in "FGHIJKLM"])
    assert by_code(frame)["transposed-table"].columns == ("gene", "sample_1", "sample_2")
    assert "transposed-table" not in codes(frame.rename(columns=lambda name: name.replace("sample", "question")))


def test_ordinary_tables_raise_hardly_a_finding() -> None:
    """Simulated tables of every kind without defects. Those that separate perfectly or hold rare states are few."""
    ordinary, kinds = replace(SHIPPED, corruptions={}), list(SHIPPED.without("textbook", "series", "mixed").weights)
    expected = {"few-rows", "missing-cells", "near-copy", "exact-relation", "constant-sum", "repeated-rows"}

    def alarms(kind: str, index: int) -> list[str]:
        task = make_task(ordinary.only(kind), seed=5, index=index)
        values = np.where(task.observed, task.values.astype(float), np.nan)
        return [finding.code for finding in findings(values) if finding.code not in expected][:1]

    found = [alarm for k in range(5 * len(kinds)) for alarm in alarms(kinds[k % len(kinds)], k)]
    assert len(found) <= 0.1 * 5 * len(kinds), found
    assert not any(alarms("series", index) for index in range(8))


# Survey designs


@pytest.mark.parametrize(
    "name",
    [
        *("weight_final", "finalWeight", "pweight", "wt", "samp_wt", "psu", "strata", "cluster", "fpc", "SDMVPSU"),
        *("pspwght", "dweight", "perwt", "PERWT", "asecwt", "wtssall", "WTMEC2YR", "wtfinl", "hhwt", "anweight"),
        *("survey weight", "household_weight", "_LLCPWT"),
    ],
)
def test_names_of_survey_weights_and_designs(name: str) -> None:
    assert design_columns([name, "age"]) == [name]


@pytest.mark.parametrize(
    "name",
    [
        *("weight", "birth_weight", "birth_wt", "body weight", "weight_kg", "growth", "clusters_found", "lightweight"),
        *("wt_before", "wt_after", "weight_change", "dweller", "expert"),
    ],
)
def test_names_of_other_things(name: str) -> None:
    assert design_columns([name, "age"]) == []


def test_numbered_weights_next_to_heights_are_those_of_bodies() -> None:
    assert design_columns(["wt", "height"]) == []
    assert design_columns(["wt71", "wt82", "wt82_71", "ht"]) == []
    assert design_columns(["pspwght", "height"]) == ["pspwght"]


def test_values_distinguish_weights_of_cases_from_those_of_bodies() -> None:
    rng = np.random.default_rng(0)
    kilograms = rng.normal(71, 15, ROWS)
    scaled = rng.gamma(2, size=ROWS)
    people = rng.uniform(75_607, 1_752_340, ROWS)

    def is_design(column: str, cells: np.ndarray, *others: str) -> bool:
        frame = numbers(1, "xy", ROWS).assign(**dict.fromkeys(others, rng.normal(size=ROWS)), **{column: cells})
        found = by_code(frame).get("survey-design")
        assert found is None or found.fix.values == (column,)
        return found is not None

    assert is_design("weight", people) and is_design("weight", scaled / scaled.mean()) and is_design("wt", 300 * scaled)
    for name in ("wt", "wt71", "weight", "weight2"):
        assert not is_design(name, kilograms), name
    assert not is_design("wt82_71", rng.normal(2, 8, ROWS))
    assert not is_design("weight", people, "height")
