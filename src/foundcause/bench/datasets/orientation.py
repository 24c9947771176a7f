"""Which column of a pair comes first is a matter of chance."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from foundcause.bench.case import Case
from foundcause.bench.datasets.seeding import generator

NAMES = ("x", "y")


def oriented(name: str, seed: int, *, values: np.ndarray, weight: float) -> Case:
    """The case of a cause and its effect, ``values`` (N, 2), in the order that the seed decides."""
    case = Case(
        dataset=name,
        seed=seed,
        values=values,
        names=NAMES,
        adjacency=np.array([[False, True], [False, False]]),
        weight=weight,
    )
    if generator(name, seed).random() < 0.5:
        return case
    return replace(case.permuted(np.array([1, 0])), names=NAMES)
