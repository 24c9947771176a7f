"""Results on disk: one JSON object per line, appended as cells finish. The last line of a cell counts.

New lines go to ``clean.jsonl``. ``Store.compact`` moves them to ``clean.jsonl.gz``, which is what is committed.
Each record names the weights or plug-in, the machine and the package versions it was made with.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import platform
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

from foundcause.errors import InputError, OutputError
from foundcause.files import replacing


@dataclass(frozen=True, kw_only=True)
class Version:
    """A file known by its content: a path would differ from machine to machine."""

    file: str
    """Its name, without folders; for the reader only."""
    sha256: str
    """First 12 hex digits of the short_digest of its content."""

    def __str__(self) -> str:
        return f"{self.file} {self.sha256}".strip()


def short_digest(content: bytes) -> str:
    """First 12 hex digits of the sha256."""
    return hashlib.sha256(content).hexdigest()[:12]


UNKNOWN_VERSION = Version(file="unknown weights", sha256="")


def recorded_version(record: dict[str, Any]) -> Version:
    """The version of a result; UNKNOWN_VERSION of one that was made before versions were noted."""
    noted = record.get("version")
    return Version(file=noted["file"], sha256=noted["sha256"]) if noted else UNKNOWN_VERSION


_PACKAGES = (
    "foundcause",
    "numpy",
    "scipy",
    "scikit-learn",
    "torch",
    "causal-learn",
    "gcastle",
    "dagma",
    "pgmpy",
    "gadjid",
)


@cache
def environment() -> dict[str, Any]:
    """Versions, processor and an ``id`` that is the digest of the rest."""
    content = {
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "processor": _processor(),
        "cores": os.cpu_count(),
        "packages": {name: _installed_version(name) for name in _PACKAGES},
    }
    digest = hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:10]
    return {"id": digest, **content}


def _installed_version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _processor() -> str:
    try:
        with open("/proc/cpuinfo") as lines:
            for line in lines:
                if line.startswith("model name"):
                    return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor()


Record = dict[str, Any]
Key = tuple[str, str, str, int]


def cell_key(record: Record) -> Key:
    """What makes a cell: method, data set, variant, seed (a file holds one experiment)."""
    return record["method"], record["dataset"], record["variant"], record["seed"]


class Store:
    """The results of one experiment: a file of new lines and, beside it, an archive of older ones."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.archive = path.with_name(f"{path.name}.gz")

    def files(self) -> list[Path]:
        """The files that exist, the archive first: a later line of a cell replaces an earlier one."""
        return [path for path in (self.archive, self.path) if path.is_file()]

    def cells(self) -> dict[Key, Record]:
        """The latest record of every cell."""
        return {cell_key(record): record for record in self._lines() if record.get("kind") == "cell"}

    def environments(self) -> dict[str, Record]:
        """What the results were made on, by id."""
        return {record["id"]: record for record in self._lines() if record.get("kind") == "environment"}

    def append(self, record: Record) -> None:
        """Add a record; it is on disk when this returns."""
        line = json.dumps(record, sort_keys=True, allow_nan=False)
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with open(self.path, "ab+") as file:
                if self._torn(file):
                    file.write(b"\n")
                file.write(line.encode() + b"\n")
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise OutputError(f"cannot write results to {self.path}: {error.strerror}") from error

    def compact(self) -> int:
        """Move the latest record of every cell to the archive and return how many lines were dropped.

        Records are sorted by data set because neighbors then resemble each other, which compresses better.
        """
        before = sum(1 for _ in self._lines())
        cells = sorted(self.cells().values(), key=lambda record: (*cell_key(record)[1:], record["method"]))
        used = {record.get("environment") for record in cells}
        kept = [*(record for record in self.environments().values() if record["id"] in used), *cells]
        text = "".join(json.dumps(record, sort_keys=True, separators=(",", ":")) + "\n" for record in kept)
        with replacing(self.archive) as partial:
            partial.write_bytes(gzip.compress(text.encode(), mtime=0))  # equal results make equal files
        self.path.unlink(missing_ok=True)
        return before - len(kept)

    def _text(self, path: Path) -> str:
        content = path.read_bytes()
        if path != self.archive:
            return content.decode()
        try:
            return gzip.decompress(content).decode()
        except (OSError, EOFError, zlib.error) as error:
            raise InputError(f"{path} is damaged ({error}); restore it from a backup or from git") from error

    @staticmethod
    def _torn(file: Any) -> bool:
        """Whether the last line was cut by a kill."""
        if file.seek(0, os.SEEK_END) == 0:
            return False
        file.seek(-1, os.SEEK_END)
        return file.read(1) != b"\n"

    def _lines(self) -> Iterator[Record]:
        for path in self.files():
            for line in self._text(path).splitlines():
                try:
                    yield json.loads(line)
                except json.JSONDecodeError:
                    continue  # the line that a kill cut short; its cell is run again
