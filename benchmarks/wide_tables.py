"""Time, peak memory and accuracy of ``discover`` on wide tables of a sparse linear graph; columns double.

    python benchmarks/wide_tables.py 250 500 1000

Each size runs in a process of its own, after a small table has warmed it up.
"""

from __future__ import annotations

import argparse
import json
import platform
import resource
import subprocess
import sys
import time

import numpy as np

ROWS = 500


def sparse_linear(columns: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Cells (500, D) of a linear graph with uniform noise and about 1.5 causes a column, and its (D, D) edges."""
    rng = np.random.default_rng(seed)
    graph = np.zeros((columns, columns), dtype=bool)
    for effect in range(1, columns):
        causes = rng.choice(effect, size=min(effect, int(rng.integers(0, 4))), replace=False)
        graph[causes, effect] = True
    values = np.zeros((ROWS, columns))
    for effect in range(columns):
        causes = np.flatnonzero(graph[:, effect])
        signs = rng.choice([-1.0, 1.0], len(causes)) * rng.uniform(0.6, 1.2, len(causes))
        column = values[:, causes] @ signs + rng.uniform(-1.0, 1.0, ROWS)
        values[:, effect] = (column - column.mean()) / column.std()
    return values, graph


def measure(columns: int) -> dict[str, float]:
    """Seconds, gigabytes and F1 of one table."""
    import foundcause as fc
    from foundcause.inference.memory import estimate
    from foundcause.model.checkpoints import load_network

    fc.discover(sparse_linear(6)[0], n_passes=1)
    network = load_network()
    expected = estimate(network.config, rows=ROWS, variables=columns, features=network.features.count, n_passes=1)
    values, graph = sparse_linear(columns)
    started, processor = time.perf_counter(), time.process_time()
    result = fc.discover(values)
    found = np.asarray(result.decoded.adjacency, dtype=bool)
    return {
        "columns": columns,
        "seconds": round(time.perf_counter() - started, 1),
        "processor_seconds": round(time.process_time() - processor, 1),
        "estimated_seconds": round(expected.seconds or 0.0, 1),
        "gigabytes": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6, 2),
        "estimated_gigabytes": round(expected.gigabytes, 2),
        "passes": int(result.provenance["options"]["n_passes"]),
        "f1": round(float(2 * (found & graph).sum() / (found.sum() + graph.sum())), 3),
    }


def main() -> None:
    """Print one line a size, and the growth from each to the next."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("columns", type=int, nargs="*", default=[250, 500, 1000])
    parser.add_argument("--one", action="store_true", help="Measure in this process.")
    options = parser.parse_args()
    if options.one:
        print(json.dumps(measure(options.columns[0])))
        return
    print(f"{platform.processor() or platform.machine()}, {ROWS} rows")
    before = None
    for columns in options.columns:
        done = subprocess.run(
            [sys.executable, __file__, str(columns), "--one"], stdout=subprocess.PIPE, text=True, check=True
        )
        figures = json.loads(done.stdout.splitlines()[-1])
        growth = "" if before is None else f"  {figures['processor_seconds'] / before:.1f} times the processor time"
        print(json.dumps(figures) + growth, flush=True)
        before = figures["processor_seconds"]


if __name__ == "__main__":
    main()
