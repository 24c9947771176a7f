"""The words that the name of a column is made of."""

from __future__ import annotations

import re

_RUN = re.compile(r"[^\W\d_]+|\d+")
_HUMP = re.compile(r"(?<=[^\W\d_A-Z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][^\W\d_A-Z])")


def words_of(name: str) -> list[str]:
    """Words and numbers of a name in lower case: ``preOp_gender2`` is pre, op, gender, 2."""
    return [word.casefold() for run in _RUN.findall(name) for word in _HUMP.split(run)]
