"""The pair methods as entries of the registry."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from foundcause.bench.answer import Answer
from foundcause.bench.baselines.method import Method, Table
from foundcause.bench.pairs import additive, information, regression
from foundcause.errors import InputError

Asymmetry = Callable[[np.ndarray, np.ndarray], float]


def _orient(asymmetry: Callable[[np.ndarray, np.ndarray, np.random.Generator], float]) -> Callable[[Table], Answer]:
    def run(table: Table) -> Answer:
        if table.values.shape[1] != 2:
            raise InputError(f"a pair method was given {table.values.shape[1]} columns")
        complete = table.values[np.isfinite(table.values).all(axis=1)]
        value = asymmetry(complete[:, 0], complete[:, 1], np.random.default_rng(table.seed))
        scores = np.array([[0.0, value], [-value, 0.0]])
        return Answer(adjacency=scores > 0, scores=scores)

    return run


def _plain(asymmetry: Asymmetry) -> Callable[[np.ndarray, np.ndarray, np.random.Generator], float]:
    return lambda x, y, rng: asymmetry(x, y)


def _method(name: str, label: str, run: Callable[[Table], Answer], settings: str, paper: str | None = None) -> Method:
    return Method(
        name=name, label=label, run=run, settings=settings, paper=paper, graphs=False, pairs=True, random=name == "anm"
    )


METHODS = (
    _method("anm", "ANM", _orient(additive.anm), f"Gaussian process and HSIC on at most {additive.ROWS} rows"),
    _method(
        "igci", "IGCI", _orient(_plain(information.igci)), "slope estimator, uniform reference, ties by their mean"
    ),
    _method("reci", "RECI", _orient(_plain(regression.reci)), "cubic polynomials on the unit range"),
    _method(
        "cds", "CDS", _orient(_plain(information.cds)), "13 levels over six standard deviations, the outer ones open"
    ),
    _method("bz2", "Compression (bz2)", _orient(_plain(information.compression)), "8-bit columns, bz2 sizes"),
    _method(
        "sloppy",
        "SLOPPY (re-written)",
        _orient(_plain(regression.sloppy)),
        "polynomials, exponential, logarithm, reciprocals and cubic splines on the unit range, BIC",
        "SLOPPY",
    ),
    _method("heci", "HECI (re-written)", _orient(_plain(regression.heci)), "20 bins, polynomials to degree 3", "HECI"),
)
