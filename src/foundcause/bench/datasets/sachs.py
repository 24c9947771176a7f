"""Flow cytometry of Sachs et al. 2005: the observational part, and all nine conditions pooled."""

from __future__ import annotations

from functools import partial

import pandas as pd

from foundcause.bench.case import Case, Dataset, adjacency_from_edges
from foundcause.bench.location import absent, data_file

TABLE = "sachs/sachs_2005_all_conditions.csv.gz"
EDGES = "sachs/edges_17.csv"
OBSERVATIONAL = "cd3cd28"


def _load(name: str, pooled: bool, seed: int) -> Case:
    table = pd.read_csv(data_file(TABLE))
    if not pooled:
        table = table[table["condition"] == OBSERVATIONAL]
    table = table.drop(columns="condition")
    names = tuple(table.columns)
    edges = pd.read_csv(data_file(EDGES))
    return Case(
        dataset=name,
        seed=seed,
        values=table.to_numpy(float),
        names=names,
        adjacency=adjacency_from_edges(names, list(zip(edges["cause"], edges["effect"], strict=True))),
    )


def _dataset(name: str, rows: int, recipe: str, *, pooled: bool) -> Dataset:
    return Dataset(
        name=name,
        family="sachs",
        source="Sachs et al., Science 308:523 (2005), via GitHub juangamella/gnies-paper @ fde5a8e; "
        "17-edge graph of the bnlearn network in pgmpy 1.1.2",
        licence="repository BSD-3-Clause; the measurements carry no separate licence",
        recipe=recipe,
        variables=11,
        rows=rows,
        edges=17,
        simulated=False,
        load=partial(_load, name, pooled),
        missing=partial(absent, TABLE, EDGES),
    )


DATASETS = (
    _dataset("sachs_obs", 853, "the unperturbed condition cd3cd28, raw values", pooled=False),
    _dataset("sachs_full", 7466, "nine conditions pooled and treated as observational, raw values", pooled=True),
)
