"""The command when nobody reads what it prints, and what it claims of columns with required edges."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from foundcause import discover


@pytest.fixture
def file(tmp_path: Path) -> Path:
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(60, 4)), columns=list("abcd"))
    frame.to_csv(tmp_path / "t.csv", index=False)
    return tmp_path / "t.csv"


@pytest.mark.parametrize("options", [[], ["--json"]])
def test_a_closed_pipe_ends_quietly(file: Path, tiny_checkpoint: Path, options: list[str]) -> None:
    command = [sys.executable, "-m", "foundcause", "discover", file.name, "--n-passes", "1", "--checkpoint"]
    with subprocess.Popen(
        [*command, str(tiny_checkpoint), *options], cwd=file.parent, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None and process.stderr is not None
        process.stdout.close()
        said = process.stderr.read().decode()
        assert process.wait(timeout=120) == 141
    assert said == ""
    assert [each.name for each in file.parent.iterdir()] == [file.name]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
@pytest.mark.parametrize("options", [[], ["--json"]])
def test_no_room_for_the_output_is_told(file: Path, tiny_checkpoint: Path, options: list[str]) -> None:
    command = [sys.executable, "-m", "foundcause", "discover", file.name, "--n-passes", "1", "--checkpoint"]
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [*command, str(tiny_checkpoint), *options], cwd=file.parent, stdout=full, stderr=subprocess.PIPE, text=True
        )
    assert done.returncode == 2
    assert done.stderr.startswith("foundcause: cannot print the result (No space left") and done.stderr.count("\n") == 1


def test_a_required_edge_is_not_denied(tiny_checkpoint: Path) -> None:
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(60, 3)), columns=list("abc")).assign(site=1, empty="")
    known = {"required": [("a", "site")]}
    result = discover(frame, knowledge=known, checkpoint=tiny_checkpoint, n_passes=1)
    assert ("a", "site") in set(zip(result.edges["cause"], result.edges["effect"], strict=True))
