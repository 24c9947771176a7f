"""Weights of cases, which are no variables, and weights of bodies, which are."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from as_numbers import read_table
from foundcause.diagnostics import suspicions
from foundcause.diagnostics.design import design_columns

ROWS = 400


def told(column: str, cells: np.ndarray, *others: str) -> bool:
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({name: rng.normal(size=ROWS) for name in ("x", "y", *others)}).assign(**{column: cells})
    return any("like survey weights" in note and repr(column) in note for note in suspicions(read_table(frame)))


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


def test_numbered_weights_beside_heights_are_those_of_bodies() -> None:
    assert design_columns(["wt", "height"]) == []
    assert design_columns(["wt71", "wt82", "wt82_71", "ht"]) == []
    assert design_columns(["pspwght", "height"]) == ["pspwght"]


def test_values_tell_weights_of_cases_from_those_of_bodies() -> None:
    rng = np.random.default_rng(0)
    kilograms = rng.normal(71, 15, ROWS)
    scaled = rng.gamma(2, size=ROWS)
    people = rng.uniform(75_607, 1_752_340, ROWS)
    assert told("weight", people) and told("weight", scaled / scaled.mean()) and told("wt", 300 * scaled)
    for name in ("wt", "wt71", "weight", "weight2"):
        assert not told(name, kilograms), name
    assert not told("wt82_71", rng.normal(2, 8, ROWS))
    assert not told("weight", people, "height")
    said = suspicions(read_table(pd.DataFrame({"x": rng.normal(size=ROWS), "y": scaled, "WTMEC2YR": people})))
    assert "column 'WTMEC2YR' is named like survey weights" in said[0] and "leave it out (drop=, --drop)" in said[0]
