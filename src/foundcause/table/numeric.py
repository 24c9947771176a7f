"""Numbers as a variable: their kind, infinities, and codes such as -999 that stand for a missing value."""

from __future__ import annotations

import numpy as np
import pandas as pd

from foundcause.columns import Kind
from foundcause.table.dates import DigitStyle, days_of_digits
from foundcause.table.gaps import tell_lone_value
from foundcause.table.reading import Encoded, Style

_COUNT_LIMIT = 1e6
_LEAST_DATES = 5
_EXACT = 2.0**53  # float64 holds every whole number up to here
_CODES_FOR_MISSING = (  # -99, 99, -999, ..., and the ends of 32-bit numbers
    *(sign * (10.0**k - 1) for sign in (-1, 1) for k in range(2, 16)),
    -(2.0**31),
    2.0**31 - 1,
)


def encode_numbers(
    name: str,
    values: np.ndarray,
    notes: tuple[str, ...] = (),
    *,
    encoding: str = "as is",
    style: Style | None = None,
    different: int | None = None,
) -> Encoded:
    """Numbers (N,) as a column; infinities become missing cells."""
    values = np.array(values, dtype=float)
    infinite = np.isinf(values)
    if infinite.any():
        notes = (*notes, f"column {name!r}: {int(infinite.sum())} infinite cells are treated as missing")
        values[infinite] = np.nan
    seen = np.unique(values[np.isfinite(values)])
    # Hardly one number in thirty is a date by chance.
    if len(seen) >= _LEAST_DATES and np.isfinite(days_of_digits(seen)).all():
        told = f"column {name!r}: {seen[0]:.0f} and the like are read as dates (year, month, day)"
        values, notes = days_of_digits(values), (*notes, told)
        return Encoded(values=values, kind="date", encoding="days since 1970-01-01", notes=notes, style=DigitStyle())
    kind: Kind = "continuous"
    if len(seen) == 2:
        kind = "binary"
    elif len(seen) and (seen == np.round(seen)).all() and np.abs(seen).max() < _COUNT_LIMIT:
        kind = "count"
    if len(seen) == 1:
        notes = (*notes, *tell_lone_value(name, f"{seen[0]:.10g}", values))
    return Encoded(
        values=values,
        kind=kind,
        encoding=encoding,
        notes=(*notes, *_suspicious_codes(name, values, seen)),
        style=style,
        different=different,
    )


def count_different(cells: pd.Series, values: np.ndarray) -> int | None:
    """How many different whole numbers cells (int, or digits as text) hold; None while float64 tells them apart."""
    long = np.abs(values) > _EXACT
    if not long.any():
        return None
    whole = pd.Series(cells[long].astype(str)).str.fullmatch(r"[-+]?\d+")
    return int(cells.nunique()) if whole.all() else None


def _suspicious_codes(name: str, values: np.ndarray, seen: np.ndarray) -> list[str]:
    """A warning for each of -999, 9999 and the like that stands far outside all other values, and more than once."""
    is_code = np.isin(seen, _CODES_FOR_MISSING)
    others = seen[~is_code]  # two codes in a column do not hide each other
    found: list[str] = []
    if len(others) < 2:
        return found
    _, exponent = np.frexp(np.abs(seen).max())
    others = np.ldexp(others, -exponent)  # so that no difference of wild numbers overflows
    width = others[-1] - others[0]
    for code in seen[is_code]:
        times = int((values == code).sum())
        gap = np.abs(others - np.ldexp(code, -exponent)).min()
        if times > 1 and gap > 2 * width:
            found.append(
                f"column {name!r} holds {code:.0f} in {times} rows, far from all other values; if it stands for "
                "a missing value, empty those cells"
            )
    return found
