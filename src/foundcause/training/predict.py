"""Answers of a network on prepared tasks, in batches of similar size. Shapes: B tasks, D variables."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch

from foundcause.model.network import FoundCause
from foundcause.training.collate import collate
from foundcause.training.metrics import Answer
from foundcause.training.prepare import Prepared


@torch.no_grad()
def answers(network: FoundCause, items: Sequence[Prepared], *, budget: float = 20_000.0) -> list[Answer]:
    """Uncalibrated answers in the order of the items; the network must be in evaluation mode."""
    found: list[Answer | None] = [None] * len(items)
    device = next(network.parameters()).device
    for group in _groups(items, budget):
        batch = collate([items[k] for k in group]).to(device)
        prediction = network(batch.rows, batch.observed, batch.variables, statistics=batch.statistics)
        existence = torch.sigmoid(prediction.existence_logits.float()).cpu().numpy()
        direction = torch.sigmoid(prediction.direction_logits.float()).cpu().numpy()
        shared = torch.sigmoid(prediction.confounding_logits.float()).cpu().numpy()
        for b, k in enumerate(group):
            d = items[k].variables
            found[k] = Answer(
                adjacency=items[k].adjacency.astype(bool),
                confounding=items[k].confounding.astype(bool),
                existence=existence[b, :d, :d],
                direction=direction[b, :d, :d],
                shared=shared[b, :d, :d],
                rows=items[k].rows,
            )
    return [answer for answer in found if answer is not None]


def _groups(items: Sequence[Prepared], budget: float) -> list[list[int]]:
    order = np.argsort([item.variables for item in items], kind="stable")
    groups: list[list[int]] = []
    for k in order:
        largest = items[k].variables
        if groups and (len(groups[-1]) + 1) * largest**2 <= budget and largest <= 1.3 * items[groups[-1][0]].variables:
            groups[-1].append(int(k))
        else:
            groups.append([int(k)])
    return groups
