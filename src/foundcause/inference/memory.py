"""How much memory a run will take, known before it starts. Shapes: N rows, D variables, B passes in a batch."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from foundcause.errors import ResourceError

if TYPE_CHECKING:
    from foundcause.model.interface import NetworkConfig

_FLOAT = 4
_BASE_BYTES = 450e6  # interpreter and libraries
_BATCH_BYTES = 400e6  # what one batch of passes may take, so that small tables are batched and large ones are not
_KERNEL_ROWS = 300


def pass_bytes(config: NetworkConfig, *, rows: int, variables: int, features: int) -> tuple[float, float]:
    """Bytes at the peak of the statistics of one pass, and of the network per pass in a batch."""
    N, D = float(rows), float(variables)
    # Statistics: features and work arrays per pair, one-hot bins and moments per cell, kernels of a row subset.
    statistics = _FLOAT * (3 * D * D * features + 60 * N * D + 4 * D * _KERNEL_ROWS**2)
    return statistics, config.forward_bytes(rows=rows, variables=variables, features=features)


def choose_batch(config: NetworkConfig, *, rows: int, variables: int, features: int, runs: int) -> int:
    """How many passes to run at once: all that fit a fixed budget, the same on every machine."""
    _, network = pass_bytes(config, rows=rows, variables=variables, features=features)
    return int(max(1, min(runs, _BATCH_BYTES // max(network, 1.0))))


def needed_bytes(config: NetworkConfig, *, rows: int, variables: int, features: int, batch: int) -> float:
    """Peak memory of the process during the passes."""
    statistics, network = pass_bytes(config, rows=rows, variables=variables, features=features)
    held = _FLOAT * variables**2 * features * batch
    return _BASE_BYTES + held + max(statistics, batch * network)


def available_bytes() -> float | None:
    """Memory this process may still take, or None when the system does not say."""
    limits: list[float] = []
    try:
        for line in Path("/proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                limits.append(float(line.split()[1]) * 1024)
    except OSError:
        if hasattr(os, "sysconf") and "SC_PHYS_PAGES" in getattr(os, "sysconf_names", {}):
            limits.append(float(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")))
    for limit, used in (("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"),):
        try:
            limits.append(float(Path(limit).read_text()) - float(Path(used).read_text()))
        except (OSError, ValueError):
            continue
    return min(limits) if limits else None


def refuse_too_much(
    config: NetworkConfig, *, rows: int, variables: int, features: int, batch: int, available: float | None = None
) -> float:
    """The bytes needed; ResourceError when this machine does not have them."""
    needed = needed_bytes(config, rows=rows, variables=variables, features=features, batch=batch)
    available = available_bytes() if available is None else available
    if available is not None and needed > available:
        raise ResourceError(
            f"{variables:,} columns need about {needed / 1e9:.1f} GB, this machine has {available / 1e9:.1f} GB free; "
            "choose fewer columns (memory grows with their square) or a machine with more memory"
        )
    return needed
