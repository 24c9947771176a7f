"""DREAM4 in-silico size 100, multifactorial: five gene networks, each as many rows as genes."""

from __future__ import annotations

from functools import partial

import pandas as pd

from foundcause.bench.case import Case, Dataset, adjacency_from_edges
from foundcause.bench.location import absent, data_file

REMEDY = "convert it as docs/evaluation.md says"
_EDGES = {1: 176, 2: 249, 3: 195, 4: 211, 5: 193}


def files(network: int) -> tuple[str, str]:
    """Values and gold standard of a network, in the data folder."""
    stem = f"dream4/insilico_size100_{network}"
    return f"{stem}_multifactorial.csv.gz", f"{stem}_goldstandard.csv"


def _load(network: int, seed: int) -> Case:
    values_file, edges_file = files(network)
    table = pd.read_csv(data_file(values_file, remedy=REMEDY))
    names = tuple(table.columns)
    edges = pd.read_csv(data_file(edges_file, remedy=REMEDY))
    return Case(
        dataset=f"dream4_{network}",
        seed=seed,
        values=table.to_numpy(float),
        names=names,
        adjacency=adjacency_from_edges(names, list(zip(edges["cause"], edges["effect"], strict=True))),
    )


DATASETS = tuple(
    Dataset(
        name=f"dream4_{network}",
        family="dream4",
        source="DREAM4 challenge (Marbach et al., PNAS 107:6286, 2010), via GitHub Luisiglm/KBoost @ c6ab4a6",
        licence="copying package GPL-2 or GPL-3; no separate data licence stated",
        recipe="multifactorial perturbations, 100 rows of 100 genes; gold standards contain feedback loops",
        variables=100,
        rows=100,
        edges=edges,
        simulated=False,
        load=partial(_load, network),
        missing=partial(absent, *files(network), remedy=REMEDY),
    )
    for network, edges in _EDGES.items()
)
