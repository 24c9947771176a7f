"""The extended feature set: everything cheap that says whether, and which way, two columns of a table depend.

N rows, D variables, F features. See docs of the blocks for the formulas; ``EXTENDED`` lists them all.
"""

from __future__ import annotations

import torch
from torch import Tensor

from foundcause.statistics import contingency, extended_linear, extended_moments, scores
from foundcause.statistics.extended_assembly import Quantity, assemble, features_of
from foundcause.statistics.extended_columns import prepare
from foundcause.statistics.registry import FeatureSet

QUANTITIES: tuple[Quantity, ...] = (
    *extended_linear.QUANTITIES,
    *scores.QUANTITIES,
    *contingency.QUANTITIES,
    *extended_moments.QUANTITIES,
)

EXTENDED = FeatureSet("extended", features_of(QUANTITIES))


@torch.no_grad()
def extended_statistics(values_ND: Tensor, observed_ND: Tensor, *, seed: int = 0) -> Tensor:
    """(D, D, F) float32 features of :data:`EXTENDED` for one unpadded table; [i, j] speaks of i as a cause of j."""
    columns = prepare(values_ND, observed_ND)
    values, linear = extended_linear.linear_block(columns)
    values |= scores.score_block(columns, linear)
    counts = contingency.tables(columns)
    values |= contingency.contingency_block(columns, counts)
    values |= extended_moments.moment_block(columns, linear.correlation[0], counts, values_ND.shape[0])
    return assemble(QUANTITIES, values, columns.variables)
