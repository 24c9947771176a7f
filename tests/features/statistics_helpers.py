"""Sets of features with the functions that compute them for one table."""

from __future__ import annotations

from torch import Tensor

from foundcause.features import compute, feature_set

EXTENDED, PEELED, SPARSEST = (feature_set(name) for name in ("extended", "peeled", "sparsest"))


def extended_statistics(values: Tensor, observed: Tensor, *, seed: int = 0) -> Tensor:
    return compute(values, observed, features=EXTENDED, seed=seed)


def residual_order_statistics(values: Tensor, observed: Tensor, *, seed: int = 0) -> Tensor:
    return compute(values, observed, features=PEELED, seed=seed)


def sparsest_order_statistics(values: Tensor, observed: Tensor, *, seed: int = 0) -> Tensor:
    return compute(values, observed, features=SPARSEST, seed=seed)
