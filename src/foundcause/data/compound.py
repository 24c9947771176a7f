"""Cells of two numbers that make one: heights (5'9"), scores (7/10) and genotypes (0|1). Shapes: W different words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from foundcause.data.reading import Encoded, Style, counted, quote
from foundcause.data.typography import in_plain_digits

_SHARE = 0.95  # below this share of readable cells a column is text
_FOOT = 12.0
_HEIGHT = re.compile(
    r"(?P<feet>\d{1,3})\s?(?:['’′´`]|ft\.?|feet|foot)\s?"
    r"(?:(?P<inches>\d{1,2}(?:[.,]\d+)?)\s?(?:[\"”″]|''|’’|′′|in\.?|inch(?:es)?)?)?"
)
_SCORE = re.compile(r"(?P<points>\d+(?:[.,]\d+)?)\s?(?:/|(?i:out of))\s?(?P<most>\d+)")
_BETWEEN = ("/", "|", "'", "’", "′", "´", "`", "f")  # one of them is in every such cell
_GENOTYPE = re.compile(r"([01.])[/|]([01.])")


@dataclass(frozen=True, kw_only=True)
class HeightStyle:
    """Feet and inches."""

    def read(self, words: Sequence[str]) -> np.ndarray:
        return np.array([self._inches(word) for word in in_plain_digits(words)], dtype=float)

    @staticmethod
    def _inches(word: str) -> float:
        match = _HEIGHT.fullmatch(word)
        inches = _number(match["inches"] or "0") if match else np.nan
        return _FOOT * int(match["feet"]) + inches if match and inches < _FOOT else np.nan


@dataclass(frozen=True, kw_only=True)
class ScoreStyle:
    """Points out of ``most``."""

    most: int

    def read(self, words: Sequence[str]) -> np.ndarray:
        return np.array([self._points(word) for word in words], dtype=float)

    def _points(self, word: str) -> float:
        match = _SCORE.fullmatch(word)
        fits = match is not None and int(match["most"]) == self.most and _number(match["points"]) <= self.most
        return _number(match["points"]) if match and fits else np.nan


@dataclass(frozen=True, kw_only=True)
class GenotypeStyle:
    """Two alleles, each of them the reference (0) or the alternate (1)."""

    def read(self, words: Sequence[str]) -> np.ndarray:
        matches = [_GENOTYPE.fullmatch(word) for word in words]
        alleles = [(match[1], match[2]) if match else (".", ".") for match in matches]
        return np.array([np.nan if "." in pair else float(sum(map(int, pair))) for pair in alleles], dtype=float)


def read_compound(name: str, words: list[str], counts: np.ndarray) -> Encoded | None:
    """The one number that two in each different word make; None when that is not known."""
    usual = words[int(np.argmax(counts))]
    if not usual[:1].isdigit() or not any(sign in usual for sign in _BETWEEN):
        return None  # nearly always, and the patterns take time
    return _genotypes(name, words, counts) or _scores(name, words, counts) or _heights(name, words, counts)


def _heights(name: str, words: list[str], counts: np.ndarray) -> Encoded | None:
    matches = [match for match in map(_HEIGHT.fullmatch, in_plain_digits(words)) if match]
    # Where sixty follow instead of twelve, 5'45" are minutes and seconds.
    if not any(match["inches"] for match in matches) or any(
        _number(match["inches"] or "0") >= _FOOT for match in matches
    ):
        return None
    return _encoded(name, words, counts, HeightStyle(), "inches", "feet and inches")


def _scores(name: str, words: list[str], counts: np.ndarray) -> Encoded | None:
    """Points of one constant number; where that differs, the two numbers mean something else."""
    limits = {int(match["most"]) for match in map(_SCORE.fullmatch, words) if match}
    if len(limits) != 1 or (most := limits.pop()) < 2 or len(words) < 2:
        return None
    if any(_number(match["points"]) > most for match in map(_SCORE.fullmatch, words) if match):
        return None
    return _encoded(name, words, counts, ScoreStyle(most=most), f"points out of {most}", f"points out of {most}")


def _genotypes(name: str, words: list[str], counts: np.ndarray) -> Encoded | None:
    if len(words) < 2 or not all(map(_GENOTYPE.fullmatch, words)):
        return None
    alleles = "alternate alleles"
    return _encoded(
        name, words, counts, GenotypeStyle(), f"number of {alleles}", f"genotypes, by their number of {alleles}"
    )


def _encoded(
    name: str, words: list[str], counts: np.ndarray, style: Style, encoding: str, meaning: str
) -> Encoded | None:
    values = style.read(words)
    strange = np.isnan(values)
    if counts[~strange].sum() < _SHARE * counts.sum():
        return None
    shown = quote([words[int(np.argmin(strange))]])
    notes = [
        f"column {name!r}: {shown} and the like are read as {meaning}; if that is wrong, name the column in nominal"
    ]
    if strange.any():
        several = quote([words[k] for k in np.flatnonzero(strange)[:3]])
        said = counted(
            int(counts[strange].sum()), f"cell ({several}) is none and is", f"cells ({several}) are none and are"
        )
        notes.append(f"column {name!r}: {said} treated as missing")
    return Encoded(values=values, kind="continuous", encoding=encoding, notes=tuple(notes), style=style)


def _number(text: str) -> float:
    return float(text.replace(",", "."))
