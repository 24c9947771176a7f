"""Words whose order is known: yes and no, scales of answers, months, levels, intervals such as '18-25'.

Different words of a column are never given the same rank unless they are spellings of one word ('Jan', 'January').
Shapes: W different words.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from itertools import pairwise

from foundcause.table.vocabulary import LEVEL_WORDS, SCALES, TRUTHS

_LEVEL = re.compile(rf"(?P<word>{'|'.join(LEVEL_WORDS)})[ _-]?(?P<number>\d+)")
_NUMBER = r"[-+]?\d+(?:[.,]\d+)?"
_END = rf"{_NUMBER}|[-+]?inf"  # as pandas.cut writes the outer intervals
_RANGE = re.compile(rf"[\[(]?\s*({_END})\s*(?:-|–|—|to|until|\.\.|,|;|bis)\s*({_END})\s*[\])]?(?:\s*\S{{0,10}})?")
_BELOW = re.compile(rf"(?:<=?|≤|under|below|less than|up to)\s*({_NUMBER})(?:\s*\S{{0,10}})?")
_ABOVE = re.compile(rf"(?:>=?|≥|over|above|more than|at least)\s*({_NUMBER})(?:\s*\S{{0,10}})?")
_ALONE = re.compile(rf"({_NUMBER})")
_AND_MORE = re.compile(rf"({_NUMBER})\s*(?:\+|and (?:over|older|more|above)|or (?:more|older|above))(?:\s*\S{{0,10}})?")
_SENTENCE = re.compile(r"[ -]")


def fold(word: str) -> str:
    """The word without what never tells two words apart: letter case and the kind of blanks."""
    return re.sub(r"[\s_]+", " ", word.strip().casefold())


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


def known_order(words: Sequence[str]) -> list[int] | None:
    """Rank of each word (0 the lowest) when a known scale holds and tells apart all of them, else None."""
    folded = [fold(word) for word in words]
    if len(folded) < 2:
        return None
    for scale in SCALES:
        step = {word: k for k, synonyms in reversed(list(enumerate(scale))) for word in synonyms}
        if all(word in step for word in folded) and _tells_apart(step, set(folded)):
            return _dense([step[word] for word in folded])
    return _order_of_levels(folded) or _order_of_intervals(folded)


def _tells_apart(step: dict[str, int], words: set[str]) -> bool:
    """Whether words of the same step are spellings of each other."""
    by_step: dict[int, list[str]] = {}
    for word in sorted(words, key=len):
        by_step.setdefault(step[word], []).append(word)
    return all(_is_short_for(short, long) for group in by_step.values() for short, long in pairwise(group))


def _is_short_for(short: str, long: str) -> bool:
    short, long = short.replace("'", ""), long.replace("'", "")
    return long.startswith(short) and not _SENTENCE.search(long)


def _order_of_levels(words: Sequence[str]) -> list[int] | None:
    """Ranks of 'grade 1', 'grade 2', ...; the word must be the same in all."""
    matches = [_LEVEL.fullmatch(word) for word in words]
    found = [match for match in matches if match]
    if len(found) < len(words) or len({match["word"] for match in found}) > 1:
        return None
    return _dense([int(match["number"]) for match in found])


def _order_of_intervals(words: Sequence[str]) -> list[int] | None:
    """Ranks of intervals, no end of which may fall when the other rises: '555-1234' and '444-9876' are no intervals."""
    intervals = [_interval(word) for word in words]
    found = [interval for interval in intervals if interval is not None]
    if len(found) < len(words):
        return None
    rising = sorted(set(found))
    for (low, high), (next_low, next_high) in pairwise(rising):
        ranges = math.isfinite(low) and low < high and math.isfinite(next_high) and next_low < next_high
        if next_high < high or (ranges and (low == next_low or high == next_high)):
            return None
    place = {interval: k for k, interval in enumerate(rising)}
    return [place[interval] for interval in found]


def _interval(word: str) -> tuple[float, float] | None:
    """The ends of an interval such as '18-25', '<18', '65+', or of a number beside such."""
    for pattern in (_RANGE, _BELOW, _AND_MORE, _ABOVE, _ALONE):
        match = pattern.fullmatch(word)
        if match is None:
            continue
        ends = [float(end.replace(",", ".")) for end in match.groups()]
        if pattern is _BELOW:
            return -math.inf, ends[0]
        if pattern in (_AND_MORE, _ABOVE):
            return ends[0], math.inf
        return (ends[0], ends[-1]) if ends[0] <= ends[-1] else None
    return None


def _dense(positions: Sequence[int]) -> list[int]:
    order = {position: k for k, position in enumerate(sorted(set(positions)))}
    return [order[position] for position in positions]
