"""Columns that tell the time by years, quarters and months at once, as files of offices of statistics do.

Shapes: W different words.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from foundcause.data.periods import YEAR
from foundcause.data.reading import quote

_FEWEST = 2  # words of a frequency
_COVERED = 0.5  # of the parts of the years that are told; of dates of birth, some known by the year only, few are
_MONTH = r"(?:0?[1-9]|1[0-2])"
_YEARS = re.compile(YEAR)
_PARTS = {  # what they are called and how many a year has
    ("halves of years", 2): rf"{YEAR}[ -]?[HS]\d|[HS]\d[ /-]{YEAR}|\d[HS][ /-]{YEAR}",
    ("quarters", 4): rf"{YEAR}[ -]?[QT]\d|[QT]\d[ /-]{YEAR}|\d[QT][ /-]{YEAR}",
    ("months", 12): rf"{YEAR}[ -]?M\d{{1,2}}|{YEAR}-{_MONTH}|{_MONTH}[/.-]{YEAR}"
    rf"|{YEAR}[ -][^\W\d]{{3,10}}\.?|[^\W\d]{{3,10}}\.?[ -]{YEAR}",
}


def are_years_beside_parts(words: Sequence[str]) -> np.ndarray:
    """(W,) whether a word is a year alone, where others are the quarters or months of as many years."""
    years = np.array([_YEARS.fullmatch(word) is not None for word in words], dtype=bool)
    if not years.any():
        return years
    return years & (sum(map(len, _parts(words).values())) >= max(_FEWEST, int(years.sum())))


def tell_frequencies(name: str, words: Sequence[str], counts: np.ndarray) -> list[str]:
    """A note about a column that holds words of several frequencies, ``counts`` (W,) of each."""
    found = _parts(words)
    if found and len(years := [k for k, word in enumerate(words) if _YEARS.fullmatch(word)]) >= _FEWEST:
        found = {"years": years, **found}
    if len(found) < 2:
        return []
    shown = [
        f"{called} ({quote([words[places[0]]])}, {int(counts[places].sum())} rows)" for called, places in found.items()
    ]
    return [
        f"column {name!r} holds {', '.join(shown[:-1])} and {shown[-1]}: the same time stands in several rows, which "
        "are sums or means of each other and no independent cases; keep the rows of one of them"
    ]


def _parts(words: Sequence[str]) -> dict[str, list[int]]:
    """The places of quarters, months, ... among the words, of each kind that covers the years it tells of."""
    found = {}
    for (called, in_a_year), pattern in _PARTS.items():
        places = [k for k, word in enumerate(words) if re.fullmatch(pattern, word, re.IGNORECASE)]
        years = {match[0] for k in places if (match := _YEARS.search(words[k]))}
        if len(places) >= max(_FEWEST, _COVERED * in_a_year * len(years)):
            found[called] = places
    return found
