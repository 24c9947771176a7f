"""Scales of which only some steps bear a label: '0 - not at all', '1', ..., '10 - extremely'. Shapes: W words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from foundcause.data.reading import Encoded, quote

# '12 kg' has a unit, '6-Oct' is a day: a label stands behind a mark and a blank, or in parentheses.
_STEP = re.compile(
    r"(?P<number>[-+]?\d{1,3})(?:\s*[-\u2013\u2014=:.)]\s+(?P<label>[^\W\d].*)|\s*\((?P<enclosed>[^\W\d].*)\))?"
)


@dataclass(frozen=True, kw_only=True)
class LabelledStyle:
    """Whole numbers, with or without a label."""

    def read(self, words: Sequence[str]) -> np.ndarray:
        matches = [_STEP.fullmatch(word) for word in words]
        return np.array([float(match["number"]) if match else np.nan for match in matches], dtype=float)


def read_labelled(name: str, words: list[str]) -> Encoded | None:
    """The number of each word when some words are bare numbers and the others the same with a label; else None.

    Numbers and labels must all differ: '5' beside '5 (estimated)' is no step of a scale.
    """
    matches = [match for match in map(_STEP.fullmatch, words) if match]
    labels = [label.casefold() for match in matches if (label := match["label"] or match["enclosed"])]
    if len(matches) < len(words) or not 0 < len(labels) < len(words) or len(set(labels)) < len(labels):
        return None
    style = LabelledStyle()
    values = style.read(words)
    if len(set(values)) < len(words):
        return None
    shown = quote([word for word in words if not word.lstrip("-+").isdigit()][:2])
    note = f"column {name!r}: {shown} beside bare numbers are read as their numbers"
    return Encoded(values=values, kind="count", encoding="number before the label", notes=(note,), style=style)
