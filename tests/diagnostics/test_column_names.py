"""Knowledge that the names of columns suggest: what nothing causes, and what comes before what."""

from __future__ import annotations

import numpy as np
import pytest

from foundcause.data.table import Column
from foundcause.diagnostics.column_names import name_findings, words_of
from foundcause.findings import Finding

CHAIN = np.array([[False, True, False], [False, False, True], [False, False, False]])


def found(*names: str, levels: int = 2) -> Finding | None:
    """The finding about a -> b -> c."""
    columns = [Column(name=name, kind="continuous", distinct=levels) for name in names]
    findings = name_findings(CHAIN, columns)
    assert len(findings) <= 1
    return findings[0] if findings else None


def about(name: str, levels: int = 2) -> str | None:
    """The code of the finding about a column that another one causes."""
    finding = found("smoking", name, "wage", levels=levels)
    if finding is None:
        return None
    assert finding.columns == finding.fix.values == (name,)
    assert (finding.fix.section, finding.fix.option) == ("knowledge", "roots")
    return finding.code


@pytest.mark.parametrize(
    "name",
    [
        *("Sex", "age", "age_years", "patient age", "Alter", "preOp_gender", "patient_age", "sex_at_birth", "ageYears"),
        *("birth_year", "date of birth", "mother.age", "PatientSex", "AGE", "age_at_baseline", "âge", "race2"),
    ],
)
def test_causes_of_age_sex_and_origin_are_doubted(name: str) -> None:
    assert about(name) == "edge-into-origin"


@pytest.mark.parametrize(
    "name",
    [
        *("house age", "stage", "mileage", "average", "image", "message", "sextant", "age_at_first_cigarette"),
        *("gestational_age", "sex_partners", "race_time", "birth_weight", "racing", "agent"),
    ],
)
def test_causes_of_other_things_are_not(name: str) -> None:
    assert about(name) is None


@pytest.mark.parametrize("name", ["year", "Year", "date", "survey_date", "Month", "sampling.date", "week of year"])
def test_causes_of_dates_are_doubted(name: str) -> None:
    assert about(name) == "edge-into-date"


@pytest.mark.parametrize(
    "name", ["death_date", "discharge date", "days_in_hospital", "time", "yearly_income", "update"]
)
def test_causes_of_events_and_durations_are_not(name: str) -> None:
    assert about(name) is None


def test_causes_of_a_randomized_arm_are_doubted() -> None:
    for name in ("treat", "treatment", "trt", "randomized", "Treatment Arm", "trt.group", "arm", "group", "rx"):
        assert about(name, levels=3) == "edge-into-arm", name
        assert about(name, levels=40) is None, name  # an arm may be a length, and a group anything
    assert about("treatment_cost") is about("group_size") is about("farm") is None


def test_edges_from_later_to_earlier() -> None:
    finding = found("wk3", "wk2", "wk1")
    assert finding.code == "later-to-earlier" and finding.details["edges"] == [["wk3", "wk2"], ["wk2", "wk1"]]
    assert (finding.fix.option, finding.fix.values) == ("tiers", (["wk1"], ["wk2"], ["wk3"]))
    assert found("sbp_visit2", "sbp_visit1", "x").details["edges"] == [["sbp_visit2", "sbp_visit1"]]
    assert found("re78", "re74", "x").fix.values == (["re74"], ["re78"])
    for names in (
        ("wk1", "wk2", "wk3"),
        ("A3", "A2", "A1"),  # items of a questionnaire
        ("price3", "price2", "price1"),
        ("sbp_visit2", "dbp_visit1", "x"),
        ("p90", "p50", "x"),
        ("T4", "T3", "x"),
    ):
        assert found(*names) is None, names


def test_words_of_a_name() -> None:
    assert words_of("preOp_gender2") == ["pre", "op", "gender", "2"]
