"""Times of day, '07:30' and '7:30 PM', and durations, '26:15:00', '1h 30m' and 'PT1H30M'. Shapes: W different words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from foundcause.data.typed import Style, Typed, examples, note
from foundcause.data.vocabulary import SECONDS

SINCE_MIDNIGHT = "minutes since midnight"

_SHARE = 0.95  # below this share of readable cells a text column is text
_DAY = 86400.0
_CLOCK = re.compile(
    r"(?P<hour>[01]?\d|2[0-3]|24(?=[:h]00(?::00)?$))[:h](?P<minute>[0-5]\d)(?::(?P<second>[0-5]\d(?:[.,]\d+)?))?"
    r"(?: ?(?P<half>[ap])\.?m\.?| (?:uhr|uur|h))?|(?P<full_hour>0?[1-9]|1[0-2]) ?(?P<its_half>[ap])\.?m\.?",
    re.IGNORECASE,
)
_WITH_COLONS = re.compile(
    r"(?:(?P<days>[-+]?\d+) days?,? )?"
    r"(?P<sign>[-+]?)(?P<hours>\d+):(?P<minutes>[0-5]\d):(?P<seconds>[0-5]\d(?:[.,]\d+)?)"
)
_PART = re.compile(r"(\d+(?:[.,]\d+)?) ?([^\W\d_]+)\.?")
_WITH_LETTERS = re.compile(rf"{_PART.pattern}(?:,? ?(?:and )?{_PART.pattern})*")
_ISO = re.compile(
    r"(?P<sign>[-+]?)P(?=.*\d)(?:(?P<days>\d+)D)?"
    r"(?:T(?:(?P<hours>\d+(?:[.,]\d+)?)H)?(?:(?P<minutes>\d+(?:[.,]\d+)?)M)?(?:(?P<seconds>\d+(?:[.,]\d+)?)S)?)?"
)
_COMPOUND = re.compile(r"[^\W\d_].*\d|P.*T")
_ALSO_LENGTHS = frozenset({"m", "ms"})  # alone, 'm' is a length
_LONGEST = 60


@dataclass(frozen=True, kw_only=True)
class ClockStyle:
    """Times of day."""

    def read(self, words: Sequence[str]) -> np.ndarray:
        return np.array([_minutes(word) for word in words], dtype=float)


@dataclass(frozen=True, kw_only=True)
class DurationStyle:
    """Days, hours, minutes and seconds."""

    def read(self, words: Sequence[str]) -> np.ndarray:
        return np.array([_seconds(word) for word in words], dtype=float)


def read_clock_times(name: str, words: list[str], counts: np.ndarray) -> Typed | None:
    """Return minutes since midnight of each different word; None when the column holds no times of day."""
    return _typed(name, words, counts, ClockStyle(), "times of day")


def read_durations(name: str, words: list[str], counts: np.ndarray) -> Typed | None:
    """Return the seconds that each different word means; None when the column holds no durations, or times of day."""
    typed = _typed(name, words, counts, DurationStyle(), "durations")
    if typed is None:
        return None
    # '07:30:00' alone is a time of day and '30m' is a length; one cell that can only be a duration decides for all.
    compound = any(_COMPOUND.search(word) for word in words)
    units = {unit for word in words for _, unit in _parts(word)}
    several = len({SECONDS[unit] for unit in units}) > 1 and not units <= _ALSO_LENGTHS
    lone_unit = np.array([len(_parts(word)) == 1 for word in words])
    long = ~lone_unit & ((typed.values > _DAY) | (typed.values < 0))
    return typed if compound or several or long.any() else None


def are_full_hours(words: Sequence[str]) -> bool:
    """Return whether words are hours such as '7 AM', which look like numbers with a unit."""
    return all(word[-1:] in "mM." and (match := _CLOCK.fullmatch(word)) and match["full_hour"] for word in words)


def _typed(name: str, words: list[str], counts: np.ndarray, style: Style, what: str) -> Typed | None:
    values = style.read(words)
    strange = np.isnan(values)
    if counts[~strange].sum() < _SHARE * counts.sum():
        return None
    odd = examples(words[k] for k in np.flatnonzero(strange))
    cells = int(counts[strange].sum())
    findings = (note("strange-cells", name, words=odd, cells=cells, what=what),) if cells else ()
    if what == "durations":
        return Typed(values=values, kind="continuous", encoding="seconds", findings=findings, style=style)
    return Typed(values=values, kind="date", encoding=SINCE_MIDNIGHT, findings=findings, style=style)


def _minutes(word: str) -> float:
    match = _CLOCK.fullmatch(word)
    if match is None:
        return np.nan
    hours, half = int(match["hour"] or match["full_hour"]), match["half"] or match["its_half"]
    if half is not None:
        hours = hours % 12 + (12 if half.lower() == "p" else 0)
    return 60.0 * hours + int(match["minute"] or 0) + _number(match["second"] or "0") / 60.0


def _seconds(word: str) -> float:
    if parts := _parts(word):
        return float(sum(number * SECONDS[unit] for number, unit in parts))
    match = _WITH_COLONS.fullmatch(word) or _ISO.fullmatch(word)
    if match is None:
        return np.nan
    within = {part: _number(text or "0") for part, text in match.groupdict().items() if part != "sign"}
    within_day = 3600.0 * within["hours"] + 60.0 * within["minutes"] + within["seconds"]
    sign = -1.0 if match.groupdict().get("sign") == "-" else 1.0
    days = _DAY * within["days"]
    # Python writes the sign of the hours behind the days, '-1 days +23:00:00'; ISO writes one sign for all.
    return sign * (days + within_day) if match.re is _ISO else days + sign * within_day


def _parts(word: str) -> list[tuple[float, str]]:
    """Return the numbers and units of '1h 30m', from long to short; empty for other words."""
    if not word[:1].isdigit() or word[-1:].isdigit() or len(word) > _LONGEST or not _WITH_LETTERS.fullmatch(word):
        return []
    parts = [(_number(number), unit.lower() if len(unit) > 1 else unit) for number, unit in _PART.findall(word)]
    lengths = [SECONDS.get(unit, np.nan) for _, unit in parts]
    return parts if all(longer > shorter for longer, shorter in pairwise([np.inf, *lengths])) else []


def _number(text: str) -> float:
    return float(text.replace(",", "."))
