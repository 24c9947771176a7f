"""Limits of a table and of its answer, as findings.

``diagnose_table`` needs the table alone. ``diagnose`` adds what the network and the graph show.
Each module has one subject, and its functions return lists of ``Finding``. To add a check, write it next to those of
its subject, call it here, and add its sentence to ``findings/answers.py``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from foundcause.data.copies import first_of_copies
from foundcause.diagnostics.column_names import name_findings
from foundcause.diagnostics.graph import confounding_findings, edge_findings, network_findings
from foundcause.diagnostics.relations import relation_findings
from foundcause.diagnostics.rows_and_cells import (
    missing_findings,
    nearly_constant_findings,
    order_findings,
    outlier_findings,
    repeated_row_findings,
    size_findings,
    together_findings,
)
from foundcause.diagnostics.table_shape import design_findings
from foundcause.diagnostics.time_steps import time_step_findings
from foundcause.findings import Finding

if TYPE_CHECKING:
    from foundcause.data import Column, Matrix
    from foundcause.inference.decoding import Decoded

__all__ = ["diagnose", "diagnose_table", "graph_findings"]

_TRAINED_COLUMNS = 50  # of networks whose header does not say


def diagnose_table(
    table: Matrix,
    *,
    n_effective: int | None = None,
    direction: int = 0,
    trained_columns: int | None = None,
    filled: bool | None = None,
) -> list[Finding]:
    """Check a table for what makes any answer about it less reliable.

    Parameters
    ----------
    table : Matrix
    n_effective : int or None
        Effective sample size. None if it is not known yet: then the order of rows is not examined.
    direction : {-1, 0, 1}
        1 if the network reads the first row as the oldest, -1 if the last one, 0 if it does not use the order.
    trained_columns : int or None
        Number of columns that the network was trained for.
    filled : bool or None
        Whether most passes fill gaps from similar rows. None if unknown.

    Returns
    -------
    list of Finding
    """
    active = np.flatnonzero(table.active)
    values, names = table.values[:, active], [table.names[k] for k in active]
    # The reader reports copies. Whatever is said of a column is not repeated for its copies.
    first = first_of_copies(values, names)
    own, own_columns = values[:, first], [table.columns[active[k]] for k in first]
    own_names = [column.name for column in own_columns]
    found = [
        *design_findings(table),
        *size_findings(*values.shape, trained_columns=trained_columns),
        *repeated_row_findings(own),
        *time_step_findings(table),
    ]
    if n_effective is not None:
        dates = [column.name for column in own_columns if column.kind == "date"]
        found += order_findings(own, own_names, dates=dates, n_effective=n_effective, direction=direction)
    return [
        *found,
        *relation_findings(own, own_names),
        *outlier_findings(own, own_columns, table.positions),
        *nearly_constant_findings(own, own_names),
        *missing_findings(values, names, filled=filled),
        *together_findings(own, own_names),
    ]


def diagnose(
    table: Matrix,
    answer: Decoded,
    *,
    metadata: Mapping[str, Any],
    n_passes: int,
    own_scale: bool,
    threshold_given: bool,
    n_effective: int,
    direction: int,
    filled: bool,
    required: np.ndarray,
    forbidden: np.ndarray,
    roots: np.ndarray,
    contradicting: np.ndarray,
) -> list[Finding]:
    """Check a table and its answer. D columns.

    Parameters
    ----------
    table : Matrix
    answer : Decoded
        The graph over all columns of the table, with knowledge applied.
    metadata : mapping
        Header of the checkpoint.
    n_passes : int
    own_scale : bool
        Whether the protocol brings its own calibration.
    threshold_given : bool
        Whether the user chose the threshold.
    n_effective, direction, filled
        As in ``diagnose_table``.
    required, forbidden : bool ndarray of shape (D, D)
        Edges that knowledge requires and forbids.
    roots : bool ndarray of shape (D,)
        Columns that nothing causes, by knowledge.
    contradicting : bool ndarray of shape (D, D)
        Probable edges left out because they contradict knowledge together with others.

    Returns
    -------
    list of Finding
        The most important of each severity first.
    """
    columns = table.columns[: len(table.names)]
    knowledge = {"required": required, "forbidden": forbidden, "roots": roots, "contradicting": contradicting}
    return [
        *network_findings(metadata, columns=int(table.active.sum()), n_passes=n_passes, own_scale=own_scale),
        *graph_findings(answer, columns, threshold_given=threshold_given, **knowledge),
        *diagnose_table(
            table,
            n_effective=n_effective,
            direction=direction,
            trained_columns=int(metadata.get("trained_variables", _TRAINED_COLUMNS)),
            filled=filled,
        ),
    ]


def graph_findings(
    answer: Decoded,
    columns: Sequence[Column],
    *,
    threshold_given: bool,
    required: np.ndarray,
    forbidden: np.ndarray,
    roots: np.ndarray,
    contradicting: np.ndarray,
) -> list[Finding]:
    """Check the graph alone, which other knowledge changes. Arguments are those of ``diagnose``."""
    names = [column.name for column in columns]
    active = np.array([column.role == "variable" for column in columns], dtype=bool)
    return [
        *confounding_findings(answer.confounding > answer.confounding_threshold, names, active=active, roots=roots),
        *name_findings(answer.adjacency & ~required, columns),
        *edge_findings(
            answer.edges,
            answer.adjacency,
            names,
            active=active,
            threshold=answer.threshold,
            given=threshold_given,
            required=required,
            forbidden=forbidden,
            contradicting=contradicting,
        ),
    ]
