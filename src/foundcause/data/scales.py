"""Words whose order is known: yes and no, answer scales, months, levels, places, intervals.

Different words of a column never get the same rank unless they are spellings of one word ('Jan', 'January').
Shapes: W different words.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from foundcause.data.numbers import Decimal, read_numbers, singular
from foundcause.data.vocabulary import CURRENCY, LEVEL_WORDS, SCALES, TRUTHS, fold

_SCALE_SHARE = 0.95  # below this share of cells that belong to a scale, words are mere categories
_MOST_STEPS = 100
_SENTENCE = re.compile(r"[ -]")
# A label begins with a letter or a bound ('1. < HS Grad'), or, apart from its number, with another ('3 21-50').
_NUMBERED = re.compile(
    r"\(?(?P<number>\d{1,2})(?:\s*(?:[-–=:.)]+\s*|\s)(?P<label>[^\W\d].*|[<>≤≥$€£¥][<>≤≥=$€£¥\s]*\w.*)"
    r"|(?:\s*[-–=:.)]+\s+|\s)(?P<amount>\d[\d.,]*(?:\s*[-–+%°]|\s+(?:to|and|or)\b|\s*[a-z]).*))"
)
_FIRST_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_LATEST_BAND = 2
_PLACE = re.compile(r"(?P<number>\d{1,3})\.?(?:st|nd|rd|th)\b(?P<label>.*)")
_ROMAN = dict(zip(("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x"), range(1, 11), strict=True))
_NUMERAL = "|".join(sorted(_ROMAN, key=len, reverse=True))
_PART = r"(?P<part>[a-e]\d?)?"  # of stage IIIA, of T4a
_LEVEL = re.compile(
    rf"(?P<word>(?:{LEVEL_WORDS})(?:[ _-](?:{LEVEL_WORDS}))?)"
    rf"(?:[ _-]?(?P<number>\d+)|[ _-](?P<numeral>{_NUMERAL})){_PART}"
)
_SHORT_LEVEL = re.compile(rf"(?P<word>[cprya]{{0,2}}[tnm]|g|f)(?P<number>[0-5])(?P<numeral>(?!))?{_PART}")
_BARE_LEVEL = re.compile(rf"(?P<word>)(?P<number>(?!))?(?P<numeral>{_NUMERAL}){_PART}")
_LEAST_BARE = 3
_MEMBERS: tuple[Callable[[str], object], ...] = (
    *(frozenset(word for step in scale for word in step).__contains__ for scale in SCALES),
    *(pattern.fullmatch for pattern in (_LEVEL, _PLACE, _NUMBERED)),
)
_UNKNOWN = Decimal()

_PLAIN = r"[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?|[-+]?inf"  # as pandas.cut and R write them
_END = rf"(?:(?:{CURRENCY})\s?)?[-+]?\d(?:[\d.,'’\u00a0\u202f]*\d)?(?:\s?(?:k|m|mn|mio|bn)\b)?(?:\s?[$€£¥])?"
_INNER = r"(?:\s+(?P<inner>[^\W\d_]{1,10}))?"  # 65 years or older
_AFTER = r"(?:\s*(?P<unit>(?![\d+–—-])\S{1,10}))?(?: old)?"
_CUT = re.compile(rf"[\[(]\s*({_PLAIN})\s*[,;]\s*({_PLAIN})\s*[\])]", re.IGNORECASE)
_LESS = "under|younger|less|fewer|below|lower"
_MORE = "over|older|more|above|greater|higher|up"
_INTERVALS = {
    kind: re.compile(pattern + _AFTER, re.IGNORECASE)
    for kind, pattern in {
        "range": rf"[\[(]?\s*(?:from\s+)?(?P<low>{_END})\s*(?:-|–|—|to|until|\.\.|;)\s*(?P<high>{_END})\s*[\])]?",
        "below": rf"(?:<=?|≤|under|below|less than|fewer than|lower than|up to|at most)\s*(?P<low>{_END})",
        "and less": rf"(?P<low>{_END}){_INNER}\s*(?:and|or) (?:{_LESS})",
        "and more": rf"(?P<low>{_END})(?:\s*\+|{_INNER}\s*(?:and|or) (?:{_MORE}))",
        "above": rf"(?:>=?|≥|over|above|more than|greater than|higher than|at least)\s*(?P<low>{_END})",
        "alone": rf"(?P<low>{_END})",
    }.items()
}
_MONEY = re.compile(CURRENCY)


def known_truth(words: Sequence[str]) -> list[int] | None:
    """Return 0 or 1 for each when words are a pair such as no and yes, or spellings of one ('n', 'no', 'yes')."""
    folded = {word.casefold() for word in words}
    for family in TRUTHS:
        side = {word: k for pair in family for k, word in enumerate(pair)}
        pairs = [pair for pair in family if folded.issuperset(pair)]
        paired = {word for pair in pairs for word in pair}
        # Letters alone may stand for anything. Beside a pair that is written out they are short for it.
        if not folded <= side.keys() or not pairs or (len(pairs) > 1 and all(len(word) == 1 for word in paired)):
            continue
        if all(any(word.startswith(rest) and side[word] == side[rest] for word in paired) for rest in folded - paired):
            return [side[word.casefold()] for word in words]
    return None


def known_order(words: Sequence[str], decimal: Decimal = _UNKNOWN) -> list[int] | None:
    """Return the rank of each word (0 the lowest) when a known scale holds and tells apart all of them, else None."""
    folded = [fold(word) for word in words]
    if len(folded) < 2:
        return None
    answers = _order_of_answers(folded) or _order_of_answers(_without_same_end(folded))
    if answers:
        return answers
    levels = _order_of_levels(folded)
    if levels:
        return _dense(levels)
    return (
        order_of_intervals(words, decimal)
        or _order_of_numbered(folded, _PLACE)
        or _order_of_numbered(folded, _NUMBERED)
    )


def find_scale(words: Sequence[str], counts: np.ndarray) -> np.ndarray | None:
    """Return (W,) bool: the words of a known scale that holds nearly all cells, though not all words; or None.

    ``counts`` (W,) says how many cells hold each word. Fewer than three words may belong to a scale by chance.
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


