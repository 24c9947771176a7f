"""The light tunnel of the Causal Chambers: a physical system whose graph is known from its construction."""

from __future__ import annotations

from functools import partial

import pandas as pd

from foundcause.bench.case import Case, Dataset, adjacency_from_edges
from foundcause.bench.location import absent, data_file

TABLE = "causal_chambers_lt/lt_interventions_standard_v1_uniform_reference.csv.gz"
VARIABLES = "causal_chambers_lt/variables_20.txt"
EDGES = "causal_chambers_lt/edges_39.csv"


def _load(seed: int) -> Case:
    names = tuple(data_file(VARIABLES).read_text().split())
    edges = pd.read_csv(data_file(EDGES))
    return Case(
        dataset="causal_chambers_lt",
        seed=seed,
        values=pd.read_csv(data_file(TABLE), usecols=list(names))[list(names)].to_numpy(float),
        names=names,
        adjacency=adjacency_from_edges(names, list(zip(edges["cause"], edges["effect"], strict=True))),
    )


DATASETS = (
    Dataset(
        name="causal_chambers_lt",
        family="causal chambers",
        source="juangamella/causal-chamber, lt_interventions_standard_v1, experiment uniform_reference, "
        "via GitHub DMIRLAB-Group/CDFM @ 9968160",
        licence="CC-BY-4.0",
        recipe="the 20 chamber variables that vary in this experiment; the published graph restricted to them",
        variables=20,
        rows=10000,
        edges=39,
        simulated=False,
        load=_load,
        missing=partial(absent, TABLE, VARIABLES, EDGES),
    ),
)
