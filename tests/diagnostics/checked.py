"""What the checks of a table find, by code."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from foundcause.data import TableEncoder, read_table
from foundcause.diagnostics import diagnose_table
from foundcause.findings import Finding

OF_ROWS = {"few-rows", "missing-cells"}


def findings(table: object, *, context: dict[str, Any] | None = None, **options: object) -> list[Finding]:
    """The findings about a table in any form that can be read; arrays get columns v0, v1, ..."""
    if isinstance(table, np.ndarray):
        table = pd.DataFrame(table, columns=[f"v{k}" for k in range(table.shape[1])])
    read = read_table(table, **options)
    return diagnose_table(TableEncoder().fit(read).transform(read), **(context or {}))


def by_code(table: object, *, context: dict[str, Any] | None = None, **options: object) -> dict[str, Finding]:
    """The findings by code; two of one code are an error here."""
    found = findings(table, context=context, **options)
    assert len({finding.code for finding in found}) == len(found), [finding.message for finding in found]
    return {finding.code: finding for finding in found}


def codes(table: object, **options: object) -> list[str]:
    """The codes of all findings, but not of gaps and few rows."""
    return [finding.code for finding in findings(table, **options) if finding.code not in OF_ROWS]


def numbers(seed: int = 0, names: str = "xyz", rows: int = 600) -> pd.DataFrame:
    """Independent normal columns."""
    rng = np.random.default_rng(seed)
    return pd.DataFrame(rng.normal(size=(rows, len(names))), columns=list(names)).round(3)
