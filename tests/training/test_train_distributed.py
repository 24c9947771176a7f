"""Two gloo processes learn exactly what one process learns from the same global batches."""

from __future__ import annotations

import contextlib
import os
import random
import socket
import subprocess
import sys
from pathlib import Path

import pytest
import run_ranks
import torch

from foundcause.errors import ConfigError
from foundcause.training.batches import collate
from foundcause.training.distributed import Team, team

HERE = Path(__file__).parent


def _free_port() -> int:
    """A port below those that systems give to outgoing connections, which could take it before the ranks do."""
    for port in random.SystemRandom().sample(range(20_000, 30_000), 50):
        with socket.socket() as s, contextlib.suppress(OSError):
            s.bind(("127.0.0.1", port))
            return port
    raise OSError("no free port")


@pytest.mark.parametrize("kind", ["shipped", "paper"])
def test_two_ranks_equal_one_process(tmp_path: Path, kind: str) -> None:
    out = tmp_path / "leader.pt"
    common = {**os.environ, "WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(_free_port()),
              "OMP_NUM_THREADS": "1"}  # fmt: skip
    ranks = [
        subprocess.Popen(
            [sys.executable, str(HERE / "run_ranks.py"), str(out), kind],
            env=common | {"RANK": str(r), "LOCAL_RANK": str(r)}, stderr=subprocess.PIPE, text=True,
        )
        for r in range(2)
    ]  # fmt: skip
    errors = [process.communicate(timeout=180)[1] for process in ranks]
    assert [process.returncode for process in ranks] == [0, 0], errors
    together = torch.load(out, weights_only=True)

    alone = run_ranks.learner(kind, Team(rank=0, world=1, device=torch.device("cpu")))
    shards = [run_ranks.items_of(r, 2, kind) for r in range(2)]
    assert [len(s) for s in shards[0]] != [len(s) for s in shards[1]], "the ranks should have shares of other sizes"
    for step in range(run_ranks.STEPS):
        items = shards[0][step] + shards[1][step]
        report = alone.step([collate(items, seed=0, step=step, permute=True)], number=step, rate=0.01)
        assert report.loss == pytest.approx(together["losses"][step], rel=1e-4)
    assert alone.averages == pytest.approx(together["adaptive"], rel=1e-5)
    for name, weights in alone.network.state_dict().items():
        assert torch.allclose(weights, together["weights"][name], atol=2e-5), name


def test_one_process_is_a_team_of_one() -> None:
    with team("cpu") as members:
        assert members.leads and members.gather("a") == ["a"] and members.agree(2.5) == 2.5
    if not torch.cuda.is_available():
        with pytest.raises(ConfigError, match="cuda"), team("cuda"):
            pass
    with pytest.raises(ConfigError, match="abacus"), team("abacus"):
        pass
