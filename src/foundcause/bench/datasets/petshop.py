"""PetShop: latencies of the services of a web shop; a slow callee makes its caller slow."""

from __future__ import annotations

from functools import partial

import numpy as np
import pandas as pd

from foundcause.bench.case import Case, Dataset
from foundcause.bench.location import absent, data_file

# name: (scenario in the source, variables, rows, edges)
_SCENARIOS = {
    "petshop_high": ("high_traffic", 39, 589, 42),
    "petshop_low": ("low_traffic", 41, 589, 43),
    "petshop_temp1": ("temporal_traffic1", 41, 1652, 43),
    "petshop_temp2": ("temporal_traffic2", 41, 1652, 43),
}


def files(scenario: str) -> tuple[str, str]:
    """Metrics and call graph of a scenario, in the data folder."""
    return f"petshop/{scenario}_noissue_metrics.csv.gz", f"petshop/{scenario}_graph.csv"


def _load(name: str, scenario: str, seed: int) -> Case:
    metrics_file, graph_file = files(scenario)
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


DATASETS = tuple(
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
        load=partial(_load, name, scenario),
        missing=partial(absent, *files(scenario)),
        note="the temporal metrics could not be obtained for the committed results" if "temp" in name else "",
    )
    for name, (scenario, variables, rows, edges) in _SCENARIOS.items()
)
