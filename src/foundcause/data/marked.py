"""Numbers beside a mark that is no part of them: '105.2*', '5.71 (H)', '5.7 H', '~50', 'ca. 40'. Shapes: W words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from foundcause.data.reading import counted, quote

_SIGN = r"[*!?†‡§↑↓⇑⇓▲▼]"
_FLAG = r"HH?|LL?|A|N|C|(?i:high|low|normal|abnormal|critical|est\.?|estimated|approx\.?)"
_BEFORE = rf"(?:[~≈≃]|{_SIGN}|(?i:ca|circa|approx|approximately|about|around|roughly|etwa|ungefähr|env)(?:\.|\b))\s*"
_AFTER = rf"(?:\s*(?:{_SIGN}|\((?:{_SIGN}|{_FLAG})\)|\[(?:{_SIGN}|{_FLAG})\]))+"
_LETTERS = r"(?<=\d)(?:HH?|LL?)|\s+(?:HH?|LL?|A|(?i:high|low|abnormal)|[bcdefnprsuz]{1,2})"  # 6.9 b of Eurostat
_MARKED = re.compile(rf"(?P<before>{_BEFORE})?(?P<core>.*?)(?:(?P<after>{_AFTER})|(?P<letters>{_LETTERS}))?")
_LONGEST = 60
_LEAST_NUMBERS = 5
_NUMBER_STARTS = frozenset("-0123456789")
_STARTS = frozenset("~≈≃*!?†‡§↑↓⇑⇓▲▼cCaArReEuU")
_ENDS = frozenset("*!?†‡§↑↓⇑⇓▲▼)]HLAhwlW")
_FOOTNOTES = frozenset("bcdefnprsuz")
_NO_UNITS = frozenset("beprz")  # days and seconds are

MatchNumber = Callable[[str], re.Match[str] | None]


@dataclass(frozen=True, kw_only=True)
class Unmarked:
    """Words without their marks; ``marks``: the mark of each word, empty for none."""

    words: list[str]
    marks: list[str]

    def notes(self, name: str, values: np.ndarray, counts: np.ndarray) -> list[str]:
        """A warning about numbers (W,) that were read without their mark."""
        chosen = np.array([bool(mark) for mark in self.marks], dtype=bool) & np.isfinite(values)
        if not chosen.any():
            return []
        cells: Counter[str] = Counter()
        for k in np.flatnonzero(chosen):
            cells[self.marks[k]] += int(counts[k])
        shown = quote(sorted(cells, key=lambda mark: (-cells[mark], mark))[:4])
        carrying = counted(cells.total(), "cell carries", "cells carry")
        return [
            f"column {name!r}: {carrying} a mark ({shown}); the numbers are read without it, and if it tells "
            "something, make a column of it"
        ]


def without_marks(words: Sequence[str], counts: np.ndarray, match_number: MatchNumber) -> Unmarked:
    """Words without marks beside their numbers; '5 H' has one beside plain numbers, and a unit where all have it.

    counts: (W,) how many cells hold each word.
    """
    found = [_taken_apart(word, match_number) for word in words]
    letters = [match["letters"].strip() if match and match["letters"] else "" for match in found]
    if any(letters) and not _are_flags(words, found, letters, counts, match_number):
        found = [None if letter else match for match, letter in zip(found, letters, strict=True)]
    return _unmarked(words, found)


def without_known_marks(words: Sequence[str], match_number: MatchNumber, *, unit: str) -> list[str]:
    """Words of a column whose ``unit`` is known, without marks: there '5 L' has one only where '5' may stand."""
    found = [_taken_apart(word, match_number) for word in words]
    for k, match in enumerate(found):
        number = match_number(match["core"].strip()) if match and match["letters"] else None
        if number and (number["after"] or "") != unit:
            found[k] = None
    return _unmarked(words, found).words


def _unmarked(words: Sequence[str], found: Sequence[re.Match[str] | None]) -> Unmarked:
    texts = [match["core"].strip() if match else word for word, match in zip(words, found, strict=True)]
    parts = [match.group("before", "after", "letters") if match else () for match in found]
    return Unmarked(words=texts, marks=[" ".join(part.strip() for part in some if part) for some in parts])


def _taken_apart(word: str, match_number: MatchNumber) -> re.Match[str] | None:
    """The number and its mark; None for words without a mark, or without a number beside it."""
    # Looking at two letters is quick, the search is not.
    noted = word[-1:] in _FOOTNOTES and word[:1] in _NUMBER_STARTS
    if len(word) > _LONGEST or (word[:1] not in _STARTS and word[-1:] not in _ENDS and not noted):
        return None
    match = _MARKED.fullmatch(word)
    if match is None or match["core"] == word or not any(map(str.isdigit, match["core"])):
        return None
    return match if match_number(match["core"].strip()) else None


def _are_flags(
    words: Sequence[str],
    found: Sequence[re.Match[str] | None],
    letters: Sequence[str],
    counts: np.ndarray,
    match_number: MatchNumber,
) -> bool:
    """Whether letters are flags: other cells hold numbers with the same unit or none, and they are no unit themselves.

    One and the same letter behind most numbers is a unit, and L beside mL is one too. Beside few different numbers,
    letters may tell kinds apart. Small letters refer to notes where there are several, behind fewer than half of them.
    """
    flagged = np.array([bool(letter) for letter in letters], dtype=bool)
    others = [match_number(match["core"] if match else word) for word, match in zip(words, found, strict=True)]
    units = [match["after"] if match else None for match in others]
    is_number = np.array([match is not None for match in others], dtype=bool) & ~flagged
    beside = {units[k] for k in np.flatnonzero(is_number)}
    behind = {units[k] for k in np.flatnonzero(flagged)}
    if is_number.sum() < _LEAST_NUMBERS:
        return False
    mostly = counts[flagged].sum() >= counts[is_number].sum()
    different = set(letters) - {""}
    small = {letter for letter in different if _FOOTNOTES.issuperset(letter)}
    if small and (mostly or len(small) == 1 or _NO_UNITS.isdisjoint("".join(small))):
        return False
    return len(beside) == 1 and beside == behind and not (mostly and len(different) == 1)
