"""Dates with the name of a month, in German, French, Spanish, Italian, Portuguese, Dutch or English, as English ones.

What is written otherwise stays as it is: only a name between the numbers of a date is a month.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from foundcause.data.calendar_words import (
    ENGLISH_MONTHS,
    ENGLISH_WEEKDAYS,
    MONTHS,
    SHORTEST_WEEKDAYS,
    WEEKDAYS,
    without_accents,
)
from foundcause.data.periods import YEAR

_LONGEST = 60
_LEAST_MONTHS = 2  # 'AVR-10' and 'AVR-12' are models, 'avr-10' beside 'mai-10' is a month
_ENGLISH = [names[0][:3].capitalize() for names in ENGLISH_MONTHS]
_MONTH = {
    without_accents(name): month
    for year in (ENGLISH_MONTHS, *MONTHS)
    for month, names in zip(_ENGLISH, year, strict=True)
    for name in names
}
_MONTH |= {"jaenner": "Jan", "maerz": "Mar"}
_DAYS = {
    name
    for week in (ENGLISH_WEEKDAYS, *WEEKDAYS, *SHORTEST_WEEKDAYS)
    for names in week
    for name in names
    if name not in _MONTH
}
_WEEKDAYS = "|".join(sorted(_DAYS, key=len, reverse=True))
_MARDI = r"mar(?=\.?,? \d{1,2}\.? [^\W\d])"  # or martes; before a number alone it is March
_WEEKDAY = re.compile(rf"(?:{_WEEKDAYS}|{_MARDI})\.?,? (?:(?:den|le|el|il) )?(?=\d)", re.IGNORECASE)
_NAME = r"(?P<name>[^\W\d_]{3,10})"
_TIME = (
    r"(?:(?:,? (?:(?:um|à|a las|alle(?: ore)?|ore|às|om) )?)(?P<hour>\d{1,2})[:h](?P<rest>\d{2}\S*(?: .*)?))?"  # 14h30
)
_WITH_DAY = re.compile(
    rf"(?P<day>\d{{1,2}})(?:\.|er|[ºª°])?(?: (?:de |di )?|[-/.]|){_NAME}\.?"
    rf"(?:,? (?:de |del |di )?|[-/.]|)(?P<year>\d{{4}}|\d{{2}}){_TIME}"
)
_YEAR_FIRST = re.compile(rf"(?P<year>{YEAR})[ /-]{_NAME}\.?[ /-](?P<day>\d{{1,2}}){_TIME}")
_WITHOUT_DAY = (
    re.compile(rf"{_NAME}\.?(?:[-/]| (?:de |del |di )?(?=\d{{4}}))(?P<year>\d{{4}}|\d{{2}})"),
    re.compile(rf"(?P<year>{YEAR})[ -]{_NAME}\.?"),  # as offices of statistics write it: 2020 JAN
)
_CODE = re.compile(r"\d+[^\W\d_]+\d\d")  # 12SET10
_DIGIT = re.compile(r"\d")
_CLOCK_WORD = re.compile(r"(?<=:\d\d) (?:Uhr|uur)$")


def with_english_months(words: Sequence[str], *, surely_dates: bool = False) -> list[str]:
    """Dates with names of months in English, and without those of weekdays; other words as they are.

    surely_dates: whether the words are known to be dates; else those without a day must name several months.
    """
    plain = [_without_weekday(word) for word in words]
    found = [_without_day(word) for word in plain]
    several = surely_dates or len({date[:3] for date in found if date}) >= _LEAST_MONTHS
    return [_with_day(word) or (several and date) or word for word, date in zip(plain, found, strict=True)]


def _without_weekday(word: str) -> str:
    if len(word) > _LONGEST or not _DIGIT.search(word):
        return word  # nearly always, and the patterns take time
    match = _WEEKDAY.match(word)
    return _CLOCK_WORD.sub("", word[match.end() :] if match else word)


def _with_day(word: str) -> str:
    """'3. Mai 2020, 14:30' as '3 May 2020 14:30'; empty for other words."""
    match = _WITH_DAY.fullmatch(word) or _YEAR_FIRST.fullmatch(word)
    month = _month(match["name"]) if match else None
    if match is None or month is None or _CODE.fullmatch(word):
        return ""
    time = f" {match['hour']}:{match['rest']}" if match["hour"] else ""
    return f"{match['day']} {month} {match['year']}{time}"


def _without_day(word: str) -> str:
    """'août 2019' as 'Aug-2019'; empty for other words."""
    for pattern in _WITHOUT_DAY:
        match = pattern.fullmatch(word)
        if match and (month := _month(match["name"])):
            return f"{month}-{match['year']}"
    return ""


def _month(name: str) -> str | None:
    return _MONTH.get(without_accents(name.casefold()))
