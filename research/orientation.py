"""How often arrows are right by the share that their direction has of the probability of both (simulated tasks).

The rule of ``Result.edges.orientation`` was chosen with it: ``python research/orientation.py --tasks 400``.
"""

from __future__ import annotations

import argparse
import warnings

import numpy as np
import pandas as pd

import foundcause as fc
from foundcause.errors import FoundcauseError
from foundcause.simulate.mixture import SHIPPED, make_task

SEED = 424242
CUTS = (0.55, 0.6, 0.65, 0.7, 0.75, 0.8)


def main() -> None:
    """Print the share of right arrows above and below each cut."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tasks", type=int, default=400)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    found: list[tuple[float, bool]] = []
    for index in range(options.tasks):
        task = make_task(SHIPPED, SEED, index)
        values = np.where(task.observed, task.values, np.nan)
        if not 3 <= values.shape[1] <= 25 or len(values) > 2000:
            continue
        frame = pd.DataFrame(values, columns=[f"v{k}" for k in range(values.shape[1])])
        try:
            edges = fc.discover(frame, n_passes=2, read={"identifier": "keep"}).edges
        except FoundcauseError:
            continue
        for edge in edges.itertuples():
            i, j = int(edge.cause[1:]), int(edge.effect[1:])
            if task.adjacency[i, j] != task.adjacency[j, i]:
                share = edge.probability / (edge.probability + edge.reverse_probability)
                found.append((share, bool(task.adjacency[i, j])))
    shares, right = map(np.array, zip(*found, strict=True))
    print(f"{len(found)} arrows between adjacent columns")
    for cut in CUTS:
        kept = shares >= cut
        print(f"{cut:.2f}: {kept.mean():.0%} directed, {right[kept].mean():.0%} right; rest {right[~kept].mean():.0%}")


if __name__ == "__main__":
    main()
