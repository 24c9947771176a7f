"""What a column of the user's table was taken for; travels from the table to the result and its report."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal["continuous", "count", "binary", "ordinal", "nominal", "date", "constant", "empty", "identifier"]
Status = Literal["used", "isolated", "dropped"]


@dataclass(frozen=True, kw_only=True)
class ColumnInfo:
    """One column.

    encoding: how its values became numbers, in words ("as is", "low < medium < high", "days since 1970-01-01", ...).
    missing: share of rows without a value. distinct: number of different values seen.
    status: ``used`` by the network, ``isolated`` (kept in the answer without edges) or ``dropped``.
    reason: why a column was isolated or dropped; empty otherwise.
    """

    name: str
    kind: Kind
    encoding: str = "as is"
    missing: float = 0.0
    distinct: int = 0
    status: Status = "used"
    reason: str = ""
