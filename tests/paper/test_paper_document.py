"""docs/paper.md names places that exist, and has no empty cell."""

from __future__ import annotations

import importlib
import re
from functools import reduce
from pathlib import Path

import pytest

TEXT = (Path(__file__).parents[2] / "docs" / "paper.md").read_text(encoding="utf-8")
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in TEXT.splitlines()
    if line.startswith("|") and not line.startswith(("|---", "| paper |", "| term |"))
]
PLACES = sorted({place for row in ROWS for place in re.findall(r"`([a-z_]+\.[\w.]+)`", row[1])})


def test_the_table_has_no_gap() -> None:
    assert len(ROWS) > 80
    assert all(len(row) == 3 and all(row) for row in ROWS)
    assert all(re.search(r"`[a-z_]+\.[\w.]+`", row[1]) for row in ROWS)


@pytest.mark.parametrize("place", PLACES)
def test_places_exist(place: str) -> None:
    parts = place.split(".")
    for length in range(len(parts), 0, -1):
        try:
            module = importlib.import_module(".".join(["foundcause", *parts[:length]]))
        except ModuleNotFoundError:
            continue
        found = reduce(getattr, parts[length:], module)
        assert found is not None
        return
    pytest.fail(f"no module of {place}")
