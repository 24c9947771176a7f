"""Durations as text: '26:15:00', '76:42', '1:52.7', '1h 30m', '850ms' beside '1.2s', 'PT1H30M', as Python writes them.

Shapes: W different words.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from foundcause.data.reading import Encoded, counted, quote

_DURATION_SHARE = 0.95  # below this share of readable durations a text column is text
_DAY = 86400.0
_WITH_COLONS = re.compile(
    r"(?:(?P<days>[-+]?\d+) days?,? )?"
    r"(?P<sign>[-+]?)(?P<hours>\d+):(?P<minutes>[0-5]\d):(?P<seconds>[0-5]\d(?:[.,]\d+)?)"
)
_UNITS = {
    unit: seconds
    for seconds, units in {
        1e-9: "ns nanosecond nanoseconds",
        1e-6: "us µs μs microsecond microseconds",
        1e-3: "ms msec msecs millisecond milliseconds",
        1.0: "s sec secs second seconds",
        60.0: "m min mins minute minutes",
        3600.0: "h hr hrs hour hours",
        _DAY: "d day days",
        7 * _DAY: "w wk wks week weeks",
        30.4375 * _DAY: "mo mos month months",
        365.25 * _DAY: "y yr yrs year years",
    }.items()
    for unit in units.split()
}
_ROUGH = 28 * _DAY  # months and years differ in length
_PART = re.compile(r"(\d+(?:[.,]\d+)?) ?([^\W\d_]+)\.?")
_WITH_LETTERS = re.compile(rf"{_PART.pattern}(?:,? ?(?:and )?{_PART.pattern})*")
_LONGEST = 60
_ISO = re.compile(
    r"(?P<sign>[-+]?)P(?=.*\d)(?:(?P<days>\d+)D)?"
    r"(?:T(?:(?P<hours>\d+(?:[.,]\d+)?)H)?(?:(?P<minutes>\d+(?:[.,]\d+)?)M)?(?:(?P<seconds>\d+(?:[.,]\d+)?)S)?)?"
)
_SHORT = re.compile(r"(\d+):([0-5]\d(?P<tenths>[.,]\d+)?)")
_WITHOUT_MINUTES = re.compile(r"[0-5]?\d[.,]\d+")  # '58.91' beside '1:02.33'
_COMPOUND = re.compile(r"[^\W\d_].*\d|P.*T")
_METRES_TOO = frozenset({"m", "ms"})  # alone, 'm' is a length
_LAST_HOUR = 23


@dataclass(frozen=True, kw_only=True)
class DurationStyle:
    """Days, hours, minutes and seconds.

    short: whether two numbers are minutes and seconds, '76:42'; tenths: whether parts of a second are written, so that
    a number alone is one of seconds.
    """

    short: bool = False
    tenths: bool = False

    def read(self, words: Sequence[str]) -> np.ndarray:
        return np.array([self._seconds(word) for word in words], dtype=float)

    def _seconds(self, word: str) -> float:
        if self.tenths and _WITHOUT_MINUTES.fullmatch(word):
            return _number(word)
        match = _SHORT.fullmatch(word) if self.short else None
        return 60.0 * int(match[1]) + _number(match[2]) if match else _seconds(word)


def read_durations(name: str, words: list[str], counts: np.ndarray) -> Encoded | None:
    """The seconds that each different word means; None when the column holds no durations, or only times of day."""
    short = _minutes_and_seconds(words, counts)
    style = DurationStyle(short=short is not None, tenths=short is not None and _has_tenths(short))
    values = style.read(words)
    readable = ~np.isnan(values)
    if counts[readable].sum() < _DURATION_SHARE * counts.sum():
        return None
    # '07:30:00' alone is a time of day and '30m' is a length; one cell that can only be a duration decides for all.
    compound = np.array([_COMPOUND.search(word) is not None for word in words])
    units = sorted({unit for word, fits in zip(words, readable, strict=True) if fits for _, unit in _parts(word)})
    several = len({_UNITS[unit] for unit in units}) > 1 and not _METRES_TOO.issuperset(units)
    lone_unit = np.array([len(_parts(word)) == 1 for word in words])
    certain = compound | (~lone_unit & ((values > _DAY) | (values < 0)))
    if short is None and not several and not (readable & certain).any():
        return None
    notes: tuple[str, ...] = ()
    if several and not compound.any():
        rough = ", a month of 30.4 and a year of 365.25 days" if any(_UNITS[unit] > _ROUGH for unit in units) else ""
        notes = (f"column {name!r}: {quote(units[:6])} are units of time; all cells are converted to seconds{rough}",)
    if short is not None:
        notes = (*notes, f"column {name!r}: {short!r} is read as minutes and seconds")
    if not readable.all():
        strange = quote([words[k] for k in np.flatnonzero(~readable)[:3]])
        many = int(counts[~readable].sum())
        said = counted(many, f"cell ({strange}) is no duration and is", f"cells ({strange}) are no durations and are")
        notes = (*notes, f"column {name!r}: {said} treated as missing")
    return Encoded(values=values, kind="continuous", encoding="seconds", notes=notes, style=style)


def _minutes_and_seconds(words: list[str], counts: np.ndarray) -> str | None:
    """A word such as '76:42' or '1:52.77', where too many are no times of day to be typing errors; else None.

    Scores ('28:9') have no zero in front of the second number, and shares ('95:05') add up to a hundred.
    """
    found = [_SHORT.fullmatch(word) for word in words]
    matches = [match for match in found if match]
    tenths = any(match["tenths"] for match in matches)
    long = np.array([match is not None and (bool(match["tenths"]) or int(match[1]) > _LAST_HOUR) for match in found])
    if counts[long].sum() <= (1 - _DURATION_SHARE) * counts.sum():
        return None
    scores = not tenths and not any(match[2].startswith("0") for match in matches)
    shares = all(int(match[1]) + _number(match[2]) == 100 for match in matches)
    if scores or shares:
        return None
    return next(match[0] for match in matches if (match["tenths"] if tenths else int(match[1]) > _LAST_HOUR))


def _has_tenths(word: str) -> bool:
    match = _SHORT.fullmatch(word)
    return match is not None and match["tenths"] is not None


def _parts(word: str) -> list[tuple[float, str]]:
    """The numbers and units of '1h 30m', from long to short; empty for other words."""
    if not word[:1].isdigit() or word[-1:].isdigit() or len(word) > _LONGEST or not _WITH_LETTERS.fullmatch(word):
        return []
    found = [(_number(number), unit.lower() if len(unit) > 1 else unit) for number, unit in _PART.findall(word)]
    lengths = [_UNITS.get(unit, np.nan) for _, unit in found]
    return found if all(longer > shorter for longer, shorter in pairwise([np.inf, *lengths])) else []


def _seconds(word: str) -> float:
    if parts := _parts(word):
        return float(sum(number * _UNITS[unit] for number, unit in parts))
    match = _WITH_COLONS.fullmatch(word) or _ISO.fullmatch(word)
    if match is None:
        return np.nan
    within = {part: _number(text or "0") for part, text in match.groupdict().items() if part != "sign"}
    within_day = 3600.0 * within["hours"] + 60.0 * within["minutes"] + within["seconds"]
    sign = -1.0 if match.groupdict().get("sign") == "-" else 1.0
    days = _DAY * within["days"]
    # Python writes the sign of the hours behind the days, '-1 days +23:00:00'; ISO writes one sign for all.
    return sign * (days + within_day) if match.re is _ISO else days + sign * within_day


def _number(text: str) -> float:
    return float(text.replace(",", "."))
