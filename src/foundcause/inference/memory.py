"""How much memory and time passes will take, known before they start. N rows, D variables, F features, K passes."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from foundcause.errors import ResourceError
from foundcause.inference.threads import usable_cpus

if TYPE_CHECKING:
    from foundcause.model.interface import NetworkConfig

_FLOAT = 4
_BASE_BYTES = 500e6  # interpreter and libraries
_BATCH_BYTES = 400e6  # what one batch of passes may take, so that small tables are batched and large ones are not
_STATISTICS_COPIES = 5  # of the features of all pairs at the peak of the statistics of a wide table; measured at 500
_KERNEL_ROWS = 300
_SECONDS_A_PAIR = 1.3e-4  # of one processor: statistics and network; measured at 500 rows and 250 to 1,000 columns
_PROC, _CGROUP = Path("/proc"), Path("/sys/fs/cgroup")


@dataclass(frozen=True, kw_only=True)
class Estimate:
    """What passes will take.

    gigabytes: peak memory of the process.
    available: gigabytes that it may take; None where the system does not say.
    seconds: wall time on an idle machine, for the network of the shipped weights; None for others.
    """

    gigabytes: float
    available: float | None
    seconds: float | None


def estimate(config: NetworkConfig, *, rows: int, variables: int, features: int, n_passes: int) -> Estimate:
    """Estimate memory and time before the work starts."""
    sizes = {"rows": rows, "variables": variables, "features": features}
    batch = choose_batch(config, n_passes=n_passes, **sizes)
    available = available_bytes()
    seconds = None
    if config.architecture == "pairs":
        seconds = 0.3 + n_passes * variables**2 * _SECONDS_A_PAIR / usable_cpus()
    return Estimate(
        gigabytes=needed_bytes(config, batch=batch, **sizes) / 1e9,
        available=None if available is None else available / 1e9,
        seconds=seconds,
    )


def choose_batch(config: NetworkConfig, *, rows: int, variables: int, features: int, n_passes: int) -> int:
    """Choose how many passes run at once: all that fit a fixed budget, the same on every machine."""
    one = config.forward_bytes(rows=rows, variables=variables, features=features)
    return int(max(1, min(n_passes, _BATCH_BYTES // max(one, 1.0))))


def needed_bytes(config: NetworkConfig, *, rows: int, variables: int, features: int, batch: int) -> float:
    """Peak memory of the process during the passes."""
    N, D = float(rows), float(variables)
    table = _FLOAT * D * D * features
    # Features and work arrays per pair, one-hot bins and moments per cell, kernels of a row subset.
    statistics = _STATISTICS_COPIES * table + _FLOAT * (60 * N * D + 4 * min(D, 64) * _KERNEL_ROWS**2)
    network = config.forward_bytes(rows=rows, variables=variables, features=features)
    return _BASE_BYTES + (batch - 1) * table + max(statistics, table + batch * network)


def refuse_too_much(config: NetworkConfig, *, rows: int, variables: int, features: int, batch: int) -> None:
    """Raise ResourceError where the memory that is needed is more than this process may take."""
    needed = needed_bytes(config, rows=rows, variables=variables, features=features, batch=batch)
    available = available_bytes()
    if available is not None and needed > available:
        raise ResourceError(
            f"{variables:,} columns need about {needed / 1e9:.1f} GB, but only {available / 1e9:.1f} GB are available; "
            "choose fewer columns (memory grows with their square), raise the memory limit (ulimit, cgroup), or use a "
            "machine with more memory"
        )


def available_bytes(proc: Path = _PROC, cgroup: Path = _CGROUP) -> float | None:
    """Memory this process may take in all: what is free and what it has, within its limits; None if unknown."""
    own = _own_bytes(proc)
    found = [_free(proc), *_cgroup_free(proc, cgroup), _address_space_free(proc)]
    known = [value for value in found if value is not None]
    return min(known) + own if known else None


def _own_bytes(proc: Path) -> float:
    return _kilobytes(proc / "self" / "status", "VmRSS:") or 0.0


def _free(proc: Path) -> float | None:
    free = _kilobytes(proc / "meminfo", "MemAvailable:")
    if free is None and "SC_PHYS_PAGES" in getattr(os, "sysconf_names", {}):
        return float(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    return free


def _cgroup_free(proc: Path, cgroup: Path) -> list[float]:
    """What the memory cgroups of this process (version 2 or 1) and those above them leave."""
    places = [(cgroup, "memory.max", "memory.current")]
    places += [(cgroup / "memory", "memory.limit_in_bytes", "memory.usage_in_bytes")]
    for line in _lines(proc / "self" / "cgroup"):
        _, controllers, path = [*line.split(":", 2), "", ""][:3]
        version_2 = not controllers
        if not version_2 and "memory" not in controllers.split(","):
            continue
        root, limit, used = places[0] if version_2 else places[1]
        inside = [part for part in path.split("/") if part]
        places += [(root.joinpath(*inside[:k]), limit, used) for k in range(1, len(inside) + 1)]
    found = []
    for folder, limit, used in places:
        try:
            found.append(float((folder / limit).read_text()) - float((folder / used).read_text()))
        except (OSError, ValueError):  # "max" is no number: there is no limit
            continue
    return found


def _address_space_free(proc: Path) -> float | None:
    """What `ulimit -v` leaves."""
    try:
        import resource
    except ImportError:  # Windows has no such limits
        return None
    most, _ = resource.getrlimit(resource.RLIMIT_AS)
    used = _kilobytes(proc / "self" / "status", "VmSize:")
    return None if most == resource.RLIM_INFINITY or used is None else max(most - used, 0.0)


def _kilobytes(path: Path, name: str) -> float | None:
    """A figure of a file like /proc/meminfo, in bytes."""
    for line in _lines(path):
        if line.startswith(name):
            return float(line.split()[1]) * 1024
    return None


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text().splitlines()
    except OSError:
        return []
