"""Which weights, or which text of a plug-in, a result was made with."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, kw_only=True)
class Version:
    """A file known by its content: a path would differ from machine to machine."""

    file: str
    """Its name, without folders; for the reader only."""
    sha256: str
    """First 12 hex digits of the digest of its content."""

    def __str__(self) -> str:
        return f"{self.file} {self.sha256}".strip()


def digest(content: bytes) -> str:
    """First 12 hex digits of the sha256."""
    return hashlib.sha256(content).hexdigest()[:12]


UNKNOWN = Version(file="unknown weights", sha256="")


def recorded(record: dict[str, Any]) -> Version:
    """The version of a result; UNKNOWN of one that was made before versions were noted."""
    noted = record.get("version")
    return Version(file=noted["file"], sha256=noted["sha256"]) if noted else UNKNOWN
