"""Validation on fixed synthetic suites, with the prepared tasks kept on disk between runs."""

from __future__ import annotations

import hashlib
import json
import math
import os
import time
import zipfile
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import foundcause
from foundcause.atomic import replacing
from foundcause.errors import OutputError
from foundcause.model.config import ModelConfig
from foundcause.model.network import FoundCause
from foundcause.train.config import RESERVED_SEEDS, TrainConfig
from foundcause.train.families import families
from foundcause.train.metrics import summary
from foundcause.train.predict import answers
from foundcause.train.prepare import Job, Prepared, Recipe
from foundcause.train.workers import Failure, Workers

SCORED = ("auroc", "f1", "direction")
_ARRAYS = ("values", "observed", "statistics", "adjacency", "confounding")


@dataclass(frozen=True, kw_only=True)
class Result:
    """Metrics of every family, and the score by which checkpoints are chosen.

    score: mean over families of the mean of AUROC, F1 and direction accuracy.
    """

    families: Mapping[str, Mapping[str, float]]
    left_out: tuple[str, ...] = ()
    seconds: float = 0.0

    @property
    def score(self) -> float:
        """Mean over families of (AUROC + F1 + direction accuracy) / 3; a metric no task can say is left out."""
        return _mean([family_score(metrics) for metrics in self.families.values()])

    def mean(self, metric: str) -> float:
        """Mean of one metric over the families that have it."""
        return _mean([metrics[metric] for metrics in self.families.values()])

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready; an undefined metric is null."""
        return {
            "score": _none_if_nan(self.score),
            "left_out_score": _none_if_nan(
                _mean([family_score(m) for name, m in self.families.items() if name in self.left_out])
            ),
            "mean": {name: _none_if_nan(self.mean(name)) for name in next(iter(self.families.values()))},
            "families": {name: {k: _none_if_nan(v) for k, v in m.items()} for name, m in self.families.items()},
            "seconds": round(self.seconds, 2),
        }

    def line(self) -> str:
        """One line for the terminal."""
        shown = ("auroc", "f1", "skeleton_f1", "direction", "confounder_auroc", "ece")
        means = "  ".join(f"{name} {self.mean(name):.3f}" for name in shown)
        return f"validation: score {self.score:.4f}  {means}  ({self.seconds:.1f} s)"

    def table(self) -> str:
        """All families, one line each."""
        names = list(next(iter(self.families.values())))
        lines = [f"{'family':<18}" + "".join(f"{name:>17}" for name in names)]
        for family, metrics in {**self.families, "mean": {name: self.mean(name) for name in names}}.items():
            lines.append(f"{family:<18}" + "".join(f"{metrics[name]:>17.3f}" for name in names))
        return "\n".join(lines)


@dataclass(frozen=True, kw_only=True)
class Validation:
    """Prepared tasks by family."""

    suites: Mapping[str, list[Prepared]]
    left_out: tuple[str, ...] = field(default=())

    def evaluate(self, network: FoundCause) -> Result:
        """Metrics of a network in evaluation mode."""
        started = time.perf_counter()
        found = {name: summary(answers(network, items)) for name, items in self.suites.items()}
        return Result(families=found, left_out=self.left_out, seconds=time.perf_counter() - started)


def validation(
    config: TrainConfig, model: ModelConfig, workers: Workers, *, say: Callable[[str], None] = print
) -> Validation:
    """The suites for this model, from the cache where they were prepared before."""
    suites: dict[str, list[Prepared]] = {}
    for number, (name, mixture) in enumerate(sorted(families(config.validation_families).items())):
        recipe = Recipe(
            mixture=mixture, seed=RESERVED_SEEDS["validation"], features=model.features, encoder_rows=model.encoder_rows
        )
        suites[name] = suite(recipe, config.validation_tasks, workers)
        if number == 0:
            say("preparing the validation suites")
    return Validation(suites=suites, left_out=tuple(name for name in config.without if name in suites))


def suite(recipe: Recipe, count: int, workers: Workers) -> list[Prepared]:
    """The first ``count`` tasks of a recipe, prepared or read from the cache."""
    path = cache_folder() / f"{_key(recipe, count)}.npz"
    if path.exists():
        try:
            return _read(path)
        except (OSError, ValueError, KeyError, zipfile.BadZipFile):
            pass  # a damaged cache is made anew
    items = [r[0] for r in workers.ordered(Job(recipe, k) for k in range(count)) if not isinstance(r, Failure)]
    with suppress(OutputError):  # no place for a cache: prepare again next time
        _write(path, items)
    return items


def cache_folder() -> Path:
    """Where prepared suites are kept: ``FOUNDCAUSE_CACHE``, or ``foundcause`` in the user's cache folder."""
    own = os.environ.get("FOUNDCAUSE_CACHE")
    if own:
        return Path(own)
    return Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "foundcause" / "validation"


def family_score(metrics: Mapping[str, float]) -> float:
    """Mean of AUROC, F1 and direction accuracy of one family."""
    return _mean([metrics[name] for name in SCORED])


def _key(recipe: Recipe, count: int) -> str:
    """A name that changes with anything the prepared tasks depend on: the recipe and the code behind it."""
    digest = hashlib.sha256(repr((recipe, count)).encode())
    root = Path(foundcause.__file__).parent
    for package in ("simulate", "statistics"):
        for file in sorted((root / package).rglob("*.py")):
            digest.update(file.read_bytes())
    digest.update((root / "train" / "prepare.py").read_bytes())
    return digest.hexdigest()[:24]


def _write(path: Path, items: list[Prepared]) -> None:
    arrays: dict[str, Any] = {}
    for k, item in enumerate(items):
        arrays |= {f"{k}.{name}": getattr(item, name) for name in _ARRAYS}
    arrays["about"] = np.array(json.dumps([[item.index, item.view, item.rows, item.record] for item in items]))
    with replacing(path) as partial:
        np.savez(partial, **arrays)


def _read(path: Path) -> list[Prepared]:
    with np.load(path, allow_pickle=False) as arrays:
        about = json.loads(str(arrays["about"]))
        return [
            Prepared(
                index=index, view=view, rows=rows, record=record, **{name: arrays[f"{k}.{name}"] for name in _ARRAYS}
            )
            for k, (index, view, rows, record) in enumerate(about)
        ]


def _mean(values: list[float]) -> float:
    known = [value for value in values if not math.isnan(value)]
    return sum(known) / len(known) if known else float("nan")


def _none_if_nan(value: float) -> float | None:
    return None if math.isnan(value) else round(value, 5)
