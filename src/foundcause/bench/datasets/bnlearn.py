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

# name: (variables, rows, edges); rows of the first six are the paper's
_SIZES = {
    "asia": (8, 1000, 8),
    "child": (20, 1000, 25),
    "insurance": (27, 1500, 52),
    "hailfinder": (56, 5000, 66),
    "hepar2": (70, 5000, 123),
    "win95pts": (76, 5000, 112),
    "cancer": (5, 1000, 4),
    "earthquake": (5, 1000, 4),
    "survey": (6, 1000, 6),
    "sachs_discrete": (11, 1000, 17),
    "water": (32, 2000, 66),
    "mildew": (35, 2000, 46),
    "alarm": (37, 2000, 46),
    "barley": (48, 2000, 84),
}
_NETWORKS = {name: name for name in _SIZES} | {"sachs_discrete": "sachs"}  # plain "sachs" would be the measured tables


def _file(name: str) -> str:
    return f"{_NETWORKS[name]}.bif.gz"


def _load(name: str, rows: int, seed: int) -> Case:
    network = bif.read(network_file(_file(name)))
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
        source=SOURCE.format(name=_NETWORKS[name]),
        licence=LICENCE,
        recipe=f"{rows} rows by ancestral sampling; a state is coded by its position in the file",
        variables=variables,
        rows=rows,
        edges=edges,
        simulated=True,
        discrete=True,
        load=partial(_load, name, rows),
        missing=partial(network_absent, _file(name)),
    )
    for name, (variables, rows, edges) in _SIZES.items()
)
