"""Whole numbers that by the names of their columns are codes of categories: regions, occupations, types."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from foundcause.data.naming import names_codes
from foundcause.data.reading import Encoded
from foundcause.data.screen import Finding

_FEWEST, _MOST = 3, 100  # different values
_ROWS_EACH = 5
_SHOWN = 5


def tell_codes(
    names: Sequence[str], encoded: Sequence[Encoded], findings: Sequence[Finding | None], *, told: Collection[str]
) -> list[str]:
    """One warning about all columns that take part and whose names say that their whole numbers are codes.

    told: columns whose numbers are called codes already.
    """
    found = [
        repr(name)
        for name, column, finding in zip(names, encoded, findings, strict=True)
        if finding is None and name not in told and names_codes(name) and _may_be_codes(column)
    ]
    if not found:
        return []
    shown = ", ".join(found[:_SHOWN]) + (f" and {len(found) - _SHOWN} more" if len(found) > _SHOWN else "")
    one = len(found) == 1
    return [
        f"column{'' if one else 's'} {shown} {'is' if one else 'are'} named like codes of categories, but "
        f"{'its numbers are' if one else 'their numbers are'} used as amounts; if their order means nothing, declare "
        f"{'it' if one else 'them'} nominal (nominal=, --nominal)"
    ]


def _may_be_codes(column: Encoded) -> bool:
    """Whether whole numbers are few and each stands in several rows."""
    observed = column.values[~np.isnan(column.values)]
    distinct = len(np.unique(observed))
    few = _FEWEST <= distinct <= _MOST and len(observed) >= _ROWS_EACH * distinct
    return column.kind == "count" and column.encoding == "as is" and few
