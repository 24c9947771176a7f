"""What is to be said of many columns is said once: notes that differ only in the column and in how many cells."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence

_NUMBER = re.compile(r"\d+(?= (?:infinite )?(?:cells?|rows)\b)")
_SHARE = re.compile(r" \(\d+%\)")
_COUNTED = re.compile(r"\d+( (?:infinite )?)(?:cells?|rows)\b")
_ONE = re.compile(r"\b(cell|rows|is|does|has|carries)\b")
_SEVERAL = {"cell": "cells", "rows": "cells", "is": "are", "does": "do", "has": "have", "carries": "carry"}
_HOLDS = " holds "


def joined(notes: Sequence[tuple[str, str]], *, most: int) -> list[str]:
    """Notes, each beside the name of its column; those alike of more than ``most`` columns become one.

    It stands where the first of them stood, lists the columns and adds up their cells.
    """
    alike: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for name, note in notes:
        alike[_core(name, note)].append((name, note))
    out: dict[str, None] = {}
    for name, note in notes:
        same = alike[_core(name, note)]
        out[_of_all(same) if len(same) > most else note] = None
    return list(out)


def _core(name: str, note: str) -> str:
    """What a note says but for its column and numbers; the note itself when it cannot be said of several columns."""
    rest = _rest(name, note)
    if not rest.startswith((": ", _HOLDS)) or len(_NUMBER.findall(rest)) > 1:
        return note
    return _plural(_SHARE.sub("", _NUMBER.sub("", rest)))


def _plural(rest: str) -> str:
    return _ONE.sub(lambda word: _SEVERAL[word[0]], rest)


def _rest(name: str, note: str) -> str:
    start = f"column {name!r}"
    return note.removeprefix(start) if note.startswith(start) else ""


def _of_all(same: Sequence[tuple[str, str]]) -> str:
    rests = [_rest(name, note) for name, note in same]
    numbers = [int(found[0]) if (found := _NUMBER.search(rest)) else 0 for rest in rests]
    rest = rests[next((k for k, number in enumerate(numbers) if number > 1), 0)]
    if rest.startswith(": 1 "):  # one cell in each column, and it is what the sentence speaks of
        rest = _plural(rest)
    rest = _COUNTED.sub(rf"{sum(numbers)}\1cells", _SHARE.sub("", rest))
    if rest.startswith(_HOLDS):
        rest = f" hold {rest.removeprefix(_HOLDS)}"
    return f"columns {', '.join(repr(name) for name, _ in same)}{rest}"
