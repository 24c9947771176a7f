"""Measured tables with a known graph, and where they are downloaded.

- Flow cytometry of Sachs et al. 2005: the observational part, and all nine conditions pooled
- The light tunnel of the Causal Chambers: a physical system whose graph is known from its construction
- PetShop: latencies of the services of a web shop; a slow callee makes its caller slow
- DREAM4 in-silico size 100, multifactorial: five gene networks, each as many rows as genes
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
import pandas as pd

from foundcause.bench.case import Case, Dataset, adjacency_from_edges
from foundcause.bench.datasets.published_networks import read_bif
from foundcause.bench.download import File, Get, archive_members, data_file, github_file, missing_files, network_file
from foundcause.errors import DataUnavailableError

SACHS_TABLE = "sachs/sachs_2005_all_conditions.csv.gz"
SACHS_EDGES = "sachs/edges_17.csv"
OBSERVATIONAL = "cd3cd28"


def _load_sachs(name: str, pooled: bool, seed: int) -> Case:
    table = pd.read_csv(data_file(SACHS_TABLE))
    if not pooled:
        table = table[table["condition"] == OBSERVATIONAL]
    table = table.drop(columns="condition")
    names = tuple(table.columns)
    edges = pd.read_csv(data_file(SACHS_EDGES))
    return Case(
        dataset=name,
        seed=seed,
        values=table.to_numpy(float),
        names=names,
        adjacency=adjacency_from_edges(names, list(zip(edges["cause"], edges["effect"], strict=True))),
    )


def _sachs(name: str, rows: int, recipe: str, *, pooled: bool) -> Dataset:
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
        load=partial(_load_sachs, name, pooled),
        missing=partial(missing_files, SACHS_TABLE, SACHS_EDGES),
    )


SACHS = (
    _sachs("sachs_obs", 853, "the unperturbed condition cd3cd28, raw values", pooled=False),
    _sachs("sachs_full", 7466, "nine conditions pooled and treated as observational, raw values", pooled=True),
)


CHAMBER_TABLE = "causal_chambers_lt/lt_interventions_standard_v1_uniform_reference.csv.gz"
CHAMBER_VARIABLES = "causal_chambers_lt/variables_20.txt"
CHAMBER_EDGES = "causal_chambers_lt/edges_39.csv"


def _load_chamber(seed: int) -> Case:
    names = tuple(data_file(CHAMBER_VARIABLES).read_text().split())
    edges = pd.read_csv(data_file(CHAMBER_EDGES))
    return Case(
        dataset="causal_chambers_lt",
        seed=seed,
        values=pd.read_csv(data_file(CHAMBER_TABLE), usecols=list(names))[list(names)].to_numpy(float),
        names=names,
        adjacency=adjacency_from_edges(names, list(zip(edges["cause"], edges["effect"], strict=True))),
    )


CHAMBERS = (
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
        load=_load_chamber,
        missing=partial(missing_files, CHAMBER_TABLE, CHAMBER_VARIABLES, CHAMBER_EDGES),
    ),
)


# name: (scenario in the source, variables, rows, edges)
_SCENARIOS = {
    "petshop_high": ("high_traffic", 39, 589, 42),
    "petshop_low": ("low_traffic", 41, 589, 43),
    "petshop_temp1": ("temporal_traffic1", 41, 1652, 43),
    "petshop_temp2": ("temporal_traffic2", 41, 1652, 43),
}


def petshop_files(scenario: str) -> tuple[str, str]:
    """Metrics and call graph of a scenario, in the data folder."""
    return f"petshop/{scenario}_noissue_metrics.csv.gz", f"petshop/{scenario}_graph.csv"


def _load_petshop(name: str, scenario: str, seed: int) -> Case:
    metrics_file, graph_file = petshop_files(scenario)
    metrics = pd.read_csv(data_file(metrics_file), header=[0, 1, 2], index_col=0)
    calls = pd.read_csv(data_file(graph_file), index_col=0)
    latency = metrics.xs(("latency", "Average"), axis=1, level=(1, 2))
    names = tuple(str(column) for column in latency.columns if column in calls.columns)
    called = calls.loc[list(names), list(names)].to_numpy() > 0  # row calls column
    return Case(
        dataset=name,
        seed=seed,
        values=latency[list(names)].to_numpy(np.float64),
        names=names,
        adjacency=called.T.copy(),
    )


PETSHOP = tuple(
    Dataset(
        name=name,
        family="petshop",
        source=f"GitHub amazon-science/petshop-root-cause-analysis @ 1c5992d, dataset/{scenario}/noissue",
        licence="CC-BY-4.0",
        recipe="average latency per service during normal operation; edges from callee to caller; "
        "missing cells stay missing",
        variables=variables,
        rows=rows,
        edges=edges,
        simulated=False,
        load=partial(_load_petshop, name, scenario),
        missing=partial(missing_files, *petshop_files(scenario)),
        note="the temporal metrics could not be obtained for the committed results" if "temp" in name else "",
    )
    for name, (scenario, variables, rows, edges) in _SCENARIOS.items()
)


DREAM4_REMEDY = "convert it as docs/evaluation.md says"
_DREAM4_EDGES = {1: 176, 2: 249, 3: 195, 4: 211, 5: 193}


def dream4_files(network: int) -> tuple[str, str]:
    """Values and gold standard of a network, in the data folder."""
    stem = f"dream4/insilico_size100_{network}"
    return f"{stem}_multifactorial.csv.gz", f"{stem}_goldstandard.csv"


def _load_dream4(network: int, seed: int) -> Case:
    values_file, edges_file = dream4_files(network)
    table = pd.read_csv(data_file(values_file, remedy=DREAM4_REMEDY))
    names = tuple(table.columns)
    edges = pd.read_csv(data_file(edges_file, remedy=DREAM4_REMEDY))
    return Case(
        dataset=f"dream4_{network}",
        seed=seed,
        values=table.to_numpy(float),
        names=names,
        adjacency=adjacency_from_edges(names, list(zip(edges["cause"], edges["effect"], strict=True))),
    )


DREAM4 = tuple(
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
        load=partial(_load_dream4, network),
        missing=partial(missing_files, *dream4_files(network), remedy=DREAM4_REMEDY),
    )
    for network, edges in _DREAM4_EDGES.items()
)


_GNIES = "https://github.com/juangamella/gnies-paper/archive/fde5a8e.zip"
_CHAMBER = "https://causalchamber.s3.eu-central-1.amazonaws.com/downloadables/lt_interventions_standard_v1.zip"

# Rows of the nine conditions in the order of the pooled table; the number of rows identifies the file.
_CONDITIONS = {
    853: "cd3cd28",
    902: "cd3cd28icam2",
    911: "cd3cd28+aktinhib",
    723: "cd3cd28+g0076",
    810: "cd3cd28+psitect",
    799: "cd3cd28+u0126",
    848: "cd3cd28+ly",
    913: "pma",
    707: "b2camp",
}
_PROTEINS = ("Raf", "Mek", "Plcg", "PIP2", "PIP3", "Erk", "Akt", "PKA", "PKC", "P38", "Jnk")


def _sachs_table(get: Get) -> bytes:
    files = archive_members(get(_GNIES), "*/sachs/sachs_2005/*.csv").values()
    tables = {len(lines) - 1: lines[1:] for lines in (content.decode().splitlines() for content in files)}
    missing = [name for rows, name in _CONDITIONS.items() if rows not in tables]
    if missing:
        raise DataUnavailableError(f"the archive lacks the conditions {', '.join(missing)}")
    lines = [",".join(("condition", *_PROTEINS))]
    for rows, name in _CONDITIONS.items():
        lines += [f"{name},{line.strip()}" for line in tables[rows]]
    return ("\n".join(lines) + "\n").encode()


def _sachs_edges(get: Get) -> bytes:
    network = read_bif(network_file("sachs.bif.gz"))
    edges = sorted(
        (network.names[parent], network.names[child])
        for child, parents in enumerate(network.parents)
        for parent in parents
    )
    return _edge_list(edges)


def _chamber_table(get: Get) -> bytes:
    files = archive_members(get(_CHAMBER), "*uniform_reference.csv")
    if not files:
        raise DataUnavailableError("the archive has no experiment uniform_reference")
    return next(iter(files.values()))


def _chamber_edges(get: Get) -> bytes:
    """The light tunnel: lamps light all sensors and draw current, polarisers dim the third pair, each LED its own."""
    sensors = [f"{kind}_{k}" for kind in ("ir", "vis") for k in (1, 2, 3)]
    lamps = ("red", "green", "blue")
    edges = [(lamp, target) for target in (*sensors, "current") for lamp in lamps]
    edges += [(f"pol_{k}", f"{kind}_3") for kind in ("ir", "vis") for k in (1, 2)]
    edges += [("pol_1", "angle_1"), ("pol_2", "angle_2")]
    edges += [(f"l_{k}{led}", f"{kind}_{k}") for k in (1, 2, 3) for kind in ("ir", "vis") for led in (1, 2)]
    return _edge_list(edges)


def _chamber_variables(get: Get) -> bytes:
    names = ["red", "green", "blue", "current", "pol_1", "pol_2", "angle_1", "angle_2"]
    names += [f"{kind}_{k}" for k in (1, 2, 3) for kind in ("ir", "vis")]
    names += [f"l_{k}{led}" for k in (1, 2, 3) for led in (1, 2)]
    return ("\n".join(names) + "\n").encode()


def _edge_list(edges: list[tuple[str, str]]) -> bytes:
    return "".join(f"{cause},{effect}\n" for cause, effect in [("cause", "effect"), *edges]).encode()


_PETSHOP = partial(github_file, "amazon-science/petshop-root-cause-analysis", ("1c5992d", "main"))
_PETSHOP_SHA = {
    "high_traffic": (
        "70396bba0040e45fbfc8d2edc2053ae08939c5fbaeb04259fa50aa57b35474fd",
        "8d1f7c34ad22f50d4fe201149856e55509dc9e5e06215341410e71a83fc36cdc",
    ),
    "low_traffic": (
        "2b71704c2f02e4bf7fc3f5f792a8c5c0635bd5a2acfbaf2a6ab02a3de71aa469",
        "8b14487ad2d8c5c518e1012157ab0711ff14e712167310f4170b7118b6b9182b",
    ),
    "temporal_traffic1": (None, "10ddbc07b2beb2e4746c270b3f5ddf8c7728510160ed91bfe6056fdff31a8af0"),
    "temporal_traffic2": (None, "50a5eda47dc3a436de582d391d8075f6343b8ee4fee2303badf63ee688117853"),
}


def _petshop_downloads() -> Iterator[File]:
    for scenario, (metrics_sha, graph_sha) in _PETSHOP_SHA.items():
        metrics, graph = petshop_files(scenario)
        yield File(
            metrics, metrics_sha, _PETSHOP(f"dataset/{scenario}/noissue/metrics.csv"), optional=metrics_sha is None
        )
        yield File(graph, graph_sha, _PETSHOP(f"dataset/{scenario}/graph.csv"))


# DREAM4 is not among them: its public copies are R archives, and docs/evaluation.md says how to convert one.
FILES = (
    *_petshop_downloads(),
    File(SACHS_TABLE, "16a2b255e65015d3b8b4ef277f81a3c87da3aac863e87a0e8606ab8e28cc4115", _sachs_table),
    File(SACHS_EDGES, "1164297a0c66d34812f2b1a144454547ad984cbfc1005b9d8714b7ba6cb148b6", _sachs_edges),
    File(CHAMBER_TABLE, "dabfabf99e7919941a761335c813063b243f35e0302eb53cfdf69d7c9368719f", _chamber_table),
    File(CHAMBER_EDGES, "ec67076b8f0fdfa96ce29b259a29969ae0c3b971ccbe3ef72d226bd10bd4087b", _chamber_edges),
    File(CHAMBER_VARIABLES, "80e8ce04601fe471ecc8d2e55cbe9792087bb948f7c2cacc02aaac6b6ba36a9d", _chamber_variables),
)

DATASETS = (*SACHS, *CHAMBERS, *PETSHOP, *DREAM4)
