"""What the server may use: addresses, limits, weights."""

from __future__ import annotations

import ipaddress
import os
from dataclasses import dataclass, field, fields
from pathlib import Path

from foundcause.errors import ConfigError

MEBIBYTE = 1 << 20


@dataclass(frozen=True, kw_only=True)
class Limits:
    """Bounds on what visitors may ask for.

    upload_bytes: largest table file.
    upload_seconds: longest time an upload may take.
    body_bytes: largest body of any other request.
    rows: most rows a table may have; above ``discover``'s own sample size, rows are drawn at random.
    columns: most columns a table may have.
    read_seconds: longest time reading a table may take.
    discover_seconds: longest time a discovery may take.
    memory_bytes: address space of a worker process.
    runs: most passes of a discovery.
    tables: tables one visit may hold at a time.
    discoveries: discoveries of one visit that wait or run at a time.
    visits: visits at a time.
    waiting: jobs in a queue before new ones are refused.
    storage_bytes: uploaded tables of all visits together.
    idle_seconds: a visit without any sign of life for so long is ended.
    leave_seconds: a visit whose page was closed is ended after so long, unless another of its pages speaks up.
    """

    upload_bytes: int = 100 * MEBIBYTE
    upload_seconds: float = 300.0
    body_bytes: int = MEBIBYTE
    rows: int = 1_000_000
    columns: int = 200
    read_seconds: float = 60.0
    discover_seconds: float = 900.0
    memory_bytes: int = 16 << 30
    runs: int = 50
    tables: int = 32
    discoveries: int = 4
    visits: int = 200
    waiting: int = 64
    storage_bytes: int = 4 << 30
    idle_seconds: float = 1800.0
    leave_seconds: float = 90.0

    def __post_init__(self) -> None:
        for entry in fields(self):
            if not getattr(self, entry.name) > 0:
                raise ConfigError(f"{entry.name}={getattr(self, entry.name)} must be positive")


@dataclass(frozen=True, kw_only=True)
class Settings:
    """One server.

    host: address to listen on.
    token: secret every request must carry; None only on loopback addresses.
    checkpoint: weights that discoveries use.
    slots: discoveries at a time.
    extra_hosts: further names under which the server may be addressed.
    limits: bounds on what visitors may ask for.
    """

    host: str = "127.0.0.1"
    token: str | None = None
    checkpoint: Path | None = None
    slots: int = field(default_factory=lambda: usable_cores())
    extra_hosts: tuple[str, ...] = ()
    limits: Limits = field(default_factory=Limits)

    def __post_init__(self) -> None:
        if self.slots < 1:
            raise ConfigError(f"slots={self.slots} must be at least 1")
        if not is_loopback(self.host) and not self.token:
            raise ConfigError(f"listening on {self.host!r} needs a token, because others can reach that address")


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach the address."""
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def usable_cores() -> int:
    """Cores this process may run on."""
    if hasattr(os, "sched_getaffinity"):
        return max(1, len(os.sched_getaffinity(0)))
    return max(1, os.cpu_count() or 1)
