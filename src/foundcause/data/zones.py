"""Time zones as people and servers name them behind a time: 'EST', 'CET', '+01:00[Europe/Berlin]'."""

from __future__ import annotations

import re
from collections.abc import Sequence

from foundcause.data.reading import quote

_MINUTES_AHEAD = {
    name: round(60 * hours)
    for hours, names in {
        -10: "HST",
        -9: "AKST",
        -8: "PST AKDT",
        -7: "MST PDT",
        -6: "CST MDT",
        -5: "EST CDT",
        -4: "EDT",
        -3: "BRT ART",
        0: "WET",
        1: "CET MEZ WEST BST",
        2: "CEST MESZ EET SAST",
        3: "EEST MSK EAT",
        5.5: "IST",
        8: "HKT SGT AWST",
        9: "JST KST",
        9.5: "ACST",
        10: "AEST",
        11: "AEDT",
        12: "NZST",
        13: "NZDT",
    }.items()
    for name in names.split()
}
_SEVERAL = frozenset({"CST", "IST", "BST"})  # names that other countries use, too
ZONE = "|".join(sorted(_MINUTES_AHEAD, key=len, reverse=True))
"""Pattern of the names of zones."""

_NAMED = re.compile(rf"(?<=[\dMm.])\s?({ZONE})$")
_PLACE = re.compile(r"\[[\w/+-]+\]$")


def with_offset(word: str) -> str:
    """A date and time with the offset of its zone instead of the name."""
    if word.endswith("]"):
        word = _PLACE.sub("", word)
    if not word[-1:].isupper():
        return word
    return _NAMED.sub(lambda match: _offset(match[1]), word)


def tell_zones(name: str, words: Sequence[str]) -> list[str]:
    """A warning about names of zones that mean several."""
    found = (_NAMED.search(word) for word in words if word[-1:] == "T")
    zones = sorted({match[1] for match in found if match} & _SEVERAL)
    meanings = ", ".join(f"{quote([zone])} for UTC{_offset(zone).strip()}" for zone in zones)
    told = f"column {name!r}: the name of a zone is taken, {meanings}; if that is wrong, write offsets such as +01:00"
    return [told] if zones else []


def _offset(zone: str) -> str:
    ahead = _MINUTES_AHEAD[zone]
    return f" {'-' if ahead < 0 else '+'}{abs(ahead) // 60:02d}:{abs(ahead) % 60:02d}"
