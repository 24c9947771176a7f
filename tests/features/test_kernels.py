"""Compiled kernels against their torch twins, on tables of all kinds."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import numpy as np
import pytest
import torch
from test_residual_order import linear_table
from test_statistics import table
from test_statistics_twins import CASES, apart

from foundcause.features import compute, curves, regressions, residual_order, row_samples, sparsest_order
from foundcause.features.tensor_math import COMPILED_FROM, indices, kernels_for, pieces, use_kernels

T = TypeVar("T")
SETS = "extended+peeled+sparsest"
TABLES: dict[str, Callable[[], np.ndarray]] = {
    **CASES,
    "pair": lambda: table(400, 5, 1)[:, 3:],
    "many columns": lambda: table(150, 40, 2),
    "many columns, missing": lambda: table(150, 30, 3, missing=0.1),
    "linear": lambda: linear_table(30, 500, 4)[0],
    "rare": lambda: apart(400, 5, together=30),
}


def both(work: Callable[[], T]) -> tuple[T, T]:
    with use_kernels(False):
        slow = work()
    with use_kernels(True):
        return slow, work()


@pytest.mark.parametrize("close", [False, True])
@pytest.mark.parametrize("kind", TABLES)
def test_statistics_are_those_of_torch(kind: str, close: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if close:
        monkeypatch.setattr(row_samples, "FEWEST_ROWS", 60)
        monkeypatch.setattr(row_samples, "CELLS", 0)
    values = TABLES[kind]()
    observed = ~np.isnan(values)
    slow, fast = both(lambda: compute(np.nan_to_num(values), observed, features=SETS))
    torch.testing.assert_close(fast, slow, atol=5e-4, rtol=1e-4)


@pytest.mark.parametrize(("rows", "variables", "noise"), [(300, 12, "exponential"), (200, 40, "uniform")])
def test_orders_by_residuals_are_those_of_torch(rows: int, variables: int, noise: str) -> None:
    values = linear_table(variables, rows, 1, noise=noise)[0]
    values[:, 3] = values[:, 0] + values[:, 1]  # settled
    columns = torch.from_numpy((values - values.mean(0)) / values.std(0)).float().T.contiguous()
    slow, fast = both(lambda: residual_order.peel(columns))
    assert fast.order.tolist() == slow.order.tolist() and fast.settled.tolist() == slow.settled.tolist()
    for name in ("margin", "residuals", "doubt"):
        # next to nothing is left of some columns, which magnifies rounding
        torch.testing.assert_close(getattr(fast, name), getattr(slow, name), atol=2e-3, rtol=1e-3)


@pytest.mark.parametrize("variables", [2, 7, 40])
def test_gains_of_moves_are_those_of_numpy(variables: int) -> None:
    C = np.corrcoef(linear_table(variables, 300, 2)[0].T)
    factor = sparsest_order.Factor(C, np.random.default_rng(0).permutation(variables), 300.0, 4.0)
    slow, fast = both(factor.gains)
    np.testing.assert_allclose(fast, slow, rtol=1e-9, atol=1e-9)


def test_functions_are_accurate() -> None:
    """Exact fits, sines of large arguments and logarithms of small numbers, through the kernels that use them."""
    rng = np.random.default_rng(3)
    x = np.sort(rng.standard_normal((2000, 2)) ** 5, axis=0)  # far outliers
    observed = np.ones(x.shape, dtype=bool)
    slow, fast = both(lambda: compute(x, observed, features=SETS))
    torch.testing.assert_close(fast, slow, atol=2e-3, rtol=1e-3)


def test_wide_tables_alone_load_kernels() -> None:
    assert kernels_for(COMPILED_FROM - 1) is None and kernels_for(COMPILED_FROM) is not None
    with use_kernels(False):
        assert kernels_for(1000) is None
    with use_kernels(True):
        assert kernels_for(2) is not None


def test_without_numba_torch_does_all(monkeypatch: pytest.MonkeyPatch) -> None:
    from foundcause.features import tensor_math

    monkeypatch.setattr(tensor_math, "_kernels", lambda: None)
    values = table(100, 30, 1)
    assert torch.isfinite(compute(values, features=SETS, compiled=True)).all()


def test_sums_have_the_places_that_kernels_fill() -> None:
    kernels = kernels_for(COMPILED_FROM)
    assert kernels is not None
    assert (kernels.PAIR_SUMS, kernels.CURVE_SUMS, kernels.KNOTS) == (
        regressions.PAIR_SUMS, curves.CURVE_SUMS, curves.KNOTS,
    )  # fmt: skip


def test_pieces_of_one_cause_are_writable() -> None:
    """The finding: tables of 1,000 columns failed, because a piece of one cause gave kernels a read-only view."""
    for cells in (1, 10**9):
        for piece in pieces(None, 7, cells):
            causes, effects = indices(piece)
            assert causes.flags.writeable and effects.flags.writeable and effects.shape == (piece.count, 7)
