"""torchrun restarts a run whose process was killed, and it ends with the weights of an undisturbed one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch
from standins import options

from foundcause.training.run_folder import RunFolder

pytestmark = pytest.mark.slow
HERE = Path(__file__).parent


def _run(out: Path, **environment: str) -> dict[str, Any]:
    settings = options(steps=60, workers=1, checkpoint_minutes=0.003, optimizer="schedule-free", replay=0.2)
    command = [
        sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2", "--max-restarts", "2",
        str(HERE / "run_training.py"), str(out), json.dumps(settings), "--auto",
    ]  # fmt: skip
    done = subprocess.run(
        command, env=os.environ | {"OMP_NUM_THREADS": "1"} | environment, capture_output=True, text=True, timeout=900
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return RunFolder(out).read_state()


def test_a_killed_rank_changes_nothing(tmp_path: Path) -> None:
    marker = tmp_path / "killed"
    disturbed = _run(tmp_path / "b", KILL_ONCE=str(marker))
    assert marker.exists()
    starts = [entry for entry in RunFolder(tmp_path / "b").read_log() if entry["kind"] == "start"]
    assert starts[-1]["resumed"] and starts[-1]["ranks"] == 2
    calm = _run(tmp_path / "a")
    assert calm["step"] == disturbed["step"] == 60
    assert calm["streams"] == disturbed["streams"]
    for name, weights in calm["learner"]["network"].items():
        assert torch.equal(weights, disturbed["learner"]["network"][name]), name
