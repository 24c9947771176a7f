"""Results on disk: one JSON object per line, appended as cells finish; the last line of a cell counts."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from foundcause.errors import OutputError

Record = dict[str, Any]
Key = tuple[str, str, str, int]


def key(record: Record) -> Key:
    """What makes a cell: method, data set, variant, seed (a file holds one experiment)."""
    return record["method"], record["dataset"], record["variant"], record["seed"]


class Store:
    """The results of one experiment."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def cells(self) -> dict[Key, Record]:
        """The latest record of every cell."""
        return {key(record): record for record in self._lines() if record.get("kind") == "cell"}

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
        """Rewrite the file with the latest record of every cell, sorted; returns how many lines went."""
        before = sum(1 for _ in self._lines())
        records = [*self.environments().values(), *(record for _, record in sorted(self.cells().items()))]
        used = {record.get("environment") for record in records}
        records = [record for record in records if record["kind"] == "cell" or record["id"] in used]
        temporary = self.path.with_suffix(".tmp")
        temporary.write_text("".join(json.dumps(record, sort_keys=True) + "\n" for record in records))
        temporary.replace(self.path)
        return before - len(records)

    @staticmethod
    def _torn(file: Any) -> bool:
        """Whether the last line was cut by a kill."""
        if file.seek(0, os.SEEK_END) == 0:
            return False
        file.seek(-1, os.SEEK_END)
        return file.read(1) != b"\n"

    def _lines(self) -> Iterator[Record]:
        if not self.path.is_file():
            return
        for line in self.path.read_text().splitlines():
            try:
                yield json.loads(line)
            except json.JSONDecodeError:
                continue  # the line that a kill cut short; its cell is run again
