"""What a run shows: plain lines in a file, a bar with the time remaining on a terminal."""

from __future__ import annotations

import io
import re

from rich.console import Console

from foundcause.bench.records import Record
from foundcause.bench.runner import RunProgress


def record(status: str = "ok", **more: object) -> Record:
    base: Record = {"method": "grasp", "dataset": "asia", "seed": 1, "status": status, "seconds": 1.234, "error": None}
    return {**base, **more}


def shown(console: Console) -> str:
    with RunProgress(console, "clean", 3) as progress:
        progress.finished(record())
        progress.finished(record(variant="n=100"))
        progress.finished(record("failed", error="singular [matrix]\n" + "x" * 200))
    assert progress.summary() == "1 failed, 2 ok"
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_elsewhere_every_cell_is_one_plain_line() -> None:
    assert shown(Console(file=io.StringIO(), width=60, highlight=False)).splitlines() == [
        "1/3 grasp asia 1 ok 1.23 s",
        "2/3 grasp asia/n=100 1 ok 1.23 s",
        f"3/3 grasp asia 1 failed 1.23 s: singular [matrix] {'x' * 200}",
    ]


def test_a_terminal_has_a_bar_and_lost_cells() -> None:
    text = shown(Console(file=io.StringIO(), width=100, force_terminal=True, color_system=None))
    assert "1/3 grasp" not in text and "failed 1.23 s: singular [matrix]" in text
    assert re.search(r"3/3 0:00:\d\d 0:00:00", text)  # elapsed and remaining


def test_nothing_to_run() -> None:
    assert RunProgress(Console(file=io.StringIO()), "clean", 0).summary() == "nothing to run"
