"""Cells far from all others, and the table without them."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from foundcause.inference.outlier_cells import without_outliers


def slipped(seed: int = 0) -> np.ndarray:
    """(300, 3) measurements around 50; row 7 of column 1 lost its decimal point, row 3 of column 2 is missing."""
    values = np.random.default_rng(seed).normal(50.0, 5.0, size=(300, 3))
    values[7, 1] *= 10.0
    values[3, 2] = np.nan
    return values


def test_only_the_far_cell_goes():
    values = slipped()
    before = values.copy()
    spared = without_outliers(values)
    assert np.argwhere(np.isnan(spared) != np.isnan(values)).tolist() == [[7, 1]]
    np.testing.assert_array_equal(values, before)  # the table itself is left alone
    kept = ~np.isnan(spared)
    np.testing.assert_array_equal(spared[kept], values[kept])


def test_a_table_without_far_cells_is_handed_back():
    values = np.random.default_rng(1).normal(size=(300, 4))
    values[5, 2] = np.nan
    assert without_outliers(values) is values


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 10_000), st.floats(1e-6, 1e6), st.floats(-100, 100), st.booleans())
def test_unit_sign_and_row_order_do_not_matter(seed, scale, shift, mirrored):
    values = slipped(seed)
    rows = np.random.default_rng(seed).permutation(len(values))
    other = (shift + values[rows] * (-1 if mirrored else 1)) * scale
    np.testing.assert_array_equal(np.isnan(without_outliers(other)), np.isnan(without_outliers(values))[rows])
