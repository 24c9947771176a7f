"""Cells that stand for no value: words such as 'unknown', numbers such as -999, days such as 1900-01-01.

'unknown' is a gap beside yes and no, and a value beside 'known' alone. Shapes: N rows, W different words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
import pandas as pd

from foundcause.data.scales import known_order, known_truth
from foundcause.data.typed import examples, is_text, note, shorten
from foundcause.data.vocabulary import NOTHING, is_blank, is_missing
from foundcause.findings import Finding

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
_DAYS_FOR_MISSING = (  # where calendars of programs begin and end
    *("0001-01-01", "1753-01-01", "1899-12-30", "1899-12-31", "1900-01-01", "1970-01-01", "2099-12-31", "9999-12-31"),
)
_YEAR_LONG = 365


def filled_rows(columns: Iterable[pd.Series], rows: int) -> np.ndarray:
    """Return the sorted positions of the rows in which some cell holds a value.

    Columns are looked at one by one, and only where all before were empty: most tables are done after the first.
    """
    blank = np.arange(rows)
    for column in columns:
        if len(blank) == 0:
            break
        blank = blank[_is_empty(column.iloc[blank])]
    return np.setdiff1d(np.arange(rows), blank, assume_unique=True)


def _is_empty(column: pd.Series) -> np.ndarray:
    empty = column.isna().to_numpy(dtype=bool)
    if is_text(column):
        empty = empty | np.fromiter((isinstance(cell, str) and is_blank(cell) for cell in column), bool, len(column))
    return empty


def find_gaps(words: list[str], are_categories: Callable[[np.ndarray], bool]) -> np.ndarray:
    """Return (W,) whether each word stands for no value.

    ``are_categories`` says whether chosen words, (W,) bool, are neither numbers nor dates nor a known scale.
    """
    gaps = np.array([is_missing(word) for word in words], dtype=bool)
    if not gaps.any():
        return gaps
    doubtful = np.flatnonzero(gaps & ~_are_blank(words))
    values = [word for word, gap in zip(words, gaps, strict=True) if not gap]
    if not len(doubtful) or not values:
        return gaps
    for k in doubtful:
        extended = [*values, words[k]]
        gaps[k] = known_truth(extended) is None and known_order(extended) is None
    nothing = np.array([word.casefold() in NOTHING for word in words], dtype=bool)
    if (gaps & nothing).any() and are_categories(~gaps):
        gaps &= ~nothing
    if len({words[k].casefold() for k in np.flatnonzero(~gaps)}) == 1:
        gaps[doubtful] = False
    return gaps


def missing_words(name: str, words: list[str], counts: np.ndarray, gaps: np.ndarray) -> list[Finding]:
    """Return a finding about words, not just blanks, that count as missing."""
    if not gaps.any():
        return []
    chosen = gaps & ~_are_blank(words)
    return [_about_words("missing-words", name, words, counts, chosen)] if chosen.any() else []


def perhaps_missing_words(name: str, words: list[str], counts: np.ndarray, gaps: np.ndarray) -> list[Finding]:
    """Return a finding about words that count as categories although they often stand for no value."""
    chosen = ~gaps & np.array([is_missing(word) for word in words], dtype=bool)
    if not chosen.any() or all(len(words[k]) == 2 for k in np.flatnonzero(~gaps)):
        return []  # among codes of two letters, 'DK' is Denmark
    return [_about_words("perhaps-missing-words", name, words, counts, chosen)]


def lone_value(name: str, word: str, values: np.ndarray) -> list[Finding]:
    """Return a finding about a column (N,) whose cells hold the ``word`` or nothing, as ticked boxes do."""
    empty = int(np.isnan(values).sum())
    if not empty:
        return []
    return [note("value-or-empty", name, word=shorten(word), cells=len(values) - empty, empty=empty)]


def _about_words(code: str, name: str, words: list[str], counts: np.ndarray, chosen: np.ndarray) -> Finding:
    different = {words[k].casefold(): words[k] for k in np.flatnonzero(chosen)}
    return note(code, name, words=examples(different.values()), cells=int(counts[chosen].sum()))


def _are_blank(words: list[str]) -> np.ndarray:
    return np.array([is_blank(word) for word in words], dtype=bool)


def codes_for_missing(values: np.ndarray) -> dict[float, str]:
    """Return -999, 9999 and the like that do not belong to the other values (N,) and stand twice.

    Each comes with the reason: ``far`` from all other values, or ``below zero`` unlike them.
    """
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
    scaled = {float(code): float(np.ldexp(code, -exponent)) for code in seen[is_code]}
    reasons: dict[float, str] = {}
    for code in sorted(scaled, key=lambda code: max(low - scaled[code], scaled[code] - high)):
        far = max(low - scaled[code], scaled[code] - high) > 2 * (high - low)
        # -8 beside 0 and 8 is one step down.
        below = code < 0 <= others[0] and (code < -10 or others[0] - code > np.diff(others).min())
        if far or below:
            reasons[code] = "far" if far else "below zero"
        else:  # 97 beside 95 and 96 is a value, and then 98 is another
            low, high = min(low, scaled[code]), max(high, scaled[code])
    return {code: reasons[code] for code in sorted(reasons) if (values == code).sum() > 1}


def missing_codes(name: str, values: np.ndarray) -> list[Finding]:
    """Return a finding for each number that may stand for a missing value."""
    return [
        note("missing-code", name, value=f"{code:.0f}" if abs(code) < _EXACT else f"{code:.6g}",
             cells=int((values == code).sum()), why=reason)
        for code, reason in codes_for_missing(values).items()
    ]  # fmt: skip


def missing_days(name: str, values: np.ndarray) -> list[Finding]:
    """Return findings about 1900-01-01 and the like in days since 1970 (N,): far from all others, more than once."""
    seen = np.unique(values[np.isfinite(values)])
    codes = {float(np.datetime64(day).astype("int64")): day for day in _DAYS_FOR_MISSING}
    others = seen[~np.isin(seen, list(codes))]
    if len(others) < 2:
        return []
    # Years or decades, written as their first day, lie as far from each other as such a day lies from them.
    near = max(_YEAR_LONG, 2 * np.diff(others).max())
    return [
        note("missing-code", name, value=day, cells=int((values == code).sum()), why="far")
        for code, day in codes.items()
        if (values == code).sum() > 1 and max(others[0] - code, code - others[-1]) > near
    ]
