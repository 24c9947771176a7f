"""A table read and encoded at once, with everything that tests look at."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from foundcause import data
from foundcause.data.read import read_numbers_of


class Table:
    """What ``read_table`` and ``TableEncoder`` make of a source."""

    def __init__(self, source: Any, *, readings: Mapping[str, Any] | None = None, **options: Any) -> None:
        if "seed" in options:
            options["random_state"] = options.pop("seed")
        if readings is None:
            self.table = data.read_table(source, **options)
            self.numbers, findings = self.table._read, self.table.findings
            self.warnings = tuple(finding.message for finding in findings)
        else:
            self.numbers = read_numbers_of(source, data.ReadOptions(**options), readings)
            self.warnings = self.numbers.warnings
        self.matrix = self.numbers.matrix
        self.positions = self.matrix.positions
        self.values, self.names, self.active = self.matrix.values, self.matrix.names, self.matrix.active
        self.columns = (*self.matrix.columns, *self.numbers.dropped)
        self.places, self.total_rows, self.readings = (
            self.matrix.positions,
            self.matrix.total_rows,
            self.numbers.readings,
        )

    @property
    def observed(self) -> Any:
        return self.values == self.values


def read_table(source: Any, **options: Any) -> Table:
    """Read and encode a table."""
    return Table(source, **options)
