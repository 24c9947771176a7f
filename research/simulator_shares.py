"""Print every share and size of a mixture beside what many tasks count, and how sortable its tables are.

    python research/simulator_shares.py --mixture PAPER --tasks 20000 --jobs 2

Exits with 1 when a share lies more than 4.5 standard errors off (about one false alarm in 3,000 tables of 60 lines),
or a size leaves its range.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections import defaultdict
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from simulator_audit import sortabilities, tally

from foundcause.simulate.mixture import make_task, named

LIMIT = 4.5
CHUNK = 250


def chunk(mixture: str, seed: int, start: int, stop: int, sortable: int) -> list[dict[str, Any]]:
    """Records of tasks, the first ``sortable`` indices of all with their sortabilities."""
    records = []
    for index in range(start, stop):
        task = make_task(named(mixture), seed, index)
        task.record["sortability"] = sortabilities(task) if index < sortable else None
        records.append(task.record)
    return records


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mixture", default="PAPER")
    parser.add_argument("--tasks", type=int, default=20000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--sortable", type=int, default=4000, help="tasks measured for sortability")
    options = parser.parse_args()
    starts = range(0, options.tasks, CHUNK)
    done = Parallel(n_jobs=options.jobs)(
        delayed(chunk)(options.mixture, options.seed, s, min(s + CHUNK, options.tasks), options.sortable)
        for s in starts
    )
    records = [record for part in done for record in part]
    print(f"{options.mixture}: {len(records)} tasks, seed {options.seed}\n")
    print(f"| {'share or mean size':40s} | expected | observed | std err | deviation | tasks | out of range |")
    print(f"|{'-' * 42}|---:|---:|---:|---:|---:|---:|")
    bad = 0
    for f in tally(named(options.mixture), records):
        bad += abs(f.deviation) > LIMIT or f.outside > 0
        numbers = f"{f.expected:8.4g} | {f.observed:8.4g} | {f.error:7.2g} | {f.deviation:+9.1f}"
        print(f"| {f.name:40s} | {numbers} | {f.tasks:5d} | {f.outside:5d} |")
    print("\nSortability (0.5: the order cannot be read off; variance as the table comes, R2 free of scales)\n")
    print(f"| {'component':18s} | varsortability | R2-sortability | tasks |\n|{'-' * 20}|---:|---:|---:|")
    groups: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for record in records:
        measured = record["sortability"]
        if measured is not None and not math.isnan(measured[0]):
            groups[record["component"]].append(measured)
    for name, values in sorted(groups.items()):
        variance, predictable = np.mean(values, axis=0)
        print(f"| {name:18s} | {variance:.3f} | {predictable:.3f} | {len(values)} |")
    print(f"\n{bad} lines more than {LIMIT} standard errors off or out of range")
    sys.exit(int(bad > 0))


if __name__ == "__main__":
    main()
