"""Methods that assume a functional form: LiNGAM, NOTEARS, DAGMA. Shape letters: N rows, D variables."""

from __future__ import annotations

from typing import Any

import numpy as np

from foundcause.bench.baselines.method import (
    Method,
    Table,
    on_complete,
    on_gaps,
    pairwise_covariance,
    rows_with_covariance,
)
from foundcause.bench.case import Answer
from foundcause.errors import InputError
from foundcause.features.precision import single_precision


def _weights(effects: np.ndarray, threshold: float = 0.0) -> Answer:
    """Answer of a weighted adjacency, [i, j] the effect of i on j."""
    if not np.isfinite(effects).all():
        raise InputError("the method returned weights that are not finite")
    size = np.abs(effects)
    np.fill_diagonal(size, 0.0)
    return Answer(adjacency=size > threshold)


def _direct_lingam(values: np.ndarray, table: Table) -> Answer:
    from causallearn.search.FCMBased.lingam import DirectLiNGAM

    model = DirectLiNGAM(random_state=table.seed)
    model.fit(values)
    return _weights(np.asarray(model.adjacency_matrix_).T)


def _ica_lingam(values: np.ndarray, table: Table) -> Answer:
    from causallearn.search.FCMBased.lingam import ICALiNGAM

    model = ICALiNGAM(random_state=table.seed, max_iter=1000)
    model.fit(values)
    return _weights(np.asarray(model.adjacency_matrix_).T)


def _sufficient_rows(values: np.ndarray, *, standardise: bool) -> np.ndarray:
    covariance = pairwise_covariance(values)
    if standardise:
        scale = np.sqrt(np.diag(covariance))
        covariance = covariance / np.outer(scale, scale)
    return rows_with_covariance(covariance)


def _notears(standardise: bool) -> Any:
    def solve(values: np.ndarray, table: Table) -> Answer:
        notears = _import_notears()
        rows = _sufficient_rows(values, standardise=standardise)
        model = notears(lambda1=0.1, loss_type="l2", w_threshold=0.3)
        model.learn(rows)
        return _weights(np.asarray(model.causal_matrix, dtype=float))

    return solve


def _import_notears() -> Any:
    """The class of gCastle, whose import would leave torch at double precision for every later network."""
    with single_precision():
        from castle.algorithms.gradient.notears.linear import Notears
    return Notears


def _dagma(standardise: bool) -> Any:
    def solve(values: np.ndarray, table: Table) -> Answer:
        from dagma.linear import DagmaLinear

        rows = _sufficient_rows(values, standardise=standardise)
        # the library moves the columns of its input to zero mean in place
        return _weights(np.asarray(DagmaLinear(loss_type="l2").fit(rows.copy(), lambda1=0.03, w_threshold=0.3)))

    return solve


def _method(name: str, label: str, run: Any, settings: str, package: str, **more: Any) -> Method:
    return Method(name, label, run, settings, needs=(package,), pairs=True, **more)


_LASSO = "non-zero weights of its own adaptive lasso"
_DIRECT = f"causal-learn DirectLiNGAM, pairwise likelihood ratio; {_LASSO}"
_ICA = f"causal-learn ICA-LiNGAM, 1000 iterations; {_LASSO}"
_NOTEARS = "gcastle NOTEARS, lambda 0.1, threshold 0.3, pairwise-deletion"
_DAGMA = "dagma linear, lambda 0.03, threshold 0.3, pairwise-deletion"
_SCALED, _RAW = " (standardised)", " (raw)"

METHODS = (
    _method("direct_lingam", "DirectLiNGAM", on_complete(_direct_lingam), _DIRECT, "causallearn", paper="DirectLiNGAM"),
    _method("ica_lingam", "ICA-LiNGAM", on_complete(_ica_lingam), _ICA, "causallearn", paper="ICA-LiNGAM", random=True),
    _method(
        "notears",
        f"NOTEARS-linear{_SCALED}",
        on_gaps(_notears(True)),
        f"{_NOTEARS} correlation",
        "castle",
        paper="NOTEARS-Linear",
    ),
    _method("notears_raw", f"NOTEARS-linear{_RAW}", on_gaps(_notears(False)), f"{_NOTEARS} covariance", "castle"),
    _method(
        "dagma", f"DAGMA{_SCALED}", on_gaps(_dagma(True)), f"{_DAGMA} correlation", "dagma", paper="DAGMA (linear)"
    ),
    _method("dagma_raw", f"DAGMA{_RAW}", on_gaps(_dagma(False)), f"{_DAGMA} covariance", "dagma"),
)
