"""The scripts that guard answers and simulated tasks work, and a small part of their references holds."""

from __future__ import annotations

import copy
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "research" / "reference"))

import adapter
import check_answers
import check_tasks
import tables

FAST = (
    "csv_currencies",
    "csv_empty",
    "csv_of_excel_in_german",
    "csv_two_headers_of_a_survey",
    "gaps_30_percent",
    "knowledge_roots_and_sinks",
    "r_airquality",
    "series_of_falling_dates",
)
_ELSEWHERE = 1e-3
"""Another processor or library sums in another order; a changed reading or feature moves answers further than this."""


def tolerance() -> float:
    return check_answers.TOLERANCE if check_answers.load()["environment"] == adapter.environment() else _ELSEWHERE


@pytest.fixture(scope="module")
def airquality() -> dict:
    return check_answers.load()["answers"]["r_airquality"]


@pytest.mark.parametrize("name", FAST)
def test_answers_are_those_of_the_reference(name: str) -> None:
    (example,) = (example for example in tables.examples() if example.name == name)
    old, new = check_answers.load()["answers"][name], check_answers.answer(example)
    assert check_answers.differences(old, new, tolerance=tolerance()) == []


def test_every_table_has_an_answer() -> None:
    assert {example.name for example in tables.examples()} == set(check_answers.load()["answers"])


def test_changed_probabilities_are_shown_by_name(airquality: dict) -> None:
    new = copy.deepcopy(airquality)
    cause, effect = (new["names"].index(name) for name in ("Wind", "Ozone"))
    new["edges"][cause][effect] += 5e-6
    (line,) = check_answers.differences(airquality, new)
    assert line.startswith("edges: 1 ") and "Wind -> Ozone" in line
    assert check_answers.differences(airquality, new, tolerance=1e-5) == []


def test_nan_and_crashes_are_changes(airquality: dict) -> None:
    new = copy.deepcopy(airquality)
    new["edges"][0][1] = float("nan")
    assert len(check_answers.differences(airquality, new)) == 1
    crash = {"crashed": "TypeError: no"}
    assert check_answers.differences(airquality, crash) and check_answers.differences(crash, crash)


def test_columns_read_otherwise_are_shown(airquality: dict) -> None:
    new = copy.deepcopy(airquality)
    new["columns"]["Temp"] |= {"kind": "nominal", "digest": "0"}
    (line,) = check_answers.differences(airquality, new)
    assert "'Temp'" in line and "count -> nominal" in line and "values" in line


def test_columns_in_another_order_have_their_probabilities_compared_by_name(airquality: dict) -> None:
    new = copy.deepcopy(airquality)
    order = list(range(len(new["names"])))[::-1]
    new["names"] = new["names"][::-1]
    for matrix in ("edges", "existence", "confounding", "adjacency"):
        whole = check_answers._unpacked(airquality, matrix)[order][:, order]
        new[matrix] = check_answers._packed(whole, matrix)
    (line,) = check_answers.differences(airquality, new)
    assert "order" in line


def test_a_table_that_crashes_is_no_refusal(tmp_path: Path) -> None:
    def broken(folder: Path) -> None:
        raise TypeError("not an error of ours")

    assert "crashed" in check_answers.answer(tables.Example(name="broken", make=broken))


@pytest.mark.parametrize("mixture", check_tasks.MIXTURES)
def test_tasks_are_those_of_the_reference(mixture: str) -> None:
    section, chosen = check_tasks.load()[mixture], check_tasks.keys(mixture)
    assert {str(key) for key in chosen} == set(section["tasks"])
    found = check_tasks.digests(mixture, chosen[::13][:10])
    changes = check_tasks.differences({name: section["tasks"][name] for name in found}, found)
    if section["environment"] == adapter.environment():
        assert changes == {}
    else:  # last bits of values are those of the processor; graphs are not
        assert [name for name, parts in changes.items() if "graph" in parts or "confounded" in parts] == []


def test_two_hundred_tasks_and_every_component_twice() -> None:
    every = {mixture: check_tasks.keys(mixture) for mixture in ("SHIPPED", "PAPER")}
    assert sum(map(len, every.values())) == 206
    for mixture, chosen in every.items():
        names = [key.component for key in chosen]
        assert all(names.count(component) >= 2 for component in adapter.components(mixture))


def test_a_changed_byte_is_shown() -> None:
    key = check_tasks.keys("PAPER")[0]
    old = check_tasks.digests("PAPER", [key])
    new = check_tasks.digests("PAPER", [key])
    assert check_tasks.differences(old, new) == {}
    new[str(key)][check_tasks.PARTS.index("observed")] = "other"
    assert check_tasks.differences(old, new) == {str(key): "observed"}


@pytest.mark.slow
def test_all_answers_and_tasks() -> None:
    assert check_answers.main(["--tolerance", str(tolerance())]) == 0
    section = check_tasks.load()["SHIPPED"]
    if section["environment"] == adapter.environment():
        assert check_tasks.main([]) == 0
