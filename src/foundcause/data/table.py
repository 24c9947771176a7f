"""``Table``: typed columns, how each was read, and what was noticed. Shapes: N rows, D columns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import pandas as pd

from foundcause.data.options import ReadOptions
from foundcause.findings import Finding

Kind = Literal["continuous", "count", "binary", "ordinal", "nominal", "date", "constant", "empty", "identifier"]
Role = Literal["variable", "excluded", "dropped"]
_OLD_ROLES = {"used": "variable", "isolated": "excluded", "dropped": "dropped"}


@dataclass(frozen=True, kw_only=True)
class Column:
    """How one column was read.

    Parameters
    ----------
    name : str
        Unique and never empty.
    kind : str
        What its cells are: ``continuous``, ``count``, ``binary``, ``ordinal``, ``nominal`` or ``date``, or why they
        are no variable: ``constant``, ``empty`` or ``identifier``.
    encoding : str
        How cells become numbers: "as is", "low < medium < high", "days since 1970-01-01", ...
    missing : float
        Share of rows without a value.
    distinct : int
        Number of different values.
    role : {"variable", "excluded", "dropped"}
        Whether the column is a variable of the graph, stands in the answer without edges, or is left out.
    reason : str
        Why a column is excluded or dropped. Empty for variables.
    """

    name: str
    kind: Kind
    encoding: str = "as is"
    missing: float = 0.0
    distinct: int = 0
    role: Role = "variable"
    reason: str = ""

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Column:
        """Read the entry of a result file, also of one that still calls the role ``status``."""
        known = {**content}
        if "status" in known:
            known["role"] = _OLD_ROLES[known.pop("status")]
        return cls(**known)


@dataclass(kw_only=True, eq=False)
class Table:
    """A typed table. Edit ``frame`` and pass the table on: changed columns are read anew.

    Parameters
    ----------
    frame : DataFrame of shape (N, D)
        Numbers, booleans, dates, durations, categories (ordered ones in their order) or text.
    columns : tuple of Column
        How each column was read. Dropped columns stand at the end and have no column in ``frame``.
    findings : list of Finding
        What was noticed while reading.
    total_rows : int
        Rows of the source, before sampling and without empty ones.
    options : ReadOptions
        How it was read.
    reading, pristine
        What the encoder needs: the typed columns, and the frame before any edit.
    """

    frame: pd.DataFrame
    columns: tuple[Column, ...]
    findings: list[Finding]
    total_rows: int
    options: ReadOptions
    reading: Any = field(repr=False)
    pristine: pd.DataFrame = field(repr=False)

    @property
    def edited(self) -> bool:
        """Whether ``frame`` is no longer what was read."""
        return not self.frame.equals(self.pristine)


@dataclass(frozen=True, kw_only=True, eq=False)
class Matrix:
    """A table as numbers.

    Parameters
    ----------
    values : ndarray of shape (N, D)
        float64, NaN where a cell is missing, never infinite.
    columns : tuple of D Column
        How each column was read.
    positions : ndarray of shape (N,)
        Where the rows stood in the source, from 0.
    total_rows : int
        Rows of the source.
    """

    values: np.ndarray
    columns: tuple[Column, ...]
    positions: np.ndarray
    total_rows: int

    @property
    def names(self) -> tuple[str, ...]:
        """D unique names."""
        return tuple(column.name for column in self.columns)

    @property
    def kinds(self) -> tuple[str, ...]:
        """D kinds, as in ``Column``."""
        return tuple(column.kind for column in self.columns)

    @property
    def roles(self) -> tuple[str, ...]:
        """D roles, as in ``Column``."""
        return tuple(column.role for column in self.columns)

    @property
    def active(self) -> np.ndarray:
        """(D,) bool: variables of the graph."""
        return np.array([column.role == "variable" for column in self.columns], dtype=bool)
