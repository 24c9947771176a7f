"""Every remark about reading has a sentence, whatever the number of its columns."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import foundcause.data
from foundcause.data import read_table
from foundcause.findings import Finding
from foundcause.findings.reading import READING

DETAILS = {
    "encoding": "cp1252",
    "lines": 2,
    "words": ["a", "b"],
    "rows": 3,
    "total": 9,
    "random_state": 0,
    "sheet": "s",
    "others": ["t"],
    "cells": 4,
    "value": "-999",
    "why": "far",
    "word": "1,5",
    "empty": 2,
    "what": "numbers",
    "read_as": "1.5",
    "or_else": "15",
    "bare": 1,
    "without": "3",
    "unit": "kg",
    "different": 9,
    "kept": 8,
    "date": "2020-01-01",
    "day_first": True,
    "latest": 2030,
    "categories": 5,
    "share": 0.7,
    "units": ["kg"],
    "into": ["a_1", "a_2"],
    "values": 20,
    "distinct": 20,
    "of": "b",
}
SPECIAL = {"some-multipliers": {"read_as": 1500.0}, "mixed-day-order": {"cells": [3, 4]}}


@pytest.mark.parametrize("code", READING)
@pytest.mark.parametrize("columns", [1, 2, 9])
def test_every_code_has_a_sentence(code: str, columns: int) -> None:
    finding = Finding(code=code, columns=[f"c{k}" for k in range(columns)], details=DETAILS | SPECIAL.get(code, {}))
    assert (
        (finding.message and finding.message[0].isupper()) or finding.message[0] == "'" or finding.message[0].isdigit()
    )
    assert Finding.from_dict(finding.to_dict()) == finding


def test_every_code_that_reading_uses_is_in_the_catalog_and_no_other() -> None:
    source = "".join(path.read_text() for path in Path(foundcause.data.__path__[0]).glob("*.py"))
    assert [code for code in READING if f'"{code}"' not in source] == []
    used = set(re.findall(r'(?:note\(|Finding\(code=|_about_words\()\s*"([a-z0-9-]+)"', source))
    assert used <= set(READING)


def test_many_columns_of_one_kind_share_a_finding() -> None:
    rng = np.random.default_rng(0)
    words = pd.DataFrame({f"c{k}": rng.choice(list("abc"), 60) for k in range(6)})
    words["n"] = rng.normal(size=60)
    (finding,) = [finding for finding in read_table(words).findings if finding.code == "nominal-codes"]
    assert len(finding.columns) == 6
