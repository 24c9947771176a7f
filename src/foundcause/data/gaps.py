"""Words that stand for no value: 'unknown' does beside yes and no, and does not beside 'known' alone.

Shapes: N rows, W different words.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from foundcause.data.reading import counted, quote, shorten
from foundcause.data.scales import known_order, known_truth
from foundcause.data.vocabulary import NOTHING, is_blank, is_missing


def find_gaps(words: list[str], are_categories: Callable[[np.ndarray], bool]) -> np.ndarray:
    """(W,) whether each word stands for no value.

    are_categories: whether chosen words, (W,) bool, are neither numbers nor dates nor words with a known meaning.
    """
    gaps = np.array([is_missing(word) for word in words], dtype=bool)
    doubtful = np.flatnonzero(gaps & ~_are_blank(words))
    found = [word for word, gap in zip(words, gaps, strict=True) if not gap]
    if not len(doubtful) or not found:
        return gaps
    for k in doubtful:
        gaps[k] = not _are_known([*found, words[k]])
    nothing = np.array([word.casefold() in NOTHING for word in words], dtype=bool)
    if (gaps & nothing).any() and are_categories(~gaps):
        gaps &= ~nothing
    if len({words[k].casefold() for k in np.flatnonzero(~gaps)}) == 1:
        gaps[doubtful] = False
    return gaps


def taken_for_missing(name: str, words: list[str], counts: np.ndarray, gaps: np.ndarray) -> tuple[str, ...]:
    """A note about words, not just blanks, that count as missing."""
    chosen = gaps & ~_are_blank(words)
    told = f"column {name!r}: {_shown(words, counts, chosen)} taken for missing; if that is a value, rename it"
    return (told,) if chosen.any() else ()


def taken_for_values(name: str, words: list[str], counts: np.ndarray, gaps: np.ndarray) -> tuple[str, ...]:
    """A note about words that count as categories although they often stand for no value."""
    chosen = ~gaps & np.array([is_missing(word) for word in words], dtype=bool)
    if all(len(words[k]) == 2 for k in np.flatnonzero(~gaps)):
        return ()  # among codes of two letters, 'DK' is Denmark
    told = (
        f"column {name!r}: {_shown(words, counts, chosen)} taken for a value; if it stands for a missing value, "
        "empty those cells"
    )
    return (told,) if chosen.any() else ()


def tell_lone_value(name: str, word: str, values: np.ndarray) -> tuple[str, ...]:
    """A note about a column (N,) whose cells hold the ``word`` or nothing, as ticked boxes do."""
    empty = int(np.isnan(values).sum())
    cells = counted(len(values) - empty, "cell", "cells")
    told = f"column {name!r}: only {shorten(word)!r} ({cells}) or empty ({empty}): if empty means no, write it"
    return (told,) if empty else ()


def _are_blank(words: list[str]) -> np.ndarray:
    return np.array([is_blank(word) for word in words], dtype=bool)


def _are_known(words: list[str]) -> bool:
    return known_truth(words) is not None or known_order(words) is not None


def _shown(words: list[str], counts: np.ndarray, chosen: np.ndarray) -> str:
    """Such as ``'-', 'unknown' (12 cells) are``."""
    different = list({words[k].casefold(): words[k] for k in np.flatnonzero(chosen)}.values())
    cells = counted(int(counts[chosen].sum()), "cell", "cells")
    return f"{quote(different[:5])} ({cells}) {'are' if len(different) > 1 else 'is'}"