def are_perhaps_codes(words: Sequence[str]) -> bool:
    """Return whether numbers in words, '1 - never' or 'T1', order them although they may be mere codes."""
    folded = [fold(word) for word in words]
    return all(map(_SHORT_LEVEL.fullmatch, folded)) or _order_of_numbered(folded, _NUMBERED) is not None


def order_of_intervals(words: Sequence[str], decimal: Decimal) -> list[int] | None:
    """Return the rank of each interval; None when one is none, units differ, or some lie in others.

    No end may fall when the other rises: '555-1234' and '444-9876' are no intervals.
    """
    parts = [_interval_parts(word) for word in words]
    written = [one for one in parts if one is not None]
    if len(written) < len(parts) or all(kind == "alone" for kind, _, _ in written):
        return None
    if len({singular(unit.casefold().rstrip(".")) for _, _, unit in written if unit}) > 1:
        return None
    value = _ends(sorted({end for _, ends, _ in written for end in ends}), decimal)
    intervals = [_interval(kind, [value[end] for end in ends]) for kind, ends, _ in written]
    if any(math.isnan(end) for interval in intervals for end in interval) or any(low > high for low, high in intervals):
        return None
    for (low, high), (next_low, next_high) in pairwise(sorted(set(intervals))):
        ranges = math.isfinite(low) and low < high and math.isfinite(next_high) and next_low < next_high
        if next_high < high or (ranges and (low == next_low or high == next_high)):
            return None
    return _dense(intervals)


