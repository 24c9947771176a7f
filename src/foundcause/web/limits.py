"""Settings of the server: addresses, limits, weights."""

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

    Parameters
    ----------
    upload_bytes, upload_seconds
        Largest table file, and longest time an upload may take.
    body_bytes, body_seconds
        Largest body of any other request, and longest time it may take.
    header_seconds
        Longest time until the headers of a request are complete.
    rows, columns
        Largest table. Above ``discover``'s own sample size, rows are drawn at random.
    read_seconds, discover_seconds
        Longest time that reading a table and a discovery may take.
    memory_bytes
        Memory of a process that works on a table.
    n_passes
        Most passes of a discovery.
    tables, discoveries
        Tables that one session holds, and its discoveries that wait or run at a time.
    sessions, waiting
        Sessions at a time, and jobs in a queue before new ones are refused.
    storage_bytes
        Uploaded tables of all sessions together.
    idle_seconds, leave_seconds
        When a session without requests ends, and one whose page was closed.
    """

    upload_bytes: int = 100 * MEBIBYTE
    upload_seconds: float = 300.0
    body_bytes: int = MEBIBYTE
    body_seconds: float = 30.0
    header_seconds: float = 10.0
    rows: int = 1_000_000
    columns: int = 200
    read_seconds: float = 60.0
    discover_seconds: float = 900.0
    memory_bytes: int = 6 << 30
    n_passes: int = 50
    tables: int = 32
    discoveries: int = 4
    sessions: int = 200
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

    Parameters
    ----------
    host : str
        Address to listen on.
    token : str or None
        Secret that every request must carry. None only on loopback addresses.
    checkpoint : Path or None
        Weights that discoveries use.
    slots : int
        Discoveries at a time.
    extra_hosts : tuple of str
        Further names under which the server may be addressed.
    limits : Limits
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
    """Return whether only this machine can reach the address."""
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def usable_cores() -> int:
    """Count the cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return max(1, len(os.sched_getaffinity(0)))
    return max(1, os.cpu_count() or 1)
