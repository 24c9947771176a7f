"""Words whose order is known: yes and no, scales of answers, months, levels, places, intervals (``intervals.py``).

Different words of a column are never given the same rank unless they are spellings of one word ('Jan', 'January').
Shapes: W different words.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from foundcause.data.answers import SCALES
from foundcause.data.calendar_words import SHORTEST_WEEKDAYS
from foundcause.data.intervals import order_of_intervals
from foundcause.data.levels import LEVEL, are_short_levels, order_of_grades, order_of_levels
from foundcause.data.numbers import Decimal
from foundcause.data.vocabulary import TRUTHS

# A label begins with a letter or a bound ('1. < HS Grad'), or, apart from its number, with another ('3 21-50').
_NUMBERED = re.compile(
    r"\(?(?P<number>\d{1,2})(?:\s*(?:[-–=:.)]+\s*|\s)(?P<label>[^\W\d].*|[<>≤≥$€£¥][<>≤≥=$€£¥\s]*\w.*)"
    r"|(?:\s*[-–=:.)]+\s+|\s)(?P<amount>\d[\d.,]*(?:\s*[-–+%°]|\s+(?:to|and|or)\b|\s*[a-z]).*))"
)
_FIRST_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_LATEST_BAND = 2
_PLACE = re.compile(r"(?P<number>\d{1,3})\.?(?:st|nd|rd|th)\b(?P<label>.*)")
_SCALE_SHARE = 0.95  # below this share of cells that belong to a scale, words are mere categories
_MOST_STEPS = 100
_LEAST_WEEKDAYS = 5  # of two letters
_MEMBERS: tuple[Callable[[str], object], ...] = (
    *(frozenset(word for step in scale for word in step).__contains__ for scale in SCALES),
    *(pattern.fullmatch for pattern in (LEVEL, _PLACE, _NUMBERED)),
)
_UNKNOWN = Decimal()
_SENTENCE = re.compile(r"[ -]")
_BETWEEN_WORDS = re.compile(r"[\s_]+|(?<=[^\W\d_])-(?=[^\W\d_])")


def fold(word: str) -> str:
    """The word without what never tells two apart: letter case, kinds of blanks and apostrophes, hyphens in words."""
    return _BETWEEN_WORDS.sub(" ", word.strip().casefold()).replace("’", "'")


def known_truth(words: Sequence[str]) -> list[int] | None:
    """0 or 1 for each when words are a pair such as no and yes, or spellings of one ('n', 'no', 'yes'); else None."""
    folded = {word.casefold() for word in words}
    for family in TRUTHS:
        side = {word: k for pair in family for k, word in enumerate(pair)}
        pairs = [pair for pair in family if folded.issuperset(pair)]
        paired = {word for pair in pairs for word in pair}
        # Letters alone may stand for anything; beside a pair that is written out they are short for it.
        if not folded <= side.keys() or not pairs or (len(pairs) > 1 and all(len(word) == 1 for word in paired)):
            continue
        if all(any(word.startswith(rest) and side[word] == side[rest] for word in paired) for rest in folded - paired):
            return [side[word.casefold()] for word in words]
    return None


def known_order(words: Sequence[str], decimal: Decimal = _UNKNOWN) -> list[int] | None:
    """Rank of each word (0 the lowest) when a known scale holds and tells apart all of them, else None.

    decimal: what the table shows about decimal marks, for intervals.
    """
    folded = [fold(word) for word in words]
    if len(folded) < 2:
        return None
    answers = _order_of_answers(folded) or _order_of_answers(_without_same_end(folded))
    if answers:
        return answers
    levels = order_of_levels(folded)
    return _dense(levels) if levels else order_of_intervals(words, decimal) or _order_of_places(folded)


def _order_of_answers(words: Sequence[str]) -> list[int] | None:
    """Ranks of folded words, all of which belong to one of the known scales."""
    short = SHORTEST_WEEKDAYS if len(set(words)) >= _LEAST_WEEKDAYS else ()
    for scale in (*SCALES, *short):
        step = {word: k for k, synonyms in reversed(list(enumerate(scale))) for word in synonyms}
        if all(word in step for word in words) and _tells_apart(step, set(words)):
            return _dense([step[word] for word in words])
    return None


def _without_same_end(words: Sequence[str]) -> list[str]:
    """'very useful' and 'not at all useful' as 'very' and 'not at all': what all words end in does not order them."""
    parts = [word.split() for word in words]
    while len({tuple(part[-1:]) for part in parts}) == 1 and all(len(part) > 1 for part in parts):
        parts = [part[:-1] for part in parts]
    return [" ".join(part) for part in parts]


def find_scale(words: Sequence[str], counts: np.ndarray) -> np.ndarray | None:
    """(W,) bool: the words of a known scale that holds nearly all cells, though not all words; None without one.

    counts: (W,) how many cells hold each word. Fewer than three words may belong to a scale by chance.
    """
    folded = [fold(word) for word in words]
    best, most = None, _SCALE_SHARE * counts.sum()
    if np.sort(counts)[-_MOST_STEPS:].sum() < most:
        return None  # names, of which there may be thousands
    for is_step in _MEMBERS:
        chosen = np.array([is_step(word) for word in folded], dtype=bool)
        if counts[chosen].sum() < most or chosen.all():
            continue
        ranks = known_order([word for word, inside in zip(words, chosen, strict=True) if inside])
        if ranks and len(set(ranks)) > 2 and (best is None or counts[chosen].sum() > most):
            best, most = chosen, counts[chosen].sum()
    return best


def _tells_apart(step: dict[str, int], words: set[str]) -> bool:
    """Whether words of the same step are spellings of each other."""
    by_step: dict[int, list[str]] = {}
    for word in sorted(words, key=len):
        by_step.setdefault(step[word], []).append(word)
    return all(_is_short_for(short, long) for group in by_step.values() for short, long in pairwise(group))


def _is_short_for(short: str, long: str) -> bool:
    short, long = short.replace("'", ""), long.replace("'", "")
    return long.startswith(short) and not _SENTENCE.search(long)


def known_grades(name: str, words: Sequence[str]) -> list[int] | None:
    """Rank of each word when the column, by its ``name`` or its words, holds grades of schools; else None."""
    grades = order_of_grades(name, [fold(word) for word in words])
    return _dense(grades) if grades else None


def are_perhaps_codes(words: Sequence[str]) -> bool:
    """Whether numbers in words, '1 - never' or 'T1', order them although they may be mere codes."""
    folded = [fold(word) for word in words]
    return are_short_levels(folded) or _order_of_numbered(folded, _NUMBERED) is not None


def _order_of_places(words: Sequence[str]) -> list[int] | None:
    """Ranks of '1st', '2nd', '3rd', or of answers that bear a number: '1 - never', '2 - rarely'."""
    return _order_of_numbered(words, _PLACE) or _order_of_numbered(words, _NUMBERED)


def _order_of_numbered(words: Sequence[str], pattern: re.Pattern[str]) -> list[int] | None:
    """Ranks by number, when words are the same behind it (places) or all different (answers)."""
    matches = [match for match in map(pattern.fullmatch, words) if match]
    numbers = [int(match["number"]) for match in matches]
    if len(matches) < len(words) or len(set(numbers)) < len(set(words)):
        return None
    if pattern is _PLACE:
        return _dense(numbers) if len({match["label"].strip() for match in matches}) == 1 else None
    labels = {(match["label"] or match["amount"]).strip() for match in matches}
    answers = len(labels) == len(set(words)) > 2 and _are_one_by_one(numbers, [match["amount"] for match in matches])
    return _dense(numbers) if answers else None


def _are_one_by_one(numbers: Sequence[int], amounts: Sequence[str | None]) -> bool:
    """Whether numbers count answers; where amounts stand behind them, as in '2 11-20', both must rise or fall.

    '12 kg' and '30 lb' are measures. Of bands alone, the first may be lacking.
    """
    begins = min(numbers) <= (_LATEST_BAND if all(amounts) else 1)
    rising = [amount for _, amount in sorted(zip(numbers, amounts, strict=True)) if amount]
    firsts = [float(_FIRST_NUMBER.findall(amount)[0]) for amount in rising]
    one_way = firsts in (sorted(firsts), sorted(firsts, reverse=True))
    return begins and max(numbers) < 2 * len(set(numbers)) and one_way


def _dense(positions: Sequence[Any]) -> list[int]:
    order = {position: k for k, position in enumerate(sorted(set(positions)))}
    return [order[position] for position in positions]
