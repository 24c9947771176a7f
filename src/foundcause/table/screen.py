"""Columns that cannot take part in a graph: constant, empty, identifiers, copies of another column.

Shapes: N rows, D columns.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from foundcause.errors import ConfigError, TableError
from foundcause.table.reading import Encoded

Policy = Literal["isolate", "drop", "error", "keep"]
POLICIES: tuple[str, ...] = ("isolate", "drop", "error")
KEEPABLE: tuple[str, ...] = ("identifier", "duplicate")  # a judgement that the user may overrule with "keep"

_MIN_OBSERVED = 3
_MIN_ROWS_FOR_IDENTIFIER = 20
_GAPS = 1.5  # a counter of a filtered table spans at most so many times its rows
_LOG_CHANCE = -15.0
_FAR = 100.0
# What studies call the cases themselves: SUBJID, MRN, "Patient No."
_CASE = (
    r"(?i:(patient|subject|participant|person|respondent|proband|case)([\s_.-]*(no|nr|num|number)\.?)?|u?subjid|mrn|pid"
    r"|(hospital|medical[\s_.-]*record)[\s_.-]*(no|nr|num|number)\.?)"
)
_IDENTIFIER_NAME = re.compile(
    r"(?i:(.*[_\s.-])?(id|ids|uuid|guid|key|index|idx|rowid|row[_ ]?(number|no|nr|id)|record[_ ]?(number|no|nr)))"
    r"|.*[a-z]I[dD]|(?i:unnamed.*)|column_1"  # what a first column without a name is called
    rf"|{_CASE}"
)
# An index may be a measurement (body mass index), the number of a case is none.
_NAMES_CASES = re.compile(rf"(?i:(.*[_\s.-])?(ids?|uuid|guid|record[_ ]?(number|no|nr)))|.*[a-z]I[dD]|{_CASE}")
_MANY_CASES = 20  # fewer values are rather groups, such as sites


@dataclass(frozen=True, kw_only=True)
class Policies:
    """What happens to a column that cannot take part: kept without edges, left out, refused, or used all the same.

    constant: one value in all rows.
    empty: fewer than three observed cells.
    identifier: names or numbers the rows instead of describing them.
    duplicate: a copy of another column, possibly rescaled.
    """

    constant: Policy = "isolate"
    empty: Policy = "isolate"
    identifier: Policy = "isolate"
    duplicate: Policy = "keep"

    def __post_init__(self) -> None:
        for case in ("constant", "empty", "identifier", "duplicate"):
            choices = (*POLICIES, "keep") if case in KEEPABLE else POLICIES
            if getattr(self, case) not in choices:
                raise ConfigError(f"{case}={getattr(self, case)!r} is unknown; choose {', '.join(choices)}")


@dataclass(frozen=True, kw_only=True)
class Finding:
    """Why a column does not take part: the policy that decides its fate, and a reason in words."""

    case: Literal["constant", "empty", "identifier", "duplicate"]
    reason: str


def find_unfit(
    names: Sequence[str], encoded: Sequence[Encoded], policies: Policies, *, places: np.ndarray, total_rows: int
) -> list[Finding | None]:
    """One finding per column, None for columns that are fit or, named like identifiers, kept by policy.

    places: (N,) where the rows stood among the ``total_rows`` of the source, so that a sample still shows a counter.
    """
    findings = [
        _alone(name, column, places=places, total_rows=total_rows) for name, column in zip(names, encoded, strict=True)
    ]
    if policies.identifier == "keep":
        findings = [None if finding and finding.case == "identifier" else finding for finding in findings]
    originals: dict[bytes, str] = {}
    # By name, so that which copy stays does not depend on the order of columns.
    for k in sorted(range(len(names)), key=lambda k: names[k]):
        if findings[k] is not None:
            continue
        key = _shape_key(encoded[k].values)
        if key in originals:
            findings[k] = Finding(case="duplicate", reason=f"a copy of {originals[key]!r}")
        else:
            originals[key] = names[k]
    return findings


def refuse(name: str, finding: Finding, rows: int) -> TableError:
    """The error for a column whose policy is ``error``."""
    return TableError(f'column {name!r} is {finding.reason} ({rows} rows); drop it or pass {finding.case}="isolate"')


def _alone(name: str, column: Encoded, *, places: np.ndarray, total_rows: int) -> Finding | None:
    seen = ~np.isnan(column.values)
    observed = column.values[seen]
    told = [note.removeprefix(f"column {name!r}: ") for note in column.notes]  # words taken for missing may be why
    if len(observed) == 0:
        return Finding(case="empty", reason="; ".join(["without any value", *told]))
    distinct = len(np.unique(observed))
    if distinct == 1:
        return Finding(case="constant", reason="; ".join(["constant", *told]))
    if len(observed) < _MIN_OBSERVED:
        return Finding(case="empty", reason=f"observed in {len(observed)} rows only")
    if len(observed) < _MIN_ROWS_FOR_IDENTIFIER:
        return None
    if column.kind == "nominal" and distinct > 0.9 * len(observed):
        mark = f"column {name!r}: "
        hints = [note.removeprefix(mark) for note in column.notes if note.startswith(mark)]
        return Finding(
            case="identifier", reason="; ".join(["nearly different in every row, like a name or identifier", *hints])
        )
    if column.different == len(observed):
        return Finding(case="identifier", reason="different in every row and of more digits than any measurement")
    whole = (observed == np.round(observed)).all()
    if whole and distinct == len(observed) and column.kind in ("count", "continuous"):
        steps = np.diff(observed) / np.diff(places[seen])
        if (steps == steps[0]).all() or _are_numbered(observed, total_rows):
            return Finding(case="identifier", reason="a row counter")
        if _IDENTIFIER_NAME.fullmatch(name):
            return Finding(case="identifier", reason="different in every row and named like an identifier")
    codes = column.kind == "nominal" or (whole and column.kind in ("count", "continuous"))  # of many digits too
    if codes and distinct >= _MANY_CASES and _NAMES_CASES.fullmatch(name):
        each = f"{distinct} values, {len(observed) / distinct:.2g} rows each"
        reason = f"named like an identifier ({each}); rows that share one are no independent cases, though used as such"
        return Finding(case="identifier", reason=reason)
    return None


def _are_numbered(different: np.ndarray, total_rows: int) -> bool:
    """Whether whole numbers that all differ number the rows in any order, perhaps with gaps where rows were left out.

    So they do when their range is hardly larger than the table and measurements in it would hardly all differ.
    """
    span = float(different.max() - different.min()) + 1
    if span > _GAPS * total_rows:
        return False
    return bool(np.log1p(-np.arange(len(different)) / span).sum() < _LOG_CHANCE)


def _shape_key(values: np.ndarray) -> bytes:
    """Digest that is equal for columns that are copies up to shift and (signed) scale.

    Centre and scale are those of the different values, and far values are cut, so that a code such as 999999999 in
    many rows does not make all other values look the same.
    """
    observed = ~np.isnan(values)
    cells = values[observed]
    largest = np.abs(cells).max()
    cells = cells / largest if largest > 0 else cells
    low, centre, high = np.quantile(np.unique(cells), (0.25, 0.5, 0.75))
    cells = (cells - centre) / (high - low) if high > low else cells - centre
    cells = np.clip(cells, -_FAR, _FAR)
    # The sign of the third moment, or of the first cell off the centre when it vanishes, decides the orientation.
    moment = float((cells**3).mean())
    sign = np.sign(moment) if abs(moment) > 1e-6 else np.sign(cells[np.argmax(np.abs(cells) > 0.25)])
    rounded = np.round(cells * (sign or 1.0), 5) + 0.0
    return hashlib.blake2b(observed.tobytes() + rounded.tobytes(), digest_size=16).digest()
