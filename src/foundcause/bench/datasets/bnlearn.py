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

# name: (network, variables, rows, edges); rows of the first six are the paper's
_SIZES = {
    "asia": ("asia", 8, 1000, 8),
    "child": ("child", 20, 1000, 25),
    "insurance": ("insurance", 27, 1500, 52),
    "hailfinder": ("hailfinder", 56, 5000, 66),
    "hepar2": ("hepar2", 70, 5000, 123),
    "win95pts": ("win95pts", 76, 5000, 112),
    "cancer": ("cancer", 5, 1000, 4),
    "earthquake": ("earthquake", 5, 1000, 4),
    "survey": ("survey", 6, 1000, 6),
    "sachs_discrete": ("sachs", 11, 1000, 17),
    "water": ("water", 32, 2000, 66),
    "mildew": ("mildew", 35, 2000, 46),
    "alarm": ("alarm", 37, 2000, 46),
    "barley": ("barley", 48, 2000, 84),
}


def _load(name: str, file: str, rows: int, seed: int) -> Case:
    network = bif.read(network_file(file))
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
        source=SOURCE.format(name=network),
        licence=LICENCE,
        recipe=f"{rows} rows by ancestral sampling; a state is coded by its position in the file",
        variables=variables,
        rows=rows,
        edges=edges,
        simulated=True,
        discrete=True,
        load=partial(_load, name, f"{network}.bif.gz", rows),
        missing=partial(network_absent, f"{network}.bif.gz"),
    )
    for name, (network, variables, rows, edges) in _SIZES.items()
)
