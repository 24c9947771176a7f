"""Figures as the paper prints them, for columns marked as the paper's. None of them was measured here.

They are in ``paper_figures.toml``, with what each table means and which rows are predictions by the paper's own notes.
"""

from __future__ import annotations

import tomllib
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

_TABLES = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))


@dataclass(frozen=True)
class Average:
    """A row of the paper's tables of averages over its fifteen data sets."""

    coverage: int
    auroc: float
    f1: float
    skeleton_f1: float
    shd_per_d: float


@dataclass(frozen=True)
class Row:
    """A row of the paper's tables per data set."""

    f1: float
    shd: int
    true: int
    found: int
    oriented: int
    extra: int
    auroc: float | None = None
    skeleton_f1: float | None = None


CLEAN, MAR10, MAR30 = (
    {name: Average(*row) for name, row in _TABLES[table].items()} for table in ("clean", "mar10", "mar30")
)
TUEBINGEN: dict[str, tuple[int, float, float]] = _TABLES["tuebingen"]
PER_DATASET = {
    method: {name: Row(*row) for name, row in rows.items()} for method, rows in _TABLES["per_dataset"].items()
}
SIZES: dict[str, tuple[int, int, int]] = {name: tuple(row) for name, row in _TABLES["sizes"].items()}
WIDE: dict[str, dict[str, tuple[float, float, float, float]]] = _TABLES["wide"]
DIMENSION: dict[int, tuple[float, float, float]] = {int(size): row for size, row in _TABLES["dimension"].items()}
ABLATION: dict[str, tuple[float, float, float]] = _TABLES["ablation"]
LIGHT_TUNNEL: dict[str, tuple[float, float]] = _TABLES["light_tunnel"]
MODEL = "FoundCause (ours)"
"""The row of the paper's own model."""


def same_sets_f1(method: str | None, datasets: Collection[str]) -> float | None:
    """The paper's mean F1 over these data sets, for methods whose figures per data set it prints."""
    rows = PER_DATASET.get(method or "", {})
    if not datasets or any(name not in rows for name in datasets):
        return None
    return sum(rows[name].f1 for name in datasets) / len(datasets)


def shown(name: str) -> str:
    """How a row of the paper is called here: its own model must not be mistaken for ours."""
    return "its own FoundCause" if name == MODEL else name
