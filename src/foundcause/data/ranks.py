"""Columns that count the rows of a sorted table: a rank is a variable, a counter is none. Shapes: N rows."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np

from foundcause.data.naming import names_ranks, numbers_rows
from foundcause.data.reading import Encoded
from foundcause.data.screen import ROW_COUNTER, Finding

RANK_OF_ROWS = "the rank of each row"

_GOES_WITH = 0.5  # rank correlation,
_BY_CHANCE = 4.0  # and so many times what chance brings about
_SAYS_THE_SAME = 0.99
_FEW_TIES = 0.5
_SHOWN = 3
_USE = 'identifier="keep" (--identifier keep) uses it'


def mean_ranks(values: np.ndarray) -> np.ndarray:
    """Ranks (N,) from 1, ties sharing their mean rank."""
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    return (ends - (counts - 1) / 2)[place]


def with_ranks(
    names: Sequence[str], encoded: Sequence[Encoded], findings: Sequence[Finding | None]
) -> tuple[list[Encoded], list[Finding | None]]:
    """The columns and what was found about them; row counters that are ranks take part, and say so.

    Such a column is named like a rank, and others go with it. By the order of rows alone a rank cannot be told from a
    counter of a table that was sorted, so that the reason of the others says what goes with them.
    """
    columns, found = list(encoded), list(findings)
    for k, finding in enumerate(findings):
        if finding is None or finding.reason != ROW_COUNTER or numbers_rows(names[k]):
            continue
        others = [j for j, other in enumerate(findings) if other is None and encoded[j].kind != "nominal"]
        strength = {j: _strength(encoded[k].values, encoded[j].values) for j in others}
        source = next((j for j in others if strength[j] > _SAYS_THE_SAME and _sorts(encoded[k], encoded[j])), None)
        if source is not None:
            same = f"{ROW_COUNTER} of a table sorted by {names[source]!r}, which says the same and more"
            found[k] = dataclasses.replace(finding, reason=same)
            continue
        # The strongest first; of columns that are equally strong, the first by name.
        going = sorted((j for j in others if strength[j] > 0), key=lambda j: (-strength[j], names[j]))
        shown, rise = _and([repr(names[j]) for j in going[:_SHOWN]])
        ranked = names_ranks(names[k])
        if ranked and going:
            note = (
                f"column {names[k]!r} is taken for a rank, not for a row counter, because of its name and of {shown}, "
                f"which {rise} with it, and takes part; if it was computed from other columns, edges at it say "
                "no more than that: leave it out (drop=, --drop)"
            )
            found[k] = None
            columns[k] = dataclasses.replace(
                encoded[k], kind="ordinal", encoding=RANK_OF_ROWS, notes=(*encoded[k].notes, note)
            )
        elif ranked:
            reason = f"{ROW_COUNTER}, though named like a rank, for no other column goes with it; {_USE}"
            found[k] = dataclasses.replace(finding, reason=reason)
        elif going:
            reason = f"{ROW_COUNTER}, although {shown} {rise} with it; if it is a rank or a time, {_USE}"
            found[k] = dataclasses.replace(finding, reason=reason)
    return columns, found


def _and(quoted: Sequence[str]) -> tuple[str, str]:
    """The columns as the subject of a sentence, and its verb."""
    if len(quoted) < 2:
        return "".join(quoted), "rises or falls"
    return f"{', '.join(quoted[:-1])} and {quoted[-1]}", "rise or fall"


def _strength(counter: np.ndarray, column: np.ndarray) -> float:
    """Size of the rank correlation; 0 when it is weak or may be due to chance."""
    both = ~np.isnan(counter) & ~np.isnan(column)
    ranks = [mean_ranks(cells[both]) for cells in (counter, column)] if both.any() else []
    if not ranks or np.ptp(ranks[1]) == 0:
        return 0.0
    size = abs(float(np.corrcoef(ranks[0], ranks[1])[0, 1]))
    return size if size > max(_GOES_WITH, _BY_CHANCE / np.sqrt(both.sum())) else 0.0


def _sorts(counter: Encoded, column: Encoded) -> bool:
    """Whether the counter numbers rows as a column of hardly any ties sorts them."""
    both = ~np.isnan(counter.values) & ~np.isnan(column.values)
    sorted_cells = column.values[both][np.argsort(counter.values[both])]
    one_way = (sorted_cells[1:] >= sorted_cells[:-1]).all() or (sorted_cells[1:] <= sorted_cells[:-1]).all()
    return bool(one_way and 2 * both.sum() > len(both) and len(np.unique(sorted_cells)) > _FEW_TIES * both.sum())
