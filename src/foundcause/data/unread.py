"""Words that hold numbers and cannot be used as such: lists of answers, several numbers or units. Shapes: W words."""

from __future__ import annotations

import re

import numpy as np

from foundcause.data.numbers import Decimal, different_units, read_numbers
from foundcause.data.reading import counted, quote

_NEARLY_ALL, _MOST = 0.95, 0.8
_MANY_NUMBERS = 20
_TWO_NUMBERS = re.compile(r"\d+(?:[.,]\d+)?\s*[/x×:]\s*\d+(?:[.,]\d+)?")  # a blood pressure, a size
_PART = r"[-+−–]?\d+(?:[.,]\d+)?"
_LIST_SHARE = 0.5
_MOSTLY = 2 / 3
_MANY_RESTS = 10
_BEGINS = re.compile(r"[-+−–~<>≤≥]*\s*(?P<number>\d[\d.,]*)(?P<rest>\D.*)")
_DECIMALS = re.compile(r"[.,]\d")
_SIGN_OF_UNIT = re.compile(r"[/^*×·°%\[\]()]")
_UNREADABLE = re.compile(
    rf"[NSEWO]?\s*{_PART}\s*[°º](?:\s*\d+(?:[.,]\d+)?\s*['′’](?:\s*\d+(?:[.,]\d+)?\s*(?:[\"″”]|''))?)?\s*[NSEWO]?"
    rf"|[(\[]?{_PART}\s*[,;]\s*{_PART}[)\]]?"  # a place
    rf"|{_PART}\s*(?:±|\+/?-)\s*{_PART}"
    rf"|{_PART}\s*[(\[]{_PART}(?:\s*(?:[-–,;]|to)\s*{_PART})?[)\]]"  # an estimate and its interval
)
_LIST = re.compile(r"[1-9]\d?(?:,\s?[1-9]\d?)+")


def tell_measures(name: str, words: list[str]) -> list[str]:
    """A remedy for words that hold numbers which cannot be used as they are written."""
    if are_lists(words, points=True):
        shown = quote(next([word] for word in words if "," in word))
        return [f"column {name!r}: a cell such as {shown} lists several answers; make a column of each answer"]
    units = different_units(words)
    if units:
        return [f"column {name!r}: the numbers have different units ({quote(units[:4])}); write all in one"]
    if sum(_TWO_NUMBERS.fullmatch(word) is not None for word in words) >= _NEARLY_ALL * len(words):
        return [f"column {name!r}: a cell such as {quote(words[:1])} holds two numbers; make two columns of it"]
    if sum(_UNREADABLE.fullmatch(word) is not None for word in words) >= _NEARLY_ALL * len(words):
        return [
            f"column {name!r}: the cells hold numbers that cannot be read, such as {quote(words[:1])}; write plain "
            "numbers, and where a cell holds several, make a column of each"
        ]
    if _begin_with_numbers(words):
        return [
            f"column {name!r}: the cells begin with numbers that cannot be read, such as {quote(words[:1])}; write "
            "plain numbers, and what follows in the name of the column"
        ]
    return []


def tell_numbers(name: str, words: list[str], counts: np.ndarray, decimal: Decimal) -> list[str]:
    """A remedy for numbers beside too many other cells, as heights of which some are in feet and inches.

    counts: (W,) how many cells hold each word.
    """
    readable = np.isfinite(read_numbers(name, words, counts, decimal).values)
    share = counts[readable].sum() / counts.sum()
    if share < _MOSTLY or readable.sum() <= _MANY_NUMBERS:
        return []
    often = sorted(np.flatnonzero(~readable), key=lambda k: (-counts[k], words[k]))
    said = counted(int(counts[~readable].sum()), "cell is", "cells are")
    return [
        f"column {name!r}: {np.floor(100 * share):.0f}% of the cells are numbers, but {said} not, such as "
        f"{quote([words[k] for k in often[:2]])}, so all are read as categories; if the column holds a number, write "
        "one in these cells or empty them"
    ]


def _begin_with_numbers(words: list[str]) -> bool:
    """Whether most words are many different numbers before few different rests, with decimals or signs as of units.

    '12A' and '12B' are seats, '12 Main St' and '555-1234' tell where to find someone.
    """
    matches = [match for match in map(_BEGINS.fullmatch, words) if match]
    numbers, rests = {match["number"] for match in matches}, {match["rest"] for match in matches}
    return (
        len(matches) >= _MOST * len(words)
        and len(numbers) > _MANY_NUMBERS
        and len(rests) <= _MANY_RESTS
        and (any(_DECIMALS.search(number) for number in numbers) or any(map(_SIGN_OF_UNIT.search, rests)))
    )


def are_lists(words: list[str], *, points: bool) -> bool:
    """Whether words are numbers of answers that rise, '1' and '1,3'; ``points``: the table has decimal points."""
    lists = [[int(part) for part in word.split(",")] for word in words if _LIST.fullmatch(word)]
    alone = {int(word) for word in words if re.fullmatch(r"[1-9]\d?", word)}
    if not alone or len(lists) + len(alone) < len(words) or any(sorted(set(parts)) != parts for parts in lists):
        return False
    ends = {parts[-1] for parts in lists}
    # Three answers leave no doubt. '1,5' and '2,5' are halves, '1,25' and '1,75' quarters: 25 is no answer of its own.
    return any(len(parts) > 2 for parts in lists) or (
        points and len(ends) > 1 and len(ends & alone) >= _LIST_SHARE * len(ends)
    )
