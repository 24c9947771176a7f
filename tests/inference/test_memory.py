"""What a run will need, and what a process may take by meminfo, cgroups and ulimit."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from foundcause.errors import ResourceError
from foundcause.inference import memory
from foundcause.model.config import SMALL, TINY

GB = 2**30


def system(tmp_path: Path, *, free: int = 8 * GB, cgroup: str = "0::/") -> tuple[Path, Path]:
    proc, groups = tmp_path / "proc", tmp_path / "cgroup"
    (proc / "self").mkdir(parents=True)
    groups.mkdir()
    (proc / "meminfo").write_text(f"MemTotal: 99999999 kB\nMemAvailable: {free // 1024} kB\n")
    (proc / "self" / "status").write_text(f"VmSize: {3 * GB // 1024} kB\nVmRSS: {GB // 2 // 1024} kB\n")
    (proc / "self" / "cgroup").write_text(cgroup + "\n")
    return proc, groups


def test_free_memory_and_what_the_process_has_count(tmp_path: Path) -> None:
    assert memory.available_bytes(*system(tmp_path)) == 8.5 * GB


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize("folder", [".", "a", "a/b"])
def test_cgroups_limit_it(tmp_path: Path, version: int, folder: str) -> None:
    line = "0::/a/b" if version == 2 else "5:cpu,memory:/a/b"
    proc, groups = system(tmp_path, cgroup=line)
    place = (groups if version == 2 else groups / "memory") / folder
    place.mkdir(parents=True, exist_ok=True)
    limit, used = ("max", "current") if version == 2 else ("limit_in_bytes", "usage_in_bytes")
    (place / f"memory.{limit}").write_text(f"{3 * GB}\n")
    (place / f"memory.{used}").write_text(f"{GB}\n")
    assert memory.available_bytes(proc, groups) == 2.5 * GB
    (place / f"memory.{limit}").write_text("max\n")
    assert memory.available_bytes(proc, groups) == 8.5 * GB


def test_address_space_limits_it() -> None:
    code = (
        "import resource; from foundcause.inference.memory import available_bytes;"
        "free = available_bytes(); resource.setrlimit(resource.RLIMIT_AS, (2 * 2**30, 2 * 2**30));"
        "print(free, available_bytes())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    free, limited = map(float, done.stdout.split())
    assert limited <= min(free, 2 * GB)


def test_too_much_is_refused_with_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "available_bytes", lambda: 2e9)
    memory.refuse_too_much(SMALL, rows=500, variables=100, features=299, batch=2)
    with pytest.raises(ResourceError, match=r"5,000 columns need about \d+\.\d GB, but only 2\.0 GB"):
        memory.refuse_too_much(SMALL, rows=500, variables=5000, features=299, batch=1)


def test_estimates_grow_with_the_square_of_the_columns() -> None:
    small, large = (memory.estimate(SMALL, rows=500, variables=D, features=299, n_passes=1) for D in (400, 800))
    assert small.seconds is not None and large.seconds is not None
    assert 3.5 < large.seconds / small.seconds <= 4.2 and 2.5 < large.gigabytes / small.gigabytes < 4.2
    assert memory.choose_batch(TINY, rows=100, variables=10, features=45, n_passes=10) == 10
