"""The Tuebingen cause-effect pairs: 102 real pairs of columns with weights, orientation randomised by the seed."""

from __future__ import annotations

from functools import cache, partial
from pathlib import Path

import numpy as np
import pandas as pd

from foundcause.bench.case import Case, Dataset
from foundcause.bench.datasets.orientation import oriented
from foundcause.bench.location import absent, data_file

TABLE = "tuebingen/tuebingen_pairs.csv.gz"
META = "tuebingen/pairmeta.txt"


def meta(path: Path) -> pd.DataFrame:
    """Columns cause and effect (0-based column positions) and weight; one row per usable pair, indexed by number."""
    columns = ["pair", "cause_first", "cause_last", "effect_first", "effect_last", "weight"]
    table = pd.read_csv(path, sep=r"\s+", header=None, names=columns, dtype={"pair": str}).set_index("pair")
    single = (table["cause_first"] == table["cause_last"]) & (table["effect_first"] == table["effect_last"])
    table = table[single & (table["weight"] > 0)]
    return pd.DataFrame(
        {"cause": table["cause_first"] - 1, "effect": table["effect_first"] - 1, "weight": table["weight"]}
    )


@cache
def _table(path: Path) -> dict[str, np.ndarray]:
    table = pd.read_csv(path, dtype={"pair": str})
    return {str(pair): rows.drop(columns="pair").to_numpy(float) for pair, rows in table.groupby("pair")}


def _load(pair: str, seed: int) -> Case:
    about = meta(data_file(META)).loc[[pair]]
    cause, effect = int(about["cause"].iloc[0]), int(about["effect"].iloc[0])
    values = _table(data_file(TABLE))[pair][:, np.array([cause, effect])]
    values = values[np.isfinite(values).all(axis=1)]
    return oriented(f"tuebingen_{pair}", seed, values=values, weight=float(about["weight"].iloc[0]))


# The numbering of the collection is fixed; these six have several columns on a side, or weight zero.
_UNUSABLE = {"0052", "0053", "0054", "0055", "0071", "0105"}
NUMBERS = tuple(number for number in (f"{k:04d}" for k in range(1, 109)) if number not in _UNUSABLE)

DATASETS = tuple(
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
        load=partial(_load, number),
        missing=partial(absent, TABLE, META),
    )
    for number in NUMBERS
)
