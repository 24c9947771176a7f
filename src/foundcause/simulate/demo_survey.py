"""The demo table: a chest-clinic survey simulated from the network of Lauritzen and Spiegelhalter (1988).

Eight yes-or-no variables, written the way people write surveys: words instead of numbers, and some cells left out.
"""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np

from foundcause.files import replacing

COLUMNS = (
    "visit_to_asia",
    "tuberculosis",
    "smoking",
    "lung_cancer",
    "bronchitis",
    "tuberculosis_or_cancer",
    "xray",
    "dyspnoea",
)
EDGES = (
    ("visit_to_asia", "tuberculosis"),
    ("smoking", "lung_cancer"),
    ("smoking", "bronchitis"),
    ("tuberculosis", "tuberculosis_or_cancer"),
    ("lung_cancer", "tuberculosis_or_cancer"),
    ("tuberculosis_or_cancer", "xray"),
    ("tuberculosis_or_cancer", "dyspnoea"),
    ("bronchitis", "dyspnoea"),
)
_WORDS = {"smoking": ("non-smoker", "smoker"), "xray": ("normal", "abnormal")}
_BLANKS = ("", "NA", "unknown")


def simulate_survey(rng: np.random.Generator, rows: int) -> np.ndarray:
    """(rows, 8) bool in the order of ``COLUMNS``, drawn from the published tables."""

    def happens(probability: float | np.ndarray) -> np.ndarray:
        return rng.random(rows) < probability

    asia = happens(0.01)
    tuberculosis = happens(np.where(asia, 0.05, 0.01))
    smoking = happens(0.5)
    cancer = happens(np.where(smoking, 0.1, 0.01))
    bronchitis = happens(np.where(smoking, 0.6, 0.3))
    either = tuberculosis | cancer
    xray = happens(np.where(either, 0.98, 0.05))
    dyspnoea = happens(np.where(either, np.where(bronchitis, 0.9, 0.7), np.where(bronchitis, 0.8, 0.1)))
    return np.column_stack([asia, tuberculosis, smoking, cancer, bronchitis, either, xray, dyspnoea])


def write_survey(path: str | Path, *, rows: int = 5000, seed: int = 1988, missing: float = 0.02) -> Path:
    """Write the survey as a CSV file; a share ``missing`` of its cells is left out in various spellings."""
    rng = np.random.default_rng(seed)
    answers = simulate_survey(rng, rows)
    left_out = rng.random(answers.shape) < missing
    spelling = rng.integers(0, len(_BLANKS), size=answers.shape)
    with replacing(path) as partial, partial.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(COLUMNS)
        for row, blank, which in zip(answers, left_out, spelling, strict=True):
            writer.writerow(
                _BLANKS[which[k]] if blank[k] else _words(name)[int(row[k])] for k, name in enumerate(COLUMNS)
            )
    return Path(path)


def is_survey(path: str | Path) -> bool:
    """Whether a file holds the columns and words of ``write_survey`` and nothing else, whatever its rows and seed."""
    known = [{*_BLANKS, *_words(name)} for name in COLUMNS]
    try:
        with Path(path).open(newline="", encoding="utf-8") as file:
            rows = csv.reader(file)
            return next(rows, None) == list(COLUMNS) and all(
                len(row) == len(known) and all(cell in words for cell, words in zip(row, known, strict=True))
                for row in rows
            )
    except (OSError, UnicodeDecodeError, csv.Error):
        return False


def _words(name: str) -> tuple[str, str]:
    """How the survey writes that something is not the case, and that it is."""
    return _WORDS.get(name, ("no", "yes"))
