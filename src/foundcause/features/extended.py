"""The extended feature set: everything cheap that says whether, and which way, two columns of a table depend.

N rows, D variables, F features. See docs of the blocks for the formulas; ``EXTENDED`` lists them all.
"""

from __future__ import annotations

import torch
from torch import Tensor

from foundcause.features import (
    contingency,
    curves,
    extended_blocks,
    extended_discrete,
    extended_linear,
    extended_local,
    extended_moments,
    pairs,
    scores,
    support,
)
from foundcause.features.extended_assembly import Layout, Quantity, assemble, features_of
from foundcause.features.extended_columns import Columns, prepare_few
from foundcause.features.looks import plan_looks
from foundcause.features.registry import FeatureSet

QUANTITIES: tuple[Quantity, ...] = (
    *extended_linear.QUANTITIES,
    *scores.QUANTITIES,
    *contingency.QUANTITIES,
    *extended_moments.QUANTITIES,
    *extended_blocks.QUANTITIES,
    *extended_discrete.QUANTITIES,
    *pairs.QUANTITIES,
    *support.QUANTITIES,
    *curves.QUANTITIES,
    *extended_local.QUANTITIES,
)

EXTENDED = FeatureSet("extended", features_of(QUANTITIES))
LAYOUT = Layout(QUANTITIES)


def extended_statistics(values_ND: Tensor, observed_ND: Tensor, *, seed: int = 0) -> Tensor:
    """(D, D, F) float32 features of :data:`EXTENDED` for one unpadded table; [i, j] speaks of i as a cause of j."""
    return extended_features(prepare_few(values_ND, observed_ND, seed=seed), rows=len(values_ND), seed=seed)


@torch.no_grad()
def extended_features(columns: Columns, *, rows: int, seed: int = 0) -> Tensor:
    """The same of a table made ready; ``rows`` are those of the whole table, of which ``columns`` may hold fewer."""
    values, linear = extended_linear.linear_block(columns)
    values |= scores.score_block(columns, linear)
    counts = contingency.pair_counts(columns)
    sums = extended_moments.bin_sums(columns)
    parts = [
        contingency.contingency_features(tables) | extended_discrete.discrete_features(tables, columns.states)
        for tables in contingency.chunks(counts)
    ]
    values |= {name: torch.cat([part[name] for part in parts]) for name in parts[0]}
    values |= extended_moments.moment_block(columns, linear.correlation[0], counts, sums, rows)
    values |= extended_blocks.block_statistics(columns)
    # z-values are cut at 0; the raw strength settles such ties whatever the order of the columns
    strength = values["block_order1_z"] + 1e-3 * values["block"]
    looks = plan_looks(columns, strength, seed=seed)
    values |= pairs.pair_block(columns, looks, linear.correlation, linear.precision[0].float(), counts, sums)
    values |= curves.curve_block(columns, looks)
    values |= support.marginal_support(columns)
    values |= extended_local.local_block(columns, strength)
    return assemble(LAYOUT, values, columns.together)
