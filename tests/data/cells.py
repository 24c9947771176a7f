"""Short ways for tests to read a column or a file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from foundcause.data import Matrix, Table, TableEncoder, read_table
from foundcause.data.columns import type_column
from foundcause.data.typed import Typed


def typed(cells: Sequence[Any], *, name: str = "x", **options: Any) -> Typed:
    """Type one column of Python objects."""
    return type_column(name, pd.Series(list(cells), dtype=object), **options)


def codes(found: Typed | Table) -> set[str]:
    """Return the codes of all findings."""
    return {finding.code for finding in found.findings}


def matrix_of(source: Any, **options: Any) -> Matrix:
    """Read and encode a table."""
    table = read_table(source, **options)
    return TableEncoder().fit(table).transform(table)


def write(folder: Path, text: str, *, name: str = "table.csv", encoding: str = "utf-8") -> Path:
    """Write a text file."""
    path = folder / name
    path.write_bytes(text.encode(encoding))
    return path


def csv_text(rows: int = 40, separator: str = ",", *, seed: int = 0) -> str:
    """Return a small table as text: a number, a word and another number."""
    rng = np.random.default_rng(seed)
    lines = ["age,city,dose".replace(",", separator)]
    cities = ["Rome", "Oslo", "Lima"]
    for _ in range(rows):
        cells = [str(rng.integers(20, 80)), str(rng.choice(cities)), f"{rng.normal(5):.3f}"]
        lines.append(separator.join(cells))
    return "\n".join(lines) + "\n"
