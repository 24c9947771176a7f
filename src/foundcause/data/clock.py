"""Times of day as people write them: '07:30', '7:30 PM', '7 AM', '7h30', '7:30 Uhr'. Shapes: W different words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from foundcause.data.reading import Encoded, counted

SINCE_MIDNIGHT = "minutes since midnight"

_TIME_SHARE = 0.95  # below this share of readable times a text column is text
_DAY_MINUTES = 1440
_LEAST_TIMES = 4  # fewer do not crowd anywhere
_EMPTY_DAY, _FULL_NIGHT = 360, 180  # minutes that times around midnight leave empty: more by day, fewer at midnight
_CLOCK = re.compile(
    r"(?P<hour>[01]?\d|2[0-3]|24(?=[:h]00(?::00)?(?: (?:uhr|uur|h))?$))"  # 24:00 ends a day
    r"[:h](?P<minute>[0-5]\d)(?::(?P<second>[0-5]\d(?:[.,]\d+)?))?"
    r"(?: ?(?P<half>[ap])\.?m\.?| (?:uhr|uur|h))?"
    r"|(?P<full_hour>0?[1-9]|1[0-2]) ?(?P<its_half>[ap])\.?m\.?",
    re.IGNORECASE,
)


@dataclass(frozen=True, kw_only=True)
class ClockStyle:
    """Times of day; those before the hour at which it ``begins`` belong to the night of the day before."""

    begins: int = 0

    def read(self, words: Sequence[str]) -> np.ndarray:
        matches = (_CLOCK.fullmatch(word) for word in words)
        values = np.array([_minutes(match) if match else np.nan for match in matches])
        return values + _DAY_MINUTES * (values < 60 * self.begins)


def read_clock_times(name: str, words: list[str], counts: np.ndarray) -> Encoded | None:
    """Minutes since midnight of each different word; None when the column holds no times of day."""
    values = ClockStyle().read(words)
    bad = int(counts[np.isnan(values)].sum())
    if bad > (1 - _TIME_SHARE) * counts.sum():
        return None
    said = counted(bad, "cell is no time of day and is", "cells are no times of day and are")
    notes = [f"column {name!r}: {said} treated as missing"] if bad else []
    encoding, style = SINCE_MIDNIGHT, ClockStyle(begins=_first_hour(values))
    if style.begins:
        encoding = f"{SINCE_MIDNIGHT}; times before {style.begins}:00 are of the day after"
        early = int(np.nanargmin(values))
        values = style.read(words)
        shown = f"{int(values[early]) // 60}:{int(values[early]) % 60:02d}"
        notes.append(
            f"column {name!r}: the times lie around midnight, so the day begins at {style.begins}:00 and "
            f"{words[early]!r} is read as {shown}"
        )
    return Encoded(values=values, kind="date", encoding=encoding, notes=tuple(notes), style=style)


def are_full_hours(words: Sequence[str]) -> bool:
    """Whether words are hours such as '7 AM', which look like numbers with a unit."""
    return all(word[-1:] in "mM." and (match := _CLOCK.fullmatch(word)) and match["full_hour"] for word in words)


def _first_hour(minutes: np.ndarray) -> int:
    """The hour in the middle of an empty day, where times lie on both sides of midnight; else 0."""
    seen = np.unique(minutes[~np.isnan(minutes)])
    if len(seen) < _LEAST_TIMES or seen[0] + _DAY_MINUTES - seen[-1] > _FULL_NIGHT:
        return 0
    widest = int(np.argmax(np.diff(seen)))
    start, end = seen[widest], seen[widest + 1]
    return int((start + end) / 2 // 60) if end - start > _EMPTY_DAY else 0


def _minutes(match: re.Match[str]) -> float:
    hours, half = int(match["hour"] or match["full_hour"]), match["half"] or match["its_half"]
    if half is not None:
        hours = hours % 12 + (12 if half.lower() == "p" else 0)
    return 60.0 * hours + int(match["minute"] or 0) + float((match["second"] or "0").replace(",", ".")) / 60.0
