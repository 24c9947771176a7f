"""Levels by number: 'grade 2', 'Stage IIIA', 'NYHA II', 'T4a', 'G3'; and grades of schools, 'B+'. Shapes: W words."""

from __future__ import annotations

import re
from collections.abc import Sequence

from foundcause.data.vocabulary import LEVEL_WORDS

_ROMAN = dict(zip(("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x"), range(1, 11), strict=True))
_NUMERAL = "|".join(sorted(_ROMAN, key=len, reverse=True))
_WORD = rf"(?:{'|'.join(LEVEL_WORDS)})"
_PART = r"(?P<part>[a-e]\d?)?"  # of stage IIIA, of T4a
LEVEL = re.compile(rf"(?P<word>{_WORD}(?:[ _-]{_WORD})?)(?:[ _-]?(?P<number>\d+)|[ _-](?P<numeral>{_NUMERAL})){_PART}")
"""Pattern of a folded word for a level."""

_SHORT = re.compile(
    rf"(?P<word>[cprya]{{0,2}}[tnm]|g|f)(?P<number>[0-5])(?P<numeral>(?!))?{_PART}"
)  # tumours, fibrosis
_BARE = re.compile(rf"(?P<word>)(?P<number>(?!))?(?P<numeral>{_NUMERAL}){_PART}")
_LEAST_BARE = 3
_GRADE = re.compile(r"([a-g])([+-]?)")
_LEAST_GRADES = 3
_SIGNS = {"-": -1, "": 0, "+": 1}


def order_of_levels(words: Sequence[str]) -> list[tuple[int, str]] | None:
    """What sorts folded words for levels: the number and its part; the word before it must be the same in all."""
    for pattern in (LEVEL, _SHORT, _BARE):
        found = [match for match in map(pattern.fullmatch, words) if match]
        if len(found) < len(words) or len({match["word"] for match in found}) > 1:
            continue
        # 'IA' and 'VA' are states: a numeral alone needs company, and more than one letter somewhere.
        if pattern is not _BARE or (
            len(set(words)) >= _LEAST_BARE and any(len(match["numeral"]) > 1 for match in found)
        ):
            return [(int(match["number"] or _ROMAN.get(match["numeral"], 0)), match["part"] or "") for match in found]
    return None


def are_short_levels(words: Sequence[str]) -> bool:
    """Whether folded words are a letter and a number, 'T1' and 'T2', which may be codes as well."""
    return all(map(_SHORT.fullmatch, words))


def order_of_grades(name: str, words: Sequence[str]) -> list[tuple[int, int]] | None:
    """What sorts folded words for grades of schools, A the highest; None unless the column is plainly one of grades.

    So it is when its name says so, or when + and - stand behind at least three letters, as they never do behind the
    groups of blood.
    """
    found = [match for match in (_GRADE.fullmatch(word.replace("\u2212", "-")) for word in words) if match]
    if len(found) < len(words) or len(set(words)) < _LEAST_GRADES:
        return None
    signed = any(match[2] for match in found) and len({match[1] for match in found}) >= _LEAST_GRADES
    if not signed and "grade" not in name.casefold():
        return None
    return [(-ord(match[1]), _SIGNS[match[2]]) for match in found]
