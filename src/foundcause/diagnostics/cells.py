"""Columns in which a handful of cells decides: one yes among hundreds of noes. Shapes: N observed cells of a column."""

from __future__ import annotations

import numpy as np

_FEW_DIFFERENT = 4
_RARE = 0.05


def rows_that_differ(cells: np.ndarray) -> int:
    """How many cells (N,) of a nearly constant column differ from the commonest value; 0 when it is none."""
    _, counts = np.unique(cells, return_counts=True)
    differ = len(cells) - int(counts.max(initial=0))
    return differ if differ <= min(_FEW_DIFFERENT, _RARE * len(cells)) else 0
