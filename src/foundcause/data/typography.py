"""Numbers as typesetters write them, in plain digits: '6½', '6 1/2' and '1.5×10⁷'. Shapes: W words."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

import numpy as np

_PARTS = "¼½¾⅐⅑⅒⅓⅔⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞"
_WITH_PART = re.compile(rf"(\d*)[ \u00a0\u202f]?([{_PARTS}])")
_MIXED = re.compile(r"(?<![\d.,/])(\d+)[ \u00a0]([1-9]\d?)[/⁄](2|3|4|8|16|32)(?![\d.,/])")
_POWER = re.compile(
    r"(?:(?P<number>\d[\d.,]*)\s*[x×·⋅*]\s*|(?<![\d.,\s]))10"
    r"(?:\s?(?:\^|\*\*)\s?\(?(?P<plain>[-+\u2212\u2013]?\d{1,2})\)?|(?P<raised>[⁻⁺]?[⁰¹²³⁴-⁹]{1,2}))"
    r"(?![\d.,⁰¹²³⁴-⁹]|\s*/)"  # 10^9/L is a unit
)
_PLAIN_DIGITS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺\u2212\u2013", "0123456789-+--")


def in_plain_digits(words: Sequence[str]) -> list[str]:
    """Words with fractions as decimals and powers of ten as exponents; all others as they are."""
    return [_without_powers(_without_parts(word)) for word in words]


def tell_powers(name: str, words: Sequence[str], values: np.ndarray) -> list[str]:
    """A warning when some numbers (W,) have a power of ten and others none: it may be the unit of all."""
    raised = np.array([_without_powers(word) != word for word in words], dtype=bool) & np.isfinite(values)
    bare = np.array([word.replace(".", "", 1).isdigit() for word in words], dtype=bool) & (values != 0)
    if not (raised.any() and bare.any()):
        return []
    k, without = int(np.argmax(raised)), words[int(np.argmax(bare))]
    return [f"column {name!r}: {words[k]!r} is read as {values[k]:,.10g} and {without!r} as it stands; check both"]


def _without_parts(word: str) -> str:
    if not word.isascii() and any(part in word for part in _PARTS):
        return _WITH_PART.sub(lambda match: _decimal(int(match[1] or 0), unicodedata.numeric(match[2])), word, count=1)
    if "/" in word or "⁄" in word:
        return _MIXED.sub(_mixed, word, count=1)
    return word


def _mixed(match: re.Match[str]) -> str:
    share = int(match[2]) / int(match[3])
    return _decimal(int(match[1]), share) if share < 1 else match[0]


def _decimal(whole: int, share: float) -> str:
    return f"{whole + share:.6f}"  # never three decimals, which may be taken for thousands


def _without_powers(word: str) -> str:
    if "10" not in word or (word.isascii() and "^" not in word and "**" not in word):
        return word
    return _POWER.sub(_exponent, word, count=1)


def _exponent(match: re.Match[str]) -> str:
    power = (match["plain"] or match["raised"]).translate(_PLAIN_DIGITS)
    return f"{match['number'] or '1'}e{int(power)}"
