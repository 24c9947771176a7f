"""Findings as data: order, plain values, JSON."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from foundcause.findings import CATALOG, Finding, Fix, by_severity, remark, shown


def test_serious_findings_come_first_and_repetitions_once() -> None:
    findings = [remark("c", "note"), remark("a", "caution"), remark("b", "critical"), remark("a", "caution")]
    assert [finding.details["text"] for finding in by_severity(findings)] == ["b", "a", "c"]


def test_three_are_shown_in_full_unless_all_are_asked_for() -> None:
    findings = [remark(str(k), "note") for k in range(4)] + [remark("first", "critical")]
    full, folded = shown(findings)
    assert [len(full), len(folded), full[0].severity] == [3, 2, "critical"]
    assert [len(part) for part in shown(findings, limit=None)] == [5, 0]


def test_details_are_plain_values_that_json_gives_back() -> None:
    finding = Finding(
        code="remark",
        columns=["a"],
        details={"text": "x", "pairs": (np.int64(1), np.float64(0.5)), "within": {"deep": (1,)}},
        fix=Fix(section="read", option="drop", values=("a",)),
    )
    assert finding.details["pairs"] == [1, 0.5]
    assert Finding.from_dict(json.loads(json.dumps(finding.to_dict()))) == finding


def test_an_unknown_code_is_refused_when_made_and_a_remark_when_read() -> None:
    with pytest.raises(KeyError):
        Finding(code="no-such-code")
    content = {**remark("x").to_dict(), "code": "from-the-future", "message": "As it was written."}
    assert Finding.from_dict(content).message == "As it was written."


def test_codes_are_greppable_words() -> None:
    assert all(code.replace("-", "").isalnum() and code.islower() for code in CATALOG)


def test_every_code_is_documented() -> None:
    page = (Path(__file__).parents[2] / "docs" / "findings.md").read_text(encoding="utf-8")
    assert [code for code in CATALOG if f"`{code}`" not in page] == []
