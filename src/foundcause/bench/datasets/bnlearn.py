"""Tables sampled from the expert-made discrete networks of the bnlearn repository, as bundled in pgmpy."""

from __future__ import annotations

from functools import partial

import numpy as np

from foundcause.bench.case import Case, Dataset
from foundcause.bench.datasets import bif
from foundcause.bench.datasets.seeding import generator
from foundcause.bench.location import network_absent, network_file

SOURCE = "bnlearn repository, {name}.bif as bundled in pgmpy 1.1.2"
LICENCE = "pgmpy MIT; networks are published without a separate licence"

# name: (variables, rows of the paper, edges)
_SIZES = {
    "asia": (8, 1000, 8),
    "child": (20, 1000, 25),
    "insurance": (27, 1500, 52),
    "hailfinder": (56, 5000, 66),
    "hepar2": (70, 5000, 123),
    "win95pts": (76, 5000, 112),
}


def _load(name: str, rows: int, seed: int) -> Case:
    network = bif.read(network_file(f"{name}.bif.gz"))
    values = network.sample(rows, generator(name, seed)).astype(np.float64)
    return Case(
        dataset=name,
        seed=seed,
        values=values,
        names=network.names,
        adjacency=network.adjacency,
        discrete=True,
    )


DATASETS = tuple(
    Dataset(
        name=name,
        family="bnlearn",
        source=SOURCE.format(name=name),
        licence=LICENCE,
        recipe=f"{rows} rows by ancestral sampling; a state is coded by its position in the file",
        variables=variables,
        rows=rows,
        edges=edges,
        simulated=True,
        discrete=True,
        load=partial(_load, name, rows),
        missing=partial(network_absent, f"{name}.bif.gz"),
    )
    for name, (variables, rows, edges) in _SIZES.items()
)
