"""Units with several rows each, as the firms of a panel: numbers of theirs are no measurements. Shapes: N rows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from foundcause.data.naming import names_occasions, names_units
from foundcause.data.reading import Encoded
from foundcause.data.screen import Finding, rows_each

_FEWEST_UNITS = 3
_MEETINGS = 15.0  # rows of one unit and one occasion that chance would bring about, while there are none
_SEVERAL = 0.5  # of the units have more than one row
_MOST_COLUMNS = 200  # that are tried as occasions
_MANY_ROWS = 50  # of a unit, which are a table of their own
_ONE_UNIT = "look at one unit at a time"
_DEPENDENT = "rows of one unit are no independent cases, though used as such"


def tell_units(names: Sequence[str], encoded: Sequence[Encoded], findings: Sequence[Finding | None]) -> dict[str, str]:
    """A warning for each column that takes part, is named like a unit and has several rows of each, all told apart.

    Another column, such as a year, must tell the rows of every unit apart, which measurements hardly do by chance.
    """
    fit = [k for k, finding in enumerate(findings) if finding is None]
    told: dict[str, str] = {}
    for k in fit:
        name, column = names[k], encoded[k]
        numeric = column.kind in ("count", "continuous")
        if not names_units(name) or names_occasions(name) or not (numeric or column.kind == "nominal"):
            continue
        observed = column.values[~np.isnan(column.values)]
        values, rows = np.unique(observed, return_counts=True)
        whole = (values == np.round(values)).all()
        if not whole or len(values) < _FEWEST_UNITS or (rows > 1).mean() < _SEVERAL:
            continue
        occasion = _occasion(k, [j for j in fit if j != k], names, encoded, any_name=numeric)
        if occasion is None:
            continue
        each = f"{rows_each(len(values), len(observed))}, which {occasion!r} tells apart"
        if numeric:
            told[name] = (
                f"column {name!r} looks like the number of a unit with several rows each ({each}): its size means "
                f"nothing, and {_DEPENDENT}; leave it out (drop=, --drop) or declare it nominal (nominal=, --nominal)"
            )
        else:
            told[name] = (
                f"column {name!r} looks like the name of a unit with several rows each ({each}): {_DEPENDENT}; "
                f"{_ONE_UNIT if len(observed) >= _MANY_ROWS * len(values) else 'keep one row of each unit'}, or leave "
                "the column out (drop=, --drop)"
            )
    return told


def _occasion(
    unit: int, others: Sequence[int], names: Sequence[str], encoded: Sequence[Encoded], *, any_name: bool
) -> str | None:
    """The name of a column that tells the rows of every unit apart, those named like a time first; None without one."""
    timed = [k for k in others if names_occasions(names[k])][:_MOST_COLUMNS]
    # Plot 3 of site 2 and plot 3 of site 5 are two plots: beside the name of a larger unit, a number is none.
    rest = [k for k in others if k not in timed and not names_units(names[k])]
    tried = timed + ([k for k in rest if _recurs(encoded[k])] if any_name and len(rest) <= _MOST_COLUMNS else [])
    return next((names[k] for k in tried if tells_apart(encoded[unit].values, encoded[k].values)), None)


def _recurs(column: Encoded) -> bool:
    """Whether values stand in several rows each, as those of a measurement do not."""
    observed = column.values[~np.isnan(column.values)]
    return column.kind != "continuous" and 2 * len(np.unique(observed)) <= len(observed)


def tells_apart(unit: np.ndarray, other: np.ndarray) -> bool:
    """Whether no two rows share both values, although many would by chance."""
    both = ~np.isnan(unit) & ~np.isnan(other)
    rows = int(both.sum())
    if 2 * rows < len(unit):
        return False
    codes = [np.unique(values[both], return_inverse=True)[1].reshape(-1) for values in (unit, other)]
    shares = [np.bincount(code) / rows for code in codes]
    if rows * (rows - 1) / 2 * np.prod([(share**2).sum() for share in shares]) < _MEETINGS:
        return False
    return len(np.unique(codes[0].astype(np.int64) * len(shares[1]) + codes[1])) == rows
