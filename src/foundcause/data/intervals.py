"""Intervals as people write them: '18-25', '<18', '65+', '1,000-1,999', '$20k to $40k', '(0, 10]'.

What commas, dots and multipliers mean is decided for a column, as it is for numbers. Shapes: W different words.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from foundcause.data.numbers import Decimal, read_numbers
from foundcause.data.signs import CURRENCY
from foundcause.data.units import singular

_PLAIN = r"[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?|[-+]?inf"  # as pandas.cut and R write them
_END = rf"(?:(?:{CURRENCY})\s?)?[-+]?\d(?:[\d.,'’\u00a0\u202f]*\d)?(?:\s?(?:k|m|mn|mio|bn)\b)?(?:\s?[$€£¥])?"
_INNER = r"(?:\s+(?P<inner>[^\W\d_]{1,10}))?"  # 65 years or older
_UNIT = r"(?:\s*(?P<unit>(?![\d+–—-])\S{1,10}))?(?: old)?"
_CUT = re.compile(rf"[\[(]\s*({_PLAIN})\s*[,;]\s*({_PLAIN})\s*[\])]", re.IGNORECASE)
_BELOW = "<=?|≤|under|below|less than|fewer than|lower than|up to|at most"
_ABOVE = ">=?|≥|over|above|more than|greater than|higher than|at least"
# German, French, Spanish, Italian, Portuguese and Dutch; blanks around them are needed, for AB12 is a code.
_FROM_ABROAD = "von|de|da|van"
_TO_ABROAD = "à|al?|até|tot|t/m"
_BELOW_ABROAD = (
    "unter|weniger als|bis zu|bis|höchstens|moins de|jusqu'à|menos de|hasta|meno di|fino a|até|minder dan|onder"
)
_ABOVE_ABROAD = (
    "über|mehr als|mindestens|(?-i:[aA]b)|plus de|au moins|más de|mas de|al menos|più di|oltre|almeno|mais de|acima de"
    "|meer dan|boven|vanaf"
)
_AND_LESS = (
    "(?:and|or) (?:under|younger|less|fewer|below|lower)|(?:und|oder) (?:jünger|weniger|darunter)|(?:et|ou) moins"
    "|[yo] menos|[eo] meno|(?:e|ou) menos|(?:en|of) (?:jonger|minder)"
)
_AND_MORE = (
    "(?:and|or) (?:over|older|more|above|greater|higher|up)|(?:und|oder) (?:älter|mehr|darüber)|(?:et|ou) plus"
    "|[yo] (?:más|mas)|[eo] più|(?:e|ou) mais|(?:en|of) (?:ouder|meer)"
)
_KINDS = {
    kind: re.compile(pattern + _UNIT, re.IGNORECASE)
    for kind, pattern in {
        "range": rf"[\[(]?\s*(?:(?:from|{_FROM_ABROAD})\s+)?(?P<low>{_END})"
        rf"(?:\s*(?:-|–|—|to|until|\.\.|;|bis)\s*|\s+(?:{_TO_ABROAD})\s+)(?P<high>{_END})\s*[\])]?",
        "below": rf"(?:(?:{_BELOW})\s*|(?:{_BELOW_ABROAD})\s+)(?P<low>{_END})",
        "and less": rf"(?P<low>{_END}){_INNER}\s*(?:{_AND_LESS})",
        "and more": rf"(?P<low>{_END})(?:\s*\+|{_INNER}\s*(?:{_AND_MORE}))",
        "above": rf"(?:(?:{_ABOVE})\s*|(?:{_ABOVE_ABROAD})\s+)(?P<low>{_END})",
        "alone": rf"(?P<low>{_END})",
    }.items()
}
_MONEY = re.compile(CURRENCY)
_DOWNWARDS, _UPWARDS = ("below", "and less"), ("and more", "above")


_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
_MONTH = "|".join(_MONTHS)
_MANGLED = re.compile(
    rf"(?P<day>\d{{1,2}})[- ](?P<month>{_MONTH})|(?P<first>{_MONTH})[- ](?P<year>\d{{1,2}})", re.IGNORECASE
)
_BIN = re.compile(r"\d+\s?[-–]\s?\d+")


@dataclass(frozen=True, kw_only=True)
class _Written:
    """One word taken apart: what kind of interval, its ends as written, the word behind them."""

    kind: str
    ends: tuple[str, ...]
    unit: str = ""


def order_of_intervals(words: Sequence[str], decimal: Decimal) -> list[int] | None:
    """Rank of each interval; None when one is none, units differ, or some lie in others.

    No end may fall when the other rises: '555-1234' and '444-9876' are no intervals.
    """
    found = [_taken_apart(word) for word in words]
    written = [one for one in found if one is not None]
    if len(written) < len(found) or all(one.kind == "alone" for one in written):
        return None
    if len({singular(one.unit.casefold().rstrip(".")) for one in written if one.unit}) > 1:
        return None
    value = _values(sorted({end for one in written for end in one.ends}), decimal)
    intervals = [_interval(one, [value[end] for end in one.ends]) for one in written]
    if any(math.isnan(end) for interval in intervals for end in interval) or any(low > high for low, high in intervals):
        return None
    rising = sorted(set(intervals))
    for (low, high), (next_low, next_high) in pairwise(rising):
        ranges = math.isfinite(low) and low < high and math.isfinite(next_high) and next_low < next_high
        if next_high < high or (ranges and (low == next_low or high == next_high)):
            return None
    place = {interval: k for k, interval in enumerate(rising)}
    return [place[interval] for interval in intervals]


def without_months(words: Sequence[str]) -> list[str] | None:
    """Words with '09-May' and 'Oct-14' as '5-9' and '10-14', where a spreadsheet took bins for dates; else None.

    Other bins must be left, for without them these are dates.
    """
    mangled = [_MANGLED.fullmatch(word) for word in words]
    if not any(mangled) or not any(map(_BIN.fullmatch, words)):
        return None
    return [_restored(match) if match else word for word, match in zip(words, mangled, strict=True)]


def _restored(match: re.Match[str]) -> str:
    """The bin of which the one end became a month and the other a day or a year."""
    month = _MONTHS.index((match["month"] or match["first"]).lower()) + 1
    low, high = sorted((month, int(match["day"] or match["year"])))
    return f"{low}-{high}"


def _taken_apart(word: str) -> _Written | None:
    word = " ".join(word.replace("_", " ").split())
    if cut := _CUT.fullmatch(word):
        return _Written(kind="range", ends=cut.groups())
    for kind, pattern in _KINDS.items():
        if match := pattern.fullmatch(word):
            found = match.groupdict(default="")
            ends = tuple(found[end].strip() for end in ("low", "high") if end in found)
            return _Written(kind=kind, ends=ends, unit=found.get("inner") or found["unit"])
    return None


def _values(ends: list[str], decimal: Decimal) -> dict[str, float]:
    """The number of each end, NaN where it cannot be told."""
    infinite = {end: float(end) for end in ends if end.casefold().lstrip("+-") == "inf"}
    finite = [end for end in ends if end not in infinite]
    dots, commas = any("." in end for end in finite), any("," in end for end in finite)
    if dots != commas and not decimal.certain:
        # Bands hardly have three decimals: '1.000' beside '500', and '1,000', are thousands.
        decimal = Decimal(mark="," if dots else ".")
    money = {found for end in finite for found in _MONEY.findall(end)}
    if len(money) > 1:
        return infinite | dict.fromkeys(finite, math.nan)
    bare = [_MONEY.sub("", end).strip() for end in finite]
    read = read_numbers("", bare, np.ones(len(bare), dtype=np.int64), decimal).values if bare else np.zeros(0)
    return infinite | dict(zip(finite, map(float, read), strict=True))


def _interval(written: _Written, ends: list[float]) -> tuple[float, float]:
    if written.kind in _DOWNWARDS:
        return -math.inf, ends[0]
    if written.kind in _UPWARDS:
        return ends[0], math.inf
    return ends[0], ends[-1]
