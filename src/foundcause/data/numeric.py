"""Numbers as a variable: their kind, infinities, and codes such as -999 that stand for a missing value."""

from __future__ import annotations

import numpy as np
import pandas as pd

from foundcause.data.dates import DigitStyle, days_of_digits, tell_odd_days
from foundcause.data.epochs import find_epoch, tell_epoch
from foundcause.data.gaps import tell_lone_value
from foundcause.data.reading import Encoded, Style, counted
from foundcause.data.table import Kind

_COUNT_LIMIT = 1e6
_LEAST_DATES = 5
_EXACT = 2.0**53  # float64 holds every whole number up to here
_CODES_FOR_MISSING = (  # surveys: -9, -8, -7; 99, 98, 97, 88, 77 and their negatives, with more digits too
    *(-9.0, -8.0, -7.0),
    *(sign * (10.0**k - below) for sign in (-1, 1) for k in range(2, 5) for below in (1, 2, 3)),
    *(sign * digit * (10.0**k - 1) / 9 for sign in (-1, 1) for k in range(2, 5) for digit in (7, 8)),
    *(sign * (10.0**k - 1) for sign in (-1, 1) for k in range(5, 16)),
    -(2.0**31),
    2.0**31 - 1,
)
_FILLS = np.array([1e20, 1e30, 9.969209968386869e36, 3.4028234663852886e38])  # of netCDF and of 32-bit floats
_FILL_DIGITS = 1e-5  # 9.96921e+36 is as exact as such numbers are written


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
        said = counted(int(infinite.sum()), "infinite cell is", "infinite cells are")
        notes = (*notes, f"column {name!r}: {said} treated as missing")
        values[infinite] = np.nan
    seen = np.unique(values[np.isfinite(values)])
    # Hardly one number in thirty is a date by chance.
    if len(seen) >= _LEAST_DATES and np.isfinite(days_of_digits(seen)).all():
        told = f"column {name!r}: {seen[0]:.0f} and the like are read as dates (year, month, day)"
        values = days_of_digits(values)
        notes = (*notes, told, *tell_odd_days(name, values))
        return Encoded(values=values, kind="date", encoding="days since 1970-01-01", notes=notes, style=DigitStyle())
    if epoch := find_epoch(name, seen, numbers=style):
        notes = (*notes, tell_epoch(name, seen, epoch))
        values = epoch.days(values)
        return Encoded(values=values, kind="date", encoding="days since 1970-01-01", notes=notes, style=epoch)
    kind: Kind = "continuous"
    if len(seen) == 2:
        kind = "binary"
    elif len(seen) and (seen == np.round(seen)).all() and np.abs(seen).max() < _COUNT_LIMIT:
        kind = "count"
    if len(seen) == 1:
        notes = (*notes, *tell_lone_value(name, f"{seen[0]:.10g}", values))
    if different is not None and different > len(seen):
        told = (
            f"column {name!r}: {different} different whole numbers beyond 2^53 are rounded to {len(seen)}; "
            "subtract the same large number from all"
        )
        notes = (*notes, told)
    return Encoded(
        values=values,
        kind=kind,
        encoding=encoding,
        notes=(*notes, *_tell_codes(name, values)),
        style=style,
        different=different,
    )


def count_different(cells: pd.Series, values: np.ndarray) -> int | None:
    """How many different whole numbers cells (int, or digits as text) hold; None while float64 tells them apart."""
    long = np.abs(values) > _EXACT
    if not long.any():
        return None
    whole = pd.Series(cells[long].astype(str)).str.fullmatch(r"[-+]?\d+")
    return int(cells[np.isfinite(values)].nunique()) if whole.all() else None


def codes_for_missing(values: np.ndarray) -> dict[float, str]:
    """-999, 9999 and the like that do not belong to the other values (N,), and stand twice; each with the reason."""
    seen = np.unique(values[np.isfinite(values)])
    fills = (np.abs(np.abs(seen)[:, None] / _FILLS - 1) < _FILL_DIGITS).any(axis=1)
    is_code = np.isin(seen, _CODES_FOR_MISSING) | fills
    rest = seen[~is_code & (seen != -1)]
    # -1 comes before 0; below whole numbers that begin later it is a code.
    if len(rest) > 2 and rest[0] >= 1 and (rest == np.round(rest)).all():
        is_code |= seen == -1
    others = seen[~is_code]  # two codes in a column do not hide each other
    if len(others) < 2:
        return {}
    _, exponent = np.frexp(np.abs(seen).max())
    low, high = np.ldexp(others[[0, -1]], -exponent)  # so that no difference of wild numbers overflows
    place = {float(code): float(np.ldexp(code, -exponent)) for code in seen[is_code]}
    found: dict[float, str] = {}
    for code in sorted(place, key=lambda code: max(low - place[code], place[code] - high)):
        far = max(low - place[code], place[code] - high) > 2 * (high - low)
        # -8 beside 0 and 8 is one step down.
        below = code < 0 <= others[0] and (code < -10 or others[0] - code > np.diff(others).min())
        if far or below:
            found[code] = "far from all other values" if far else "below zero unlike all other values"
        else:  # 97 beside 95 and 96 is a value, and then 98 is another
            low, high = min(low, place[code]), max(high, place[code])
    return {code: found[code] for code in sorted(found) if (values == code).sum() > 1}


def _tell_codes(name: str, values: np.ndarray) -> list[str]:
    """A warning for each number that may stand for a missing value."""
    return [
        f"column {name!r} holds {_shown(code)} in {int((values == code).sum())} rows, {reason}; "
        "if it stands for a missing value, empty those cells"
        for code, reason in codes_for_missing(values).items()
    ]


def _shown(code: float) -> str:
    return f"{code:.0f}" if abs(code) < _EXACT else f"{code:.6g}"
