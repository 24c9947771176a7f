"""Findings about rows and cells: too few, missing, repeated, outlying, nearly constant, ordered in time.

Shapes: N rows in the order of the source, D columns. NaN is a missing cell.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from foundcause.data.missing import codes_for_missing
from foundcause.data.table import Column
from foundcause.features.series import autocorrelated_columns
from foundcause.findings import Finding, Fix
from foundcause.inference.outlier_cells import outlier_cells

FEW_TOGETHER = 10
_FEW_ROWS = 100
_SOME_MISSING, _HEAVY_MISSING = 0.1, 0.4
_REPEATED = 0.1
_FEW_DIFFERENT = 4
_RARE = 0.05
_DRIFTING = 10  # times the effective sample size
_FEWEST_FOR_ORDER = 10


def size_findings(rows: int, columns: int, *, trained_columns: int | None = None) -> list[Finding]:
    """Report tables that are too short, or wider than the network was trained for."""
    found = []
    if rows < _FEW_ROWS:
        found.append(Finding(code="few-rows", details={"rows": rows, "advised": _FEW_ROWS}))
    if trained_columns is not None and columns > trained_columns:
        found.append(Finding(code="untrained-width", details={"columns": columns, "trained": trained_columns}))
    return found


def missing_findings(values: np.ndarray, names: Sequence[str], *, filled: bool | None = None) -> list[Finding]:
    """Report columns with many missing cells.

    Parameters
    ----------
    values : ndarray of shape (N, D)
    names : sequence of str
    filled : bool or None
        Whether most passes fill gaps from similar rows. None if unknown.

    Returns
    -------
    list of Finding
    """
    share = np.isnan(values).mean(axis=0) if len(values) else np.zeros(len(names))
    gappy = [k for k in np.argsort(-share, kind="stable").tolist() if share[k] > _SOME_MISSING]
    if not gappy:
        return []
    details = {"shares": [round(float(share[k]), 4) for k in gappy], "filled": filled}
    details["heavy"] = bool(share.max() > _HEAVY_MISSING)
    return [Finding(code="missing-cells", columns=[names[k] for k in gappy], details=details)]


def rows_together(values: np.ndarray) -> np.ndarray:
    """(D, D) number of rows in which both columns of (N, D) values are observed."""
    observed = (~np.isnan(values)).astype(np.float32)
    return (observed.T @ observed).astype(int)


def rarely_together(together: np.ndarray, rows: int) -> np.ndarray:
    """(D, D) bool, pairs that too few of the rows show together to learn anything about them."""
    return (together < FEW_TOGETHER) & (2 * together < rows)


def together_findings(values: np.ndarray, names: Sequence[str]) -> list[Finding]:
    """Report pairs of columns that are never, or hardly ever, observed in the same row."""
    if not np.isnan(values).any():
        return []
    together = rows_together(values)
    rare = np.triu(rarely_together(together, len(values)), 1)
    found = []
    for code, pairs in (("never-together", rare & (together == 0)), ("rarely-together", rare & (together > 0))):
        if pairs.any():
            named = [[names[i], names[j]] for i, j in np.argwhere(pairs)]
            details = {"pairs": named, "fewer_than": FEW_TOGETHER, "other_columns": len(names) - 2}
            found.append(Finding(code=code, columns=[name for pair in named for name in pair], details=details))
    return found


def repeated_row_findings(values: np.ndarray) -> list[Finding]:
    """Report rows that repeat others although two or more of their values occur in no different row.

    Rows of few discrete columns, or of each column's most frequent value, repeat by nature.
    """
    rows, variables = values.shape
    if rows < 2 or variables < 2:
        return []
    cells = np.ascontiguousarray(values + 0.0)  # one bit pattern for zero, as -0.0 + 0.0 is 0.0
    cells[np.isnan(cells)] = np.nan
    _, first, counts = np.unique(
        cells.view(np.dtype((np.void, cells.itemsize * variables))).ravel(), return_index=True, return_counts=True
    )
    own = np.zeros(len(first), dtype=int)
    for column in cells[first].T:
        _, index, holders = np.unique(column, return_inverse=True, return_counts=True)
        usual = np.argmax(np.bincount(index, weights=counts))
        own += (holders[index] == 1) & (index != usual) & ~np.isnan(column)
    repeats = counts - 1
    if repeats[own >= 2].sum() < _REPEATED * rows:
        return []
    return [
        Finding(code="repeated-rows", details={"repeats": int(repeats.sum()), "rows": rows, "different": len(first)})
    ]


def rows_that_differ(cells: np.ndarray) -> int:
    """Count the cells (N,) of a nearly constant column that differ from its most frequent value. 0 for others."""
    _, counts = np.unique(cells, return_counts=True)
    differ = len(cells) - int(counts.max(initial=0))
    return differ if differ <= min(_FEW_DIFFERENT, _RARE * len(cells)) else 0


def nearly_constant_findings(values: np.ndarray, names: Sequence[str]) -> list[Finding]:
    """Report columns in which all rows but a handful hold the same value."""
    differing = {
        name: differ
        for name, column in zip(names, values.T, strict=True)
        if (differ := rows_that_differ(column[~np.isnan(column)]))
    }
    if not differing:
        return []
    fix = Fix(section="read", option="drop", values=tuple(differing))
    details = {"differing": list(differing.values())}
    return [Finding(code="nearly-constant", columns=list(differing), details=details, fix=fix)]


def outlier_findings(values: np.ndarray, columns: Sequence[Column], row_numbers: np.ndarray) -> list[Finding]:
    """Report single cells far from all others of their column, such as one with a lost decimal point.

    Parameters
    ----------
    values : ndarray of shape (N, D)
    columns : sequence of Column
    row_numbers : ndarray of shape (N,)
        Rows in the source, from 0.

    Returns
    -------
    list of Finding
    """
    found = []
    for k, column in enumerate(columns):
        # Codes such as -999 are reported where the table is read.
        if column.kind not in ("continuous", "count") or codes_for_missing(values[:, k]):
            continue
        cells = outlier_cells(values[:, k])
        if len(cells):
            details = {"values": values[cells, k].tolist(), "rows": (row_numbers[cells] + 1).tolist()}
            found.append(Finding(code="outlier-cell", columns=[column.name], details=details))
    return found


def order_findings(
    values: np.ndarray, names: Sequence[str], *, dates: Collection[str], n_effective: int, direction: int
) -> list[Finding]:
    """Report rows that resemble their neighbors, as those of a time series do.

    Parameters
    ----------
    values : ndarray of shape (N, D)
    names : sequence of str
    dates : collection of str
        Columns that hold dates. A table sorted by one of them is ordered in time.
    n_effective : int
        Effective sample size, at most N.
    direction : {-1, 0, 1}
        1 if the network reads the first row as the oldest, -1 if the last one, 0 if it does not use the order.

    Returns
    -------
    list of Finding
    """
    rows, variables = values.shape
    if rows < _FEWEST_FOR_ORDER or variables < 2:
        return []
    timed = [k for k, name in enumerate(names) if name in dates]
    alike = [names[k] for k in autocorrelated_columns(values, dates=timed)]
    if len(alike) < 2 and len(alike) < variables / 2:
        if n_effective == rows:
            return []
        alike = []
    details = {"rows": rows, "n_effective": n_effective, "direction": direction}
    details["drifting"] = not direction and rows > _DRIFTING * n_effective
    return [Finding(code="ordered-rows", columns=alike, details=details)]
