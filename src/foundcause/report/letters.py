"""Column names where room is short, and fonts for their letters: pictures are drawn with what this machine has."""

from __future__ import annotations

import logging
import unicodedata
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

_NO_TEXT_FONTS = ("cm", "Last Resort", "STIXNon", "STIXSize")  # own encodings, or a box for every letter


def shorten_middle(name: str, most: int) -> str:
    """Shorten a name in the middle, because names often differ at their end only."""
    if len(name) <= most:
        return name
    end = (most - 1) // 2
    return f"{name[: most - 1 - end]}…{name[-end:]}"


def fonts_for(texts: Iterable[str]) -> tuple[list[str], set[str]]:
    """Return font families that together draw the texts, the usual one first, and the letters that no font here has."""
    import matplotlib as mpl
    from matplotlib.font_manager import FontProperties, findfont, fontManager

    families = list(mpl.rcParams["font.family"])
    missing = {letter for text in texts for letter in text if not letter.isspace()}
    missing -= _covered(findfont(FontProperties()), missing)
    if not missing:
        return families, missing
    names = sorted({entry.name for entry in fontManager.ttflist if not entry.name.startswith(_NO_TEXT_FONTS)})
    # Of a family's files, light or slanted ones often have fewer letters than the one that will be drawn with.
    with _without_font_log():
        covered = {name: _covered(findfont(FontProperties(family=[name])), missing) for name in names}
    while missing and any(covered.values()):
        best = max(covered, key=lambda name: len(covered[name] & missing))
        if not covered[best] & missing:
            break
        families.append(best)
        missing -= covered.pop(best)
    return families, missing


@contextmanager
def _without_font_log() -> Iterator[None]:
    """Silence the log, which names every family without the usual weight."""
    logger = logging.getLogger("matplotlib.font_manager")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(level)


def drawable(text: str, number: int, missing: set[str]) -> str:
    """Replace missing letters by boxes. The number of the column then distinguishes names."""
    if not missing.intersection(text):
        return text
    # Joiners and variation selectors of emoji have no shape of their own.
    seen = [letter for letter in text if letter not in missing or unicodedata.category(letter) not in ("Cf", "Mn")]
    return f"#{number} " + "".join("□" if letter in missing else letter for letter in seen)


def missing_note(missing: set[str]) -> str:
    """Say which letters cannot be drawn, and what to do."""
    some = "".join(sorted(missing)[:12]) + ("…" if len(missing) > 12 else "")
    return (
        f"no font on this machine has {len(missing)} of the letters in the column names ({some!r}). The picture shows "
        "boxes and the number of the column. Install a font that has them, such as Noto Sans CJK or Noto Emoji."
    )


def _covered(path: str, letters: set[str]) -> set[str]:
    """The letters that the font file can draw. Color bitmaps cannot be scaled and do not count."""
    from matplotlib.ft2font import FT2Font

    try:
        font = FT2Font(path)
    except (OSError, RuntimeError):  # a file that is gone or damaged
        return set()
    return {letter for letter in letters if font.get_char_index(ord(letter))} if font.scalable else set()
