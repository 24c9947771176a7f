"""Columns that name the unit of observation: rows that share a value are no independent cases."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from as_numbers import read_table

NAMES = ["patient", "subject", "SUBJID", "USUBJID", "MRN", "pid", "participant", "person", "case", "hospital_number"]


def repeated(name: str, case: np.ndarray) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {name: np.repeat(case, 4), "x": rng.normal(size=4 * len(case)), "y": rng.normal(size=4 * len(case))}
    )


@pytest.mark.parametrize("name", [*NAMES, "Patient No.", "patient_number", "Subject"])
@pytest.mark.parametrize("form", ["number", "long number", "word"])
def test_repeated_cases_take_no_part(name: str, form: str) -> None:
    case = np.random.default_rng(1).permutation(np.arange(100, 150) * (70_001 if form == "long number" else 3))
    frame = repeated(name, np.array([f"P{k}" for k in case]) if form == "word" else case)
    table = read_table(frame.sample(frac=1, random_state=1))
    assert table.columns[0].role == "excluded"
    assert any(repr(name) in note and "50 values, 4 rows each" in note for note in table.warnings)
    assert read_table(frame, identifier="keep").active.all()


@pytest.mark.parametrize("name", ["cases", "persons", "rapid", "case_rate", "patients", "subjective", "amrn"])
def test_numbers_of_people_are_measurements(name: str) -> None:
    assert read_table(repeated(name, np.random.default_rng(1).permutation(np.arange(100, 150) * 3))).active.all()


def test_cases_and_controls_take_part() -> None:
    assert read_table(repeated("case", np.arange(50) % 2)).active.all()
