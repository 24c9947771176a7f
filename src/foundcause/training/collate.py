"""From prepared tasks to a padded batch; every draw depends on (seed, step, task, view) only, never on the rank.

Shapes: B tasks, N encoder rows, D variables of the largest task, F features.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch

from foundcause.training.batch import Batch
from foundcause.training.prepare import Prepared


def collate(
    items: Sequence[Prepared],
    *,
    seed: int = 0,
    step: int = 0,
    permute: bool = False,
) -> Batch:
    """A padded batch, with the columns of each task shuffled when asked."""
    B, D = len(items), max(item.variables for item in items)
    N = max(len(item.values) for item in items)
    F = items[0].statistics.shape[-1]
    values = np.zeros((B, N, D), np.float32)
    observed = np.zeros((B, N, D), bool)
    variables = np.zeros((B, D), bool)
    statistics = np.zeros((B, D, D, F), np.float32)
    adjacency = np.zeros((B, D, D), bool)
    confounding = np.zeros((B, D, D), bool)
    for b, item in enumerate(items):
        d, n = item.variables, len(item.values)
        order = np.arange(d)
        if permute:
            order = np.random.default_rng([seed, step, item.index, item.view]).permutation(d)
        square = np.ix_(order, order)
        values[b, :n, :d] = item.values[:, order]
        observed[b, :n, :d] = item.observed[:, order]
        variables[b, :d] = True
        statistics[b, :d, :d] = item.statistics[square] if permute else item.statistics
        adjacency[b, :d, :d] = item.adjacency[square]
        confounding[b, :d, :d] = item.confounding[square]
    return Batch(
        values=torch.from_numpy(values),
        observed=torch.from_numpy(observed),
        variables=torch.from_numpy(variables),
        statistics=torch.from_numpy(statistics),
        adjacency=torch.from_numpy(adjacency),
        confounding=torch.from_numpy(confounding),
    )
