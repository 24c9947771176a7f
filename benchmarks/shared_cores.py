"""How much slower `discover` gets when several processes share the cores.

    python benchmarks/shared_cores.py --processes 1 2 4

Every process imports torch before foundcause, makes the same table, warms up, waits for the others and then runs
`discover` a few times. The ratio to one process alone is printed: on C cores, P processes that share them fairly are
P / C times slower, or a little more.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import statistics
import time
from typing import Any

import numpy as np


def simulated(rows: int, columns: int) -> np.ndarray:
    """A table of a sparse random graph, (rows, columns)."""
    rng = np.random.default_rng(0)
    values = rng.laplace(size=(rows, columns))
    for child in range(1, columns):
        for parent in rng.permutation(child)[:2]:
            values[:, child] += rng.normal() * np.tanh(values[:, parent])
    return values


def run(rows: int, columns: int, passes: int, repeats: int, barrier: Any, results: Any) -> None:
    """Time `discover` in this process and put the median on the queue."""
    import torch  # noqa: F401  (before foundcause on purpose: settings at its import cannot be the remedy)

    import foundcause as fc

    table = simulated(rows, columns)
    fc.discover(table, n_passes=passes)
    barrier.wait()
    seconds = []
    for _ in range(repeats):
        start = time.perf_counter()
        fc.discover(table, n_passes=passes)
        seconds.append(time.perf_counter() - start)
    results.put(statistics.median(seconds))


def medians(processes: int, options: argparse.Namespace) -> list[float]:
    """Seconds of one `discover` in each of so many processes at once."""
    context = multiprocessing.get_context("spawn")
    barrier, results = context.Barrier(processes), context.Queue()
    given = (options.rows, options.columns, options.passes, options.repeats, barrier, results)
    workers = [context.Process(target=run, args=given) for _ in range(processes)]
    for worker in workers:
        worker.start()
    found = [results.get() for _ in workers]
    for worker in workers:
        worker.join()
    return found


def main() -> None:
    """Print one line of JSON for each number of processes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=600)
    parser.add_argument("--columns", type=int, default=40)
    parser.add_argument("--passes", type=int, default=10)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--processes", type=int, nargs="+", default=[1, 2, 4])
    options = parser.parse_args()
    alone = None
    for processes in options.processes:
        seconds = medians(processes, options)
        alone = alone or max(seconds)
        line = {"processes": processes, "seconds": [round(s, 2) for s in seconds]}
        print(json.dumps(line | {"slowdown": round(max(seconds) / alone, 2)}), flush=True)


if __name__ == "__main__":
    main()
