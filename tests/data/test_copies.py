"""Copies of a column: one rule for all who ask, whatever the scale."""

from __future__ import annotations

import numpy as np
import pytest

from foundcause.data.copies import copies, first_of_copies

ROWS = 514
SCALES = [(0.1, 0.0), (2.54, 0.0), (9 / 5, 32.0), (-1.0, 7.0), (1 / 3, 0.1), (1e-3, 0.0), (-1e9, 5.0)]


def shapes() -> list[np.ndarray]:
    rng = np.random.default_rng(0)
    holed = rng.normal(size=ROWS)
    holed[::7] = np.nan
    # Multiples of 1 / 128 are ties of every decimal grid, so that rounding would tell rescaled ones apart.
    ties = rng.permutation(np.tile(np.arange(257.0), 2))
    return [rng.normal(size=ROWS), holed, rng.integers(0, 2, ROWS) * 1.0, ties]


@pytest.mark.parametrize(("scale", "shift"), SCALES)
def test_rescaled_shifted_and_mirrored_columns_are_copies(scale: float, shift: float) -> None:
    for cells in shapes():
        assert copies([scale * cells + shift, cells], ["b", "a"]) == {0: 1}


def test_other_columns_are_no_copies() -> None:
    for cells in shapes():
        nearly = cells + 1e-3 * np.random.default_rng(1).normal(size=len(cells))
        gap = cells.copy()
        gap[3] = np.nan
        other = cells.copy()
        other[[3, 4]] = other[[4, 3]] + 1
        found = np.column_stack([cells, nearly, gap, other, np.exp(cells / 100)])
        # Two values are always the same two, rescaled.
        kept = [0, 1, 2, 3] if len(np.unique(cells)) == 2 else [0, 1, 2, 3, 4]
        assert first_of_copies(found, list("abcde")) == kept


def test_the_first_is_so_by_name_whatever_the_order_of_columns() -> None:
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(2, 200))
    values, names = np.column_stack([x, 2 * x, y, -x, 3 - y]), list("edcba")
    for order in (np.arange(5), rng.permutation(5)):
        kept = first_of_copies(values[:, order], [names[k] for k in order])
        assert {names[order[k]] for k in kept} == {"a", "b"}


def test_empty_and_constant_columns_are_no_hindrance() -> None:
    x = np.random.default_rng(0).normal(size=30)
    values = np.column_stack([x, np.full(30, np.nan), np.full(30, 3.0)])
    assert first_of_copies(values, list("abc")) == [0, 1, 2]
    assert first_of_copies(np.zeros((5, 0)), []) == []
