"""Hints at knowledge that the names of columns suggest: what nothing causes, and what comes before what."""

from __future__ import annotations

import numpy as np
import pytest

from foundcause.diagnostics.health import graph_warnings

EDGES = np.array([[0.0, 0.9, 0.0], [0.0, 0.0, 0.9], [0.0, 0.0, 0.0]])


def told(name: str, *, levels: int | None = None) -> str:
    """What is said of a column that is caused by another."""
    counts = None if levels is None else [100, levels, 100]
    return " | ".join(graph_warnings(EDGES, EDGES > 0.5, ["smoking", name, "wage"], threshold=0.5, levels=counts))


@pytest.mark.parametrize(
    "name",
    [
        *("Sex", "age", "age_years", "patient age", "Alter", "preOp_gender", "patient_age", "sex_at_birth", "ageYears"),
        *("birth_year", "date of birth", "mother.age", "PatientSex", "AGE", "age_at_baseline", "âge", "race2"),
    ],
)
def test_causes_of_age_sex_and_origin_are_doubted(name: str) -> None:
    said = told(name)
    assert f"the graph has causes of {name!r}, but hardly anything in a table causes people's age, sex" in said
    assert "(roots, --root)" in said and "wage" not in said and "born with" not in said


@pytest.mark.parametrize(
    "name",
    [
        *("house age", "stage", "mileage", "average", "image", "message", "sextant", "age_at_first_cigarette"),
        *("gestational_age", "sex_partners", "race_time", "birth_weight", "racing", "agent"),
    ],
)
def test_causes_of_other_things_are_not(name: str) -> None:
    assert "--root" not in told(name)


def test_what_is_required_is_not_doubted() -> None:
    for name in ("Sex", "treatment", "wk1"):
        names = ["wk2", name, "wage"]
        assert graph_warnings(EDGES, EDGES > 0.5, names, threshold=0.5, certain=EDGES > 0.5, levels=[9, 2, 9]) == []


def test_causes_of_a_randomised_arm_are_doubted() -> None:
    for name in ("treat", "treatment", "trt", "randomized", "Treatment Arm", "trt.group"):
        said = told(name)
        assert f"the graph has causes of {name!r}; if it was assigned at random, nothing causes it" in said, name
        assert "(roots, --root)" in said
    for name in ("arm", "group", "rx"):
        assert "assigned at random" in told(name, levels=3), name
        assert told(name) == told(name, levels=40) == "", name  # an arm may be a length, and a group anything
    assert told("treatment", levels=40) == told("treatment_cost") == told("group_size") == told("farm") == ""


def test_edges_that_run_back_in_time_are_told() -> None:
    def said(*names: str) -> str:
        return " ".join(graph_warnings(EDGES, EDGES > 0.5, names, threshold=0.5))

    assert "edges run from later to earlier" in said("wk3", "wk2", "wk1")
    assert "wk3 -> wk2, wk2 -> wk1; if they do, give the columns as tiers (tiers, --tier)" in said("wk3", "wk2", "wk1")
    assert "an edge runs" in said("sbp_visit2", "sbp_visit1", "x") and "re78 -> re74" in said("re78", "re74", "x")
    for names in (
        ("wk1", "wk2", "wk3"),
        ("A3", "A2", "A1"),  # items of a questionnaire
        ("price3", "price2", "price1"),
        ("sbp_visit2", "dbp_visit1", "x"),
        ("p90", "p50", "x"),
        ("T4", "T3", "x"),
    ):
        assert "later" not in said(*names), names
