"""Tables sampled from the published networks of bnRep that are kept for reporting: no part of training sees them.

``simulate/components/bnrep_split.txt`` holds the split, made before anything was measured. Shape letters: N rows, D
variables.
"""

from __future__ import annotations

from functools import cache, partial

import numpy as np

from foundcause.bench.case import Case, Dataset, generator
from foundcause.simulate.components.bnrep import Network, missing_data, networks, split

ROWS = 1000


@cache
def _networks() -> dict[str, Network]:
    return {network.name: network for network in networks("report")}


def _load(name: str, seed: int) -> Case:
    network = _networks()[name]
    values = network.sample(generator(f"bnrep_{name}", seed), ROWS).astype(np.float64)
    return Case(
        dataset=f"bnrep_{name}",
        seed=seed,
        values=values,
        names=network.nodes,
        adjacency=network.graph,
        discrete=not network.weights,
    )


DATASETS = tuple(
    Dataset(
        name=f"bnrep_{name}",
        family="bnrep",
        source="bnRep 0.0.2 (Leonelli), parameters as published",
        licence="that of the R package; none is copied here",
        recipe=f"{ROWS} rows by ancestral sampling; a state is coded by its position",
        variables=None,
        rows=ROWS,
        edges=None,
        simulated=True,
        load=partial(_load, name),
        missing=missing_data,
    )
    for name in split()["report"]
)
