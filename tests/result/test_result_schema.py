"""The documented schema names every key of the JSON, and no other."""

from __future__ import annotations

import re
from pathlib import Path

from foundcause.result import Result

PAGE = Path(__file__).parents[2] / "docs" / "result_schema.md"


def test_page_and_json_agree(result: Result) -> None:
    cells = re.findall(r"^\| (`[^|]+) \|", PAGE.read_text(encoding="utf-8"), re.M)
    documented = {key for cell in cells for key in re.findall(r"`(\w+)`", cell)}
    assert documented == set(result.to_dict())