def _interval_parts(word: str) -> tuple[str, tuple[str, ...], str] | None:
    """Return the kind of an interval, its ends as written, and its unit; None for other words."""
    word = " ".join(word.replace("_", " ").split())
    if cut := _CUT.fullmatch(word):
        return "range", cut.groups(), ""
    for kind, pattern in _INTERVALS.items():
        if match := pattern.fullmatch(word):
            groups = match.groupdict(default="")
            ends = tuple(groups[end].strip() for end in ("low", "high") if end in groups)
            return kind, ends, groups.get("inner") or groups["unit"]
    return None


def _ends(ends: list[str], decimal: Decimal) -> dict[str, float]:
    """Return the number of each end, NaN where it is unknown."""
    infinite = {end: float(end) for end in ends if end.casefold().lstrip("+-") == "inf"}
    finite = [end for end in ends if end not in infinite]
    dots, commas = any("." in end for end in finite), any("," in end for end in finite)
    if dots != commas and not decimal.certain:
        # Bands hardly have three decimals: '1.000' beside '500', and '1,000', are thousands.
        decimal = Decimal(mark="," if dots else ".")
    if len({money for end in finite for money in _MONEY.findall(end)}) > 1:
        return infinite | dict.fromkeys(finite, math.nan)
    bare = [_MONEY.sub("", end).strip() for end in finite]
    values = read_numbers("", bare, np.ones(len(bare), dtype=np.int64), decimal).values if bare else np.zeros(0)
    return infinite | dict(zip(finite, map(float, values), strict=True))


def _interval(kind: str, ends: list[float]) -> tuple[float, float]:
    if kind in ("below", "and less"):
        return -math.inf, ends[0]
    if kind in ("and more", "above"):
        return ends[0], math.inf
    return ends[0], ends[-1]


def _order_of_answers(words: Sequence[str]) -> list[int] | None:
    """Return the ranks of folded words, all of which belong to one of the known scales."""
    for scale in SCALES:
        step = {word: k for k, synonyms in reversed(list(enumerate(scale))) for word in synonyms}
        if all(word in step for word in words) and _tells_apart(step, set(words)):
            return _dense([step[word] for word in words])
    return None


def _without_same_end(words: Sequence[str]) -> list[str]:
    """Return 'very useful' and 'not at all useful' as 'very' and 'not at all': a common end does not order them."""
    parts = [word.split() for word in words]
    while len({tuple(part[-1:]) for part in parts}) == 1 and all(len(part) > 1 for part in parts):
        parts = [part[:-1] for part in parts]
    return [" ".join(part) for part in parts]


def _tells_apart(step: dict[str, int], words: set[str]) -> bool:
    """Return whether words of the same step are spellings of each other."""
    by_step: dict[int, list[str]] = {}
    for word in sorted(words, key=len):
        by_step.setdefault(step[word], []).append(word)
    return all(_is_short_for(short, long) for group in by_step.values() for short, long in pairwise(group))


def _is_short_for(short: str, long: str) -> bool:
    short, long = short.replace("'", ""), long.replace("'", "")
    return long.startswith(short) and not _SENTENCE.search(long)


def _order_of_levels(words: Sequence[str]) -> list[tuple[int, str]] | None:
    """Return what sorts folded words for levels: the number and its part; the word before it is the same in all."""
    for pattern in (_LEVEL, _SHORT_LEVEL, _BARE_LEVEL):
        matches = [match for match in map(pattern.fullmatch, words) if match]
        if len(matches) < len(words) or len({match["word"] for match in matches}) > 1:
            continue
        # 'IA' and 'VA' are states: a numeral alone needs company, and more than one letter somewhere.
        long = any(match["numeral"] and len(match["numeral"]) > 1 for match in matches)
        if pattern is not _BARE_LEVEL or (len(set(words)) >= _LEAST_BARE and long):
            return [(int(match["number"] or _ROMAN.get(match["numeral"], 0)), match["part"] or "") for match in matches]
    return None


def _order_of_numbered(words: Sequence[str], pattern: re.Pattern[str]) -> list[int] | None:
    """Return ranks by number, when words are the same behind it (places) or all different (answers)."""
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
    """Return whether numbers count answers; where amounts stand behind them, as in '2 11-20', both must be monotone.

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
